package replay_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

const rootKey = "abababababababababababababababababababababababababababababababab"

// drawEntry draws an entry that follows on a map: one without changes, one that
// only advances the rev, or one with changes, some of which have no effect; one that
// clears the map has a header.
func drawEntry(t *rapid.T, m *replay.Map) store.Entry {
	e := store.Entry{Position: m.Position + 1, At: m.At + 1, Rev: m.Rev, Seq: m.Seq + rapid.Uint64Range(0, 2).Draw(t, "events")}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
	case 1:
		e.Rev += 100
	case 2:
		e.Header = &store.Header{SID: "sid" + rapid.StringMatching("[ab]").Draw(t, "sid"), MaxX: rapid.Int64Range(1, 3).Draw(t, "width")}
		e.Cleared = rapid.Bool().Draw(t, "cleared")
		fallthrough
	default:
		e.Rev, e.MapChanged = e.Rev+1, true
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			r := store.Row{Key: fmt.Sprint("mcp:", rapid.IntRange(0, 40).Draw(t, "key"))}
			if rapid.IntRange(0, 3).Draw(t, "remove") > 0 {
				r.JSON = fmt.Appendf(nil, `{"n":%d}`, rapid.IntRange(0, 3).Draw(t, "n"))
			}
			e.Rows = append(e.Rows, r)
		}
	}
	if _, err := m.SetRoot(&e); err != nil {
		t.Fatal(err)
	}
	return e
}

// drawEntries draws entries, with the map after each; the first of the maps is the one
// before them.
func drawEntries(t *rapid.T, from replay.Map) (entries []store.Entry, maps []replay.Map) {
	maps = []replay.Map{from}
	for range rapid.IntRange(0, 40).Draw(t, "entries") {
		m := maps[len(maps)-1]
		e := drawEntry(t, &m)
		if err := m.Apply(&e, nil); err != nil {
			t.Fatal(err)
		}
		entries, maps = append(entries, e), append(maps, m)
	}
	return entries, maps
}

// drawStart returns the map with which a run begins: an empty one, or one after some
// entries.
func drawStart(t *rapid.T) replay.Map {
	m := replay.New(rootKey)
	if rapid.Bool().Draw(t, "checkpoint") {
		_, maps := drawEntries(t, m)
		m = maps[len(maps)-1]
	}
	return m
}

// A run leads to the same map as the entries one by one.
func TestRunYieldsSameMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawStart(t)
		entries, maps := drawEntries(t, from)
		run := replay.NewRun(&from)
		for i := range entries {
			if err := run.Add(&entries[i]); err != nil {
				t.Fatalf("entry %d: %v", entries[i].Position, err)
			}
		}
		got, err := run.End()
		if err != nil {
			t.Fatal(err)
		}
		checkMap(t, &got, &maps[len(maps)-1])
	})
}

func checkMap(t *rapid.T, got, want *replay.Map) {
	if got.Position != want.Position || got.Rev != want.Rev || got.Seq != want.Seq || got.At != want.At || got.SID != want.SID || got.Bounds != want.Bounds {
		t.Fatalf("the map is %+v, want %+v", got, want)
	}
	if got.Tree.Root() != want.Tree.Root() || got.Tree.Len() != want.Tree.Len() {
		t.Fatalf("the map of rev %d has the root %s over %d leaves, want %s over %d",
			got.Rev, got.Tree.Root(), got.Tree.Len(), want.Tree.Root(), want.Tree.Len())
	}
	for i, leaf := range got.Tree.All() {
		if other := want.Tree.At(i); other.Key() != leaf.Key() || string(other.Payload()) != string(leaf.Payload()) {
			t.Fatalf("leaf %d of rev %d is %s, want %s", i, got.Rev, leaf.Key(), other.Key())
		}
	}
}

// A wrong number of leaves is detected in every entry, and a wrong root or row in the
// last one.
func TestRunDetectsDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawStart(t)
		entries, _ := drawEntries(t, from)
		if len(entries) == 0 {
			return
		}
		e := &entries[len(entries)-1]
		switch what := rapid.SampledFrom([]string{"root", "leaves", "row"}).Draw(t, "what"); {
		case what == "root":
			e.Root[0] ^= 1
		case what == "leaves":
			entries[rapid.IntRange(0, len(entries)-1).Draw(t, "damaged")].LeafCount++
		case len(e.Rows) == 0 || e.Rows[len(e.Rows)-1].JSON == nil:
			return
		default:
			e.Rows[len(e.Rows)-1].JSON = []byte(`{"n":4}`)
		}
		run := replay.NewRun(&from)
		for i := range entries {
			if err := run.Add(&entries[i]); err != nil {
				if !errors.Is(err, store.ErrCorrupt) {
					t.Fatal(err)
				}
				return
			}
		}
		if _, err := run.End(); !errors.Is(err, store.ErrCorrupt) {
			t.Fatalf("the damage was not detected: %v", err)
		}
	})
}
