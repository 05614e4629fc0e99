package sdk

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// errLeaving is what an asker reads whose command an agent does not finish.
var errLeaving = errors.New("the agent is leaving")

// programs are the agents of a world that have a program, and the streams that bring
// their questions: one for all of them where a main node reads it.
type programs struct {
	world *RemotePlayWorld

	mu        sync.Mutex
	byID      map[string]*answering
	listeners map[string]*IntercomSubscription
}

// answering is an agent that is asked: with a program, or one for an executor.
type answering struct {
	program *agentProgram // nil for one that an executor answers for
	arrived chan struct{} // closed when agent is set; nil if it is from the start
	agent   *Agent        // nil if it could not be registered
	gone    atomic.Bool
}

func newPrograms(w *RemotePlayWorld) *programs {
	return &programs{world: w, byID: map[string]*answering{}, listeners: map[string]*IntercomSubscription{}}
}

// wait gives the agent once it is on the map; nil where it is not, or where ctx ends.
func (a *answering) wait(ctx context.Context) *Agent {
	if a.arrived != nil {
		select {
		case <-a.arrived:
		case <-ctx.Done():
			return nil
		}
	}
	if a.gone.Load() {
		return nil
	}
	return a.agent
}

// find gives who answers for an agent; nil if no program does.
func (s *programs) find(id string) *answering {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[protocol.NormalizeAgentID(id)]
}

// add registers an agent and makes a program answer for it, from the first question on.
func (s *programs) add(ctx context.Context, o *AgentOptions, p *agentProgram) (*Agent, error) {
	a, err := s.world.newAgent(o)
	if err != nil {
		return nil, err
	}
	source := s.world.sourceFor(a)
	early := source == s.world.client
	if early {
		// Questions come from the moment that the agent is on the map.
		if err := s.listen(ctx, source); err != nil {
			a.stop()
			return nil, err
		}
	}
	if err := s.register(ctx, a, p); err != nil {
		return nil, err
	}
	if !early {
		if err := s.listen(ctx, source); err != nil {
			return nil, errors.Join(err, a.Disconnect(context.WithoutCancel(ctx)))
		}
	}
	return a, nil
}

// register puts the agent on the map. Questions that come meanwhile wait for it.
func (s *programs) register(ctx context.Context, a *Agent, p *agentProgram) error {
	one := &answering{program: p, arrived: make(chan struct{})}
	defer close(one.arrived)
	id := a.PlayerID()
	s.mu.Lock()
	before := s.byID[id]
	s.byID[id] = one
	s.mu.Unlock()
	err := s.world.hold(ctx, a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		one.agent = a
		return nil
	}
	if s.byID[id] == one {
		delete(s.byID, id)
		if before != nil {
			s.byID[id] = before
		}
	}
	return err
}

// remove lets an agent's program go that leaves: what it does ends, and is answered,
// which it waits for until ctx ends.
func (s *programs) remove(ctx context.Context, a *Agent) {
	id := a.PlayerID()
	s.mu.Lock()
	one := s.byID[id]
	if one == nil || one.agent != a {
		s.mu.Unlock()
		return
	}
	delete(s.byID, id)
	s.mu.Unlock()
	one.gone.Store(true)
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
// open. A stream is asked for again for as long as it takes; a host that refuses who
// calls ends that here.
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

// forget makes the next agent listen anew.
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
	listener.programs, listener.sources = s, []*client.Client{source}
	subscription, err := listener.start(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	s.listeners[source.Node()] = subscription
	return subscription, nil
}
