package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// Nothing is acknowledged after the file of an open store was removed, moved or replaced.
// When it is back, the store goes on.
func TestFileIsNoLongerThere(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed": os.Remove,
		"moved":   func(path string) error { return os.Rename(path, path+".moved") },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".other", []byte("another store"), 0o600), os.Rename(path+".other", path))
		},
		"in a folder that was moved": func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".moved") },
	} {
		t.Run(name, func(t *testing.T) {
			o := bolt.Options{Path: filepath.Join(t.TempDir(), "data", "world.db"), RootKey: rootKey}
			j := open(t, o)
			var feed storetest.Feed
			appendTo(t, j, feed.Next(true, 1))
			kept := filepath.Join(filepath.Dir(filepath.Dir(o.Path)), "kept")
			must(t, os.Link(o.Path, kept))
			must(t, change(o.Path))
			j.LookAgain()
			before := feed
			e := feed.Next(true, 1)
			err := storetest.Append(t.Context(), j, e.Position-1, e)
			if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), o.Path) || !strings.Contains(store.Reason(err), "was removed, moved or replaced") {
				t.Errorf("Append: %v", err)
			}
			must(t, os.MkdirAll(filepath.Dir(o.Path), 0o700))
			snapshot, err := j.Snapshot(t.Context())
			must(t, err)
			if head, err := snapshot.Head(t.Context()); err != nil || head != 1 {
				t.Errorf("a backup has %d entries, %v; want 1", head, err)
			}
			must(t, snapshot.Close())
			must(t, os.Rename(kept, o.Path))
			feed = before
			appendTo(t, j, feed.Next(true, 1))
			closeStore(t, j)
			if n, err := entries(t, o); err != nil || n != 2 {
				t.Errorf("%d entries, %v; want 2", n, err)
			}
		})
	}
}

// If the log of an open store is removed, moved or replaced, its commits go into the
// database, and the next ones into another log.
func TestLogIsNoLongerThere(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("another"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey}
			j := open(t, o)
			defer closeStore(t, j)
			var feed storetest.Feed
			appendTo(t, j, feed.Next(true, 1), feed.Next(true, 1))
			must(t, change(bolt.WriteAheadPath(o.Path)))
			j.LookAgain()
			for n := 3; n < 6; n++ {
				appendTo(t, j, feed.Next(true, 1))
				crashed := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db")}
				must(t, j.CopyTo(crashed.Path))
				if got, err := entries(t, crashed); err != nil || got != n {
					t.Errorf("a crash after %d entries leaves %d, %v", n, got, err)
				}
			}
		})
	}
}

// A file that could not be mapped, or whose last write may not be on stable storage, is
// opened again and goes on.
func TestFileIsOpenedAgain(t *testing.T) {
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey}
	j := open(t, o)
	defer closeStore(t, j)
	var feed storetest.Feed
	for range 3 {
		appendTo(t, j, feed.Next(true, 1))
		must(t, j.Unmap())
		if state, err := j.Load(t.Context()); err != nil {
			t.Errorf("Load: %v, %v", state, err)
		}
		must(t, j.Unmap())
		appendTo(t, j, feed.Next(true, 1))
		must(t, j.Flush())
	}
	if _, err := bolt.Open(t.Context(), o); !errors.Is(err, store.ErrLocked) {
		t.Errorf("another process opens it: %v", err)
	}
	if head, err := j.Head(t.Context()); err != nil || head != 6 {
		t.Errorf("the head is %d, %v; want 6", head, err)
	}
}
