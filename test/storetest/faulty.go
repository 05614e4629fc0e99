package storetest

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/playctl/playctl/internal/store"
)

// Faulty is a real journal whose calls fail on demand. Without a demand it is
// the journal that it wraps.
type Faulty struct {
	journal store.Journal

	mu sync.Mutex
	// faults are what the next Appends meet, one each.
	faults  []Fault
	appends int
	// broken are what reads and writes fail with; nil while they work.
	brokenReads, brokenWrites error
}

var _ store.Journal = (*Faulty)(nil)

// NewFaulty wraps a journal; Close closes it.
func NewFaulty(journal store.Journal) *Faulty { return &Faulty{journal: journal} }

// Fault is what happens to one Append.
type Fault func(ctx context.Context, j store.Journal, expect store.Position, entries []store.Entry) (store.Position, error)

// Pass appends as if nothing was planned.
func Pass(ctx context.Context, j store.Journal, expect store.Position, entries []store.Entry) (store.Position, error) {
	return j.Append(ctx, expect, entries)
}

// FailBefore writes nothing and reports store.ErrUnavailable.
func FailBefore(_ context.Context, _ store.Journal, expect store.Position, _ []store.Entry) (store.Position, error) {
	return 0, fmt.Errorf("%w: a planned failure after position %d", store.ErrUnavailable, expect)
}

// FailAfter writes the batch and reports store.ErrUnavailable all the same, as
// when the answer is lost.
func FailAfter(ctx context.Context, j store.Journal, expect store.Position, entries []store.Entry) (store.Position, error) {
	if _, err := j.Append(ctx, expect, entries); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("%w: a planned failure after position %d was written", store.ErrUnavailable, expect+store.Position(len(entries)))
}

// Intrude lets another writer commit what it makes for the head that it finds,
// just before the Append, which then meets store.ErrConflict.
func Intrude(others func(head store.Position) []store.Entry) Fault {
	return func(ctx context.Context, j store.Journal, expect store.Position, entries []store.Entry) (store.Position, error) {
		head, err := j.Head(ctx)
		if err != nil {
			return 0, err
		}
		if _, err := j.Append(ctx, head, others(head)); err != nil {
			return 0, fmt.Errorf("the other writer: %w", err)
		}
		return j.Append(ctx, expect, entries)
	}
}

// Hold announces the Append on started and waits for release, or for the context,
// before it goes on: a test can fill the queue behind it.
func Hold(started chan<- struct{}, release <-chan struct{}) Fault {
	return func(ctx context.Context, j store.Journal, expect store.Position, entries []store.Entry) (store.Position, error) {
		close(started)
		select {
		case <-release:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		return j.Append(ctx, expect, entries)
	}
}

// Plan adds what the next Appends meet, one after the other.
func (f *Faulty) Plan(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, faults...)
}

// BreakReads makes every call but Append, Checkpoint and Close fail with
// store.ErrUnavailable until Repair.
func (f *Faulty) BreakReads() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.brokenReads = fmt.Errorf("%w: reads are broken on purpose", store.ErrUnavailable)
}

// BreakWrites makes Append and Checkpoint fail with store.ErrUnavailable and
// write nothing until Repair.
func (f *Faulty) BreakWrites() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.brokenWrites = fmt.Errorf("%w: writes are broken on purpose", store.ErrUnavailable)
}

// Repair ends BreakReads and BreakWrites and forgets what was planned.
func (f *Faulty) Repair() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.brokenReads, f.brokenWrites, f.faults = nil, nil, nil
}

// Appends returns how many Appends there were, those that failed included.
func (f *Faulty) Appends() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.appends
}

func (f *Faulty) next() Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.appends++
	if err := f.brokenWrites; err != nil {
		return func(context.Context, store.Journal, store.Position, []store.Entry) (store.Position, error) {
			return 0, err
		}
	}
	if len(f.faults) == 0 {
		return Pass
	}
	fault := f.faults[0]
	f.faults = f.faults[1:]
	return fault
}

func (f *Faulty) reads() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.brokenReads
}

func (f *Faulty) writes() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.brokenWrites
}

// Append implements store.Journal.
func (f *Faulty) Append(ctx context.Context, expect store.Position, entries []store.Entry) (store.Position, error) {
	return f.next()(ctx, f.journal, expect, entries)
}

// Checkpoint implements store.Journal.
func (f *Faulty) Checkpoint(ctx context.Context, state store.State) error {
	if err := f.writes(); err != nil {
		return err
	}
	return f.journal.Checkpoint(ctx, state)
}

// Head implements store.Journal.
func (f *Faulty) Head(ctx context.Context) (store.Position, error) {
	if err := f.reads(); err != nil {
		return 0, err
	}
	return f.journal.Head(ctx)
}

// Read implements store.Journal. A walk that is under way breaks as well.
func (f *Faulty) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return breakable(f, f.journal.Read(ctx, after))
}

// Seek implements store.Journal.
func (f *Faulty) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	if err := f.reads(); err != nil {
		return 0, err
	}
	return f.journal.Seek(ctx, seq)
}

// Load implements store.Journal.
func (f *Faulty) Load(ctx context.Context) (store.State, error) {
	if err := f.reads(); err != nil {
		return store.State{}, err
	}
	return f.journal.Load(ctx)
}

// Get implements store.Reader.
func (f *Faulty) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	if err := f.reads(); err != nil {
		return nil, err
	}
	return f.journal.Get(ctx, table, key)
}

// Scan implements store.Reader. A walk that is under way breaks as well.
func (f *Faulty) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return breakable(f, f.journal.Scan(ctx, table, r))
}

// Close implements store.Journal.
func (f *Faulty) Close() error { return f.journal.Close() }

func breakable[T any](f *Faulty, walk iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		if err := f.reads(); err != nil {
			yield(none, err)
			return
		}
		for item, err := range walk {
			if broken := f.reads(); broken != nil {
				yield(none, broken)
				return
			}
			if !yield(item, err) {
				return
			}
		}
	}
}
