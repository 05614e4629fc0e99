package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

func testRetention(t *testing.T, b Backend) {
	t.Run("is bounded", func(t *testing.T) { retentionBounded(t, b) })
	t.Run("counts events over a jump", func(t *testing.T) { retentionJump(t, b) })
	t.Run("drops entries without an event", func(t *testing.T) { retentionSilent(t, b) })
	t.Run("is bounded in bytes", func(t *testing.T) { retentionBytes(t, b) })
	t.Run("keeps a head that is too long", func(t *testing.T) { retentionLongHead(t, b) })
}

// long is an entry with an event and a changed row of about that many bytes together.
func (f *Feed) long(bytes int) store.Entry {
	e := f.Next(true, 1)
	text := strings.Repeat("x", bytes/2)
	e.Events[0].Data = fmt.Appendf(nil, `{"text":"%s"}`, text)
	e.Rows = []store.Row{{Key: "agent:main:1", JSON: fmt.Appendf(nil, `{"rev":%d,"text":"%s"}`, e.Rev, text)}}
	return e
}

// keeps stores a checkpoint and returns what is kept.
func keeps(t *testing.T, j store.Journal, state store.State) store.Kept {
	t.Helper()
	tip, err := tipAt(t.Context(), j, state.Position)
	if err != nil {
		t.Fatal(err)
	}
	state.Commit = tip.Commit
	kept, err := j.Checkpoint(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// retentionBytes writes long entries, far fewer than are kept by their number.
func retentionBytes(t *testing.T, b Backend) {
	ctx := context.Background()
	const limit, size = 300 << 10, 10 << 10
	j := b.open(t, store.Retention{Events: 10_000, Revs: 1_024, Bytes: limit})
	var feed Feed
	for round := range 15 {
		for range 10 {
			must(t, j, feed.long(size))
		}
		left := keeps(t, j, feed.State())
		bytes, most, err := j.Size(ctx)
		if want := (store.Kept{UpTo: feed.Head().Position, Entries: uint64(len(all(t, j, 0))), Bytes: bytes}); left != want {
			t.Fatalf("the checkpoint reports that it left %+v, want %+v", left, want)
		}
		if err != nil || most != limit || bytes > limit {
			t.Fatalf("after %d entries the journal weighs %d of %d bytes, %v; want at most %d", 10*(round+1), bytes, most, err, limit)
		}
		if round >= 3 && bytes < limit/2 {
			t.Fatalf("after %d entries the journal weighs %d bytes, less than half of its limit", 10*(round+1), bytes)
		}
	}
	kept := all(t, j, 0)
	for i, e := range kept {
		if want := feed.Head().Position - store.Position(len(kept)-1-i); e.Position != want {
			t.Fatalf("the %d. of %d entries has position %d, want %d: the newest stay", i, len(kept), e.Position, want)
		}
	}
	oldest := kept[0].Seq
	seeks(t, j, map[uint64]store.Position{oldest - 1: kept[0].Position - 1, feed.Head().Seq: feed.Head().Position})
	if at, err := j.Seek(ctx, oldest-2); !errors.Is(err, store.ErrTrimmed) {
		t.Errorf("Seek of an event before the oldest: %d, %v; want ErrTrimmed", at, err)
	}
	// Every change of the map after the start's checkpoint is there.
	base, err := j.Load(ctx)
	if err != nil || base.Rev+1 < kept[0].Rev {
		t.Errorf("the checkpoint to start from has rev %d, %v; the oldest entry that is kept %d", base.Rev, err, kept[0].Rev)
	}
	must(t, j, feed.long(size))
}

// retentionLongHead has entries that are longer than the limit for all together.
func retentionLongHead(t *testing.T, b Backend) {
	j := b.open(t, store.Retention{Events: 10, Revs: 10, Bytes: 1 << 10})
	var feed Feed
	for range 3 {
		must(t, j, feed.long(8<<10))
		if err := Checkpoint(context.Background(), j, feed.State()); err != nil {
			t.Fatal(err)
		}
		if kept := all(t, j, 0); len(kept) != 1 || kept[0].Position != feed.Head().Position {
			t.Fatalf("%d entries are kept, want the head alone", len(kept))
		}
	}
	seeks(t, j, map[uint64]store.Position{2: 2, 3: 3})
}

// retentionBounded writes far more than is kept, with a checkpoint now and then.
func retentionBounded(t *testing.T, b Backend) {
	keep := store.Retention{Events: 100, Revs: 40}
	j := b.open(t, keep)
	var feed Feed
	for range 50 {
		must(t, j, feed.some(60)...)
		if err := Checkpoint(context.Background(), j, feed.State()); err != nil {
			t.Fatal(err)
		}
	}
	kept := all(t, j, 0)
	changes := 0
	for _, e := range kept {
		if e.MapChanged {
			changes++
		}
	}
	// 20 changes for each checkpoint: the base is 40 to 60 revs old, or 70 where
	// it stands for a neighbor.
	if changes < 40 || changes > 70 || len(kept) > 100+70 {
		t.Errorf("%d entries are kept, %d of them changes of the map; want at most 170 and 40 to 70", len(kept), changes)
	}
	base, err := j.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if behind := feed.Head().Rev - base.Rev; behind < 40 || behind > 70 {
		t.Errorf("the checkpoint to start from is %d revs behind the head, want 40 to 70", behind)
	}
}

func retentionJump(t *testing.T, b Backend) {
	j := b.open(t, store.Retention{Events: 10, Revs: 3})
	var feed Feed
	for range 8 {
		must(t, j, feed.Next(false, 1))
	}
	feed.Jump(1 << 20)
	for range 4 {
		must(t, j, feed.Next(false, 1))
	}
	if err := Checkpoint(context.Background(), j, feed.State()); err != nil {
		t.Fatal(err)
	}
	kept := all(t, j, 0)
	if len(kept) != 10 || kept[0].Position != 3 {
		t.Fatalf("%d entries are kept, want the last 10 events although seq jumped", len(kept))
	}
	seeks(t, j, map[uint64]store.Position{2: 2, 8: 8, 1 << 20: 8, 1<<20 + 9: 9})
}

// retentionSilent has entries that only change a table: none of them is needed,
// except for the head.
func retentionSilent(t *testing.T, b Backend) {
	j := b.open(t, store.Retention{Events: 10, Revs: 3})
	var feed Feed
	must(t, j, feed.Next(false, 1))
	for range 20 {
		must(t, j, feed.Next(false, 0))
	}
	if err := Checkpoint(context.Background(), j, feed.State()); err != nil {
		t.Fatal(err)
	}
	kept := all(t, j, 0)
	if len(kept) != 2 || kept[0].Position != 1 || kept[1].Position != 21 {
		t.Fatalf("%d entries are kept; want the one with an event and the head", len(kept))
	}
	must(t, j, feed.Next(true, 1))
	seeks(t, j, map[uint64]store.Position{0: 0, 1: 21, 2: 22})
}

// testTrimmed trims while a host is far behind.
func testTrimmed(t *testing.T, b Backend) {
	ctx := context.Background()
	handles := b.handles(t, store.Retention{Events: 10, Revs: 3}, 2)
	var feed Feed
	var tip store.Tip
	for range 40 {
		batch := NewBatch(tip, feed.some(100)...)
		tip = commits(t, handles[0], batch)
	}
	state := feed.State()
	state.Commit = tip.Commit
	if _, err := handles[0].Checkpoint(ctx, state); err != nil {
		t.Fatal(err)
	}
	if _, err := handles[1].EntriesAfter(ctx, store.Tip{}); !errors.Is(err, store.ErrTrimmed) {
		t.Fatalf("EntriesAfter of trimmed entries: %v, want ErrTrimmed", err)
	}
	for _, err := range handles[1].Follow(ctx, store.Tip{}) {
		if !errors.Is(err, store.ErrTrimmed) {
			t.Fatalf("Follow of trimmed entries: %v, want ErrTrimmed", err)
		}
		break
	}
	// The events for resuming streams are complete, and followers are not disturbed.
	for seq := state.Seq - 10; seq <= state.Seq; seq++ {
		if _, err := handles[1].Seek(ctx, seq); err != nil {
			t.Errorf("Seek(%d) within the window: %v", seq, err)
		}
	}
	misses(t, handles[1], tip, nil)
}
