package store

import (
	"context"
	"errors"
	"iter"
)

// Errors of a store. A backend wraps them with what happened and to what.
var (
	// ErrConflict means that the journal's head is not the expected one: some
	// other writer was there first. Nothing was written.
	ErrConflict = errors.New("the journal moved on")
	// ErrUnavailable means that the backend could not be read or written. After
	// an Append the outcome is unknown until Head answers again.
	ErrUnavailable = errors.New("the store is unavailable")
	// ErrTrimmed means that the entries asked for are no longer kept.
	ErrTrimmed = errors.New("the journal no longer holds that position")
	// ErrLocked means that another process has the store open.
	ErrLocked = errors.New("the store is in use")
	// ErrNewerFormat means that a newer version wrote the store. It is left
	// as it is.
	ErrNewerFormat = errors.New("the store was written by a newer version")
	// ErrRootKey means that the store belongs to another root key.
	ErrRootKey = errors.New("the store belongs to another root key")
	// ErrCorrupt means that stored bytes are not what a store writes.
	ErrCorrupt = errors.New("the store is damaged")
	// ErrClosed is returned by every call after Close.
	ErrClosed = errors.New("the store is closed")
)

// Journal is the durable log of a world and the tables beside it. Its methods
// may be called from several goroutines; Append is called by one at a time.
type Journal interface {
	Reader

	// Append commits entries after the position expect, with all their records,
	// as one atomic batch, and returns the new head. When it returns nil the
	// batch is on stable storage. Entries come with their positions set
	// (expect+1, expect+2, …); a store refuses a batch that CheckBatch refuses,
	// and an empty one only compares the head. The entries' bytes are the
	// caller's again afterwards. ErrConflict means nothing was written; any other
	// error leaves the outcome unknown.
	Append(ctx context.Context, expect Position, entries []Entry) (Position, error)

	// Head is the position of the last committed entry, 0 for a new store. It
	// asks the backend, not a cache: it is how an unknown outcome is resolved.
	Head(ctx context.Context) (Position, error)

	// Read walks the entries after a position, oldest first, to the head at the
	// time the walk starts. Entries that were trimmed before it started are
	// passed over; when trimming overtakes a walk and takes an event that it has
	// not yielded, it ends with ErrTrimmed. Every yielded Entry is the receiver's
	// to keep and has no Records. A receiver may call the journal.
	Read(ctx context.Context, after Position) iter.Seq2[Entry, error]

	// Seek returns the position p such that Read(p) starts with the entry that
	// holds the first event whose seq is greater than seq. It fails with
	// ErrTrimmed when an event after seq is no longer kept. A seq at or past the
	// last event gives the head. That entry has position p+1, so that a receiver
	// notices when it was trimmed before its Read.
	Seek(ctx context.Context, seq uint64) (Position, error)

	// Checkpoint stores the whole map as of state.Position, which must not be
	// past the head nor older than the last one stored, then trims what the
	// retention no longer needs. It may be called while an Append runs.
	Checkpoint(ctx context.Context, state State) error

	// Load returns the checkpoint to start from: the newest that leaves the
	// retained revs to be replayed from entries, else the oldest; the zero State
	// when there is none. Every map change after it is still readable.
	Load(ctx context.Context) (State, error)

	// Close releases the backend. It may be called twice.
	Close() error
}

// Reader reads the tables as of the last commit.
type Reader interface {
	// Get returns a record's value, or nil when there is none. The value is the
	// caller's to keep.
	Get(ctx context.Context, table Table, key []byte) ([]byte, error)
	// Scan walks the records of a range in key order. It holds nothing open while
	// the receiver works: records are read in chunks, each as of one moment, so a
	// record that changes during the walk is seen as it was or as it is. The
	// receiver may call the journal.
	Scan(ctx context.Context, table Table, r Range) Pairs
}

// Retention says how much history a journal keeps at least.
type Retention struct {
	// Events is the number of events that a stream can resume over.
	Events uint64
	// Revs is the number of past revs that stay readable.
	Revs uint64
}

// DefaultRetention is the protocol's minimum: 10,000 events and 1,024 revs.
func DefaultRetention() Retention { return Retention{Events: 10_000, Revs: 1_024} }
