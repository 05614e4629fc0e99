package storetest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

func testAppend(t *testing.T, b Backend) {
	t.Run("keeps order and content", func(t *testing.T) { appendKeeps(t, b.open(t, wide)) })
	t.Run("refuses another head", func(t *testing.T) { appendConflicts(t, b.open(t, wide)) })
	t.Run("refuses what does not follow", func(t *testing.T) { appendRefuses(t, b.open(t, wide)) })
	t.Run("accepts an empty batch as a check", func(t *testing.T) { appendNothing(t, b.open(t, wide)) })
	t.Run("gives the bytes back", func(t *testing.T) { appendCopies(t, b.open(t, wide)) })
}

func appendKeeps(t *testing.T, j store.Journal) {
	var feed Feed
	rich := feed.Next(true, 2)
	rich.Cleared = true
	rich.Header = &store.Header{SID: "a", MinX: -3, MinY: -1, MaxX: 19, MaxY: 11}
	rich.Events[1].Audience = []string{"main", "__human__"}
	silent := feed.Next(false, 0)
	feed.Jump(1 << 20)
	entries := append([]store.Entry{rich, silent}, feed.some(700)...)
	must(t, j, entries[0])
	must(t, j, entries[1:5]...)
	must(t, j, entries[5:]...)
	if diff := difference(entries, all(t, j, 0)); diff != "" {
		t.Fatalf("Read differs from what was appended (-want +got):\n%s", diff)
	}
	if head, err := j.Head(context.Background()); err != nil || head != feed.Head().Position {
		t.Fatalf("Head: %d, %v; want %d", head, err, feed.Head().Position)
	}
}

func appendConflicts(t *testing.T, j store.Journal) {
	var feed Feed
	entries := feed.some(4)
	must(t, j, entries[:2]...)
	entries[1].Records = []store.Record{{Table: store.Nodes, Key: []byte("late"), Value: []byte("x")}}
	for after, want := range map[store.Position]error{0: store.ErrConflict, 1: store.ErrConflict, 3: store.ErrDiverged, 1 << 40: store.ErrDiverged} {
		late := entries[1]
		late.Position = after + 1
		if err := Append(context.Background(), j, after, late); !errors.Is(err, want) {
			t.Errorf("a commit after %d, the head is 2: %v, want %v", after, err, want)
		}
	}
	unchanged(t, j, entries[:2])
	must(t, j, entries[2:]...)
}

// unchanged fails unless the journal holds exactly these entries and no node.
func unchanged(t *testing.T, j store.Journal, want []store.Entry) {
	t.Helper()
	if diff := difference(bare(want), all(t, j, 0)); diff != "" {
		t.Errorf("the journal changed (-want +got):\n%s", diff)
	}
	for pair, err := range j.Scan(context.Background(), store.Nodes, store.Range{}) {
		t.Errorf("the table changed: %s, %v", pair.Key, err)
	}
}

func appendRefuses(t *testing.T, j store.Journal) {
	var feed Feed
	first := feed.some(2)
	must(t, j, first...)
	at := feed
	for name, breaks := range map[string]func([]store.Entry){
		"a position skipped":   func(e []store.Entry) { e[1].Position++ },
		"a position repeated":  func(e []store.Entry) { e[1].Position-- },
		"the wrong start":      func(e []store.Entry) { e[0].Position++; e[1].Position++ },
		"seq goes back":        func(e []store.Entry) { e[1].Seq = 0 },
		"more events than seq": func(e []store.Entry) { e[1].Events = append(e[1].Events, e[1].Events...) },
		"rev goes back":        func(e []store.Entry) { e[1].Rev = 0 },
		"a change without rev": func(e []store.Entry) { e[1].MapChanged = true },
		"a key is missing":     func(e []store.Entry) { e[1].Records = []store.Record{{Table: store.Nodes, Value: []byte("x")}} },
		"a key is too long": func(e []store.Entry) {
			e[1].Records = []store.Record{{Table: store.Nodes, Key: []byte(strings.Repeat("k", store.MaxKeyLen+1)), Value: []byte("x")}}
		},
		"an unknown table": func(e []store.Entry) {
			e[1].Records = []store.Record{{Table: "no table", Key: []byte("k"), Value: []byte("x")}}
		},
	} {
		again := at
		batch := again.some(2)
		batch[0].Records = []store.Record{{Table: store.Nodes, Key: []byte("k"), Value: []byte("v")}}
		breaks(batch)
		if err := Append(context.Background(), j, 2, batch...); err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: the commit returned %v, want a refusal", name, err)
		}
		unchanged(t, j, first)
	}
	must(t, j, at.some(1)...)
}

