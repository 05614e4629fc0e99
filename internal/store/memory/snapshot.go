package memory

import (
	"context"
	"slices"

	"github.com/playctl/playctl/internal/store"
)

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
