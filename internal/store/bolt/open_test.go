package bolt_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// createdStore creates a store with a few entries and closes it.
func createdStore(t *testing.T) bolt.Options {
	t.Helper()
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "data", "world.db"), RootKey: rootKey, LockWait: 100 * time.Millisecond}
	j := open(t, o)
	var feed storetest.Feed
	appendTo(t, j, feed.Next(true, 1), feed.Next(false, 1))
	closeStore(t, j)
	return o
}

func appendTo(t *testing.T, j store.Journal, entries ...store.Entry) {
	t.Helper()
	if err := storetest.Append(context.Background(), j, entries[0].Position-1, entries...); err != nil {
		t.Fatalf("Append: %v", err)
	}
}

func closeStore(t *testing.T, j store.Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// A process killed while it creates a backup leaves a copy of the store: the next
// open removes the copy, but not one of another store or one still being written.
func TestLeftoverCopiesAreRemoved(t *testing.T) {
	o := createdStore(t)
	folder, old := filepath.Dir(o.Path), time.Now().Add(-time.Hour)
	stays := map[string]bool{".world.db.new-1": false, ".world.db.new-2": true, ".other.db.new-1": true, "world.db.new-1": true}
	for name := range stays {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("a copy"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name == ".world.db.new-2" {
			continue // it is still being written
		}
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	reader := o
	reader.ReadOnly = true
	closeStore(t, open(t, reader))
	if _, err := os.Stat(filepath.Join(folder, ".world.db.new-1")); err != nil {
		t.Errorf("a reader changed the folder: %v", err)
	}
	closeStore(t, open(t, o))
	for name, want := range stays {
		if _, err := os.Stat(filepath.Join(folder, name)); (err == nil) != want {
			t.Errorf("%s remains: %t, want %t", name, err == nil, want)
		}
	}
}

func TestNewStoreIsPrivate(t *testing.T) {
	o := createdStore(t)
	j := open(t, o)
	defer closeStore(t, j)
	if j.RootKey() != rootKey || j.Path() != o.Path {
		t.Errorf("the store has the root key %q and the path %q", j.RootKey(), j.Path())
	}
	if runtime.GOOS == "windows" {
		return
	}
	for path, want := range map[string]fs.FileMode{
		filepath.Dir(o.Path): 0o700 | fs.ModeDir, o.Path: 0o600, o.Path + ".lock": 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	if files := names(t, filepath.Dir(o.Path)); len(files) != 2 {
		t.Errorf("the folder contains %q, want the store and its note", files)
	}
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestOpenWithoutStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "world.db")
	for name, o := range map[string]bolt.Options{
		"read-only":          {Path: path, RootKey: rootKey, ReadOnly: true},
		"without a root key": {Path: path},
	} {
		if _, err := bolt.Open(context.Background(), o); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("Open %s: %v", name, err)
		}
	}
	if files := names(t, filepath.Dir(path)); len(files) != 0 {
		t.Errorf("Open left %q", files)
	}
}

// TestOpenRefuses uses files that are not a store of this program or world. Each is
// refused with an error, and stays unchanged.
func TestOpenRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*testing.T, *bolt.Options)
		want     error
		contains string
	}{
		"an older format": {func(t *testing.T, o *bolt.Options) {
			edit(t, o.Path, func(meta *bbolt.Bucket) error { return meta.Put([]byte("format"), be(store.Format-1)) })
		}, store.ErrFormat, "the store has format 3, and this playctl reads format 4 only; use the playctl that wrote it"},
		"a newer format": {func(t *testing.T, o *bolt.Options) {
			edit(t, o.Path, func(meta *bbolt.Bucket) error { return meta.Put([]byte("format"), be(store.Format+1)) })
		}, store.ErrFormat, "the store has format 5, and this playctl reads format 4 only; use a newer playctl"},
		"no format": {func(t *testing.T, o *bolt.Options) {
			edit(t, o.Path, func(meta *bbolt.Bucket) error { return meta.Delete([]byte("format")) })
		}, store.ErrCorrupt, "format"},
		"no root key": {func(t *testing.T, o *bolt.Options) {
			edit(t, o.Path, func(meta *bbolt.Bucket) error { return meta.Delete([]byte("root_key")) })
		}, store.ErrCorrupt, "root key"},
		"another root key": {func(_ *testing.T, o *bolt.Options) {
			o.RootKey = "aaaaaaaaaaaaaaaaaaaaaaaa"
		}, store.ErrRootKey, `"aaaaaaaaaaaa"…`},
		"a foreign database": {func(t *testing.T, o *bolt.Options) {
			overwrite(t, o.Path, nil)
			db, err := bbolt.Open(o.Path, 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, store.ErrCorrupt, "meta"},
		"text": {func(t *testing.T, o *bolt.Options) { overwrite(t, o.Path, []byte("hello")) }, store.ErrCorrupt, "not a store"},
		"a page and noise": {func(t *testing.T, o *bolt.Options) {
			overwrite(t, o.Path, bytes.Repeat([]byte("noise"), 1_000))
		}, store.ErrCorrupt, "not a store"},
		"empty": {func(t *testing.T, o *bolt.Options) { overwrite(t, o.Path, nil) }, store.ErrCorrupt, "empty"},
		"noise": {func(t *testing.T, o *bolt.Options) {
			overwrite(t, o.Path, bytes.Repeat([]byte("noise"), 20_000))
		}, store.ErrCorrupt, "not a store"},
		"truncated": {func(t *testing.T, o *bolt.Options) {
			if err := os.Truncate(o.Path, 3*4096); err != nil {
				t.Fatal(err)
			}
		}, store.ErrCorrupt, "end is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			o := createdStore(t)
			test.change(t, &o)
			before := content(t, o.Path)
			for _, readOnly := range []bool{false, true} {
				o.ReadOnly = readOnly
				_, err := bolt.Open(context.Background(), o)
				if !errors.Is(err, test.want) || errors.Is(err, store.ErrFormat) && errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), test.contains) || !strings.Contains(err.Error(), o.Path) {
					t.Errorf("Open (read-only: %t): %v; want %v with %q", readOnly, err, test.want, test.contains)
				}
			}
			if !bytes.Equal(before, content(t, o.Path)) {
				t.Error("the file changed")
			}
		})
	}
}

