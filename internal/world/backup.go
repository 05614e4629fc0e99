package world

import (
	"context"
	"io"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backup"
)

// Backup is the world as of one moment, ready to be written.
type Backup struct {
	from    store.Snapshot
	rootKey string
}

// BeginBackup takes the world as of its last commit. The world goes on meanwhile.
func (w *World) BeginBackup(ctx context.Context) (*Backup, error) {
	from, err := w.options.Journal.Snapshot(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	return &Backup{from, w.options.RootKey}, nil
}

// Write writes it, proving every root on the way.
func (b *Backup) Write(ctx context.Context, to io.Writer) error {
	_, err := backup.Write(ctx, b.from, b.rootKey, to)
	return err
}

// Close gives back the room that it takes in the store.
func (b *Backup) Close() error { return b.from.Close() }
