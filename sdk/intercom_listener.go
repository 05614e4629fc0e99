package sdk

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

const (
	// rememberedRequests is how many requestIds a subscription knows as seen. A host
	// that numbers its events repeats none; another may, for a while.
	rememberedRequests = 1 << 14
	// waitingCommands bounds the commands that wait for others. Beyond it the stream
	// is not read, and further commands stay at the host.
	waitingCommands = 1 << 10
)

// intercomListener takes commands from streams and has them carried out.
type intercomListener struct {
	ctx   context.Context //nolint:containedctx // commands live as long as their subscription
	world *RemotePlayWorld
	// options.Execute is nil if the agents' own programs answer.
	options *IntercomOptions
	// sources are the clients whose streams have the commands.
	sources []*client.Client
	// slots bounds the commands that are carried out, room those and the waiting ones.
	slots, room chan struct{}
	running     sync.WaitGroup
	// opening counts the streams that were not open yet; ready is closed at 0.
	opening atomic.Int64
	ready   chan struct{}
	// refusal is why a listener of programs ended before it was ready.
	refusal error

	mu   sync.Mutex
	seen recentIDs
	// open are the commands that were not answered yet.
	open map[string]*openCommand

	reporting sync.Mutex
}

// openCommand is a command that was not answered yet.
type openCommand struct {
	who    *Agent
	cancel context.CancelCauseFunc
	done   chan struct{}
}

func newIntercomListener(w *RemotePlayWorld, o *IntercomOptions) *intercomListener {
	return &intercomListener{
		world: w, options: o, ready: make(chan struct{}),
		slots: make(chan struct{}, o.Concurrency), room: make(chan struct{}, o.Concurrency+waitingCommands),
		seen: recentIDs{limit: rememberedRequests}, open: map[string]*openCommand{},
	}
}

// start listens until the context ends.
func (l *intercomListener) start(ctx context.Context) (*IntercomSubscription, error) {
	s, err := l.world.subscribe(ctx, func(ctx context.Context) {
		defer l.world.listens(l)()
		l.ctx = ctx
		l.run()
	})
	if err != nil {
		return nil, err
	}
	return &IntercomSubscription{s, l.ready, l}, nil
}

// run listens until the context ends, and waits for the commands in progress.
func (l *intercomListener) run() {
	defer l.running.Wait()
	var streams sync.WaitGroup
	l.opening.Store(int64(len(l.sources)))
	for _, source := range l.sources {
		streams.Go(func() { l.listen(source) })
	}
	streams.Wait()
}

// listen reads one stream to its end.
func (l *intercomListener) listen(source *client.Client) {
	ready := sync.OnceFunc(func() {
		if l.opening.Add(-1) == 0 {
			close(l.ready)
		}
	})
	slow := time.AfterFunc(time.Hour, ready)
	slow.Stop()
	defer slow.Stop()
	lost := false
	for signal := range source.Events(l.ctx, client.StreamOptions{Answers: l.options.answers(l.world)}).All() {
		if l.refused(signal.Err) {
			return
		}
		if signal.Err != nil {
			l.report(signal.Err)
		}
		switch signal.Type {
		case client.SignalConnecting:
			if source.Service() != protocol.ServicePlay {
				slow.Reset(headersTimeout)
			}
		case client.SignalOpen:
			ready()
			if lost {
				l.connection(true)
			}
			lost = false
		case client.SignalLost:
			slow.Stop()
			// A host ends every stream gracefully now and then.
			if signal.Err != nil && !lost {
				lost = true
				l.connection(false)
			}
		case client.SignalEvent:
			if signal.Event.Kind == protocol.EventIntercom {
				l.event(&signal.Event)
			}
		}
	}
}

// refused reports whether a host refuses a stream of programs that was not open yet, and
// records the reason.
func (l *intercomListener) refused(err error) bool {
	if !l.ofPrograms() || !final(err) {
		return false
	}
	select {
	case <-l.ready:
		return false
	default:
	}
	l.refusal, _ = asRefusal(err)
	return true
}

func (l *intercomListener) connection(open bool) {
	if l.options.OnConnection == nil {
		return
	}
	l.reporting.Lock()
	defer l.reporting.Unlock()
	l.options.OnConnection(open)
}

func (l *intercomListener) event(e *Event) {
	var event protocol.IntercomEvent
	if err := e.Decode(&event); err != nil {
		l.report(fmt.Errorf("an intercom event cannot be read: %w", err))
		return
	}
	switch event.Status {
	case protocol.IntercomForwarded:
		l.command(&event)
	case protocol.IntercomCompleted, protocol.IntercomFailed:
		l.answered(event.RequestID)
	}
}

