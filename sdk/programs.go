package sdk

import (
	"context"
	"errors"
	"maps"
	"sync"

	"github.com/playctl/playctl/internal/client"
)

// errLeaving is the error for an asker whose command a leaving agent does not finish.
var errLeaving = errors.New("the agent is leaving")

// programs are the streams with the questions to a world's agents that have a
// program: one for all of them if the main node reads it.
type programs struct {
	world *RemotePlayWorld

	mu        sync.Mutex
	listeners map[string]*IntercomSubscription
}

// add registers an agent and makes a program answer for it, from the first question on.
func (s *programs) add(ctx context.Context, o *AgentOptions, p *agentProgram) (*Agent, error) {
	a, err := s.world.newAgent(o)
	if err != nil {
		return nil, err
	}
	a.program = p
	source := s.world.sourceFor(a)
	early := source == s.world.client
	if early {
		// Questions can come as soon as the agent is on the map.
		if err := s.listen(ctx, source); err != nil {
			a.stop()
			return nil, err
		}
	}
	if err := s.world.hold(ctx, a); err != nil {
		return nil, err
	}
	if !early {
		if err := s.listen(ctx, source); err != nil {
			return nil, errors.Join(err, a.Disconnect(context.WithoutCancel(ctx)))
		}
	}
	return a, nil
}

// remove drops the program of an agent that leaves: its calls are ended and answered,
// which remove awaits until ctx ends.
func (s *programs) remove(ctx context.Context, a *Agent) {
	if a.program == nil || a.gone.Swap(true) {
		return
	}
	for _, listener := range s.all() {
		listener.dismiss(ctx, a)
	}
}

func (s *programs) all() []*intercomListener {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*intercomListener
	for _, subscription := range s.listeners {
		all = append(all, subscription.listener)
	}
	return all
}

// listen listens for the questions that a client can read, and waits until the stream is
// open. The stream is requested again until it opens; a refusal of the caller by the host
// ends the wait.
func (s *programs) listen(ctx context.Context, source *client.Client) error {
	ctx, done, err := s.world.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	if _, err := source.SID(ctx); err != nil {
		return err
	}
	subscription, err := s.open(ctx, source)
	if err != nil {
		return err
	}
	select {
	case <-subscription.ready:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-subscription.done:
		s.forget(subscription)
	}
	if refused := subscription.listener.refusal; refused != nil {
		return refused
	}
	return ErrClosed
}

// forget makes the next agent listen again.
func (s *programs) forget(ended *IntercomSubscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.listeners, func(_ string, one *IntercomSubscription) bool { return one == ended })
}

func (s *programs) open(ctx context.Context, source *client.Client) (*IntercomSubscription, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if subscription := s.listeners[source.Node()]; subscription != nil {
		return subscription, nil
	}
	listener := newIntercomListener(s.world, &IntercomOptions{Timeout: defaultIntercomTimeout, Concurrency: defaultIntercomConcurrency})
	listener.sources = []*client.Client{source}
	subscription, err := listener.start(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	s.listeners[source.Node()] = subscription
	return subscription, nil
}
