package world

import (
	"context"

	"github.com/playctl/playctl/internal/store"
)

// BeginBackup returns a snapshot of the world as of its last commit, for backup.Write.
// The world continues meanwhile. The caller must close the snapshot to free its space in
// the store.
func (w *World) BeginBackup(ctx context.Context) (store.Snapshot, error) {
	taken, err := w.options.Journal.Snapshot(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	return taken, nil
}
