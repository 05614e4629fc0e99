package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/playctl/playctl/internal/store"
)

// fileMode allows access to the owner only: a store holds digests of credentials
// and the words of agents.
const fileMode = 0o600

// Open opens a store, and creates it if it is missing and Options.ReadOnly is not
// set. It fails with store.ErrLocked if another process has it open, with
// store.ErrFormat or store.ErrRootKey if it has another format or belongs to another
// world (both leave the file unchanged), with store.ErrCorrupt if the file is
// damaged or not a store, and with an error that is fs.ErrNotExist if a store to
// read is missing.
func Open(ctx context.Context, o Options) (*Journal, error) {
	o.Retention = cmp.Or(o.Retention, store.DefaultRetention())
	o.LockWait = cmp.Or(o.LockWait, DefaultLockWait)
	made, err := prepare(o)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// bbolt may write when it opens a file for writing, and reads the list of free
	// pages: check first.
	if err := look(o); err != nil {
		return nil, err
	}
	return open(ctx, o, made)
}

// prepare makes sure that there is a file to open, and reports whether it created
// it.
func prepare(o Options) (made bool, err error) {
	info, err := os.Stat(o.Path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return false, fmt.Errorf("%w: %s is not a file; choose another path", store.ErrUnavailable, o.Path)
	case err == nil && info.Size() == 0:
		// bbolt would fill it, even for reading only.
		return false, fmt.Errorf("%w: %s is an empty file; restore a backup, or move the file away", store.ErrCorrupt, o.Path)
	case err == nil:
		return false, nil
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("%w: opening %s: %w", store.ErrUnavailable, o.Path, err)
	case o.ReadOnly:
		return false, fmt.Errorf("there is no store at %s: %w", o.Path, fs.ErrNotExist)
	case o.RootKey == "":
		return false, fmt.Errorf("there is no store at %s, and none can be created without a root key: %w", o.Path, fs.ErrNotExist)
	}
	return true, create(o)
}

// wholeAtStart is the size of files of which a host checks every page before it starts.
const wholeAtStart = 128 << 20

// look opens the file for reading only and checks its metadata. A process that only
// reads will read the whole file anyway, so every page may be checked.
func look(o Options) error {
	all := o.ReadOnly
	o.ReadOnly = true
	db, _, err := openFile(o, false)
	if err != nil {
		return err
	}
	bytes, err := size(o.Path)
	if err == nil {
		err = checkTree(db, o.Path, all || bytes <= wholeAtStart)
	}
	if err == nil {
		_, err = inspect(db, o)
	}
	return errors.Join(err, db.Close())
}

// refuseDamaged refuses a file whose pages are damaged, unless it is large.
func refuseDamaged(db *bbolt.DB, path string) error {
	err := guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if tx.Size() > wholeAtStart {
				return nil
			}
			problems, err := checkPages(tx)
			if err == nil && len(problems) > 0 {
				err = damaged("%s", problems[0])
			}
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	return nil
}

func open(ctx context.Context, o Options, made bool) (*Journal, error) {
	db, file, err := openFile(o, true)
	if err != nil {
		return nil, err
	}
	rootKey, err := inspect(db, o)
	if err == nil && !o.ReadOnly {
		err = refuseDamaged(db, o.Path)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	j := newJournal(o, rootKey, db, file)
	if err := j.recover(ctx, made, o.ReadOnly); err != nil {
		return nil, errors.Join(fmt.Errorf("opening %s: %w", o.Path, err), j.close())
	}
	if !o.ReadOnly {
		removeLeft(o.Path)
	}
	return j, nil
}

// errReplaced means that the file at the path is not the open one any more. A compaction
// may rename another one there between opening and locking it.
var errReplaced error = &store.FaultError{
	Reason: "its file was removed, moved or replaced",
	Err:    errors.New("the file in use was removed, moved or replaced; put it back, or save the world with \"playctl store backup\" and restart the host"),
}

// openFile opens and locks the file. If it was replaced in between, it is opened
// again: the lock is on a file that no longer has a name. The list of free pages is
// loaded if requested, or needed for writing.
func openFile(o Options, freePages bool) (*bbolt.DB, *os.File, error) {
	deadline := time.Now().Add(o.LockWait)
	for {
		db, file, err := openLocked(o.Path, bbolt.Options{Timeout: o.LockWait, ReadOnly: o.ReadOnly, PreLoadFreelist: freePages})
		if errors.Is(err, errReplaced) && time.Now().Before(deadline) {
			continue
		}
		return db, file, err
	}
}

// openLocked opens and locks the file at the path. It creates none: bbolt would leave an
// incomplete one.
func openLocked(path string, options bbolt.Options) (*bbolt.DB, *os.File, error) {
	var file *os.File
	options.FreelistType = bbolt.FreelistMapType
	options.OpenFile = func(path string, flag int, mode os.FileMode) (*os.File, error) {
		opened, err := os.OpenFile(path, flag&^os.O_CREATE, mode) //nolint:gosec // the path is the operator's
		file = opened
		return opened, err
	}
	var db *bbolt.DB
	once := func() error {
		err := guard(func() (err error) {
			db, err = bbolt.Open(path, fileMode, &options)
			return err
		})
		if _, panicked := errors.AsType[panicError](err); panicked {
			// The lock must be released.
			err = errors.Join(err, file.Close())
		}
		return err
	}
	err := once()
	if errors.Is(err, berrors.ErrInvalid) {
		// bbolt says so of a page that could not be read, too.
		if err = readMeta(path); err == nil {
			err = once()
		}
	}
	if err != nil {
		return nil, nil, explainOpen(path, err)
	}
	if err := samePath(file, path); err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, file, nil
}

// samePath returns errReplaced unless an open file is still the one at the path.
func samePath(file *os.File, path string) error {
	opened, err := file.Stat()
	if err != nil {
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, path, err)
	}
	switch present, err := os.Stat(path); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, path, err)
	case err != nil || !os.SameFile(opened, present):
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, path, errReplaced)
	}
	return nil
}

// readMeta reads the first pages of a file, of which bbolt needs one, and returns the
// error of the system.
func readMeta(path string) error {
	file, err := os.Open(path) //nolint:gosec // the path is the operator's
	if err != nil {
		return err
	}
	_, err = file.ReadAt(make([]byte, 64<<10), 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, file.Close())
}

func explainOpen(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return locked(path)
	case errors.Is(err, store.ErrCorrupt):
		return fmt.Errorf("opening %s: %w; restore a backup, or move the file away", path, err)
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum), errors.Is(err, berrors.ErrVersionMismatch),
		tooShort(path, err):
		return fmt.Errorf("%w: %s is not a store that can be read (%w); restore a backup, or move the file away", store.ErrCorrupt, path, err)
	default:
		return fmt.Errorf("%w: opening %s: %w", store.ErrUnavailable, path, err)
	}
}

// tooShort reports whether a file could not be opened because it has less than two
// pages, for which bbolt has no error value.
func tooShort(path string, err error) bool {
	if _, ofSystem := errors.AsType[syscall.Errno](err); ofSystem {
		return false
	}
	bytes, err := size(path)
	return err == nil && bytes < int64(2*os.Getpagesize())
}
