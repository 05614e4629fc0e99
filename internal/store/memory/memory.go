// Package memory keeps a world's journal and tables in memory: for tests, for
// worlds that need not outlive their process, and for those that a Keeper stores.
// It trims as the durable backends do, and holds entries in their stored form, so
// that nothing is shared with the caller.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"sort"
	"sync"

	"github.com/tidwall/btree"

	"github.com/playctl/playctl/internal/store"
)

// Journal is a store.Journal in memory.
type Journal struct {
	*store.OneHost
	retention store.Retention

	mu     sync.RWMutex
	closed bool
	// entries are oldest first; the last is the head.
	entries     []entry
	checkpoints []checkpoint
	// trimmed is the greatest seq of an event that is no longer kept.
	trimmed uint64
	tables  map[store.Table]*btree.Map[string, []byte]

	// keeper is nil for a journal that is in memory only, and meta has the keeper's
	// other values.
	keeper Keeper
	meta   map[string]string
	// stale is set while the content of the keeper is unknown.
	stale bool
}

var _ store.Journal = (*Journal)(nil)

type entry struct {
	store.Place
	encoded []byte
}

type checkpoint struct {
	store.Mark
	encoded []byte
}

// Open returns an empty journal with this retention.
func Open(retention store.Retention) *Journal {
	j := &Journal{retention: retention, tables: map[store.Table]*btree.Map[string, []byte]{}}
	for _, table := range store.Tables() {
		j.tables[table] = new(btree.Map[string, []byte])
	}
	j.OneHost = store.NewOneHost(j)
	return j
}

// Append implements store.OneHostLog.
func (j *Journal) Append(ctx context.Context, after store.Position, entries []store.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(ctx); err != nil {
		return err
	}
	head := j.head()
	if head.Position != after {
		return fmt.Errorf("%w: its head is %d, not %d", store.ErrConflict, head.Position, after)
	}
	if err := store.CheckBatch(head, entries); err != nil {
		return err
	}
	if err := j.save(ctx, j.appended(entries)); err != nil {
		return err
	}
	for i := range entries {
		e := entries[i]
		j.apply(e.Records)
		e.Records = nil
		j.entries = append(j.entries, entry{e.Place(), store.AppendEntry(nil, &e)})
	}
	return nil
}

func (j *Journal) apply(records []store.Record) {
	for _, r := range records {
		switch table := j.tables[r.Table]; {
		case r.Clears():
			j.tables[r.Table] = new(btree.Map[string, []byte])
		case r.Value == nil:
			table.Delete(string(r.Key))
		default:
			table.Set(string(r.Key), bytes.Clone(r.Value))
		}
	}
}

// Head implements store.Journal.
func (j *Journal) Head(ctx context.Context) (store.Position, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.stale && !j.closed {
		if err := j.reload(ctx); err != nil {
			return 0, err
		}
	}
	if err := j.usable(ctx); err != nil {
		return 0, err
	}
	return j.head().Position, nil
}

// Checkpoint implements store.Journal.
func (j *Journal) Checkpoint(ctx context.Context, state store.State) (store.Kept, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.usable(ctx); err != nil {
		return store.Kept{}, err
	}
	head := j.head()
	marks := j.marks()
	if err := store.CheckState(head.Position, marks, &state); err != nil {
		return store.Kept{}, err
	}
	if n := len(marks); n > 0 && marks[n-1].Position == state.Position {
		j.checkpoints = j.checkpoints[:n-1]
	}
	mark := store.Mark{Position: state.Position, Rev: state.Rev}
	j.checkpoints = append(j.checkpoints, checkpoint{mark, store.AppendState(nil, &state)})
	before := j.trimmed
	superfluous, err := j.trim(head.Rev)
	if err != nil {
		return store.Kept{}, err
	}
	return superfluous.Kept, j.save(ctx, j.checkpointed(superfluous, before))
}

// Size implements store.Journal.
func (j *Journal) Size(ctx context.Context) (weight, limit uint64, err error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if err := j.usable(ctx); err != nil {
		return 0, 0, err
	}
	all, err := store.Count(j.newestFirst())
	return all.Bytes, j.retention.Bytes, err
}

// Load implements store.Journal.
func (j *Journal) Load(ctx context.Context) (store.State, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if err := j.usable(ctx); err != nil {
		return store.State{}, err
	}
	base := j.retention.Base(j.marks(), j.head().Rev)
	if base < 0 {
		return store.State{}, nil
	}
	return store.DecodeState(bytes.Clone(j.checkpoints[base].encoded))
}

// Close implements store.Journal.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.entries, j.checkpoints, j.tables = nil, nil, nil
	return nil
}

// usable returns why the journal cannot be used; called with the lock held.
func (j *Journal) usable(ctx context.Context) error {
	if j.closed {
		return store.ErrClosed
	}
	if j.stale {
		return fmt.Errorf("%w: it is not known what the repository has", store.ErrUnavailable)
	}
	return ctx.Err()
}

func (j *Journal) head() store.Place {
	if len(j.entries) == 0 {
		return store.Place{}
	}
	return j.entries[len(j.entries)-1].Place
}

// firstAfter returns the index of the first entry after a position.
func (j *Journal) firstAfter(p store.Position) int {
	return sort.Search(len(j.entries), func(i int) bool { return j.entries[i].Position > p })
}

func (j *Journal) marks() []store.Mark {
	marks := make([]store.Mark, len(j.checkpoints))
	for i, c := range j.checkpoints {
		marks[i] = c.Mark
	}
	return marks
}

// trim removes the entries and checkpoints that the retention does not need, and
// returns them.
func (j *Journal) trim(headRev uint64) (store.Trim, error) {
	superfluous, err := j.retention.Trim(j.marks(), headRev, j.newestFirst())
	if err != nil {
		return store.Trim{}, err
	}
	j.checkpoints = slices.DeleteFunc(j.checkpoints, func(c checkpoint) bool {
		return slices.Contains(superfluous.Checkpoints, c.Position)
	})
	trim := superfluous.Entries
	j.trimmed = store.LastTrimmed(j.trimmed, trim)
	kept := make([]entry, 0, len(j.entries)-len(trim))
	for _, e := range j.entries {
		if len(trim) > 0 && trim[0].Position == e.Position {
			trim = trim[1:]
			continue
		}
		kept = append(kept, e)
	}
	j.entries = kept
	return superfluous, nil
}

func (j *Journal) newestFirst() iter.Seq2[store.Place, error] {
	return func(yield func(store.Place, error) bool) {
		for _, e := range slices.Backward(j.entries) {
			place := e.Place
			place.Bytes = uint64(len(e.encoded))
			if !yield(place, nil) {
				return
			}
		}
	}
}

// Snapshot implements store.Journal. It shares the unchanged part with the journal.
func (j *Journal) Snapshot(ctx context.Context) (store.Snapshot, error) {
	if _, err := j.Head(ctx); err != nil {
		return nil, err
	}
	fresh := Open(j.retention)
	j.mu.Lock()
	defer j.mu.Unlock()
	fresh.entries, fresh.checkpoints, fresh.trimmed = slices.Clip(j.entries), slices.Clone(j.checkpoints), j.trimmed
	for name, table := range j.tables {
		fresh.tables[name] = table.Copy()
	}
	return fresh, nil
}