// command starts the command of a forwarded event, once.
func (l *intercomListener) command(event *protocol.IntercomEvent) {
	who := l.asked(event.FromPlayerID)
	if who == nil {
		return // one of the account's agents that another program runs
	}
	object, refused := protocol.ParseObject(event.Command)
	var command protocol.IntercomCommand
	if refused == nil {
		command, refused = protocol.ParseRequest[protocol.IntercomCommand](object)
	}
	if refused != nil {
		l.report(fmt.Errorf("the command %q: %w", event.RequestID, refused))
		return
	}
	ctx, done := l.accept(command.RequestID, who)
	if done == nil {
		return
	}
	select {
	case l.room <- struct{}{}:
	case <-l.ctx.Done():
		done()
		return
	}
	l.running.Go(func() {
		defer func() { <-l.room }()
		defer done()
		if who.answers(ctx) {
			l.carryOut(ctx, &IntercomCall{Command: command, Agent: who})
		}
	})
}

// ofPrograms reports whether the programs of the agents answer, and no executor.
func (l *intercomListener) ofPrograms() bool { return l.options.Execute == nil }

// asked returns the agent with an id, even one that is still being registered; nil if it does not
// belong to this subscription.
func (l *intercomListener) asked(id string) *Agent {
	o := l.options
	if len(o.Agents) > 0 {
		at := slices.IndexFunc(o.Agents, func(a *Agent) bool { return a.PlayerID() == id })
		if at < 0 {
			return nil
		}
		return o.Agents[at]
	}
	named := slices.Contains(o.AgentIDs, id)
	if len(o.AgentIDs) > 0 && !named {
		return nil
	}
	a := l.world.asked(id)
	if a != nil && !named && (a.program != nil) != l.ofPrograms() {
		return nil
	}
	return a
}

// accept records a command as seen; done is nil if it was seen before. The caller calls
// done when the command was answered.
func (l *intercomListener) accept(requestID string, who *Agent) (_ context.Context, done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen.add(requestID) {
		return nil, nil
	}
	ctx, cancel := context.WithCancelCause(l.ctx)
	one := &openCommand{who, cancel, make(chan struct{})}
	l.open[requestID] = one
	return ctx, func() {
		l.answered(requestID)
		close(one.done)
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, requestID)
	}
}

// dismiss ends the commands of an agent that leaves, and waits until they were answered
// or ctx ends.
func (l *intercomListener) dismiss(ctx context.Context, a *Agent) {
	var ending []*openCommand
	l.mu.Lock()
	for _, one := range l.open {
		if one.who == a {
			one.cancel(errLeaving)
			ending = append(ending, one)
		}
	}
	l.mu.Unlock()
	for _, one := range ending {
		select {
		case <-one.done:
		case <-ctx.Done():
			return
		}
	}
}

// answered ends a command that no longer needs an answer.
func (l *intercomListener) answered(requestID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one, ok := l.open[requestID]; ok {
		one.cancel(ErrAnswered)
	}
}

func (l *intercomListener) report(err error) { l.reportOf(nil, err) }

// reportOf reports an error with a command to its program, if that has an error
// function.
func (l *intercomListener) reportOf(call *IntercomCall, err error) {
	report := l.options.OnError
	if call != nil && l.ofPrograms() {
		report = call.Agent.program.onError
	}
	if report == nil {
		log := l.world.options.Logger
		if call == nil {
			log.Warn("error while receiving commands", "reason", err)
		} else {
			log.Warn("error while running a command", "reason", err)
		}
		return
	}
	l.reporting.Lock()
	defer l.reporting.Unlock()
	report(err)
}

// recentIDs remembers the most recently added ids.
type recentIDs struct {
	limit int
	known map[string]struct{}
	order []string
	next  int
}

// add remembers an id; it returns false if the id was known.
func (r *recentIDs) add(id string) bool {
	if _, ok := r.known[id]; ok {
		return false
	}
	if r.known == nil {
		r.known = map[string]struct{}{}
	}
	if len(r.order) < r.limit {
		r.order = append(r.order, id)
	} else {
		delete(r.known, r.order[r.next])
		r.order[r.next] = id
		r.next = (r.next + 1) % r.limit
	}
	r.known[id] = struct{}{}
	return true
}
