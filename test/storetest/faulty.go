package storetest

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/playctl/playctl/internal/store"
)

// Faulty is a real journal whose calls fail on demand. Otherwise it is the journal
// that it wraps.
type Faulty struct {
	store.Journal

	mu sync.Mutex
	// faults are the faults of the next commits, one each.
	faults  []Fault
	commits int
	// brokenReads and brokenWrites are the errors of reads and writes; nil while they
	// work.
	brokenReads, brokenWrites error
}

// NewFaulty wraps a journal; Close closes it.
func NewFaulty(journal store.Journal) *Faulty { return &Faulty{Journal: journal} }

// Fault is what happens to one Commit.
type Fault func(ctx context.Context, j store.Journal, batch *store.Batch) (store.Tip, error)

// Pass commits as if no fault was planned.
func Pass(ctx context.Context, j store.Journal, batch *store.Batch) (store.Tip, error) {
	return j.Commit(ctx, batch)
}

// FailBefore writes nothing and reports store.ErrUnavailable.
func FailBefore(_ context.Context, _ store.Journal, batch *store.Batch) (store.Tip, error) {
	return store.Tip{}, fmt.Errorf("%w: a planned failure after position %d", store.ErrUnavailable, batch.After.Position)
}

// FailAfter writes the batch and still returns store.ErrUnavailable, as if the
// answer was lost.
func FailAfter(ctx context.Context, j store.Journal, batch *store.Batch) (store.Tip, error) {
	tip, err := j.Commit(ctx, batch)
	if err != nil {
		return store.Tip{}, err
	}
	return store.Tip{}, fmt.Errorf("%w: a planned failure after position %d was written", store.ErrUnavailable, tip.Position)
}

// Intrude lets another writer commit entries for the current head just before the
// Commit, which then fails with store.ErrConflict.
func Intrude(others func(head store.Position) []store.Entry) Fault {
	return func(ctx context.Context, j store.Journal, batch *store.Batch) (store.Tip, error) {
		head, err := j.Head(ctx)
		if err != nil {
			return store.Tip{}, err
		}
		if err := Append(ctx, j, head, others(head)...); err != nil {
			return store.Tip{}, fmt.Errorf("the other writer: %w", err)
		}
		return j.Commit(ctx, batch)
	}
}

// Hold announces the Commit on started and waits for release, or for the context,
// before it continues: a test can fill the queue behind it.
func Hold(started chan<- struct{}, release <-chan struct{}) Fault {
	return func(ctx context.Context, j store.Journal, batch *store.Batch) (store.Tip, error) {
		close(started)
		select {
		case <-release:
		case <-ctx.Done():
			return store.Tip{}, ctx.Err()
		}
		return j.Commit(ctx, batch)
	}
}

// Plan adds the faults of the next commits, one after the other.
func (f *Faulty) Plan(faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, faults...)
}

// BreakReads makes every call that reads entries, checkpoints or tables fail with
// store.ErrUnavailable until Repair.
func (f *Faulty) BreakReads() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.brokenReads = fmt.Errorf("%w: reads are broken on purpose", store.ErrUnavailable)
}

// BreakWrites makes Commit and Checkpoint fail with store.ErrUnavailable and
// write nothing until Repair.
func (f *Faulty) BreakWrites() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.brokenWrites = fmt.Errorf("%w: writes are broken on purpose", store.ErrUnavailable)
}

// Repair ends BreakReads and BreakWrites and removes the planned faults.
func (f *Faulty) Repair() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.brokenReads, f.brokenWrites, f.faults = nil, nil, nil
}

// Commits returns the number of commits, including the failed ones.
func (f *Faulty) Commits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.commits
}

func (f *Faulty) next() Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.commits++
	if err := f.brokenWrites; err != nil {
		return func(context.Context, store.Journal, *store.Batch) (store.Tip, error) { return store.Tip{}, err }
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

// Commit implements store.Journal.
func (f *Faulty) Commit(ctx context.Context, batch *store.Batch) (store.Tip, error) {
	return f.next()(ctx, f.Journal, batch)
}

// Checkpoint implements store.Journal.
func (f *Faulty) Checkpoint(ctx context.Context, state store.State) (store.Kept, error) {
	f.mu.Lock()
	err := f.brokenWrites
	f.mu.Unlock()
	if err != nil {
		return store.Kept{}, err
	}
	return f.Journal.Checkpoint(ctx, state)
}

// Head implements store.Source.
func (f *Faulty) Head(ctx context.Context) (store.Position, error) {
	if err := f.reads(); err != nil {
		return 0, err
	}
	return f.Journal.Head(ctx)
}

// Read implements store.Source. A running walk breaks as well.
func (f *Faulty) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return breakable(f, f.Journal.Read(ctx, after))
}

// Seek implements store.Source.
func (f *Faulty) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	if err := f.reads(); err != nil {
		return 0, err
	}
	return f.Journal.Seek(ctx, seq)
}

// Load implements store.Source.
func (f *Faulty) Load(ctx context.Context) (store.State, error) {
	if err := f.reads(); err != nil {
		return store.State{}, err
	}
	return f.Journal.Load(ctx)
}

// Get implements store.Repository.
func (f *Faulty) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	if err := f.reads(); err != nil {
		return nil, err
	}
	return f.Journal.Get(ctx, table, key)
}

// GetAll implements store.Repository.
func (f *Faulty) GetAll(ctx context.Context, records []store.Lookup) ([][]byte, error) {
	if err := f.reads(); err != nil {
		return nil, err
	}
	return f.Journal.GetAll(ctx, records)
}

// Scan implements store.Repository. A running walk breaks as well.
func (f *Faulty) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return breakable(f, f.Journal.Scan(ctx, table, r))
}

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
