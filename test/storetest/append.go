package storetest

import (
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
	t.Run("takes an empty batch as a question", func(t *testing.T) { appendNothing(t, b.open(t, wide)) })
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
	for _, expect := range []store.Position{0, 1, 3, 1 << 40} {
		if _, err := j.Append(context.Background(), expect, entries[1:2]); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Append after %d, the head is 2: %v, want ErrConflict", expect, err)
		}
	}
	unchanged(t, j, entries[:2])
	must(t, j, entries[2:]...)
}

// unchanged fails unless the journal holds just these entries and no node.
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
	for name, spoil := range map[string]func([]store.Entry){
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
			e[1].Records = []store.Record{{Table: "beasts", Key: []byte("k"), Value: []byte("x")}}
		},
	} {
		again := at
		batch := again.some(2)
		batch[0].Records = []store.Record{{Table: store.Nodes, Key: []byte("k"), Value: []byte("v")}}
		spoil(batch)
		if _, err := j.Append(context.Background(), 2, batch); err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: Append returned %v, want a refusal", name, err)
		}
		unchanged(t, j, first)
	}
	must(t, j, at.some(1)...)
}

func appendNothing(t *testing.T, j store.Journal) {
	var feed Feed
	must(t, j, feed.some(3)...)
	if head, err := j.Append(context.Background(), 3, nil); err != nil || head != 3 {
		t.Errorf("an empty batch after the head: %d, %v; want 3", head, err)
	}
	if _, err := j.Append(context.Background(), 2, nil); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an empty batch after an older position: %v, want ErrConflict", err)
	}
}

// appendCopies changes what it gave and what it got: neither reaches the store.
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
