package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// ImportBackend is the backend of a store.Import under test.
type ImportBackend struct {
	// New names one new store that does not exist yet, for RootKey and a retention,
	// and returns how to import into it and how to open it if it exists, without
	// creating it.
	New func(t *testing.T, retention store.Retention) (begin func() (store.Import, error), open func() (store.Journal, error))
}

// RunImport runs the contract of a store.Import as subtests.
func RunImport(t *testing.T, b ImportBackend) {
	t.Helper()
	for _, group := range []struct {
		name string
		run  func(*testing.T, ImportBackend)
	}{
		{"Whole", importWhole},
		{"Abandoned", importAbandoned},
		{"Concurrent", importConcurrent},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, b) })
	}
}

func started(t *testing.T, begin func() (store.Import, error)) store.Import {
	t.Helper()
	i, err := begin()
	if err != nil {
		t.Fatalf("beginning an import: %v", err)
	}
	t.Cleanup(func() { _ = i.Close() })
	return i
}

// filled returns the entries of a world with more records than Redis takes at once.
func filled(feed *Feed) []store.Entry {
	entries := feed.some(20)
	entries[3].Records = []store.Record{{Table: store.Nodes, Key: []byte("node"), Value: []byte{}}}
	for i := range 1_200 {
		entries[9].Records = append(entries[9].Records, store.Record{Table: store.Journeys, Key: fmt.Append(nil, "key ", i), Value: fmt.Append(nil, "value ", i)})
	}
	return entries
}

// holds compares a journal with the imported data.
func holds(t *testing.T, j store.Journal, entries []store.Entry) {
	t.Helper()
	ctx := context.Background()
	if diff := difference(bare(entries), all(t, j, 0)); diff != "" {
		t.Errorf("entries (-imported +read):\n%s", diff)
	}
	for i := range entries {
		for _, r := range entries[i].Records {
			if value, err := j.Get(ctx, r.Table, r.Key); err != nil || !bytes.Equal(value, r.Value) || value == nil {
				t.Errorf("Get(%s, %q): %q, %v; want %q", r.Table, r.Key, value, err, r.Value)
			}
		}
	}
}

// importWhole imports a world, which cannot be opened before it is finished.
func importWhole(t *testing.T, b ImportBackend) {
	ctx := context.Background()
	begin, open := b.New(t, store.Retention{Events: 30, Revs: 10})
	var feed Feed
	entries := filled(&feed)
	i := started(t, begin)
	must(t, i, entries[:9]...)
	must(t, i, entries[9:]...)
	if _, err := open(); err == nil {
		t.Fatal("a world was opened before its import was finished")
	}
	holds(t, i, entries)
	if err := i.Finish(ctx); err != nil {
		t.Fatalf("Finish: %v", err)
	}
	if err := errors.Join(i.Close(), i.Close()); err != nil {
		t.Fatalf("Close: %v", err)
	}
	j, err := open()
	if err != nil {
		t.Fatalf("opening the imported store: %v", err)
	}
	defer func() {
		if err := j.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}()
	holds(t, j, entries)
	// It goes on like every other.
	must(t, j, feed.some(50)...)
	if err := Checkpoint(ctx, j, feed.State()); err != nil {
		t.Fatalf("Checkpoint: %v", err)
	}
	if again, err := begin(); !errors.Is(err, store.ErrNotEmpty) {
		t.Fatalf("importing over an existing world: %v, %v; want ErrNotEmpty", again, err)
	}
}

// importAbandoned abandons imports: nothing stays, and another one can follow.
func importAbandoned(t *testing.T, b ImportBackend) {
	begin, open := b.New(t, wide)
	for range 2 {
		i := started(t, begin)
		must(t, i, filled(new(Feed))...)
		if err := i.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
		if _, err := open(); err == nil {
			t.Fatal("an abandoned import left a world")
		}
	}
	i := started(t, begin)
	var feed Feed
	few := feed.some(3)
	must(t, i, few...)
	holds(t, i, few)
	for _, table := range store.Tables() {
		for pair, err := range i.Scan(context.Background(), table, store.Range{}) {
			t.Fatalf("the table %s has %q of an abandoned import, %v", table, pair.Key, err)
		}
	}
}

// importConcurrent has a second import at the same time: one of them becomes the world.
func importConcurrent(t *testing.T, b ImportBackend) {
	ctx := context.Background()
	begin, open := b.New(t, wide)
	i := started(t, begin)
	var feed Feed
	entries := filled(&feed)
	must(t, i, entries...)
	other, secondErr := begin()
	if secondErr == nil {
		t.Cleanup(func() { _ = other.Close() })
	} else if !errors.Is(secondErr, store.ErrImporting) {
		t.Fatalf("a second import: %v, want ErrImporting", secondErr)
	}
	if err := errors.Join(i.Finish(ctx), i.Close()); err != nil {
		t.Fatalf("Finish: %v", err)
	}
	if secondErr == nil {
		if err := other.Finish(ctx); !errors.Is(err, store.ErrNotEmpty) {
			t.Fatalf("Finish of the second import: %v, want ErrNotEmpty", err)
		}
	}
	j, err := open()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, j, entries)
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
