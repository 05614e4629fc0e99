// Package store defines the storage of a world: a journal of the effects of every
// command, with tables beside it. The backends are in the folders below; none of
// them interprets the entries.
package store

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Errors of a store. A backend wraps them with the details.
var (
	// ErrConflict means that the journal's tip is not the expected one: another writer
	// has committed. Nothing was written.
	ErrConflict = errors.New("another writer committed first")
	// ErrUnavailable means that the backend could not be read or written. After
	// a Commit the outcome is unknown until EntriesAfter answers again.
	ErrUnavailable = errors.New("the store is unavailable")
	// ErrTrimmed means that the requested entries are no longer kept.
	ErrTrimmed = errors.New("the journal no longer holds that position")
	// ErrDiverged means that the journal has no such tip: it lost committed entries,
	// or continued from an earlier one. The host reads the world again.
	ErrDiverged = errors.New("the journal is not the one that this host knows")
	// ErrRestarted means that the server behind the journal restarted or was replaced
	// since the last commit and may have lost acknowledged entries. Nothing was written.
	// The error is a *RestartedError, whose Run the host sets in Batch.Resumed.
	ErrRestarted = errors.New("the store restarted since the last commit")
	// ErrFenced means that another host holds the lock that the batch depends on.
	// Nothing was written.
	ErrFenced = errors.New("another host holds the lock")
	// ErrUnfit means that the server would lose the world, or has lost parts of it, so that
	// it must not be written to. Nothing was written.
	ErrUnfit = errors.New("the server is not fit for a world")
	// ErrAlone means that no other host can receive a message.
	ErrAlone = errors.New("no other host uses the store")
	// ErrLocked means that another process has the store open.
	ErrLocked = errors.New("the store is in use")
	// ErrRootKey means that the store belongs to another root key.
	ErrRootKey = errors.New("the store belongs to another root key")
	// ErrCorrupt means that stored bytes are damaged.
	ErrCorrupt = errors.New("the store is damaged")
	// ErrClosed is returned by every call after Close.
	ErrClosed = errors.New("the store is closed")
)

// Journal is the durable log of a world with the tables beside it, to which several
// hosts may commit at the same time. OneHost implements the parts of a store that
// only one host uses. Methods may be called from several goroutines; each host
// calls Commit from one goroutine at a time.
type Journal interface {
	Source
	Hosts

	// Commit writes a batch if the journal's tip is batch.After, all of it or nothing,
	// and returns the new tip. When it returns nil the batch is on stable storage, as
	// far as the store's settings go. Entries come with Position, Commit and Prev set;
	// a store refuses a batch that CheckBatch refuses. A batch without entries only
	// compares the tip and renews deadlines. Its slices are read until the next call
	// and not modified.
	//
	// Errors: *OvertakenError (an ErrConflict), *NotDueError, ErrDiverged, ErrTrimmed,
	// ErrRestarted, ErrFenced, ErrUnfit: nothing was written. After any other error the outcome
	// is unknown, and the batch may even be written later: only another batch's entry
	// after batch.After rules that out.
	Commit(ctx context.Context, batch *Batch) (Tip, error)

	// EntriesAfter returns the first entries after a tip, none at the journal's end. They
	// have Commit, Prev and the Records that Mirrored returns. It fails with
	// ErrDiverged, ErrRestarted and ErrTrimmed.
	EntriesAfter(ctx context.Context, after Tip) ([]Entry, error)

	// Follow yields the entries after a tip as other hosts commit them, some at a
	// time and as EntriesAfter returns them, until the context ends or it fails as EntriesAfter
	// does. Each walk has its own connection. If there is no other host it only
	// waits.
	Follow(ctx context.Context, after Tip) iter.Seq2[[]Entry, error]

	// Size returns how many bytes the entries take, and the limit of the Retention; 0
	// for no limit.
	Size(ctx context.Context) (weight, limit uint64, err error)

	// Checkpoint stores the whole map as of state.Position, which must not be past the
	// head nor older than the last one stored, then trims the entries that the
	// retention no longer needs, and returns how much is left, counted as by Size;
	// entries committed meanwhile may be counted or not. It may be called while a
	// Commit runs. It fails with ErrConflict if another host stored a newer one, and
	// with ErrDiverged for a map of lost entries.
	Checkpoint(ctx context.Context, state State) (Kept, error)

	// Snapshot returns the store as of the last commit, while it is written. It takes
	// space in the store, or beside it, until it is closed.
	Snapshot(ctx context.Context) (Snapshot, error)

	// Close releases the backend. It may be called twice.
	Close() error
}

