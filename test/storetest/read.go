package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

func testRead(t *testing.T, b Backend) {
	t.Run("of an empty journal", func(t *testing.T) {
		j := b.open(t, wide)
		if got := all(t, j, 0); len(got) != 0 {
			t.Errorf("Read yielded %v", got)
		}
		if head, err := j.Head(context.Background()); err != nil || head != 0 {
			t.Errorf("Head: %d, %v; want 0", head, err)
		}
	})
	t.Run("from the middle", func(t *testing.T) { readFrom(t, b.open(t, wide)) })
	t.Run("ends at the head it started with", func(t *testing.T) { readWhileAppending(t, b.open(t, wide)) })
	t.Run("yields everything or an error", func(t *testing.T) {
		readWhileTrimming(t, b.open(t, store.Retention{Events: 5, Revs: 5}))
	})
}

func readFrom(t *testing.T, j store.Journal) {
	var feed Feed
	entries := feed.some(600)
	must(t, j, entries...)
	for _, after := range []store.Position{0, 1, 255, 256, 257, 511, 512, 599} {
		if diff := difference(entries[after:], all(t, j, after)); diff != "" {
			t.Errorf("Read after %d (-want +got):\n%s", after, diff)
		}
	}
	for _, after := range []store.Position{600, 601, 1 << 50} {
		if got := all(t, j, after); len(got) != 0 {
			t.Errorf("Read after %d, the head is 600, yielded %d entries", after, len(got))
		}
	}
	taken := 0
	for _, err := range j.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if taken++; taken == 10 {
			break
		}
	}
	if taken != 10 {
		t.Errorf("a walk stopped after 10 entries yielded %d", taken)
	}
}

// readWhileAppending appends from within a walk, with which a walk that holds
// anything open would fail.
func readWhileAppending(t *testing.T, j store.Journal) {
	var feed Feed
	must(t, j, feed.some(1000)...)
	next := store.Position(1)
	for e, err := range j.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Position != next {
			t.Fatalf("the walk yielded %d, want %d", e.Position, next)
		}
		if next++; next%100 == 0 {
			must(t, j, feed.some(50)...)
		}
	}
	if next != 1001 {
		t.Errorf("the walk ended before %d, want 1001: the head when it started", next)
	}
}

// readWhileTrimming trims just after the start of a walk. The walk may continue or
// end with ErrTrimmed; it must not skip an event.
func readWhileTrimming(t *testing.T, j store.Journal) {
	const n = 3000
	var feed Feed
	entries := make([]store.Entry, n)
	for i := range entries {
		entries[i] = feed.Next(false, 1)
	}
	must(t, j, entries...)
	next := store.Position(1)
	for e, err := range j.Read(context.Background(), 0) {
		if errors.Is(err, store.ErrTrimmed) {
			return
		}
		if err != nil || e.Position != next {
			t.Fatalf("the walk yielded %d, %v; want %d or ErrTrimmed", e.Position, err, next)
		}
		if next++; next == 2 {
			if err := Checkpoint(context.Background(), j, feed.State()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if next != n+1 {
		t.Errorf("the walk ended before %d without an error, want %d", next, n+1)
	}
}
