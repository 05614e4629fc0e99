package sdk

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// Event is one event of the world.
type Event = protocol.StreamEvent

// ErrLost is matched by errors about a stream whose connection broke or could not
// be opened. The connection is tried again after a while.
var ErrLost = client.ErrLost

// ErrGap is matched by errors about missing events: the host no longer has them,
// or never kept them.
var ErrGap = client.ErrGap

// EventOptions say which events are reported.
type EventOptions struct {
	// Kinds are the kinds of events to report; empty for all.
	Kinds []protocol.EventKind
	// After is the event to begin after, if FromSeq is set; else the stream begins
	// with the next event.
	After   uint64
	FromSeq bool
	// OnEvent is called by a subscription for each event once, in order. The
	// subscription waits for it to return, and it must not call Close of the
	// subscription or of its world. It may be nil; Events does not call it.
	OnEvent func(Event)
	// OnError is like OnEvent, for errors; see Events. If it is nil, a subscription
	// logs errors to the world's Logger as warnings.
	OnError func(error)
}

// Events yields the events of the world, such as chat lines, without a copy of the
// world, until ctx ends or the world is closed, which yields ErrClosed. It
// reconnects and resumes; events that the loop has not read yet stay at the host.
//
// A pair with an error has no event, and the loop continues after it: ErrLost is a
// lost connection, ErrGap stands for missing events.
func (w *RemotePlayWorld) Events(ctx context.Context, options EventOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, done, err := w.begin(ctx)
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer done()
		if w.yieldEvents(ctx, &options, yield) && errors.Is(context.Cause(ctx), ErrClosed) {
			yield(Event{}, ErrClosed)
		}
	}
}

// yieldEvents reports whether it ended with the context, and not with the loop.
func (w *RemotePlayWorld) yieldEvents(ctx context.Context, o *EventOptions, yield func(Event, error) bool) bool {
	for signal := range w.client.Events(ctx, client.StreamOptions{After: o.After, HasAfter: o.FromSeq, Answers: protocol.AnswersFor()}).All() {
		if signal.Err != nil && !yield(Event{}, signal.Err) {
			return false
		}
		wanted := len(o.Kinds) == 0 || slices.Contains(o.Kinds, signal.Event.Kind)
		if signal.Type == client.SignalEvent && wanted && !yield(signal.Event, nil) {
			return false
		}
	}
	return true
}

// EventSubscription reports events. It reconnects until it is closed.
type EventSubscription struct{ subscription }

// SubscribeEvents does what Events does, but calls functions, one after the other. It ends
// with ctx, with Close, and with the world.
func (w *RemotePlayWorld) SubscribeEvents(ctx context.Context, options EventOptions) (*EventSubscription, error) {
	s, err := w.subscribe(ctx, func(ctx context.Context) {
		w.yieldEvents(ctx, &options, func(event Event, err error) bool {
			switch {
			case err != nil && options.OnError != nil:
				options.OnError(err)
			case err != nil:
				w.options.Logger.Warn("the stream of events was lost; it continues", "reason", err)
			case options.OnEvent != nil:
				options.OnEvent(event)
			}
			return true
		})
	})
	if err != nil {
		return nil, err
	}
	return &EventSubscription{s}, nil
}

// subscription is a goroutine of a world.
type subscription struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// subscribe runs a goroutine that ends with ctx, with Close and with the world.
func (w *RemotePlayWorld) subscribe(ctx context.Context, run func(context.Context)) (subscription, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return subscription{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := subscription{cancel: cancel, done: make(chan struct{})}
	started := w.start(func() {
		defer close(s.done)
		defer done()
		run(ctx)
	})
	if !started {
		done()
		cancel(ErrClosed)
		return subscription{}, ErrClosed
	}
	return s, nil
}

// Close ends the subscription and waits for the functions that it is calling to
// finish. It may be called again.
func (s *subscription) Close() {
	s.cancel(ErrClosed)
	<-s.done
}

// Done returns a channel that is closed when the subscription has ended.
func (s *subscription) Done() <-chan struct{} { return s.done }
