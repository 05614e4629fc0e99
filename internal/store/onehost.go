package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// OneHost implements Journal for a store of one host: a backend embeds it. It keeps
// in memory what a server would keep for several hosts: the deadlines, and the last
// batch, by which a batch with an unknown outcome is recognized.
type OneHost struct {
	log OneHostLog

	// committing is held by Commit and EntriesAfter. It is taken before mu, which is not
	// held while the backend writes: deadlines can be read meanwhile.
	committing sync.Mutex

	mu  sync.Mutex
	now func() time.Time
	// known is set once tip is the journal's end.
	known bool
	tip   Tip
	// last is the batch that was written last, or the one whose outcome is unknown,
	// and previous the one before; nil if that was before the store was opened.
	last, previous *Batch
	// unsettled is set while it is unknown whether last was written.
	unsettled bool
	deadlines map[Table]map[string]time.Time
}

// OneHostLog is the backend of a OneHost.
type OneHostLog interface {
	Head(ctx context.Context) (Position, error)
	Get(ctx context.Context, table Table, key []byte) ([]byte, error)
	// Append writes entries after a position, with their records, all of them or none.
	// It fails with ErrConflict if that is not the head, and as CheckBatch does; any
	// other error leaves the outcome unknown.
	Append(ctx context.Context, after Position, entries []Entry) error
}

// NewOneHost returns the part of a journal that writes to a backend.
func NewOneHost(log OneHostLog) *OneHost {
	return &OneHost{log: log, now: time.Now, deadlines: map[Table]map[string]time.Time{}}
}

// SoleHost implements Hosts.
func (o *OneHost) SoleHost() bool { return true }

// Clock implements Hosts: there is no server with a time of its own.
func (o *OneHost) Clock(own func() time.Time) func() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = own
	return own
}

// Commit implements Journal. No other host can hold a lock, so none is checked.
func (o *OneHost) Commit(ctx context.Context, b *Batch) (Tip, error) {
	o.committing.Lock()
	defer o.committing.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.settle(ctx, len(b.Entries) == 0); err != nil {
		return Tip{}, err
	}
	missed, err := o.missed(b.After)
	if err != nil {
		return Tip{}, err
	}
	if len(missed) > 0 {
		return Tip{}, &OvertakenError{Entries: missed}
	}
	if early := o.early(b.Expired); len(early) > 0 {
		return Tip{}, &NotDueError{Deadlines: early}
	}
	if len(b.Entries) == 0 {
		o.renew(ctx, b.Renewals)
		return o.tip, nil
	}
	o.last, o.previous, o.unsettled = b, o.last, true
	o.mu.Unlock()
	err = o.log.Append(ctx, b.After.Position, b.Entries)
	o.mu.Lock()
	if err != nil {
		return Tip{}, err
	}
	o.written(ctx)
	return o.tip, nil
}

// settle finds the end of the journal, and with it the outcome of the last batch,
// if that is unknown or force is set.
func (o *OneHost) settle(ctx context.Context, force bool) error {
	if o.known && !o.unsettled && !force {
		return nil
	}
	head, err := o.log.Head(ctx)
	if err != nil {
		return err
	}
	switch {
	case o.unsettled && head == o.last.end().Position:
		o.written(ctx)
	case o.unsettled && head == o.last.After.Position:
		o.last, o.previous, o.unsettled = o.previous, nil, false
	case !o.known || head != o.tip.Position:
		o.tip, o.last, o.previous, o.unsettled = Tip{Position: head}, nil, nil, false
	}
	o.known = true
	return nil
}

// written makes the last batch the journal's end.
func (o *OneHost) written(ctx context.Context) {
	b := o.last
	o.tip, o.previous, o.known, o.unsettled = b.end(), nil, true, false
	for i := range b.Entries {
		for k := range b.Entries[i].Records {
			o.record(&b.Entries[i].Records[k])
		}
	}
	o.renew(ctx, b.Renewals)
}

// end returns the tip after a batch.
func (b *Batch) end() Tip {
	return Tip{Position: b.After.Position + Position(len(b.Entries)), Commit: b.Commit}
}

