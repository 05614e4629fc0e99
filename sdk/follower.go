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

// Times of a subscriber (protocol, section 9).
const (
	// headersTimeout is how long it waits for a stream's headers before it reads
	// the snapshot all the same: some hosts hold them back until the first event.
	headersTimeout = 500 * time.Millisecond
	// settleTime is how long unequal roots may be a matter of time, on hosts
	// that give no rev with a row.
	settleTime = 2 * time.Second
	// firstReread and longestReread bound the waits before a full read that
	// follows one that failed or did not mend.
	firstReread   = 500 * time.Millisecond
	longestReread = 30 * time.Second
)

// readRetry is short: what fails is read again after a while, and meanwhile the
// stream is looked after.
var readRetry = retry.Policy{Attempts: 3, Backoff: retry.Backoff{First: 100 * time.Millisecond, Max: 2 * time.Second}}

// follower runs a subscription. One goroutine owns it; another one waits for
// the stream and hands its signals over without a buffer, so that what is not
// taken yet stays at the host.
type follower struct {
	ctx     context.Context //nolint:containedctx // a follower lives as long as it
	client  *client.Client
	sub     *Subscription
	options *SubscribeOptions
	copy    worldCopy

	// unread says that the copy has to be read as a whole, healing that this is
	// to mend a mismatch.
	unread, healing bool
	// mended says that the last full read was to mend, and no event has confirmed
	// the copy since.
	mended bool
	// readable says that the stream is open, or was given time to be.
	readable bool
	// fresh says that the copy was read since the present connection began.
	fresh bool
	// cursor is the last position known of the log, atLeast the last rev: a
	// snapshot must be behind neither.
	cursor  *uint64
	atLeast uint64
	// failures are full reads in a row that failed or did not mend.
	failures    int
	connections int

	headers, settle, reread alarm
}

func newFollower(ctx context.Context, c *client.Client, s *Subscription) *follower {
	return &follower{
		ctx: ctx, client: c.WithRetry(readRetry), sub: s, options: &s.options,
		copy: worldCopy{trusting: s.options.NoVerify},
	}
}

// run follows the world until the context ends.
func (f *follower) run() {
	stream := f.client.Events(f.ctx, client.StreamOptions{
		After: f.options.After, HasAfter: f.options.FromSeq, Inline: !f.options.NoInline,
	})
	signals := make(chan client.Signal)
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		pump(f.ctx, stream, signals)
	}()
	defer func() { <-pumped }()
	defer stream.Close()
	defer f.headers.stop()
	defer f.settle.stop()
	defer f.reread.stop()
	for f.ctx.Err() == nil {
		if f.unread && f.readable && !f.reread.armed() {
			f.readAll()
		}
		select {
		case signal := <-signals:
			f.take(signal)
		case <-f.headers.due():
			f.headers.stop()
			f.readable = true
		case <-f.settle.due():
			f.settle.stop()
			f.settled()
		case <-f.reread.due():
			f.reread.stop()
		case <-f.ctx.Done():
		}
	}
	f.sub.publish(func(s *State) { s.Connected = false })
}

// pump hands a stream's signals over until the stream or the context ends.
func pump(ctx context.Context, stream *client.Stream, signals chan<- client.Signal) {
	for {
		signal, err := stream.Next()
		if err != nil {
			return
		}
		select {
		case signals <- signal:
		case <-ctx.Done():
			return
		}
	}
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
		f.headers.stop()
		f.readable = false
		f.sub.publish(func(s *State) { s.Connected = false })
		if signal.Err != nil {
			f.sub.report(fmt.Errorf("the event stream was lost: %w", signal.Err))
		}
	}
}

// connecting begins a connection. Where it does not resume, events were missed.
func (f *follower) connecting(signal client.Signal) {
	if f.connections++; f.connections > 1 {
		f.sub.count(func(s *Stats) { s.Reconnects++ })
	}
	f.fresh = false
	f.cursor = nil
	if signal.Resumes && f.client.Has(protocol.CapResume) {
		f.cursor = &signal.Cursor
	} else {
		f.unread = true
	}
	if f.copy.snapshot == nil {
		f.unread = true // what it begins after was somebody else's copy
	}
	f.headers.set(headersTimeout)
}

// opened: the host answered. A copy of another session is not this world's,
// however well the position fits: a host may come back with another store.
func (f *follower) opened(sid string) {
	f.headers.stop()
	f.readable = true
	if f.copy.snapshot != nil && f.copy.snapshot.Head().SID != sid {
		f.unread = true
	}
	f.sub.publish(func(s *State) { s.Connected = true })
}

// positioned takes the position that the stream begins after. It is the one that
// was asked for, or events were missed; and a copy from before it lacks some.
func (f *follower) positioned(cursor uint64) {
	if f.cursor != nil && *f.cursor != cursor {
		f.unread = true
	}
	if f.fresh && f.behind(cursor) {
		f.unread = true
	}
	f.cursor = &cursor
}

// behind tells whether the copy is from before a position; it is not where the
// host gives none.
func (f *follower) behind(position uint64) bool {
	if f.copy.snapshot == nil {
		return true
	}
	seq := f.copy.snapshot.Head().Seq
	return seq != nil && *seq < position
}

