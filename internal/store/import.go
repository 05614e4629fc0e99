package store

import (
	"context"
	"errors"
)

// Errors of imports, besides those of every store.
var (
	// ErrNotEmpty means that there is a world where another one is to go. Nothing
	// was written.
	ErrNotEmpty = errors.New("there is a world already")
	// ErrImporting means that an import is under way, or was interrupted: what is
	// there is no world.
	ErrImporting = errors.New("an import is not finished")
)

// Content is what an import has besides entries and records.
type Content struct {
	// Base is the checkpoint that a start begins with; none where its position is 0.
	Base State
	// Rows are all occupants and spaces as of the last entry.
	Rows []Row
	// Trimmed is the greatest seq of an event that is no longer kept.
	Trimmed uint64
}

// Import fills a new store with a world, in parts that a store takes at once, and
// makes it a store's world at its end: until then nobody else can open it, and
// what an interrupted import leaves is not a world. Its methods are called by one
// goroutine. An error leaves only Close to call; those of the store are wrapped.
type Import interface {
	// Entries adds entries, oldest first, without Records. Positions grow but may
	// leave gaps, as trimming does. A store that keeps commits keeps theirs.
	Entries(ctx context.Context, entries []Entry) error
	// Records puts records into the tables. A Term starts with the call.
	Records(ctx context.Context, records []Record) error
	// Complete adds the rest, after the last entry.
	Complete(ctx context.Context, content *Content) error
	// Source is what was imported so far. It ends with the import.
	Source() Source
	// Finish makes it the world of the store, at once. If there is one by now it
	// fails with ErrNotEmpty.
	Finish(ctx context.Context) error
	// Close ends the import; one that is not finished leaves nothing. It may be
	// called twice.
	Close() error
}

// CheckImport returns why an import whose last entry is head refuses the entries:
// a position, rev or seq that goes back, or records.
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
