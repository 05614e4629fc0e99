package memory

import (
	"context"

	"github.com/playctl/playctl/internal/store"
)

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
