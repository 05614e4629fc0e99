package storetest

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

func testSeek(t *testing.T, b Backend) {
	t.Run("of an empty journal", func(t *testing.T) {
		seeks(t, b.open(t, wide), map[uint64]store.Position{0: 0, 1: 0, math.MaxUint64: 0})
	})
	t.Run("within entries and gaps", func(t *testing.T) { seekEdges(t, b.open(t, wide)) })
	t.Run("in a long journal", func(t *testing.T) { seekLong(t, b.open(t, wide)) })
	t.Run("after trimming", func(t *testing.T) {
		seekTrimmed(t, b.open(t, store.Retention{Events: 10, Revs: 3}))
	})
}

// seeks compares Seek of every key with its value.
func seeks(t *testing.T, j store.Journal, want map[uint64]store.Position) {
	t.Helper()
	for seq, position := range want {
		got, err := j.Seek(context.Background(), seq)
		if err != nil || got != position {
			t.Errorf("Seek(%d): %d, %v; want %d", seq, got, err, position)
		}
	}
}

func seekEdges(t *testing.T, j store.Journal) {
	var feed Feed
	must(t, j,
		feed.Next(true, 1),  // position 1: seq 1
		feed.Next(false, 0), // 2: none
		feed.Next(true, 2),  // 3: 2 and 3
		feed.Next(false, 0), // 4: none
	)
	seeks(t, j, map[uint64]store.Position{0: 0, 1: 2, 2: 2, 3: 4, 4: 4, math.MaxUint64: 4})
	feed.Jump(1000)
	must(t, j,
		feed.Next(false, 0), // 5: none, seq stands at 1003
		feed.Next(true, 3),  // 6: 1004 to 1006
		feed.Next(true, 1),  // 7: 1007
	)
	seeks(t, j, map[uint64]store.Position{
		0: 0, 1: 2, 2: 2, 3: 5, 4: 5, 500: 5, 1003: 5,
		1004: 5, 1005: 5, 1006: 6, 1007: 7, 1008: 7,
	})
}

func seekLong(t *testing.T, j store.Journal) {
	var feed Feed
	entries := feed.some(1000)
	must(t, j, entries...)
	for seq := range uint64(1001) {
		got, err := j.Seek(context.Background(), seq)
		if err != nil || uint64(got) != seq {
			t.Fatalf("Seek(%d) in a journal of an event for each entry: %d, %v", seq, got, err)
		}
	}
}

// seekTrimmed has an old change of the map among trimmed events: it is kept, but no
// stream can be resumed from there.
func seekTrimmed(t *testing.T, j store.Journal) {
	var feed Feed
	var entries []store.Entry
	for i := range 100 {
		entries = append(entries, feed.Next(i == 50, 1))
	}
	must(t, j, entries...)
	if err := Checkpoint(context.Background(), j, store.State{}); err != nil {
		t.Fatal(err)
	}
	kept := all(t, j, 0)
	if len(kept) != 11 || kept[0].Position != 51 || kept[1].Position != 91 {
		t.Fatalf("%d entries are kept, the first %d; want the change of the map (51) and 91 to 100", len(kept), kept[0].Position)
	}
	for _, seq := range []uint64{0, 1, 49, 50, 51, 89} {
		if got, err := j.Seek(context.Background(), seq); !errors.Is(err, store.ErrTrimmed) {
			t.Errorf("Seek(%d): %d, %v; want ErrTrimmed", seq, got, err)
		}
	}
	seeks(t, j, map[uint64]store.Position{90: 90, 91: 91, 99: 99, 100: 100, 101: 100})
}
