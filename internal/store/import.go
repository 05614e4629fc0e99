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

// Content is the data of an import besides entries and records.
type Content struct {
	// Base is the checkpoint from which a host starts; none if its position is 0.
	Base State
	// Trimmed is the greatest seq of an event that is no longer kept.
	Trimmed uint64
}

// Import fills a new store with a world, in parts, and makes it the store's world
// at the end: until then no other process can open it, and an interrupted import
// leaves no world. Its methods are called by one goroutine. After an error only
// Close may be called; errors of the store are wrapped.
type Import interface {
	// Entries adds entries, oldest first, without Records. Positions grow but may
	// leave gaps, as trimming does. A store that keeps commits keeps theirs.
	Entries(ctx context.Context, entries []Entry) error
	// Records puts records into the tables. A Term starts with the call.
	Records(ctx context.Context, records []Record) error
	// Complete adds the rest, after the last entry.
	Complete(ctx context.Context, content *Content) error
	// Source returns the imported data so far. It is valid until the import ends.
	Source() Source
	// Finish makes the imported world the store's, atomically. If there is another one
	// by now it fails with ErrNotEmpty.
	Finish(ctx context.Context) error
	// Close ends the import; an unfinished import is removed. It may be called twice.
	Close() error
}

// CheckImport returns why an import whose last entry is head refuses the entries:
// a position, rev or seq that decreases, or records.
func CheckImport(head Place, entries []Entry) error {
	for i := range entries {
		e := &entries[i]
		if len(e.Records) > 0 {
			return errors.New("an import takes records apart from entries")
		}
		if e.Position > head.Position {
			head.Position = e.Position - 1
		}
		if err := CheckBatch(head, entries[i:i+1]); err != nil {
			return err
		}
		head = e.Place()
	}
	return nil
}

// CheckRecords returns why a store refuses to put the records.
func CheckRecords(records []Record) error {
	return checkRecords(&Entry{Records: records})
}
