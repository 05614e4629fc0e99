package sdk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// ErrGap is matched by the error that a subscription of events reports where
// the host no longer has some of them, or never kept them.
var ErrGap = errors.New("events were missed")

// EventOptions say which events a subscription reports. All functions may be
// nil. They are called one after the other and hold the subscription up; they
// must not call Close of the subscription or of its world.
type EventOptions struct {
	// Kinds are what is reported; empty for everything.
	Kinds []protocol.EventKind
	// After is the event to begin after, if FromSeq is set; else the
	// subscription begins with what happens from now on.
	After   uint64
	FromSeq bool
	// OnEvent is called for each event, in order, for none twice.
	OnEvent func(Event)
	// OnError is called for what goes wrong; errors that match ErrGap say that
	// events are missing here. The subscription goes on.
	OnError func(error)
}

// EventSubscription reports events. It reconnects until it is closed.
type EventSubscription struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// SubscribeEvents reports what happens, such as chat lines, without a copy of
// the world. It ends with ctx, with Close, and with the world.
func (w *RemotePlayWorld) SubscribeEvents(ctx context.Context, options EventOptions) (*EventSubscription, error) {
	s := &EventSubscription{done: make(chan struct{})}
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	ctx, s.cancel = context.WithCancelCause(ctx)
	started := w.start(func() {
		defer close(s.done)
		defer done()
		stream := w.client.Events(ctx, client.StreamOptions{After: options.After, HasAfter: options.FromSeq})
		defer stream.Close()
		listener := listener{options: &options}
		for {
			signal, err := stream.Next()
			if err != nil {
				return
			}
			listener.take(signal)
		}
	})
	if !started {
		done()
		s.cancel(ErrClosed)
		return nil, ErrClosed
	}
	return s, nil
}

// Close ends the subscription and waits for the function that it may be
// calling. It may be called again.
func (s *EventSubscription) Close() {
	s.cancel(ErrClosed)
	<-s.done
}

// Done is closed when the subscription has ended.
func (s *EventSubscription) Done() <-chan struct{} { return s.done }

// listener passes a stream's events on.
type listener struct {
	options   *EventOptions
	connected bool
}

func (l *listener) take(signal client.Signal) {
	switch signal.Type {
	case client.SignalOpen:
		if l.connected && !signal.Resumes {
			l.report(fmt.Errorf("%w: the host numbers no events, so what happened between two connections is not known", ErrGap))
		}
		l.connected = true
	case client.SignalEvent:
		l.event(signal.Event)
	case client.SignalLost:
		if signal.Err != nil {
			l.report(fmt.Errorf("the event stream was lost: %w", signal.Err))
		}
	case client.SignalConnecting, client.SignalCursor:
	}
}

func (l *listener) event(e client.Event) {
	if e.Kind == protocol.EventSessionResync {
		l.report(fmt.Errorf("%w: the host goes on at %d", ErrGap, e.Seq))
	}
	if len(l.options.Kinds) > 0 && !slices.Contains(l.options.Kinds, e.Kind) {
		return
	}
	if l.options.OnEvent != nil {
		l.options.OnEvent(Event{Seq: e.Seq, HasSeq: e.HasSeq, Kind: e.Kind, Data: e.Data})
	}
}

func (l *listener) report(err error) {
	if l.options.OnError != nil {
		l.options.OnError(err)
	}
}