func be(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func edit(t *testing.T, path string, change func(meta *bbolt.Bucket) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error { return change(tx.Bucket([]byte("meta"))) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestCreateRace opens one store that does not exist yet several times
// concurrently: it is created once, and one of the calls gets it.
func TestCreateRace(t *testing.T) {
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey, LockWait: 100 * time.Millisecond}
	var opened, locked []error
	var mu sync.Mutex
	var all sync.WaitGroup
	var winner *bolt.Journal
	for range 8 {
		all.Go(func() {
			j, err := bolt.Open(context.Background(), o)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				locked = append(locked, err)
				return
			}
			winner = j
			opened = append(opened, nil)
		})
	}
	all.Wait()
	if len(opened) != 1 {
		t.Fatalf("%d calls opened the store", len(opened))
	}
	defer closeStore(t, winner)
	for _, err := range locked {
		if !errors.Is(err, store.ErrLocked) {
			t.Errorf("a later call: %v", err)
		}
	}
}

func TestReadOnly(t *testing.T) {
	ctx := context.Background()
	o := createdStore(t)
	o.RootKey, o.ReadOnly = "", true
	before := content(t, o.Path)
	first, second := open(t, o), open(t, o)
	if err := first.Append(ctx, 2, []store.Entry{{Position: 3, Rev: 1, Seq: 2}}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Append to a store opened read-only: %v", err)
	}
	if head, err := second.Head(ctx); err != nil || head != 2 {
		t.Errorf("Head: %d, %v; want 2", head, err)
	}
	writing := o
	writing.ReadOnly = false
	if _, err := bolt.Open(ctx, writing); !errors.Is(err, store.ErrLocked) {
		t.Errorf("Open to write while others read: %v", err)
	}
	closeStore(t, first)
	closeStore(t, second)
	if !bytes.Equal(before, content(t, o.Path)) {
		t.Error("the file changed")
	}
	if files := names(t, filepath.Dir(o.Path)); len(files) != 1 {
		t.Errorf("the folder contains %q, want the store only", files)
	}
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	overwrite(t, file, []byte("in the way"))
	path := filepath.Join(file, "world.db")
	_, err := bolt.Open(context.Background(), bolt.Options{Path: path, RootKey: rootKey})
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), path) {
		t.Errorf("Open below a file: %v", err)
	}
}

// TestSlowReaderDoesNotBlockWriter pauses a read while the file grows many times over: the writer
// must not wait for it, and the read must continue.
func TestSlowReaderDoesNotBlockWriter(t *testing.T) {
	ctx := context.Background()
	j := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey})
	defer closeStore(t, j)
	var feed storetest.Feed
	var first []store.Entry
	for range 400 {
		first = append(first, feed.Next(false, 1))
	}
	appendTo(t, j, first...)
	big := bytes.Repeat([]byte("x"), 1<<18)
	seen := 0
	for _, err := range j.Read(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; seen != 3 {
			continue
		}
		for i := range 24 {
			e := feed.Next(false, 1)
			e.Records = []store.Record{{Table: store.Journeys, Key: fmt.Append(nil, i), Value: big}}
			appendTo(t, j, e)
		}
	}
	if seen != 400 {
		t.Errorf("the walk yielded %d entries, want 400", seen)
	}
}
