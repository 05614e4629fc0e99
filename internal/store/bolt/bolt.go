// Package bolt keeps a world's journal and tables in one file, with
// go.etcd.io/bbolt and a write-ahead log. A commit is on stable storage before it
// is reported. One process has the file open at a time; a second one gets an error
// that names the first.
package bolt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// Options say which store to open, and how.
type Options struct {
	// Path is the store's file. Its folder is created if it is missing.
	Path string
	// RootKey is the root key that the store must belong to. A new store needs
	// one; with an empty one an existing store is opened whatever its root key.
	RootKey string
	// Retention says how much history trimming keeps; zero means
	// store.DefaultRetention.
	Retention store.Retention
	// ReadOnly opens an existing store without writing to it. Several processes
	// may read a store at once, none while another writes.
	ReadOnly bool
	// Report is called when the file could not be written, and with nil when it could
	// again. It may be nil.
	Report func(error)
	// LockWait is how long to wait for a process that has the store open; zero
	// means DefaultLockWait.
	LockWait time.Duration
}

// DefaultLockWait bridges the moment in which a stopping host releases its store.
const DefaultLockWait = time.Second

// Journal is a store.Journal in a file.
type Journal struct {
	*store.OneHost
	// options are those with which the journal was opened.
	options Options
	rootKey string
	holder  *holder

	// mu is held for reading by every call and for writing by Close and mend.
	mu     sync.RWMutex
	db     *bbolt.DB
	closed bool
	// file is the open file of db.
	file *os.File
	// updating is held by a write to the database.
	updating sync.Mutex
	// doubt is set while it is not known what of the last write is on stable storage, as
	// at first of that of an earlier process, or the file is not mapped.
	doubt atomic.Bool
	// wrote is set by the first commit.
	wrote atomic.Bool
	// failing is set while the file cannot be written.
	failing bool
	// stuck is why nothing can be written any more; nil if it can.
	stuck atomic.Pointer[error]

	// checkpointing serializes checkpoints: each plans its trimming before it takes
	// the writer's lock.
	checkpointing sync.Mutex

	writer
}

var _ store.Journal = (*Journal)(nil)

func newJournal(o Options, rootKey string, db *bbolt.DB, file *os.File) *Journal {
	j := &Journal{options: o, rootKey: rootKey, holder: announce(o.Path), db: db, file: file}
	j.writer = writer{
		database: under{j}, disk: osDisk{}, path: o.Path, segmentBytes: writeAheadSegment,
		flusher: flusher{some: make(chan struct{}, 1), enough: make(chan struct{}, 1)},
	}
	j.doubt.Store(!o.ReadOnly)
	if o.ReadOnly {
		j.noLog = math.MaxInt
	}
	j.OneHost = store.NewOneHost(j)
	return j
}

// RootKey returns the root key that the store belongs to.
func (j *Journal) RootKey() string { return j.rootKey }

// Path returns the store's file.
func (j *Journal) Path() string { return j.path }

// Unwritten returns why the commits that a crash left in the log could not be moved into
// the database when the store was opened; the next commit tries it again. It is nil if
// they could.
func (j *Journal) Unwritten() error { return j.unwritten }

// Close implements store.Journal. It waits for running calls, and leaves one file.
func (j *Journal) Close() error {
	j.appending.Lock()
	defer j.appending.Unlock()
	var err error
	if !j.options.ReadOnly && j.stuck.Load() == nil && j.ready(context.Background()) == nil {
		err = j.leave(context.Background())
	}
	return errors.Join(err, j.stop(), j.close())
}

func (j *Journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	j.closed = true
	j.holder.remove()
	if j.stuck.Load() != nil {
		return nil
	}
	if err := j.db.Close(); err != nil {
		return fmt.Errorf("%w: closing %s: %w", store.ErrUnavailable, j.path, err)
	}
	return nil
}

// view runs a read at one moment. It must be short: the file cannot grow meanwhile.
func (j *Journal) view(ctx context.Context, read func(*bbolt.Tx) error) error {
	once := func() error {
		return j.use(ctx, "reading", func() error { return guard(func() error { return j.db.View(read) }) })
	}
	err := once()
	if !unmapped(err) {
		return err
	}
	if err := j.settle(); err != nil {
		return err
	}
	return once()
}

// use runs an operation on the open database.
func (j *Journal) use(ctx context.Context, doing string, operation func() error) error {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if err := j.usable(ctx); err != nil {
		return err
	}
	return j.explain(doing, operation())
}

// ready returns why the journal cannot be used, nil if it can.
func (j *Journal) ready(ctx context.Context) error {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.usable(ctx)
}

// usable is ready, called with mu held.
func (j *Journal) usable(ctx context.Context) error {
	if j.closed {
		return store.ErrClosed
	}
	return ctx.Err()
}

// refusal is an error that the caller caused: the file is intact.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

// explain adds the name of the file to an error, and that the backend failed unless
// the error has another cause.
func (j *Journal) explain(doing string, err error) error {
	if refused, ok := errors.AsType[refusal](err); ok {
		return refused.error
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrFormat),
		errors.Is(err, store.ErrTrimmed), errors.Is(err, store.ErrUnavailable):
		return fmt.Errorf("%s %s: %w", doing, j.path, err)
	default:
		return fmt.Errorf("%w: %s %s: %w", store.ErrUnavailable, doing, j.path, err)
	}
}

// panicError is the error for a panic of bbolt.
type panicError struct{ error }

func (p panicError) Unwrap() error { return p.error }

// guard runs an operation of bbolt, which panics on pages that it cannot interpret
// and faults where the disk does not deliver a mapped page. Both become errors, so
// that readers can still use the world.
func guard(operation func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if _, fault := p.(interface{ Addr() uintptr }); fault {
			err = panicError{fmt.Errorf("%w: a page could not be read", store.ErrUnavailable)}
			return
		}
		err = panicError{fmt.Errorf("%w: its pages cannot be read%s", store.ErrCorrupt, cause(p))}
	}()
	return operation()
}

// cause returns bbolt's description of a page, as a clause; "" if the panic is one
// of Go's runtime, which does not describe the page.
func cause(p any) string {
	if _, ofRuntime := p.(runtime.Error); ofRuntime {
		return ""
	}
	return fmt.Sprintf(" (%s)", strings.TrimPrefix(fmt.Sprint(p), "assertion failed: "))
}