// missed returns the entries after a tip, if they are the last batch's.
func (o *OneHost) missed(after Tip) ([]Entry, error) {
	other := func(known CommitID) bool {
		return after.Commit != known && after.Commit != CommitID{} && known != CommitID{}
	}
	switch {
	case after.Position > o.tip.Position:
		return nil, fmt.Errorf("%w: it ends at position %d, but this host knows %d", ErrDiverged, o.tip.Position, after.Position)
	case after.Position == o.tip.Position && other(o.tip.Commit):
		return nil, fmt.Errorf("%w: another commit wrote entry %d", ErrDiverged, after.Position)
	case after.Position == o.tip.Position:
		return nil, nil
	case o.last == nil || after.Position < o.last.After.Position:
		return nil, fmt.Errorf("%w: the records of entry %d are not kept", ErrTrimmed, after.Position+1)
	case after.Position == o.last.After.Position && other(o.last.After.Commit), after.Position > o.last.After.Position && other(o.last.Commit):
		return nil, fmt.Errorf("%w: another commit wrote entry %d", ErrDiverged, after.Position)
	}
	entries := slices.Clone(o.last.Entries[after.Position-o.last.After.Position:])
	for i := range entries {
		entries[i].Records = Mirrored(entries[i].Records)
	}
	entries[0].Prev = after.Commit
	return entries, nil
}

// EntriesAfter implements Journal.
func (o *OneHost) EntriesAfter(ctx context.Context, after Tip) ([]Entry, error) {
	o.committing.Lock()
	defer o.committing.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.settle(ctx, false); err != nil {
		return nil, err
	}
	return o.missed(after)
}

// Follow implements Journal: it waits until the context ends, because no other host
// commits.
func (o *OneHost) Follow(ctx context.Context, after Tip) iter.Seq2[[]Entry, error] {
	return func(yield func([]Entry, error) bool) {
		entries, err := o.EntriesAfter(ctx, after)
		if (err != nil || len(entries) > 0) && (!yield(entries, err) || err != nil) {
			return
		}
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// early lists the deadlines that have not passed.
func (o *OneHost) early(expired []Deadline) []Deadline {
	var early []Deadline
	for _, name := range expired {
		if d, timed := o.deadlines[name.Table][name.Key]; timed && d.After(o.now()) {
			early = append(early, name)
		}
	}
	return early
}

// record sets or removes the deadline of a written record.
func (o *OneHost) record(r *Record) {
	timed := o.deadlines[r.Table]
	switch {
	case r.Value != nil && r.Term > 0:
		o.start(Renewal{Deadline{r.Table, string(r.Key)}, r.Term})
	case len(timed) == 0:
	case r.Clears():
		clear(timed)
	default:
		delete(timed, string(r.Key))
	}
}

// renew restarts deadlines, or sets them for records without one.
func (o *OneHost) renew(ctx context.Context, renewals []Renewal) {
	for _, r := range renewals {
		if _, timed := o.deadlines[r.Table][r.Key]; !timed {
			if value, err := o.log.Get(ctx, r.Table, []byte(r.Key)); value == nil || err != nil {
				continue
			}
		}
		o.start(r)
	}
}

// start begins a term now.
func (o *OneHost) start(r Renewal) {
	timed := o.deadlines[r.Table]
	if timed == nil {
		timed = map[string]time.Time{}
		o.deadlines[r.Table] = timed
	}
	timed[r.Key] = o.now().Add(r.Term)
}

// HostStarted implements Hosts: no other host was running, so every record with a
// deadline gets its full term.
func (o *OneHost) HostStarted(_ context.Context, deadlines []Renewal) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.deadlines)
	for _, r := range deadlines {
		o.start(r)
	}
	return nil
}

// Expired implements Hosts.
func (o *OneHost) Expired(_ context.Context, table Table, limit int) ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now, timed := o.now(), o.deadlines[table]
	var keys []string
	for key, at := range timed {
		if !at.After(now) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Or(timed[x].Compare(timed[y]), strings.Compare(x, y)) })
	return keys[:min(limit, len(keys))], nil
}

// Heartbeat implements Hosts: there is no other host.
func (o *OneHost) Heartbeat(context.Context, string, string, time.Duration) (map[string]string, error) {
	return nil, nil //nolint:nilnil // The nil map has no host.
}

// Acquire implements Hosts: no other host can hold a lock.
func (o *OneHost) Acquire(_ context.Context, name, _ string, _ time.Duration) (Fence, bool, error) {
	return Fence{Name: name}, true, nil
}

// Release implements Hosts.
func (o *OneHost) Release(context.Context, Fence) error { return nil }

// Send implements Hosts.
func (o *OneHost) Send(context.Context, []byte) error { return ErrAlone }

// Listen implements Hosts: there are no messages.
func (o *OneHost) Listen(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}
