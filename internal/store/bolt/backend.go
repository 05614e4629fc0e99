package bolt

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/playctl/playctl/internal/store"
)

const help = `A file, which one host uses at a time:

    --data-dir FOLDER                   the file world.playstore in this folder`

// Backend describes this kind of store to commands.
func Backend() store.Backend {
	return store.Backend{
		Help:   help,
		Locate: func(path string, _ store.Settings) (store.Location, error) { return locate(path), nil },
	}
}

// locate returns the location of the file at a path. If the path is a symbolic link, the
// location is its target: the files beside the store and a compacted one belong there.
func locate(path string) location {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
	}
	return location(path)
}

// location is a store.Location: the path of a file.
type location string

var _ store.Compacter = location("")

// String implements store.Location.
func (path location) String() string { return string(path) }

// Shared implements store.Location.
func (path location) Shared() bool { return false }

// Open implements store.Location.
func (path location) Open(ctx context.Context, o store.OpenOptions) (store.Opened, error) {
	journal, err := Open(ctx, Options{Path: string(path), RootKey: o.RootKey, ReadOnly: o.ReadOnly, Retention: o.Retention, Report: o.Report})
	if err != nil {
		return nil, err
	}
	return journal, nil
}

// BeginImport implements store.Location.
func (path location) BeginImport(ctx context.Context, rootKey string) (store.Import, error) {
	into, err := BeginImport(ctx, Options{Path: string(path), RootKey: rootKey})
	if err != nil {
		return nil, err
	}
	return into, nil
}

// Compact implements store.Compacter.
func (path location) Compact(ctx context.Context) (before, after int64, err error) {
	return Compact(ctx, string(path))
}

// Passing implements store.Location: another process keeps the file open for as
// long as it runs.
func (path location) Passing(error) bool { return false }

// Advice implements store.Location: the other errors say what to do.
func (path location) Advice(err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return "--data-dir names the folder of a store, as \"playctl serve\" prints it; \"playctl serve\" creates a new one"
}
