package sdk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// Times of a subscriber (protocol reference, "A live, verified copy").
const (
	// headersTimeout is how long a follower waits for a stream's headers before it
	// reads the snapshot without them: some hosts delay them until the first event.
	headersTimeout = 500 * time.Millisecond
	// settleTime is how long unequal roots may be temporary, on hosts that send no rev
	// with a row.
	settleTime = 2 * time.Second
)

// rereads sets the waits before a full read after one that failed or did not
// repair the copy.
var rereads = retry.Backoff{First: 500 * time.Millisecond, Max: 30 * time.Second}

// readRetry is short: a failed read is repeated later, and meanwhile the follower
// reads the stream.
var readRetry = retry.Policy{Attempts: 3, Backoff: retry.Backoff{First: 100 * time.Millisecond, Max: 2 * time.Second}}

// follower follows a world. It has no goroutine of its own: it continues only
// after a report was consumed.
type follower struct {
	ctx     context.Context //nolint:containedctx // a follower lives as long as it
	stop    context.CancelFunc
	client  *client.Client
	stream  *client.Stream
	options *SubscribeOptions
	yield   func(Report, error) bool
	// publishes is called with each change of the state; it may be nil.
	publishes func(*State)
	state     State
	copy      chain.Copy
	witness   chain.Witness

	// unread reports whether a full read is due, repairing whether that is to repair a
	// mismatch.
	unread, repairing bool
	// repaired reports whether the last full read was a repair and no event has
	// confirmed the copy since.
	repaired bool
	// readable reports whether the stream is open, or had enough time to open.
	readable bool
	// fresh reports whether the copy was read since the present connection began.
	fresh bool
	// cursor is the last known position in the log, atLeast the last known rev: a
	// snapshot must not be behind either.
	cursor  *uint64
	atLeast uint64
	// older counts the consecutive full reads that were behind the known position or rev.
	older int
	// failures counts consecutive full reads that failed or repaired nothing.
	failures    int
	connections int

	headers, settle, reread alarm
}

func newFollower(ctx context.Context, c *client.Client, o *SubscribeOptions, yield func(Report, error) bool) *follower {
	f := &follower{client: c.WithRetry(readRetry), options: o, yield: yield, copy: chain.Copy{Trusting: o.NoVerify}}
	f.ctx, f.stop = context.WithCancel(ctx)
	return f
}

// run follows the world until the context ends or reports are no longer consumed.
func (f *follower) run() {
	f.stream = f.client.Events(f.ctx, client.StreamOptions{
		After: f.options.After, HasAfter: f.options.FromSeq, Inline: !f.options.NoInline, Answers: protocol.AnswersFor(),
	})
	defer f.stream.Close()
	defer f.stop()
	for f.ctx.Err() == nil {
		if f.unread && f.readable && !f.reread.armed() {
			f.readAll()
		}
		if signal, err := f.next(); err == nil {
			f.take(signal)
		}
		f.ring(time.Now())
	}
	f.publish(func(s *State) { s.Connected = false })
}

// next waits for the stream, but for no longer than an alarm allows.
func (f *follower) next() (client.Signal, error) {
	at := earliest(f.headers, f.settle, f.reread)
	if at.IsZero() {
		return f.stream.Next(f.ctx)
	}
	waiting, cancel := context.WithDeadline(f.ctx, at)
	defer cancel()
	return f.stream.Next(waiting)
}

// ring performs the actions of the alarms that are due.
func (f *follower) ring(now time.Time) {
	if f.headers.due(now) {
		f.headers.stop()
		f.readable = true
	}
	if f.settle.due(now) {
		f.settle.stop()
		f.settled()
	}
	if f.reread.due(now) {
		f.reread.stop()
	}
}

// emit passes a report on.
func (f *follower) emit(r Report, err error) {
	if f.yield == nil {
		return
	}
	r.State = f.state
	if !f.yield(r, err) {
		f.yield = nil
		f.stop()
	}
}

func (f *follower) report(err error) { f.emit(Report{}, err) }

