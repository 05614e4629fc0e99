package bolt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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

// TestImportAfterCrash opens the files of a crash, in each state that is possible.
func TestImportAfterCrash(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	o := bolt.Options{Path: filepath.Join(folder, "world.db"), RootKey: storetest.RootKey}
	i, err := bolt.BeginImport(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	var feed storetest.Feed
	if err := i.Entries(ctx, []store.Entry{feed.Next(true, 1)}); err != nil {
		t.Fatal(err)
	}
	beside := filepath.Join(folder, ".world.db.import")
	remains, err := os.ReadFile(beside)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Fatalf("a canceled import left %v, %v", left, err)
	}
	if err := os.WriteFile(beside, remains, 0o600); err != nil { //nolint:gosec // the test's own file
		t.Fatal(err)
	}
	if i, err = bolt.BeginImport(ctx, o); err != nil {
		t.Fatalf("BeginImport after a crash: %v", err)
	}
	defer func() { _ = i.Close() }()
	if head, err := i.Source().Head(ctx); err != nil || head != 0 {
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