func appendNothing(t *testing.T, j store.Journal) {
	var feed Feed
	must(t, j, feed.some(3)...)
	if err := Append(context.Background(), j, 3); err != nil {
		t.Errorf("an empty batch after the head: %v", err)
	}
	if err := Append(context.Background(), j, 2); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an empty batch after an older position: %v, want ErrConflict", err)
	}
}

// appendCopies changes its input and its results: neither affects the store.
func appendCopies(t *testing.T, j store.Journal) {
	var feed, same Feed
	given, want := feed.Next(true, 1), same.Next(true, 1)
	record := store.Record{Table: store.Nodes, Key: []byte("key"), Value: []byte("value")}
	given.Records = []store.Record{record}
	must(t, j, given)
	given.Events[0].Data[0], given.Rows[0].JSON[0], given.Notify[0] = 'X', 'X', 'X'
	record.Key[0], record.Value[0] = 'X', 'X'
	for range 2 {
		got := all(t, j, 0)
		if diff := difference([]store.Entry{want}, got); diff != "" {
			t.Fatalf("the entry changed with its bytes (-want +got):\n%s", diff)
		}
		got[0].Events[0].Data[0], got[0].Rows[0].JSON[0] = 'Y', 'Y'
		value, err := j.Get(context.Background(), store.Nodes, []byte("key"))
		if err != nil || string(value) != "value" {
			t.Fatalf("Get: %q, %v; want %q", value, err, "value")
		}
		value[0] = 'Y'
		for pair, err := range j.Scan(context.Background(), store.Nodes, store.Range{}) {
			if err != nil || string(pair.Key) != "key" || string(pair.Value) != "value" {
				t.Fatalf("Scan: %s=%s, %v", pair.Key, pair.Value, err)
			}
			pair.Key[0], pair.Value[0] = 'Y', 'Y'
		}
	}
}

// commits commits a batch and fails the test when that fails.
func commits(t *testing.T, j store.Journal, batch *store.Batch) store.Tip {
	t.Helper()
	tip, err := j.Commit(context.Background(), batch)
	if err != nil {
		t.Fatalf("Commit of %d entries after %d: %v", len(batch.Entries), batch.After.Position, err)
	}
	want := batch.After
	if n := len(batch.Entries); n > 0 {
		want = store.Tip{Position: batch.After.Position + store.Position(n), Commit: batch.Commit}
	}
	if tip != want {
		t.Fatalf("Commit returned the tip %v, want %v", tip, want)
	}
	return tip
}

// misses compares the entries after a tip.
func misses(t *testing.T, j store.Journal, after store.Tip, want []store.Entry) {
	t.Helper()
	got, err := j.EntriesAfter(context.Background(), after)
	if err != nil || len(got) != len(want) {
		t.Fatalf("EntriesAfter after %d: %d entries, %v; want %d", after.Position, len(got), err, len(want))
	}
	if len(want) > 0 {
		if diff := difference(want, got); diff != "" {
			t.Fatalf("EntriesAfter after %d (-want +got):\n%s", after.Position, diff)
		}
	}
}

