package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/durable"
	"github.com/playctl/playctl/internal/store"
)

// create creates an empty store beside the path and links it there when it is
// complete: a crash leaves no incomplete store, and if two processes create the
// same store, one wins and both open that.
func create(o Options) error {
	fresh, err := createBeside(o)
	if err != nil {
		return err
	}
	if _, err := link(fresh, o.Path); err != nil {
		_ = os.Remove(fresh)
		return fmt.Errorf("%w: creating %s: %w", store.ErrUnavailable, o.Path, err)
	}
	return syncFolder(filepath.Dir(o.Path))
}

// createBeside creates an empty store beside the path, and returns its name.
func createBeside(o Options) (string, error) {
	if err := os.MkdirAll(filepath.Dir(o.Path), 0o700); err != nil {
		return "", fmt.Errorf("%w: making the folder of %s: %w", store.ErrUnavailable, o.Path, err)
	}
	fresh, err := freshFile(o.Path)
	if err != nil {
		return "", err
	}
	if err := initialize(fresh, o.RootKey); err != nil {
		_ = os.Remove(fresh)
		return "", fmt.Errorf("%w: creating %s: %w", store.ErrUnavailable, o.Path, err)
	}
	return fresh, nil
}

// freshName is the prefix of the names of new files beside path.
func freshName(path string) string { return "." + filepath.Base(path) + ".new-" }

// leftAfter is the least age of a new file beside a store that counts as left
// behind: a process that is creating the same store has its file for a moment only.
const leftAfter = time.Minute

// removeLeft removes the new files beside a store that killed processes left
// behind, such as copies for backups and imports. The caller has the store's lock, which its
// copies and compactions need, or there is no store. Files that cannot be removed stay.
func removeLeft(path string) { durable.RemoveLeft(filepath.Dir(path), freshName(path), leftAfter) }

// freshFile returns the name of a new empty file, 0600, beside path.
func freshFile(path string) (string, error) {
	file, err := os.CreateTemp(filepath.Dir(path), freshName(path)+"*")
	if err != nil {
		return "", fmt.Errorf("%w: writing beside %s: %w", store.ErrUnavailable, path, err)
	}
	if err := file.Close(); err != nil {
		return "", fmt.Errorf("%w: writing beside %s: %w", store.ErrUnavailable, path, err)
	}
	return file.Name(), nil
}

func initialize(path, rootKey string) error {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return fmt.Errorf("opening the new file: %w", err)
	}
	return errors.Join(found(db, rootKey), db.Close())
}

// found turns an empty file into a store.
func found(db *bbolt.DB, rootKey string) error {
	return db.Update(func(tx *bbolt.Tx) error {
		if err := makeBuckets(tx); err != nil {
			return err
		}
		return errors.Join(
			tx.Bucket(metaBucket).Put(formatKey, number(store.Format)),
			putMeta(tx, rootKeyKey, []byte(rootKey)),
		)
	})
}

// link gives the finished file its name, and reports whether it has it: another
// process may have been first.
func link(fresh, path string) (bool, error) {
	err := os.Link(fresh, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err == nil, os.Remove(fresh)
	}
	// A file system without hard links.
	if _, statErr := os.Stat(path); statErr == nil {
		return false, os.Remove(fresh)
	}
	return true, os.Rename(fresh, path)
}

// syncFolder makes a new name durable.
func syncFolder(path string) error {
	if err := durable.SyncFolder(path); err != nil {
		return fmt.Errorf("%w: syncing %s: %w", store.ErrUnavailable, path, err)
	}
	return nil
}
