package storetest

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/playctl/playctl/internal/store"
)

// Feed creates entries that follow each other, as in a world. The zero Feed starts
// an empty journal.
type Feed struct {
	last store.Place
}

// Next returns an entry with that many events that follows the one before; with
// changed it is a change of the map.
func (f *Feed) Next(changed bool, events int) store.Entry {
	f.last.Position++
	f.last.Seq += uint64(events)
	if changed {
		f.last.Rev++
	}
	e := store.Entry{
		Position: f.last.Position, Rev: f.last.Rev, Seq: f.last.Seq, MapChanged: changed,
		At:        1_700_000_000_000 + int64(f.last.Position),
		Root:      sha256.Sum256(fmt.Append(nil, "root ", f.last.Rev)),
		LeafCount: 2 + uint32(f.last.Rev%100),
	}
	for i := range events {
		e.Events = append(e.Events, store.Event{
			Kind: "world:interaction",
			Data: fmt.Appendf(nil, `{"text":"event %d of entry %d"}`, i, e.Position),
		})
	}
	if changed {
		e.Rows = []store.Row{
			{Key: fmt.Sprint("agent:main:", e.Rev%7), JSON: fmt.Appendf(nil, `{"rev":%d}`, e.Rev)},
			{Key: fmt.Sprint("mcp:", e.Rev%3)},
		}
		e.Notify = fmt.Appendf(nil, `{"updatedAt":"%d","nodes":[]}`, e.At)
	}
	return e
}

// Jump moves rev and seq ahead of the next entry, as after a lost tail.
func (f *Feed) Jump(by uint64) {
	f.last.Rev += by
	f.last.Seq += by
}

// Head returns the place of the last entry.
func (f *Feed) Head() store.Place { return f.last }

// State returns a checkpoint as of the last entry.
func (f *Feed) State() store.State {
	return store.State{
		Position: f.last.Position, Rev: f.last.Rev, Seq: f.last.Seq,
		At: 1_700_000_000_000 + int64(f.last.Position), LeafCount: 3,
		Header: store.Header{SID: "2d0c8f1e-66a3-4d5c-9b0a-0e6f6d6f8a11", MaxX: 19, MaxY: 11},
		Rows:   []store.Row{{Key: "agent:main:1", JSON: fmt.Appendf(nil, `{"rev":%d}`, f.last.Rev)}},
	}
}

// some returns n entries of one event each, every third of them a change of the
// map.
func (f *Feed) some(n int) []store.Entry {
	entries := make([]store.Entry, n)
	for i := range entries {
		entries[i] = f.Next(i%3 == 0, 1)
	}
	return entries
}

// bare returns the entries in the form that a journal yields: without records.
func bare(entries []store.Entry) []store.Entry {
	bare := slices.Clone(entries)
	for i := range bare {
		bare[i].Records = nil
	}
	return bare
}
