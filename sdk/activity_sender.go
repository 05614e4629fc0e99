package sdk

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

const (
	// activityTimeout bounds one request, so that a newer activity does not wait long for the
	// answer to an older one.
	activityTimeout = 10 * time.Second
	// lastActivityTimeout bounds the request of an agent that leaves; half of its time is for
	// leaving.
	lastActivityTimeout = disconnectTimeout / 2
)

// activitySender sends what an agent does now, from a goroutine that the first activity starts.
type activitySender struct {
	agent   *Agent
	changed chan struct{}
	ended   chan struct{} // closed when the goroutine has ended

	mu        sync.Mutex
	started   bool
	pace      activityPace
	answering answering
}

func newActivitySender(a *Agent) *activitySender {
	s := &activitySender{agent: a, changed: make(chan struct{}, 1), ended: make(chan struct{})}
	s.pace.newest.PlayerID, s.pace.newest.ConnectionID = a.request.AgentID, a.request.ConnectionID
	return s
}

// change changes the newest activity, for the program.
func (s *activitySender) change(apply func(*protocol.RecordActivityRequest)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replace(apply)
}

// replace changes the newest activity. The lock is held.
func (s *activitySender) replace(apply func(*protocol.RecordActivityRequest)) error {
	if err := s.agent.ended(); err != nil {
		return err
	}
	apply(&s.pace.newest)
	if !s.started {
		if !s.agent.world.start(s.run) {
			return ErrClosed
		}
		s.started = true
	}
	wake(s.changed)
	return nil
}

// ended returns why the agent is no longer kept; nil if it is.
func (a *Agent) ended() error {
	switch lost := a.Err(); {
	case a.world.life.Err() != nil:
		return ErrClosed
	case lost != nil:
		return fmt.Errorf("%w: %w", ErrAgentEnded, lost)
	case a.leaves():
		return ErrAgentEnded
	}
	return nil
}

// registered has the newest activity sent again.
func (s *activitySender) registered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pace.registered()
	wake(s.changed)
}

// run sends activities until the agent leaves.
func (s *activitySender) run() {
	defer close(s.ended)
	once := s.agent.client.WithRetry(retry.Policy{Attempts: 1})
	for !s.agent.leaves() {
		switch wait, due := s.wait(); {
		case !due:
			await(s.agent.leaving, 0, s.changed)
		case wait > 0:
			await(s.agent.leaving, wait, s.changed)
		default:
			s.send(s.agent.leaving, once, activityTimeout)
		}
	}
}

// wait returns how long to wait before the next request; false if there is nothing to send.
func (s *activitySender) wait() (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, due := s.pace.due()
	return time.Until(at), due && s.agent.client.Has(protocol.CapActivity)
}

// send sends the newest activity.
func (s *activitySender) send(ctx context.Context, c *client.Client, most time.Duration) {
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	s.mu.Lock()
	sending := s.pace.begin(time.Now())
	s.mu.Unlock()
	_, err := c.RecordActivity(limited, sending.request)
	if ctx.Err() != nil {
		return // the agent leaves, which sends it again
	}
	s.mu.Lock()
	refused := s.pace.ended(time.Now(), sending, err)
	s.mu.Unlock()
	switch {
	case refused:
		s.agent.world.warn("the host refuses what an agent does now", "agentId", s.agent.PlayerID(), "reason", err)
	case err != nil:
		s.agent.world.options.Logger.Debug("what an agent does now was not sent", "agentId", s.agent.PlayerID(), "reason", err)
	}
}

// flush sends what is still to be sent of an agent that leaves, whose goroutine it waits for. It
// takes at most half of the time that is left.
func (s *activitySender) flush(ctx context.Context) {
	s.mu.Lock()
	started := s.started
	s.mu.Unlock()
	if !started {
		return
	}
	<-s.ended
	if _, due := s.wait(); !due || s.agent.Err() != nil {
		return
	}
	most := lastActivityTimeout
	if deadline, has := ctx.Deadline(); has {
		most = min(most, time.Until(deadline)/2)
	}
	s.send(ctx, s.agent.client, most)
}