func testCommit(t *testing.T, b Backend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	var feed Feed
	first := feed.some(3)
	tip := commits(t, handles[0], NewBatch(store.Tip{}, first...))
	misses(t, handles[1], store.Tip{}, first)
	misses(t, handles[1], tip, nil)

	// The other handle planned on the same tip: it gets the missed entries.
	var other Feed
	late := NewBatch(store.Tip{}, other.some(2)...)
	late.Entries[0].Records = []store.Record{{Table: store.Nodes, Key: []byte("late"), Value: []byte("x")}}
	_, err := handles[1].Commit(ctx, late)
	overtaken, ok := errors.AsType[*store.OvertakenError](err)
	if !ok || !errors.Is(err, store.ErrConflict) {
		t.Fatalf("Commit on an old tip: %v, want *OvertakenError", err)
	}
	if diff := difference(first, overtaken.Entries); diff != "" {
		t.Fatalf("OvertakenError has other entries (-want +got):\n%s", diff)
	}
	if value, err := handles[0].Get(ctx, store.Nodes, []byte("late")); value != nil || err != nil {
		t.Fatalf("a refused batch left %q, %v", value, err)
	}

	second := feed.some(2)
	next := commits(t, handles[1], NewBatch(tip, second...))
	misses(t, handles[0], tip, second)
	// A batch without entries compares the tip and moves nothing.
	if _, err := handles[0].Commit(ctx, NewBatch(tip)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an empty batch on an old tip: %v, want ErrConflict", err)
	}
	commits(t, handles[0], NewBatch(next))
	misses(t, handles[1], next, nil)

	var back Feed
	wrong := back.some(1)
	wrong[0].Position = next.Position + 1
	if _, err := handles[0].Commit(ctx, NewBatch(next, wrong...)); err == nil || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a batch whose seq goes back: %v, want a refusal", err)
	}
	misses(t, handles[1], next, nil)
}

// testDiverged uses tips that the journal never had.
func testDiverged(t *testing.T, b Backend) {
	ctx := context.Background()
	j := b.handles(t, wide, 1)[0]
	var feed Feed
	tip := commits(t, j, NewBatch(store.Tip{}, feed.some(3)...))
	other := store.CommitID{1, 2, 3}
	for name, wrong := range map[string]store.Tip{
		"past the head":            {Position: tip.Position + 1, Commit: tip.Commit},
		"another commit":           {Position: tip.Position, Commit: other},
		"an older one of nobody's": {Position: tip.Position - 1, Commit: other},
	} {
		if _, err := j.EntriesAfter(ctx, wrong); !errors.Is(err, store.ErrDiverged) {
			t.Errorf("EntriesAfter, %s: %v, want ErrDiverged", name, err)
		}
		at := feed
		entry := at.Next(false, 1)
		entry.Position = wrong.Position + 1
		if _, err := j.Commit(ctx, NewBatch(wrong, entry)); !errors.Is(err, store.ErrDiverged) {
			t.Errorf("Commit, %s: %v, want ErrDiverged", name, err)
		}
		for _, err := range j.Follow(ctx, wrong) {
			if !errors.Is(err, store.ErrDiverged) {
				t.Errorf("Follow, %s: %v, want ErrDiverged", name, err)
			}
			break
		}
	}
	misses(t, j, tip, nil)
}

// testMirror has records of every way of mirroring, among them a cleared table.
func testMirror(t *testing.T, b Backend) {
	handles := b.handles(t, wide, 2)
	var feed Feed
	e := feed.Next(true, 1)
	e.Records = []store.Record{
		{Table: store.Leases},
		{Table: store.Leases, Key: []byte("a"), Value: []byte("1")},
		{Table: store.Leases, Key: []byte("b")},
		{Table: store.Journeys, Key: []byte("c"), Value: []byte("long")},
		{Table: store.Journeys, Key: []byte("d")},
		{Table: store.Idempotency, Key: []byte("e"), Value: []byte("secret")},
	}
	batch := NewBatch(store.Tip{}, e)
	tip := commits(t, handles[0], batch)
	want := batch.Entries[0]
	want.Records = []store.Record{
		e.Records[0], e.Records[1], e.Records[2],
		{Table: store.Journeys, Key: []byte("c"), Value: []byte{}}, e.Records[4],
	}
	got, err := handles[1].EntriesAfter(context.Background(), store.Tip{})
	if err != nil || len(got) != 1 || len(got[0].Records) != len(want.Records) {
		t.Fatalf("EntriesAfter: %v, %v", got, err)
	}
	for i, r := range got[0].Records {
		w := want.Records[i]
		if r.Table != w.Table || !bytes.Equal(r.Key, w.Key) || !bytes.Equal(r.Value, w.Value) || (r.Value == nil) != (w.Value == nil) {
			t.Errorf("record %d is %+v, want %+v", i, r, w)
		}
	}
	value, err := handles[1].Get(context.Background(), store.Journeys, []byte("c"))
	if err != nil || string(value) != "long" {
		t.Errorf("Get: %q, %v", value, err)
	}
	misses(t, handles[0], tip, nil)
}
