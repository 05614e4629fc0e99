package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// compactBatch is the number of bytes that one commit of a compaction copies.
const compactBatch = 16 << 20

// Compact rewrites a store without its unused pages, and returns the file's bytes
// before and after. No process may have it open. A failure or a crash leaves the
// store unchanged: the new file replaces it atomically when it is complete.
func Compact(ctx context.Context, path string) (before, after int64, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fmt.Errorf("there is no store at %s: %w", path, fs.ErrNotExist)
	}
	j, err := Open(ctx, Options{Path: path})
	if err != nil {
		return 0, 0, err
	}
	before, after, err = j.compact(ctx)
	return before, after, errors.Join(err, j.Close())
}

func (j *Journal) compact(ctx context.Context) (before, after int64, err error) {
	if err := j.leave(ctx); err != nil {
		return 0, 0, err
	}
	fresh, err := freshFile(j.path)
	if err != nil {
		return 0, 0, err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(fresh)
			err = j.explain("compacting", err)
		}
	}()
	if before, err = size(j.path); err != nil {
		return 0, 0, err
	}
	if err := j.copyTo(fresh); err != nil {
		return 0, 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	if after, err = size(fresh); err != nil {
		return 0, 0, err
	}
	// The lock stays on the old file until Close. A process that waits for it finds
	// that the file was replaced and opens the new one.
	if err := os.Rename(fresh, j.path); err != nil {
		return 0, 0, err
	}
	return before, after, syncFolder(filepath.Dir(j.path))
}

// copyTo writes the content of the store into an empty file and syncs it.
func (j *Journal) copyTo(fresh string) error {
	to, err := bbolt.Open(fresh, fileMode, &bbolt.Options{FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return fmt.Errorf("opening %s: %w", fresh, err)
	}
	err = guard(func() error { return bbolt.Compact(to, j.db, compactBatch) })
	return errors.Join(err, to.Close())
}

func size(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return info.Size(), nil
}
