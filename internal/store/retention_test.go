package store_test

import (
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
)

// journalOf draws the entries of a journal, oldest first, and checkpoints of it.
func journalOf(t *rapid.T) (places []store.Place, marks []store.Mark) {
	at := store.Place{}
	for range rapid.IntRange(1, 60).Draw(t, "entries") {
		at.Position++
		at.Events = rapid.Uint64Range(0, 2).Draw(t, "events")
		at.Seq += at.Events
		at.MapChanged = rapid.Bool().Draw(t, "changed")
		if at.MapChanged {
			at.Rev += rapid.Uint64Range(1, 3).Draw(t, "revs")
		}
		at.Bytes = rapid.Uint64Range(1, 50).Draw(t, "bytes")
		places = append(places, at)
		if rapid.IntRange(0, 4).Draw(t, "checkpoint") == 0 {
			marks = append(marks, store.Mark{Position: at.Position, Rev: at.Rev})
		}
	}
	if len(marks) == 0 {
		marks = append(marks, store.Mark{Position: at.Position, Rev: at.Rev})
	}
	return places, marks
}

func newestFirst(places []store.Place) iter.Seq2[store.Place, error] {
	return func(yield func(store.Place, error) bool) {
		for _, p := range slices.Backward(places) {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// remaining returns the entries and the checkpoints that remain after a Trim.
func remaining(t *rapid.T, r store.Retention, places []store.Place, marks []store.Mark) (kept []store.Place, base uint64) {
	trim, err := r.Trim(marks, places[len(places)-1].Rev, newestFirst(places))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(trim.Entries, func(a, b store.Place) int { return int(a.Position) - int(b.Position) }) {
		t.Fatalf("the trimmed entries are not the oldest first: %v", trim.Entries)
	}
	left := slices.DeleteFunc(slices.Clone(marks), func(m store.Mark) bool { return slices.Contains(trim.Checkpoints, m.Position) })
	if len(left) == 0 || left[len(left)-1] != marks[len(marks)-1] {
		t.Fatalf("of the checkpoints %v, %v remain", marks, left)
	}
	kept = slices.DeleteFunc(slices.Clone(places), func(p store.Place) bool { return slices.Contains(trim.Entries, p) })
	bytes := uint64(0)
	for _, p := range kept {
		bytes += p.Bytes
	}
	if want := (store.Kept{UpTo: places[len(places)-1].Position, Entries: uint64(len(kept)), Bytes: bytes}); trim.Kept != want {
		t.Fatalf("Trim reports that %+v remain, want %+v", trim.Kept, want)
	}
	return kept, left[0].Rev
}

// The remaining entries are within the limit in bytes, apart from the changes of
// the map since the newest checkpoint; they are those that would remain without the
// limit, except for the oldest.
func TestTrimRespectsByteLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places, marks := journalOf(t)
		r := store.Retention{
			Events: rapid.Uint64Range(1, 60).Draw(t, "events kept"), Revs: rapid.Uint64Range(1, 60).Draw(t, "revs kept"),
			Tail: rapid.Uint64Range(0, 20).Draw(t, "tail"),
		}
		all, oldBase := remaining(t, r, places, marks)
		r.Bytes = rapid.Uint64Range(1, 1500).Draw(t, "bytes kept")
		kept, base := remaining(t, r, places, marks)
		head, newest := places[len(places)-1], marks[len(marks)-1].Rev
		bytes, must, wanted := uint64(0), uint64(0), uint64(0)
		for _, p := range all {
			wanted += p.Bytes
		}
		for _, p := range kept {
			if !slices.Contains(all, p) {
				t.Fatalf("entry %d remains, but is trimmed without a byte limit", p.Position)
			}
			bytes += p.Bytes
			if p == head || p.MapChanged && p.Rev > newest {
				must += p.Bytes
			}
		}
		if bytes-must > r.Bytes {
			t.Fatalf("%d bytes remain of at most %d, %d of them since the last checkpoint", bytes, r.Bytes, must)
		}
		if wanted <= r.Bytes && (len(kept) != len(all) || base != oldBase) {
			t.Fatalf("%d bytes fit in %d, but %d of %d entries remain", wanted, r.Bytes, len(kept), len(all))
		}
		oldest := uint64(0)
		for _, p := range places {
			stays := slices.Contains(kept, p)
			if !stays && p.MapChanged && p.Rev > base {
				t.Fatalf("the change of rev %d was trimmed, the oldest checkpoint is of rev %d", p.Rev, base)
			}
			if !stays && p.Events > 0 {
				oldest = p.Seq
			}
		}
		// Of the events over which a stream can resume, none is missing.
		for _, p := range all {
			if p.Events > 0 && p.Seq > oldest && !slices.Contains(kept, p) {
				t.Fatalf("event %d was trimmed, and the newest event of a trimmed entry is %d", p.Seq, oldest)
			}
		}
	})
}
