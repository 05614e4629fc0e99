package sdk

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// The lease is renewed after a third of its term, so that two heartbeats may
// be lost.
const heartbeatsPerTerm = 3

// defaultTerm is the protocol's default, for hosts that do not state the granted term.
const defaultTerm = protocol.DefaultLeaseTTLSeconds * time.Second

// longestRepair bounds the waits between attempts to keep an agent whose host is
// unreachable.
const longestRepair = 15 * time.Second

// wake makes the agent register again.
func (a *Agent) wake() { wake(a.renewal) }

// wake fills a channel of one place, whose reader has everything registered again.
func wake(renewal chan<- struct{}) {
	select {
	case renewal <- struct{}{}:
	default:
	}
}

// term returns the lease that the host granted; 0 for an agent without one.
func (a *Agent) term() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.request.ConnectionID == "":
		return 0
	case a.reply.LeaseTTLSeconds == nil || *a.reply.LeaseTTLSeconds <= 0:
		return defaultTerm
	}
	return time.Duration(*a.reply.LeaseTTLSeconds) * time.Second
}

// keep keeps the agent until it leaves or cannot be kept. The heartbeats have ended
// when OnLost is called, which may disconnect the agent.
func (a *Agent) keep() {
	refused := a.beat()
	a.mu.Lock()
	a.lost = refused
	a.mu.Unlock()
	close(a.kept)
	if refused == nil {
		return
	}
	a.world.warn("an agent cannot be kept: the host refuses it", "agentId", a.PlayerID(), "reason", refused)
	if a.onLost != nil {
		a.onLost(refused)
	}
}

// beat renews the agent's lease until it leaves, and registers it again when the
// host no longer knows it. It returns why the agent cannot be kept; nil if it leaves.
func (a *Agent) beat() error {
	failures, again := 0, false
	for {
		// A registration that failed stays due.
		again = await(a.leaving, a.nextSign(failures), a.renewal) || again
		if a.leaves() {
			return nil
		}
		err := a.renew(again)
		switch {
		case a.leaves():
			return nil
		case err == nil:
			failures, again = 0, false
		case final(err):
			return err
		default:
			if failures == 0 {
				a.world.warn("an agent's lease could not be renewed; trying again", "agentId", a.PlayerID(), "reason", err)
			}
			failures++
		}
	}
}

func (a *Agent) leaves() bool { return a.leaving.Err() != nil }

// nextSign returns when the next heartbeat is due; 0 for never.
func (a *Agent) nextSign(failures int) time.Duration {
	if failures > 0 {
		return retry.Backoff{First: time.Second, Max: longestRepair}.After(failures)
	}
	return a.term() / heartbeatsPerTerm
}

// await waits for a time, or without end if it is 0, until the context ends, or until the
// channel wakes it, which it reports.
func await(ctx context.Context, d time.Duration, wakes <-chan struct{}) (woken bool) {
	var due <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-due:
	case <-wakes:
		return true
	}
	return false
}

// renew sends one heartbeat, or registers the agent again.
func (a *Agent) renew(again bool) error {
	ctx, cancel := context.WithTimeout(a.leaving, cmp.Or(a.term(), defaultTerm))
	defer cancel()
	if !again {
		reply, err := a.heartbeat()
		if err == nil {
			a.granted(reply.LeaseTTLSeconds)
			return nil
		}
		if !protocol.HasCode(err, protocol.CodeLeaseUnknown, protocol.CodePlayerUnknown) {
			return err
		}
		a.world.options.Logger.Info("the host does not know an agent's lease; registering again", "agentId", a.PlayerID())
		a.noteContest(ctx)
	}
	return a.register(ctx)
}

// heartbeat renews the lease. Without an answer it ends when the next one is due, while
// the lease lasts.
func (a *Agent) heartbeat() (*protocol.HeartbeatReply, error) {
	ctx, cancel := context.WithTimeout(a.leaving, a.term()/heartbeatsPerTerm)
	defer cancel()
	return a.client.Heartbeat(ctx, protocol.HeartbeatRequest{
		PlayerID: a.PlayerID(), ConnectionID: a.request.ConnectionID, LeaseTTLSeconds: a.request.LeaseTTLSeconds,
	})
}

// noteContest warns once if an agent that lost its lease is on the map: another
// program put it there.
func (a *Agent) noteContest(ctx context.Context) {
	if a.contested {
		return
	}
	if _, _, err := ownerOnMap(ctx, a.client, a.PlayerID()); err == nil {
		a.contested = true
		a.world.warn("another program put the same agent on the map: stop one of them, or both answer for it", "agentId", a.PlayerID())
	}
}

// granted stores the term in the reply to a heartbeat.
func (a *Agent) granted(seconds int) {
	if seconds <= 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	renewed := *a.reply
	renewed.LeaseTTLSeconds = &seconds
	a.reply = &renewed
}

// final reports whether no later attempt can succeed: the host refuses the
// credentials, or refuses them for this agent. An ended session is not final, as
// another one follows it.
func final(err error) bool {
	refused, ok := asRefusal(err)
	return ok && refused.Code != protocol.CodeSIDInvalid &&
		(refused.Status() == http.StatusUnauthorized || refused.Status() == http.StatusForbidden)
}