// publish changes the state, and reports it if connection or verification
// changed.
func (f *follower) publish(change func(*State)) {
	before := f.state
	change(&f.state)
	if f.publishes != nil {
		f.publishes(&f.state)
	}
	if before.Connected != f.state.Connected || before.Verification != f.state.Verification {
		f.emit(Report{Type: ReportState}, nil)
	}
}

func (f *follower) count(add func(*Stats)) {
	f.publish(func(state *State) { add(&state.Stats) })
}

func (f *follower) take(signal client.Signal) {
	switch signal.Type {
	case client.SignalConnecting:
		f.connecting(signal)
	case client.SignalOpen:
		f.opened(signal.SID)
	case client.SignalCursor:
		f.positioned(signal.Cursor)
	case client.SignalEvent:
		f.event(signal.Event)
	case client.SignalLost:
		f.lost(signal.Err)
	}
}

// connecting begins a connection. If it does not resume, events were missed.
func (f *follower) connecting(signal client.Signal) {
	if f.connections++; f.connections > 1 {
		f.count(func(s *Stats) { s.Reconnects++ })
	}
	f.fresh = false
	f.cursor = nil
	if signal.Resumes && f.client.Has(protocol.CapResume) {
		f.cursor = &signal.Cursor
	} else {
		f.unread = true
	}
	if f.copy.Snapshot() == nil {
		f.unread = true // the stream begins after an event that this copy does not have
	}
	f.headers.set(headersTimeout)
}

// opened: the host answered. A copy of another session is not this world's,
// however well the position fits: a host may come back with another store.
func (f *follower) opened(sid string) {
	f.headers.stop()
	f.readable = true
	if s := f.copy.Snapshot(); s != nil && s.SID() != sid {
		f.unread = true
	}
	f.witness.Session(sid)
	f.publish(func(s *State) { s.Connected = true })
}

// positioned takes the position that the stream begins after. If it is not the
// requested one, events were missed; and a copy from before it lacks some.
func (f *follower) positioned(cursor uint64) {
	if f.cursor != nil && *f.cursor != cursor {
		f.unread = true
	}
	// A host that does not resume may receive events from another one a little later.
	if f.cursor != nil || f.connections == 1 {
		f.unread = f.saw(f.witness.Position(cursor)) || f.unread
	}
	if f.fresh && f.behind(cursor) {
		f.unread = true
	}
	f.cursor = &cursor
}

// behind reports whether the copy is from before a position; it is not if the host
// states none.
func (f *follower) behind(position uint64) bool {
	s := f.copy.Snapshot()
	if s == nil {
		return true
	}
	seq := s.Head().Seq
	return seq != nil && *seq < position
}

func (f *follower) event(event Event) {
	f.count(func(s *Stats) { s.Events++ })
	f.emit(Report{Type: ReportEvent, Event: &event}, nil)
	if event.HasSeq {
		f.cursor = &event.Seq
		f.unread = f.saw(f.witness.Position(event.Seq)) || f.unread
	}
	lacking := f.unread
	f.learn(&event)
	if f.ctx.Err() != nil {
		return
	}
	// The event waits for a full read that was due before it, and for one that became
	// due with it unless that repairs a mismatch found by this event.
	checked := f.copy.Verification()
	if lacking || f.unread && checked != Mismatched {
		checked = CatchingUp
	}
	f.emit(Report{Type: ReportChecked, Event: &event, Checked: checked}, nil)
}

// learn updates the state from the fields of an event.
func (f *follower) learn(event *Event) {
	state, err := chain.ParseEventState(event.Data)
	if event.Kind == protocol.EventSessionReset {
		f.witness = chain.Witness{}
	}
	var seq *uint64
	if event.HasSeq {
		seq = &event.Seq
	}
	f.sawState(seq, &state)
	switch {
	case event.Kind == protocol.EventSessionResync && f.fresh && event.HasSeq && !f.unread && !f.behind(event.Seq):
		// The events that the host reports as missing were covered by a full read already.
	case event.Kind == protocol.EventSessionReset, event.Kind == protocol.EventSessionResync:
		f.unread, f.atLeast = true, 0
		f.newer(state.Rev)
	case f.unread:
		f.newer(state.Rev) // the full read that is due includes it
	case err != nil:
		f.report(fmt.Errorf("the event %s: %w", event, err))
		f.unread = true
		f.newer(state.Rev)
	default:
		f.apply(event, seq, &state)
	}
}