// Source is a store that is read.
type Source interface {
	Repository

	// Head is the position of the last committed entry, 0 for a new store. It
	// asks the backend, not a cache.
	Head(ctx context.Context) (Position, error)

	// Read walks the entries after a position, oldest first, to the head at the time
	// the walk starts. Entries that were trimmed before it started are skipped; if
	// trimming overtakes a walk and removes an event that it has not yielded, the walk
	// ends with ErrTrimmed. It ends with *DamagedError at a damaged entry. The receiver may keep every yielded Entry, which has no
	// Records. A receiver may call the journal.
	Read(ctx context.Context, after Position) iter.Seq2[Entry, error]

	// Seek returns the position p such that Read(p) starts with the entry that
	// holds the first event whose seq is greater than seq. It fails with
	// ErrTrimmed when an event after seq is no longer kept. A seq at or past the
	// last event gives the head. That entry has position p+1, so that a receiver
	// notices when it was trimmed before its Read.
	Seek(ctx context.Context, seq uint64) (Position, error)

	// Load returns the checkpoint to start from: the newest that leaves the
	// retained revs to be replayed from entries, else the oldest; the zero State
	// when there is none. Every map change after it is still readable.
	Load(ctx context.Context) (State, error)
}

// Repository reads the tables as of the last commit.
type Repository interface {
	// Get returns a record's value, or nil when there is none. The caller may keep the
	// value.
	Get(ctx context.Context, table Table, key []byte) ([]byte, error)
	// GetAll returns the values of records at once, in the order of the request, nil
	// for missing ones. Each is as of some moment during the call. The caller may keep
	// the values.
	GetAll(ctx context.Context, records []Lookup) ([][]byte, error)
	// Scan walks the records of a range in key order. It holds no transaction while
	// the receiver works: records are read in chunks, each as of one moment, so a
	// record that changes during the walk is seen in its old or its new state. The
	// receiver may call the journal.
	Scan(ctx context.Context, table Table, r Range) Pairs
}

// Hosts is what the hosts of one world share besides the journal: time, deadlines,
// locks and messages. If the store has a server, only the server's time counts,
// and no host's clock.
type Hosts interface {
	// SoleHost reports whether no other host can use the store: the last commit of
	// this one is then the journal's end.
	SoleHost() bool

	// Clock returns the clock of deadlines and locks: an estimate of the server's, or
	// the host's own where there is no server.
	Clock(own func() time.Time) func() time.Time

	// HostStarted registers a host that begins to serve, with the deadlines of the records
	// that it found. If no other host serves, no agent could renew its lease: every
	// deadline gets its full term at once.
	HostStarted(ctx context.Context, deadlines []Renewal) error

	// Heartbeat registers a host, by an id and a name for people, for a term from now; a
	// term of 0 ends the registration. It returns the names of the registered hosts,
	// this one included, by id.
	Heartbeat(ctx context.Context, id, name string, term time.Duration) (map[string]string, error)

	// Expired lists the keys of a table's records whose deadlines have passed, the
	// longest first, at most limit. Where several hosts may serve and none asked for
	// so long that agents may have been unable to renew, every deadline gets its full
	// term first.
	Expired(ctx context.Context, table Table, limit int) ([]string, error)

	// Acquire acquires or renews a lock for a term. held is false while another
	// holder has it.
	Acquire(ctx context.Context, name, holder string, term time.Duration) (fence Fence, held bool, err error)
	// Release releases a lock; a lock that another host holds by now stays.
	Release(ctx context.Context, fence Fence) error

	// Send sends a message to the hosts that listen now, at most once. The message is
	// not stored. Send fails with ErrAlone where there can be no other host.
	Send(ctx context.Context, message []byte) error
	// Listen yields the messages of other hosts and of this one until the context
	// ends. Messages sent while the connection is down are lost.
	Listen(ctx context.Context) iter.Seq2[[]byte, error]
}

// Snapshot is a store as of one moment.
type Snapshot interface {
	Source

	// Close frees the space that the snapshot takes.
	Close() error
}
