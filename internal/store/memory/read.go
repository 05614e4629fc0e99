package memory

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sort"

	"github.com/tidwall/btree"

	"github.com/playctl/playctl/internal/store"
)

// Read implements store.Journal. A walk keeps the slice of entries that it found,
// which trimming replaces but never changes, so it is never overtaken.
func (j *Journal) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		entries, err := j.entriesAfter(ctx, after)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		for _, e := range entries {
			if err := j.stillUsable(ctx); err != nil {
				yield(store.Entry{}, err)
				return
			}
			decoded, err := store.DecodeEntry(bytes.Clone(e.encoded))
			if !yield(decoded, err) || err != nil {
				return
			}
		}
	}
}

func (j *Journal) entriesAfter(ctx context.Context, after store.Position) ([]entry, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if err := j.usable(ctx); err != nil {
		return nil, err
	}
	return j.entries[j.firstAfter(after):], nil
}

func (j *Journal) stillUsable(ctx context.Context) error {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.usable(ctx)
}

// Seek implements store.Journal.
func (j *Journal) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if err := j.usable(ctx); err != nil {
		return 0, err
	}
	if seq < j.trimmed {
		return 0, fmt.Errorf("%w: events up to seq %d are gone, but those after %d were requested", store.ErrTrimmed, j.trimmed, seq)
	}
	i := sort.Search(len(j.entries), func(i int) bool { return j.entries[i].Seq > seq })
	for ; i < len(j.entries); i++ {
		if j.entries[i].Events > 0 {
			return j.entries[i].Position - 1, nil
		}
	}
	return j.head().Position, nil
}

// Get implements store.Repository.
func (j *Journal) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	records, err := j.table(ctx, table)
	if err != nil {
		return nil, err
	}
	value, _ := records.Get(string(key))
	return bytes.Clone(value), nil
}

// GetAll implements store.Repository, one record after the other: all of them are
// in memory.
func (j *Journal) GetAll(ctx context.Context, records []store.Lookup) ([][]byte, error) {
	values := make([][]byte, len(records))
	for i, r := range records {
		var err error
		if values[i], err = j.Get(ctx, r.Table, r.Key); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Scan implements store.Repository. The walk is over a copy of the table as of its
// start; the copy shares the unchanged part.
func (j *Journal) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return func(yield func(store.Pair, error) bool) {
		records, err := j.copyTable(ctx, table)
		if err != nil {
			yield(store.Pair{}, err)
			return
		}
		visit := func(key string, value []byte) bool {
			if !r.Holds(key) {
				return false
			}
			if err := j.stillUsable(ctx); err != nil {
				yield(store.Pair{}, err)
				return false
			}
			pair := store.Pair{Key: []byte(key)}
			if !r.KeysOnly {
				pair.Value = bytes.Clone(value)
			}
			return yield(pair, nil)
		}
		low, high := r.Bounds()
		if !r.Reverse {
			records.Ascend(string(low), visit)
			return
		}
		if len(high) == 0 {
			records.Reverse(visit)
			return
		}
		records.Descend(string(high), func(key string, value []byte) bool {
			return key >= string(high) || visit(key, value)
		})
	}
}

func (j *Journal) table(ctx context.Context, table store.Table) (*btree.Map[string, []byte], error) {
	if err := j.usable(ctx); err != nil {
		return nil, err
	}
	records, known := j.tables[table]
	if !known {
		return nil, fmt.Errorf("there is no table %q", table)
	}
	return records, nil
}

// copyTable takes the lock for writing: a copy marks the shared nodes.
func (j *Journal) copyTable(ctx context.Context, table store.Table) (*btree.Map[string, []byte], error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	records, err := j.table(ctx, table)
	if err != nil {
		return nil, err
	}
	return records.Copy(), nil
}
