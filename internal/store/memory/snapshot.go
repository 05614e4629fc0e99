package memory

import (
	"context"
	"slices"

	"github.com/tidwall/btree"

	"github.com/playctl/playctl/internal/store"
)

// contents are what a journal holds at one moment.
type contents struct {
	entries     []entry
	checkpoints []checkpoint
	trimmed     uint64
	tables      map[store.Table]*btree.Map[string, []byte]
}

// copy copies what the journal holds; a copied table shares what does not change.
func (j *Journal) copy() contents {
	j.mu.Lock()
	defer j.mu.Unlock()
	c := contents{slices.Clip(j.entries), slices.Clone(j.checkpoints), j.trimmed, make(map[store.Table]*btree.Map[string, []byte], len(j.tables))}
	for name, t := range j.tables {
		c.tables[name] = t.Copy()
	}
	return c
}

// restore puts the journal back to what it was.
func (j *Journal) restore(c contents) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries, j.checkpoints, j.trimmed, j.tables = c.entries, c.checkpoints, c.trimmed, c.tables
}

var _ store.Snapshots = (*Journal)(nil)

// Snapshot implements store.Snapshots. It shares what it can with the journal.
func (j *Journal) Snapshot(ctx context.Context) (store.Snapshot, error) {
	if _, err := j.Head(ctx); err != nil {
		return nil, err
	}
	fresh := Open(j.retention)
	fresh.restore(j.copy())
	return fresh, nil
}
