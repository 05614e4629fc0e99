package replay_test

import (
	"errors"
	"fmt"
	"slices"
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

// A run produces the same maps as the entries one by one: the last one of each rev,
// and as many of the newest as the budget allows.
func TestRunYieldsSameMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawStart(t)
		entries, maps := drawEntries(t, from)
		if from.Position == 0 {
			maps = maps[1:]
		}
		var want []replay.Map
		for i := range maps {
			if i+1 == len(maps) || maps[i+1].Rev != maps[i].Rev {
				want = append(want, maps[i])
			}
		}
		budget := rapid.SampledFrom([]int{0, 2_000, 10_000, 1 << 30}).Draw(t, "budget")
		run := replay.NewRun(&from, budget)
		for i := range entries {
			if err := run.Add(&entries[i]); err != nil {
				t.Fatalf("entry %d: %v", entries[i].Position, err)
			}
		}
		past, err := run.End()
		if err != nil {
			t.Fatal(err)
		}
		checkPast(t, past, want, budget)
		if len(maps) > 0 {
			checkMap(t, run.Now(), &maps[len(maps)-1])
		}
	})
}

func checkPast(t *rapid.T, past []replay.Past, want []replay.Map, budget int) {
	if budget == 1<<30 && len(past) != len(want) || len(past) > len(want) || len(want) > 0 && len(past) == 0 {
		t.Fatalf("%d maps, want %d", len(past), len(want))
	}
	bytes := 0
	for i, p := range slices.Backward(past) {
		before := len(want) - len(past) + i - 1
		checkMap(t, &p.Map, &want[before+1])
		if i == 0 {
			break
		}
		if same := want[before].Tree.Root() == p.Tree.Root(); same && p.Beside > 0 && !p.Changed {
			t.Fatalf("the map of rev %d changed nothing and leaves %d bytes", p.Rev, p.Beside)
		}
		if bytes > budget {
			t.Fatalf("maps of %d bytes before that of rev %d are kept within %d", bytes, p.Rev, budget)
		}
		bytes += p.Beside
	}
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

// A wrong root, number of leaves or row is detected if all maps are requested.
func TestRunDetectsDamage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := drawStart(t)
		entries, _ := drawEntries(t, from)
		if len(entries) == 0 {
			return
		}
		e := &entries[rapid.IntRange(0, len(entries)-1).Draw(t, "damaged")]
		switch what := rapid.SampledFrom([]string{"root", "leaves", "row"}).Draw(t, "what"); {
		case what == "root":
			e.Root[0] ^= 1
		case what == "leaves":
			e.LeafCount++
		case len(e.Rows) == 0 || e.Rows[len(e.Rows)-1].JSON == nil:
			return
		default:
			e.Rows[len(e.Rows)-1].JSON = []byte(`{"n":4}`)
		}
		run := replay.NewRun(&from, 1<<30)
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
