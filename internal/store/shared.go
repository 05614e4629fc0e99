package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// CommitID names one atomic batch of a shared journal. It is random and chosen
// by the host that makes the batch, so that a host finds out whether a commit
// whose answer it never got is in the journal, and whether the journal still is
// the one that it knows.
type CommitID [16]byte

// Tip is the end of a shared journal as one host knows it: the position of the
// last entry and the commit that wrote it.
type Tip struct {
	Position Position
	Commit   CommitID
}

// Errors of a shared journal, beside those of every store.
var (
	// ErrDiverged means that the journal has no such tip: it lost entries that
	// were committed, or went on from an earlier one. The host reads the world
	// anew.
	ErrDiverged = errors.New("the journal is not the one that this host knows")
	// ErrRestarted means that the server behind the journal restarted or was
	// replaced since the last commit and may have lost what it acknowledged.
	// Nothing was written. The host goes on with a Batch that is Resumed.
	ErrRestarted = errors.New("the store restarted since the last commit")
	// ErrFenced means that the lock that the batch was made under is another
	// host's by now. Nothing was written.
	ErrFenced = errors.New("another host holds the lock")
)

// OvertakenError is the ErrConflict of a Commit that says what it missed.
type OvertakenError struct {
	// Entries are the first ones after the tip, with Records; there may be more.
	Entries []Entry
}

// Error says how far the journal is ahead.
func (e *OvertakenError) Error() string {
	return fmt.Sprintf("%v by at least %d entries", ErrConflict, len(e.Entries))
}

// Unwrap makes it an ErrConflict.
func (e *OvertakenError) Unwrap() error { return ErrConflict }

// NotDueError is why a Commit was refused whose Lapsed deadlines were renewed
// meanwhile. Nothing was written.
type NotDueError struct {
	Deadlines []Deadline
}

// Error says how many there are.
func (e *NotDueError) Error() string {
	return fmt.Sprintf("%d deadlines have not passed", len(e.Deadlines))
}

// Deadline names the deadline of a record.
type Deadline struct {
	Table Table
	Key   string
}

// Lookup names a record.
type Lookup struct {
	Table Table
	Key   []byte
}

// Renewal starts the term of a record's deadline anew, or gives it one. One of a
// record that is not there, after the batch's entries, is ignored.
type Renewal struct {
	Deadline
	Term time.Duration
}

// Fence is a lock as one holder has it. Every holder's token is greater than
// those before it.
type Fence struct {
	Name  string
	Token uint64
}

// Batch is what one host commits at once.
type Batch struct {
	// After is the tip that the batch was planned on: it is committed only if
	// that is the journal's.
	After Tip
	// Commit names the batch.
	Commit CommitID
	// Entries may be empty: then the batch only compares the tip, and renews.
	Entries []Entry
	// Renewals are deadlines that start anew. They move no position.
	Renewals []Renewal
	// Lapsed are the deadlines that must have passed, by the store's time.
	Lapsed []Deadline
	// Fence is the lock that must still be held; nil for none.
	Fence *Fence
	// Resumed tells that the host knows of the server's restart and has moved
	// rev and seq ahead of what may be lost.
	Resumed bool
}

// Shared is a journal that several hosts append to at the same time. Its time
// is the server's: no host's clock decides anything.
//
// Entries that it yields carry Commit, Prev and, unlike a Journal's, the Records
// of those tables that hosts keep in memory (Table.Mirror), without their Terms.
type Shared interface {
	Journal

	// Commit writes a batch if the journal's tip is batch.After, all of it or
	// nothing, and returns the new tip. Entries come with Position, Commit and
	// Prev set. Errors: *OvertakenError (an ErrConflict), *NotDueError, ErrDiverged,
	// ErrRestarted, ErrFenced: nothing was written. Any other error leaves the
	// outcome unknown, also that the batch is written later: only an entry after
	// batch.After that is another's settles it.
	Commit(ctx context.Context, batch *Batch) (Tip, error)

	// Missed returns the first entries after a tip, none at the journal's end. It
	// fails with ErrDiverged, ErrRestarted and ErrTrimmed.
	Missed(ctx context.Context, after Tip) ([]Entry, error)

	// Follow yields the entries after a tip as they are committed, by whichever
	// host, some at a time, until the context ends or it fails as Missed does.
	// Each walk has its own connection.
	Follow(ctx context.Context, after Tip) iter.Seq2[[]Entry, error]

	// Arrive tells that a host begins to serve. Where none listens, all were away and
	// nobody could renew: every deadline gets its full term at once.
	Arrive(ctx context.Context) error

	// Due lists the keys of a table's records whose deadlines have passed, the
	// longest first, at most limit. Where no host asked for so long that agents
	// may have been unable to renew, every deadline gets its full term first.
	Due(ctx context.Context, table Table, limit int) ([]string, error)

	// GetAll returns the values of records in one round trip, in the order asked
	// for, nil for those that are not there. Each is as of some moment during the
	// call. The values are the caller's to keep.
	GetAll(ctx context.Context, records []Lookup) ([][]byte, error)

	// Now is the server's time as this host knows it without asking.
	Now() time.Time

	// Acquire takes or prolongs a lock for a term. held is false while another
	// holder has it.
	Acquire(ctx context.Context, name, holder string, term time.Duration) (fence Fence, held bool, err error)
	// Release gives a lock back; one that is another's by now stays.
	Release(ctx context.Context, fence Fence) error

	// Send hands a message to the hosts that listen now, at most once. It is
	// stored nowhere.
	Send(ctx context.Context, message []byte) error
	// Listen yields the messages of other hosts and of this one until the context
	// ends. Those sent while the connection is down are lost.
	Listen(ctx context.Context) iter.Seq2[[]byte, error]
}

// Mirroring says what other hosts have to know of a table's changes.
type Mirroring int

// How tables are mirrored.
const (
	// MirrorNothing: the table is read from the store when it is needed.
	MirrorNothing Mirroring = iota
	// MirrorKeys: hosts know which records there are; values are read.
	MirrorKeys
	// MirrorAll: hosts keep the records in memory.
	MirrorAll
)

// Mirror tells what the entries of a shared journal carry of a table's records;
// of MirrorKeys, values are empty but not nil.
func (t Table) Mirror() Mirroring {
	switch t {
	case Nodes, Leases, Aggregates, Spaces, Intercom:
		return MirrorAll
	case Interactions, Journeys, SpaceLogs:
		return MirrorKeys
	}
	return MirrorNothing
}
