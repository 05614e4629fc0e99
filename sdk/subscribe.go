package sdk

import (
	"context"
	"errors"
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// ErrUnmended is matched by errors about a copy that was read again because it
// was not the host's, and that still is not. The subscription goes on trying.
var ErrUnmended = errors.New("the copy of the world was read again and still is not what the host says it is")

// Event is one event of the world.
type Event struct {
	// Seq is its position in the host's log; 0 where HasSeq is false.
	Seq uint64
	// HasSeq is false on hosts that number no events.
	HasSeq bool
	// Kind is the event's name.
	Kind protocol.EventKind
	// Data is its JSON.
	Data []byte
}

// Decode reads the event's data into v, such as a *protocol.Interaction.
func (e *Event) Decode(v any) error { return protocol.Decode(e.Data, v) }

// Update is a new state of the copy.
type Update struct {
	// Snapshot is the copy. It never changes.
	Snapshot *chain.Snapshot
	// Verification says what is known about it.
	Verification Verification
	// Event is what brought it; nil for a full read.
	Event *Event
}

// State is where a subscription stands.
type State struct {
	// Snapshot is the copy, nil before the first full read.
	Snapshot *chain.Snapshot
	// Verification says what is known about it.
	Verification Verification
	// Connected says that the host's stream is open.
	Connected bool
	Stats     Stats
}

// Stats count what a subscription did.
type Stats struct {
	// Events were received, and Merges of them changed the copy.
	Events, Merges uint64
	// Verifications are comparisons of root and count that were equal.
	Verifications uint64
	// FullReads are snapshots that were read; Heals those of them that mended a
	// mismatch.
	FullReads, Heals uint64
	// Reconnects are connections after the first one.
	Reconnects uint64
}

// SubscribeOptions say what a subscription reports. All functions may be nil.
// They are called one after the other and hold the subscription up: a host cuts
// a subscriber that falls behind, which then resumes. They must not call Close
// of the subscription or of its world.
type SubscribeOptions struct {
	// OnSnapshot is called once for each full read and for each event that
	// changed the map.
	OnSnapshot func(Update)
	// OnEvent is called for each event, before OnSnapshot.
	OnEvent func(Event)
	// OnChecked is called for each event once the copy has taken it, after OnEvent
	// and OnSnapshot, with what is known about the copy as of it: CatchingUp where
	// that waits for later events or for a full read.
	OnChecked func(Event, Verification)
	// OnState is called when the connection or the verification changes.
	OnState func(State)
	// OnError is called for what goes wrong. The subscription goes on.
	OnError func(error)
	// After is the event to begin after, if FromSeq is set; else the
	// subscription begins with what happens from now on. Events from before the
	// first full read are reported and change nothing.
	After   uint64
	FromSeq bool
	// NoVerify turns verifying off.
	NoVerify bool
	// NoInline asks the host to leave rows out of the events, and fetches them.
	NoInline bool
}

// Subscription is a live copy of the world. It reconnects until it is closed.
type Subscription struct {
	options SubscribeOptions
	cancel  context.CancelCauseFunc
	done    chan struct{}

	mu    sync.Mutex
	state State
}

// SubscribeWorldState follows the world: it keeps a copy that is proved equal to
// the host's after every event, and heals it where it is not. It returns at
// once; the first full read is reported when it is there. It ends with ctx, with
// Close, and with the world.
func (w *RemotePlayWorld) SubscribeWorldState(ctx context.Context, options SubscribeOptions) (*Subscription, error) {
	s := &Subscription{options: options, done: make(chan struct{})}
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	ctx, s.cancel = context.WithCancelCause(ctx)
	started := w.start(func() {
		defer close(s.done)
		defer done()
		newFollower(ctx, w.client, s).run()
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
func (s *Subscription) Close() {
	s.cancel(ErrClosed)
	<-s.done
}

// Done is closed when the subscription has ended.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// State is where the subscription stands now.
func (s *Subscription) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// publish makes a change of the state visible, and tells of it where connection
// or verification changed.
func (s *Subscription) publish(change func(*State)) {
	s.mu.Lock()
	before := s.state
	change(&s.state)
	after := s.state
	s.mu.Unlock()
	told := before.Connected != after.Connected || before.Verification != after.Verification
	if told && s.options.OnState != nil {
		s.options.OnState(after)
	}
}

func (s *Subscription) count(add func(*Stats)) {
	s.publish(func(state *State) { add(&state.Stats) })
}

func (s *Subscription) report(err error) {
	if s.options.OnError != nil {
		s.options.OnError(err)
	}
}
