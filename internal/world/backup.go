package world

import (
	"context"

	"github.com/playctl/playctl/internal/store"
)

// BeginBackup takes the world as of its last commit, for backup.Write. The world goes on
// meanwhile. The caller closes it, which gives back the room that it takes in the store.
func (w *World) BeginBackup(ctx context.Context) (store.Snapshot, error) {
	taken, err := w.options.Journal.Snapshot(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	return taken, nil
}
