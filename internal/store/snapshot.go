package store

import "context"

// Snapshots is a journal that can be read as of one moment while it is written.
type Snapshots interface {
	// Snapshot returns the store as of the last commit. It takes room in the store, or
	// beside it, until it is closed.
	Snapshot(ctx context.Context) (Snapshot, error)
}

// Snapshot is a store as of one moment.
type Snapshot interface {
	Source

	// Close gives back the room that the snapshot takes.
	Close() error
}
