package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

func TestImportContract(t *testing.T) {
	storetest.RunImport(t, storetest.ImportBackend{
		New: func(t *testing.T, retention store.Retention) (func() (store.Import, error), func() (store.Journal, error)) {
			o := bolt.Options{Path: filepath.Join(t.TempDir(), "data", "world.db"), RootKey: storetest.RootKey, Retention: retention, LockWait: 20 * time.Millisecond}
			begin := func() (store.Import, error) { return bolt.BeginImport(context.Background(), o) }
			return begin, func() (store.Journal, error) {
				o := o
				o.RootKey = ""
				return bolt.Open(context.Background(), o)
			}
		},
	})
}

// TestImportAfterCrash leaves the files of a crash: the next import of a store there
// removes them once they are old, and a store that was created in the meantime stays.
func TestImportAfterCrash(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	o := bolt.Options{Path: filepath.Join(folder, "world.db"), RootKey: storetest.RootKey}
	began := func() *bolt.Import {
		i, err := bolt.BeginImport(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	var feed storetest.Feed
	dead := began()
	if err := storetest.Append(ctx, dead, 0, feed.Next(true, 1)); err != nil {
		t.Fatal(err)
	}
	remains := content(t, dead.Path())
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, folder); len(left) > 0 {
		t.Fatalf("a canceled import left %q", left)
	}
	overwrite(t, dead.Path(), remains)
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dead.Path(), long, long); err != nil {
		t.Fatal(err)
	}
	i := began()
	defer func() { _ = i.Close() }()
	if _, err := os.Stat(dead.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the remains of a crash are still there: %v", err)
	}
	if head, err := i.Head(ctx); err != nil || head != 0 {
		t.Errorf("the head after a crash: %d, %v; want 0", head, err)
	}
	// Another process creates a store at that path in the meantime: it stays.
	j, err := bolt.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	if err := i.Finish(ctx); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("Finish with an existing store: %v, want ErrNotEmpty", err)
	}
}

// The log of a store that was removed is not taken for that of an imported one.
func TestImportBesideLog(t *testing.T) {
	o := crashedStore(t, 3, 1)
	must(t, os.Remove(o.Path))
	log := content(t, bolt.WriteAheadPath(o.Path))
	if _, err := bolt.BeginImport(t.Context(), o); !errors.Is(err, store.ErrNotEmpty) || !strings.Contains(err.Error(), bolt.WriteAheadPath(o.Path)) {
		t.Errorf("BeginImport beside a log: %v, want ErrNotEmpty with its name", err)
	}
	if !bytes.Equal(log, content(t, bolt.WriteAheadPath(o.Path))) {
		t.Error("the log changed")
	}
}