func (f *follower) event(e client.Event) {
	event := Event{Seq: e.Seq, HasSeq: e.HasSeq, Kind: e.Kind, Data: e.Data}
	f.sub.count(func(s *Stats) { s.Events++ })
	if f.options.OnEvent != nil {
		f.options.OnEvent(event)
	}
	if e.HasSeq {
		f.cursor = &event.Seq
	}
	lacking := f.unread
	f.learn(&event)
	f.checked(event, lacking)
}

// learn takes what an event says of the world.
func (f *follower) learn(event *Event) {
	state, err := chain.ParseEventState(event.Data)
	switch {
	case event.Kind == protocol.EventSessionResync && f.fresh && event.HasSeq && !f.unread && !f.behind(event.Seq):
		// What the host says is missing was read already.
	case event.Kind == protocol.EventSessionReset, event.Kind == protocol.EventSessionResync:
		f.unread, f.atLeast = true, 0
		f.newer(state.Rev)
	case f.unread:
		f.newer(state.Rev) // the full read that is due has it
	case err != nil:
		f.sub.report(fmt.Errorf("the event %s: %w", event.name(), err))
		f.unread = true
		f.newer(state.Rev)
	default:
		f.apply(event, &state)
	}
}

// checked tells what an event left known about the copy. lacking says that a full
// read was due before it, which the event then waited for; one that became due
// with it is waited for as well, unless it is to mend what the event found.
func (f *follower) checked(event Event, lacking bool) {
	if f.options.OnChecked == nil || f.ctx.Err() != nil {
		return
	}
	known := f.copy.known
	if lacking || f.unread && known != Mismatched {
		known = CatchingUp
	}
	f.options.OnChecked(event, known)
}

// name tells an event from others in an error.
func (e *Event) name() string {
	if !e.HasSeq {
		return string(e.Kind)
	}
	return fmt.Sprintf("%d (%s)", e.Seq, e.Kind)
}

func (f *follower) newer(rev *uint64) {
	if rev != nil {
		f.atLeast = max(f.atLeast, *rev)
	}
}

// apply takes an event into the copy.
func (f *follower) apply(event *Event, state *chain.EventState) {
	var seq *uint64
	if event.HasSeq {
		seq = &event.Seq
	}
	switch f.copy.use(state) {
	case useNothing:
	case useCheck:
		found, err := f.copy.check(state, seq)
		f.judge(found, err, state.Rev)
	case useMerge:
		f.settle.stop()
		rows, err := rowsOf(f.ctx, f.client, state)
		if err != nil {
			f.lacking(event, state, err)
			return
		}
		found, err := f.copy.merge(state, seq, rows.nodes, rows.rev)
		if found == foundNothing && err != nil {
			f.lacking(event, state, err)
			return
		}
		f.sub.count(func(s *Stats) { s.Merges++ })
		f.show(event)
		f.judge(found, err, state.Rev)
	}
}

// lacking deals with an event whose rows could not be had: a full read has them.
func (f *follower) lacking(event *Event, state *chain.EventState, err error) {
	if f.ctx.Err() != nil {
		return
	}
	f.unread = true
	f.newer(state.Rev)
	if errors.Is(err, chain.ErrTooMany) {
		return
	}
	f.sub.report(fmt.Errorf("the rows of the event %s: %w", event.name(), err))
}

// judge acts on what a comparison found; err is the mismatch.
func (f *follower) judge(found finding, err error, rev *uint64) {
	switch found {
	case foundNothing:
	case foundEqual:
		f.mended, f.failures = false, 0
		f.settle.stop()
		f.sub.count(func(s *Stats) { s.Verifications++ })
	case foundUnsettled:
		f.settle.set(settleTime)
	case foundMismatch:
		f.mismatch(err, rev)
	}
	f.sub.publish(func(s *State) { s.Verification, s.Snapshot = f.copy.known, f.copy.snapshot })
}

// settled ends the time in which unequal roots were nothing to worry about.
func (f *follower) settled() {
	f.copy.settled()
	f.mismatch(fmt.Errorf("the copy differs from what the host stated %v ago", settleTime), nil)
	f.sub.publish(func(s *State) { s.Verification = f.copy.known })
}

// mismatch begins to heal the copy.
func (f *follower) mismatch(err error, rev *uint64) {
	f.unread, f.healing = true, true
	f.newer(rev)
	if f.mended {
		// The host's events do not agree with its own snapshot: no use in hurry.
		err = fmt.Errorf("%w: %w", ErrUnmended, err)
		f.later()
	}
	f.sub.report(err)
}

// later puts the next full read off.
func (f *follower) later() {
	f.failures++
	f.reread.set(retry.Backoff{First: firstReread, Max: longestReread}.After(f.failures))
}

// show reports the copy.
func (f *follower) show(event *Event) {
	f.sub.publish(func(s *State) { s.Snapshot, s.Verification = f.copy.snapshot, f.copy.known })
	if f.options.OnSnapshot != nil {
		f.options.OnSnapshot(Update{Snapshot: f.copy.snapshot, Verification: f.copy.known, Event: event})
	}
}

// alarm is a timer that may be set and stopped at will by its one owner.
type alarm struct{ timer *time.Timer }

func (a *alarm) set(d time.Duration) {
	a.stop()
	a.timer = time.NewTimer(d)
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

func (a *alarm) armed() bool { return a.timer != nil }

// due is ready when the time has come, and never while the alarm is not set.
func (a *alarm) due() <-chan time.Time {
	if a.timer == nil {
		return nil
	}
	return a.timer.C
}
