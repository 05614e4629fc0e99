package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"github.com/playctl/playctl/internal/store"
)

// Import is a store.Import in a new file beside the store's, which gets the store's
// name when it is complete.
type Import struct {
	*Journal
	// path is the store's path.
	path string
}

var _ store.Import = (*Import)(nil)

// BeginImport begins a new store for Options.RootKey. It fails with
// store.ErrNotEmpty if there is a store, or the log of one. The files of interrupted imports are
// removed if nothing was written to them for a minute.
func BeginImport(ctx context.Context, o Options) (*Import, error) {
	if o.RootKey == "" {
		return nil, fmt.Errorf("importing into %s: the root key of its world is missing", o.Path)
	}
	if err := errors.Join(ctx.Err(), vacant(o.Path), vacant(writeAheadPath(o.Path))); err != nil {
		return nil, err
	}
	removeLeft(o.Path)
	into := o
	var err error
	if into.Path, err = createBeside(o); err != nil {
		return nil, err
	}
	journal, err := Open(ctx, into)
	if err != nil {
		return nil, errors.Join(err, os.Remove(into.Path))
	}
	// Nobody waits for a single commit: they go into the database.
	journal.noLog = math.MaxInt
	return &Import{journal, o.Path}, nil
}

// vacant refuses a path at which something exists.
func vacant(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%w: %s already exists; choose another folder, or move it away", store.ErrNotEmpty, path)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return fmt.Errorf("%w: looking for %s: %w", store.ErrUnavailable, path, err)
}

// Finish implements store.Import.
func (i *Import) Finish(ctx context.Context) error {
	if err := errors.Join(ctx.Err(), i.Journal.Close(), vacant(i.path)); err != nil {
		return err
	}
	named, err := link(i.Journal.path, i.path)
	if err != nil {
		return fmt.Errorf("%w: giving the imported store its name %s: %w", store.ErrUnavailable, i.path, err)
	}
	if !named {
		return vacant(i.path)
	}
	return syncFolder(filepath.Dir(i.path))
}

// Close implements store.Import.
func (i *Import) Close() error {
	err := os.Remove(i.Journal.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(i.Journal.Close(), err)
}
