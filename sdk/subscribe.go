package sdk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"

	"github.com/playctl/playctl/chain"
)

// ErrUnmended is matched by errors about a copy that was read again because it did
// not match the host's, and still does not. The read is retried.
var ErrUnmended = errors.New("the copy of the world was read again and still does not match the host")

// State is the state of a followed world.
type State struct {
	// Snapshot is the copy, nil before the first full read. It never changes.
	Snapshot *chain.Snapshot
	// Verification says what is known about it.
	Verification Verification
	// Connected reports whether the host's stream is open.
	Connected bool
	Stats     Stats
}

// Stats count the work of following a world.
type Stats struct {
	// Events counts the received events, and Merges those that changed the copy.
	Events, Merges uint64
	// Verifications counts the comparisons in which root and leaf count were equal.
	Verifications uint64
	// FullReads counts the snapshots that were read, and Heals those that repaired a
	// mismatch.
	FullReads, Heals uint64
	// Reconnects counts the connections after the first one.
	Reconnects uint64
	// Rollbacks counts the times that the host went back to an earlier state of the same
	// session, each of which is reported as a *WentBackError. What follows is verified
	// against the host's present statements only.
	Rollbacks uint64
}

// ReportType is the type of a Report.
type ReportType int

// The types of reports.
const (
	// ReportEvent: an event has come. It is not merged into the copy yet.
	ReportEvent ReportType = iota
	// ReportUpdate: the copy changed, by a full read or by an event.
	ReportUpdate
	// ReportChecked: an event was merged into the copy.
	ReportChecked
	// ReportState: the connection or the verification changed.
	ReportState
)

// String returns the type's name.
func (t ReportType) String() string {
	names := [...]string{"event", "update", "checked", "state"}
	if t < 0 || int(t) >= len(names) {
		return fmt.Sprintf("ReportType(%d)", int(t))
	}
	return names[t]
}

// Report is one change of a followed world.
type Report struct {
	Type ReportType
	// Event is the event of ReportEvent and ReportChecked, and the one that caused a
	// ReportUpdate: nil for a full read.
	Event *Event
	// Checked is the verification of the copy as of the event of ReportChecked:
	// CatchingUp if it has to wait for later events or for a full read.
	Checked Verification
	// State is the state of the copy.
	State State
}

// Update is a new state of the copy.
type Update struct {
	// Snapshot is the copy. It never changes.
	Snapshot *chain.Snapshot
	// Verification says what is known about it.
	Verification Verification
	// Event is the event that caused the update; nil for a full read.
	Event *Event
}

// SubscribeOptions configure how a world is followed, and the functions of a subscription.
type SubscribeOptions struct {
	// After is the event to begin after, if FromSeq is set; else the stream begins
	// with the next event. Events from before the first full read are reported and do
	// not change the copy.
	After   uint64
	FromSeq bool
	// NoVerify turns verifying off.
	NoVerify bool
	// NoInline asks the host to omit rows from the events, and fetches them instead.
	NoInline bool

	// A subscription calls these one after the other and waits for each: a host cuts a
	// subscriber that falls behind, which then resumes. They must not call Close of
	// the subscription or of its world. All may be nil; Follow calls none.

	// OnSnapshot is called once for each full read and for each event that
	// changed the map: ReportUpdate.
	OnSnapshot func(Update)
	// OnEvent is called for each event, before OnSnapshot: ReportEvent.
	OnEvent func(Event)
	// OnChecked is called for each event, after OnEvent and OnSnapshot, with the
	// verification of the copy as of the event: ReportChecked.
	OnChecked func(Event, Verification)
	// OnState is called when the connection or the verification changes:
	// ReportState.
	OnState func(State)
	// OnError is called for errors. The subscription continues. If it is nil, errors
	// are logged to the world's Logger as warnings.
	OnError func(error)
}

// Follow keeps a copy of the world that is verified against the host's after every
// event, repairs it if it differs, and yields reports, until ctx ends or the world
// is closed, which yields ErrClosed. It reconnects and resumes; events that the
// loop has not read yet stay at the host, which cuts a reader that falls behind.
//
// A pair with an error has only the State, and the loop continues after it.
func (w *RemotePlayWorld) Follow(ctx context.Context, options SubscribeOptions) iter.Seq2[Report, error] {
	return func(yield func(Report, error) bool) {
		ctx, done, err := w.begin(ctx)
		if err != nil {
			yield(Report{}, err)
			return
		}
		defer done()
		f := newFollower(ctx, w.client, &options, yield)
		f.run()
		if errors.Is(context.Cause(ctx), ErrClosed) {
			f.report(ErrClosed)
		}
	}
}

// Subscription is a live copy of the world. It reconnects until it is closed.
type Subscription struct {
	subscription
	options SubscribeOptions
	logger  *slog.Logger

	mu    sync.Mutex
	state State
}

// SubscribeWorldState does what Follow does, but calls functions and has a state that
// can be read at any time. It returns immediately; the first full read is reported when
// it is done. It ends with ctx, with Close, and with the world.
func (w *RemotePlayWorld) SubscribeWorldState(ctx context.Context, options SubscribeOptions) (*Subscription, error) {
	s := &Subscription{options: options, logger: w.options.Logger}
	running, err := w.subscribe(ctx, func(ctx context.Context) {
		f := newFollower(ctx, w.client, &s.options, s.take)
		f.publishes = s.publish
		f.run()
	})
	if err != nil {
		return nil, err
	}
	s.subscription = running
	return s, nil
}

// State returns the present state of the followed world.
func (s *Subscription) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *Subscription) publish(state *State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = *state
}

// take calls the function that a report is for.
func (s *Subscription) take(r Report, err error) bool {
	o := &s.options
	switch {
	case err != nil && o.OnError != nil:
		o.OnError(err)
	case err != nil:
		s.logger.Warn("an error while following the world; it continues", "reason", err)
	case r.Type == ReportEvent && o.OnEvent != nil:
		o.OnEvent(*r.Event)
	case r.Type == ReportUpdate && o.OnSnapshot != nil:
		o.OnSnapshot(Update{Snapshot: r.State.Snapshot, Verification: r.State.Verification, Event: r.Event})
	case r.Type == ReportChecked && o.OnChecked != nil:
		o.OnChecked(*r.Event, r.Checked)
	case r.Type == ReportState && o.OnState != nil:
		o.OnState(r.State)
	}
	return true
}
