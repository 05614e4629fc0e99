package store

import (
	"context"
	"errors"
)

// Errors of imports, besides those of every store.
var (
	// ErrNotEmpty means that the location of an import has a world already. Nothing
	// was written.
	ErrNotEmpty = errors.New("there is a world already")
	// ErrImporting means that an import is in progress, or was interrupted: the store
	// holds no complete world.
	ErrImporting = errors.New("an import is not finished")
)

// Import is a new store that is filled with commits. Until Finish no other process can
// open it, and an interrupted import leaves no world.
type Import interface {
	// Journal is the store. Its Close removes an unfinished import.
	Journal
	// Finish makes it the store at its location, atomically. If there is another one by
	// now it fails with ErrNotEmpty. Afterwards only Close may be called.
	Finish(ctx context.Context) error
}
