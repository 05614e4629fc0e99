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
		{"Refused", importRefused},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, b) })
	}
}

// trimmed is a content as of a store that trimmed: a checkpoint, gaps between
// entries, events that are gone.
func trimmed(feed *Feed) ([]store.Entry, *store.Content) {
	entries := feed.some(40)
	content := &store.Content{Base: feed.State(), Trimmed: entries[len(entries)-3].Seq}
	// Its events are kept, those after it up to Trimmed are not.
	kept := append([]store.Entry{entries[9]}, entries[len(entries)-2:]...)
	return append(kept, feed.some(20)...), content
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

// fills imports everything except for the end.
func fills(t *testing.T, i store.Import, entries []store.Entry, records []store.Record, content *store.Content) {
	t.Helper()
	ctx := context.Background()
	half := len(entries) / 2
	if err := errors.Join(
		i.Entries(ctx, entries[:half]), i.Records(ctx, records[:1]),
		i.Entries(ctx, entries[half:]), i.Records(ctx, records[1:]), i.Complete(ctx, content),
	); err != nil {
		t.Fatalf("importing: %v", err)
	}
}

// holds compares a journal with the imported data.
func holds(t *testing.T, j store.Source, entries []store.Entry, records []store.Record, content *store.Content) {
	t.Helper()
	ctx := context.Background()
	if diff := difference(entries, all(t, j, 0)); diff != "" {
		t.Errorf("entries (-imported +read):\n%s", diff)
	}
	base, err := j.Load(ctx)
	if diff := difference(content.Base, base); err != nil || diff != "" {
		t.Errorf("Load: %v (-imported +read):\n%s", err, diff)
	}
	for _, r := range records {
		if value, err := j.Get(ctx, r.Table, r.Key); err != nil || !bytes.Equal(value, r.Value) || value == nil {
			t.Errorf("Get(%s, %q): %q, %v; want %q", r.Table, r.Key, value, err, r.Value)
		}
	}
	if _, err := j.Seek(ctx, content.Trimmed-1); !errors.Is(err, store.ErrTrimmed) {
		t.Errorf("Seek below what was trimmed: %v, want ErrTrimmed", err)
	}
	if at, err := j.Seek(ctx, content.Trimmed); err != nil || at != store.Position(content.Trimmed) {
		t.Errorf("Seek at what was trimmed: %d, %v; want %d", at, err, content.Trimmed)
	}
	last := entries[len(entries)-1].Position
	if head, err := j.Head(ctx); err != nil || head != last {
		t.Errorf("Head: %d, %v; want %d", head, err, last)
	}
}

func someRecords() []store.Record {
	records := []store.Record{{Table: store.Nodes, Key: []byte("node"), Value: []byte{}}}
	for i := range 600 {
		records = append(records, store.Record{Table: store.Journeys, Key: fmt.Append(nil, "key ", i), Value: fmt.Append(nil, "value ", i)})
	}
	return records
}

// importWhole imports a world, which cannot be opened before it is finished.
func importWhole(t *testing.T, b ImportBackend) {
	ctx := context.Background()
	begin, open := b.New(t, store.Retention{Events: 30, Revs: 10})
	var feed Feed
	entries, content := trimmed(&feed)
	records := someRecords()
	i := started(t, begin)
	fills(t, i, entries, records, content)
	if _, err := open(); err == nil {
		t.Fatal("a world was opened before its import was finished")
	}
	holds(t, i.Source(), entries, records, content)
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
	holds(t, j, entries, records, content)
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
	var feed Feed
	entries, content := trimmed(&feed)
	for range 2 {
		i := started(t, begin)
		fills(t, i, entries, someRecords(), content)
		if err := i.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
		if _, err := open(); err == nil {
			t.Fatal("an abandoned import left a world")
		}
	}
	i := started(t, begin)
	var other Feed
	must := other.some(3)
	if err := i.Entries(context.Background(), must); err != nil {
		t.Fatal(err)
	}
	if diff := difference(must, all(t, i.Source(), 0)); diff != "" {
		t.Fatalf("after an abandoned import (-imported +read):\n%s", diff)
	}
	for _, table := range store.Tables() {
		for pair, err := range i.Source().Scan(context.Background(), table, store.Range{}) {
			t.Fatalf("the table %s has %q of an abandoned import, %v", table, pair.Key, err)
		}
	}
}

// importRefused has a second import at the same time, and content whose order is
// wrong.
func importRefused(t *testing.T, b ImportBackend) {
	ctx := context.Background()
	begin, _ := b.New(t, wide)
	i := started(t, begin)
	if other, err := begin(); !errors.Is(err, store.ErrImporting) && !errors.Is(err, store.ErrLocked) {
		t.Fatalf("a second import: %v, %v; want ErrImporting or ErrLocked", other, err)
	}
	var feed Feed
	entries := feed.some(4)
	withRecords := entries[3]
	withRecords.Records = []store.Record{{Table: store.Meta, Key: []byte("k"), Value: []byte("v")}}
	if err := i.Entries(ctx, entries[1:3]); err != nil {
		t.Fatal(err)
	}
	for name, wrong := range map[string][]store.Entry{
		"a position again": entries[2:3], "an earlier position": entries[:1], "records": {withRecords},
	} {
		if err := i.Entries(ctx, wrong); err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
	if err := i.Records(ctx, []store.Record{{Table: "no table", Key: []byte("k"), Value: []byte("v")}}); err == nil || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("an unknown table: %v, want a refusal", err)
	}
	if diff := difference(entries[1:3], all(t, i.Source(), 0)); diff != "" {
		t.Errorf("after refusals (-imported +read):\n%s", diff)
	}
}
