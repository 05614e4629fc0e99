package bolt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// Import is a store.Import in a file beside the store's, which gets the store's
// name when it is complete.
type Import struct {
	// path is the store's path.
	path    string
	journal *Journal
	ended   bool
}

var _ store.Import = (*Import)(nil)

// importPath is the file of an import. There is one for each store: the process
// that holds its lock is importing, and a file that no process holds was left by a
// crash.
func importPath(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".import")
}

// BeginImport begins a new store for Options.RootKey. It fails with
// store.ErrNotEmpty if there is a store, and with store.ErrLocked while another
// process imports. The file of an interrupted import is removed.
func BeginImport(ctx context.Context, o Options) (*Import, error) {
	o.Retention = cmp.Or(o.Retention, store.DefaultRetention())
	o.LockWait = cmp.Or(o.LockWait, DefaultLockWait)
	if o.RootKey == "" {
		return nil, fmt.Errorf("importing into %s: the root key of its world is missing", o.Path)
	}
	if err := errors.Join(ctx.Err(), vacant(o.Path)); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o700); err != nil {
		return nil, fmt.Errorf("%w: making the folder of %s: %w", store.ErrUnavailable, o.Path, err)
	}
	fresh := importPath(o.Path)
	db, err := openFresh(fresh, o.LockWait)
	if err != nil {
		return nil, err
	}
	// Another import may have finished while this one waited for the lock.
	if err = vacant(o.Path); err == nil {
		err = found(db, o.RootKey)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(fresh), db.Close())
	}
	return &Import{path: o.Path, journal: newJournal(fresh, o.RootKey, o.Retention, db)}, nil
}

// vacant refuses a path at which something exists.
func vacant(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%w: %s is there; choose another folder, or move it away", store.ErrNotEmpty, path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("%w: looking for %s: %w", store.ErrUnavailable, path, err)
}

// openFresh creates and locks an empty file, in place of a file that no process
// holds.
func openFresh(path string, wait time.Duration) (*bbolt.DB, error) {
	for deadline := time.Now().Add(wait); ; {
		db, fresh, err := openRemains(path, wait)
		switch {
		case err == nil && fresh:
			return db, nil
		case err == nil:
			// Its lock is held: no other process removes another file by this name.
			err = errors.Join(os.Remove(path), db.Close())
		case errors.Is(err, errReplaced) && time.Now().Before(deadline):
			continue
		}
		if err != nil {
			return nil, err
		}
	}
}

// openRemains opens and locks the file, and reports whether it is new.
func openRemains(path string, wait time.Duration) (*bbolt.DB, bool, error) {
	db, err := openLocked(path, bbolt.Options{Timeout: wait}, true)
	if err != nil {
		return nil, false, err
	}
	fresh := false
	err = guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			first, _ := tx.Cursor().First()
			fresh = first == nil
			return nil
		})
	})
	// A file that cannot be read is not new: a crash left it.
	return db, fresh && err == nil, nil
}

// Entries implements store.Import.
func (i *Import) Entries(ctx context.Context, entries []store.Entry) error {
	return i.journal.extend(ctx, copied(entries), func(at store.Place) error { return store.CheckImport(at, entries) })
}

// Records implements store.Import.
func (i *Import) Records(ctx context.Context, records []store.Record) error {
	if err := store.CheckRecords(records); err != nil {
		return err
	}
	return i.journal.update(ctx, func(tx *bbolt.Tx) error {
		for k := range records {
			if err := writeRecord(tx, &records[k]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Complete implements store.Import. The file has no rows beside checkpoints.
func (i *Import) Complete(ctx context.Context, content *store.Content) error {
	return i.journal.update(ctx, func(tx *bbolt.Tx) error {
		if err := tx.Bucket(metaBucket).Put(trimmedKey, number(content.Trimmed)); err != nil {
			return err
		}
		if content.Base.Position == 0 {
			return nil
		}
		checkpoints, err := bucket(tx, checkpointsBucket)
		if err != nil {
			return err
		}
		return checkpoints.Put(number(uint64(content.Base.Position)), store.AppendState(nil, &content.Base))
	})
}

// Source implements store.Import.
func (i *Import) Source() store.Source { return i.journal }

// Finish implements store.Import. The lock stays on the file until Close.
func (i *Import) Finish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := os.Link(i.journal.path, i.path)
	if err != nil {
		// Another store was created meanwhile, or the file system has no hard links.
		if err := vacant(i.path); err != nil {
			return err
		}
		err = os.Rename(i.journal.path, i.path)
	} else {
		err = os.Remove(i.journal.path)
	}
	if err != nil {
		return fmt.Errorf("%w: giving the imported store its name %s: %w", store.ErrUnavailable, i.path, err)
	}
	i.ended = true
	return syncFolder(filepath.Dir(i.path))
}

// Close implements store.Import.
func (i *Import) Close() error {
	var err error
	if !i.ended {
		// A process that waits for the lock finds that the file is gone.
		if gone := os.Remove(i.journal.path); gone != nil {
			err = fmt.Errorf("%w: removing what was imported: %w", store.ErrUnavailable, gone)
		}
		i.ended = true
	}
	return errors.Join(err, i.journal.Close())
}