func (f *follower) newer(rev *uint64) {
	if rev != nil {
		f.atLeast = max(f.atLeast, *rev)
	}
}

// apply merges an event into the copy.
func (f *follower) apply(event *Event, seq *uint64, state *chain.EventState) {
	switch f.copy.Need(state) {
	case chain.NeedNothing:
	case chain.NeedCompare:
		found, err := f.copy.Compare(state, seq)
		f.conclude(found, err, state.Rev)
	case chain.NeedMerge:
		f.settle.stop()
		rows, err := rowsOf(f.ctx, f.client, state)
		if err != nil {
			f.lacking(event, state, err)
			return
		}
		before, known := f.copy.Rev()
		found, err := f.copy.Merge(state, seq, rows.nodes, rows.rev)
		if found == chain.NotCompared && err != nil {
			f.lacking(event, state, err)
			return
		}
		f.count(func(s *Stats) { s.Merges++ })
		f.show(event)
		f.conclude(found, err, state.Rev)
		if found == chain.Mismatch && known {
			f.recheck(before)
		}
	}
}

// lacking handles an event whose rows could not be read: a full read gets them.
func (f *follower) lacking(event *Event, state *chain.EventState, err error) {
	if f.ctx.Err() != nil {
		return
	}
	f.unread = true
	f.newer(state.Rev)
	if errors.Is(err, chain.ErrTooMany) {
		return
	}
	f.report(fmt.Errorf("the rows of the event %s: %w", event, err))
}

// conclude acts on the result of a comparison; err is the mismatch.
func (f *follower) conclude(found chain.Comparison, err error, rev *uint64) {
	switch found {
	case chain.NotCompared:
	case chain.Equal:
		f.repaired, f.failures = false, 0
		f.settle.stop()
		f.witness.Verified(f.copy.Snapshot())
		f.count(func(s *Stats) { s.Verifications++ })
	case chain.Unsettled:
		f.settle.set(settleTime)
	case chain.Mismatch:
		f.mismatch(err, rev)
	}
	f.publish(func(s *State) { s.Verification, s.Snapshot = f.copy.Verification(), f.copy.Snapshot() })
}

// settled ends the time in which unequal roots may be temporary.
func (f *follower) settled() {
	f.copy.GiveUp()
	f.mismatch(fmt.Errorf("the copy differs from what the host stated %v ago", settleTime), nil)
	f.publish(func(s *State) { s.Verification = f.copy.Verification() })
}

// mismatch begins to repair the copy.
func (f *follower) mismatch(err error, rev *uint64) {
	f.unread, f.repairing = true, true
	f.newer(rev)
	if f.repaired {
		// The host's events do not agree with its own snapshot: there is no hurry.
		err = fmt.Errorf("%w: %w", ErrUnmended, err)
		f.later()
	}
	f.report(err)
}

// later postpones the next full read.
func (f *follower) later() {
	f.failures++
	f.reread.set(rereads.After(f.failures))
}

// show reports the copy.
func (f *follower) show(event *Event) {
	f.publish(func(s *State) { s.Snapshot, s.Verification = f.copy.Snapshot(), f.copy.Verification() })
	f.emit(Report{Type: ReportUpdate, Event: event}, nil)
}

// alarm is a time at which something is due; the zero value is not set.
type alarm struct{ at time.Time }

func (a *alarm) set(d time.Duration)    { a.at = time.Now().Add(d) }
func (a *alarm) stop()                  { a.at = time.Time{} }
func (a *alarm) armed() bool            { return !a.at.IsZero() }
func (a *alarm) due(now time.Time) bool { return a.armed() && !now.Before(a.at) }

// earliest returns the time of the first alarm that is set, zero for none.
func earliest(alarms ...alarm) (first time.Time) {
	for _, a := range alarms {
		if a.armed() && (first.IsZero() || a.at.Before(first)) {
			first = a.at
		}
	}
	return first
}
