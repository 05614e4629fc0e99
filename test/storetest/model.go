package storetest

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
)

// model is the expected behavior of a journal, computed in a simple way from all
// appended entries.
type model struct {
	retention store.Retention
	feed      Feed
	entries   []store.Entry
	// commits are the commits of the entries.
	commits []store.CommitID
	states  []store.State
	records map[string]string
	// trimmedAt is the head's index after the last checkpoint.
	trimmedAt int
}

// testModel runs random schedules of appends, checkpoints and, where the backend
// is durable, restarts, and compares the journal with the model now and then.
func testModel(t *testing.T, b Backend) {
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{
			records: map[string]string{},
			retention: store.Retention{
				Events: rapid.Uint64Range(1, 12).Draw(rt, "events kept"),
				Revs:   rapid.Uint64Range(1, 12).Draw(rt, "revs kept"),
			},
		}
		open := b.New(t, m.retention)
		j := open()
		defer func() {
			if err := j.Close(); err != nil {
				rt.Errorf("Close: %v", err)
			}
		}()
		actions := map[string]func(*rapid.T){
			"append":     func(rt *rapid.T) { m.append(rt, j) },
			"checkpoint": func(rt *rapid.T) { m.checkpoint(rt, j) },
			"compare":    func(rt *rapid.T) { m.compare(rt, j) },
		}
		if b.Durable {
			actions["reopen"] = func(rt *rapid.T) {
				if err := j.Close(); err != nil {
					rt.Fatalf("Close: %v", err)
				}
				j = open()
			}
		}
		rt.Repeat(actions)
		m.compare(rt, j)
	})
}

func (m *model) append(t *rapid.T, j store.Journal) {
	after := m.feed.Head().Position
	var batch []store.Entry
	for range rapid.IntRange(1, 5).Draw(t, "entries") {
		if rapid.IntRange(0, 9).Draw(t, "jump") == 0 {
			m.feed.Jump(rapid.Uint64Range(1, 30).Draw(t, "by"))
		}
		events := rapid.IntRange(0, 3).Draw(t, "events")
		e := m.feed.Next(events > 0 && rapid.Bool().Draw(t, "changed"), events)
		key := rapid.StringMatching(`[a-c]{1,2}`).Draw(t, "key")
		value := rapid.StringMatching(`[0-5]{0,3}`).Draw(t, "value")
		record := store.Record{Table: store.Aggregates, Key: []byte(key), Value: []byte(value)}
		switch value {
		case "0":
			record.Value = nil
			delete(m.records, key)
		case "1":
			record.Key, record.Value = nil, nil
			clear(m.records)
		default:
			m.records[key] = value
		}
		e.Records = []store.Record{record}
		batch = append(batch, e)
	}
	m.entries = append(m.entries, bare(batch)...)
	tip, err := tipAt(context.Background(), j, after)
	if err == nil {
		tip, err = j.Commit(context.Background(), NewBatch(tip, batch...))
	}
	if err != nil || tip.Position != m.feed.Head().Position {
		t.Fatalf("Commit: %d, %v", tip.Position, err)
	}
	for range batch {
		m.commits = append(m.commits, tip.Commit)
	}
}

// checkpoint stores a checkpoint of the head or of a slightly earlier entry, as a
// host does that writes it in the background.
func (m *model) checkpoint(t *rapid.T, j store.Journal) {
	state := m.feed.State()
	if n := len(m.entries); n > 1 && rapid.Bool().Draw(t, "late") {
		e := m.entries[n-2]
		state.Position, state.Rev, state.Seq = e.Position, e.Rev, e.Seq
	}
	if n := len(m.states); n > 0 && state.Position < m.states[n-1].Position {
		return
	}
	stored := state
	stored.Commit = m.commitOf(state.Position)
	if _, err := j.Checkpoint(context.Background(), stored); err != nil {
		t.Fatalf("Checkpoint: %v", err)
	}
	m.states = append(m.states, state)
	m.trimmedAt = len(m.entries)
}

func (m *model) commitOf(position store.Position) store.CommitID {
	if position == 0 {
		return store.CommitID{}
	}
	return m.commits[position-1]
}

func (m *model) compare(t *rapid.T, j store.Journal) {
	kept := map[store.Position]store.Entry{}
	var last store.Position
	for e, err := range j.Read(context.Background(), 0) {
		if err != nil || e.Position <= last {
			t.Fatalf("Read yielded %d after %d, %v", e.Position, last, err)
		}
		e.Commit, e.Prev = store.CommitID{}, store.CommitID{}
		if want := m.entries[e.Position-1]; !reflect.DeepEqual(want, e) {
			t.Fatalf("Read (-want +got):\n%s", cmp.Diff(want, e))
		}
		kept[e.Position], last = e, e.Position
	}
	if last != m.feed.Head().Position {
		t.Fatalf("Read ended at %d, the head is %d", last, m.feed.Head().Position)
	}
	base := m.compareBase(t, j)
	m.compareKept(t, kept, base)
	m.compareSeek(t, j, kept)
	got := map[string]string{}
	for pair, err := range j.Scan(context.Background(), store.Aggregates, store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		got[string(pair.Key)] = string(pair.Value)
	}
	if !maps.Equal(got, m.records) {
		t.Fatalf("the table holds %v, want %v", got, m.records)
	}
}

// compareBase checks from which checkpoint a host would start.
func (m *model) compareBase(t *rapid.T, j store.Journal) store.State {
	base, err := j.Load(context.Background())
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	base.Commit = store.CommitID{}
	if len(m.states) == 0 {
		return base
	}
	if !slices.ContainsFunc(m.states, func(s store.State) bool { return reflect.DeepEqual(s, base) }) {
		t.Fatalf("Load returned a checkpoint of position %d that was never stored", base.Position)
	}
	best := m.states[0].Rev
	for _, s := range m.states {
		if s.Rev+m.retention.Revs <= m.feed.Head().Rev {
			best = s.Rev
		}
	}
	if base.Rev > best || base.Rev+m.retention.Revs/4 < best {
		t.Fatalf("Load returned a checkpoint of rev %d, want one of rev %d or at most a quarter of %d older", base.Rev, best, m.retention.Revs)
	}
	return base
}

// compareKept checks that everything that the retention promises is kept, and that
// the last checkpoint left nothing else.
func (m *model) compareKept(t *rapid.T, kept map[store.Position]store.Entry, base store.State) {
	newer, newerThen := uint64(0), uint64(0)
	for i, e := range slices.Backward(m.entries) {
		_, here := kept[e.Position]
		recent := len(e.Events) > 0 && newer < m.retention.Events
		if !here && (recent || e.MapChanged && e.Rev > base.Rev) {
			t.Fatalf("entry %d was trimmed: %d events are newer, it has rev %d, the base %d", e.Position, newer, e.Rev, base.Rev)
		}
		if i < m.trimmedAt {
			was := len(e.Events) > 0 && newerThen < m.retention.Events
			newerThen += uint64(len(e.Events))
			if here && i != m.trimmedAt-1 && !was && !e.MapChanged {
				t.Fatalf("entry %d is still kept: %d events were newer at the last checkpoint", e.Position, newerThen)
			}
		}
		newer += uint64(len(e.Events))
	}
}

// compareSeek calls Seek for every seq around an event.
func (m *model) compareSeek(t *rapid.T, j store.Journal, kept map[store.Position]store.Entry) {
	gone := uint64(0)
	for _, e := range m.entries {
		if _, here := kept[e.Position]; !here && len(e.Events) > 0 {
			gone = e.Seq
		}
	}
	asked := map[uint64]store.Position{}
	seek := func(seq uint64, want store.Position) {
		if before, again := asked[seq]; again && before == want {
			return
		}
		asked[seq] = want
		m.seekOne(t, j, seq, gone, want)
	}
	// From the newest on, next is what comes after the entry's events.
	next := m.feed.Head().Position
	for _, e := range slices.Backward(m.entries) {
		seek(e.Seq, next)
		if len(e.Events) > 0 {
			next = e.Position - 1
			seek(e.FirstSeq(), m.after(e, next))
			seek(e.FirstSeq()-1, next)
		}
	}
}

// after is where the second event of an entry is found: with the first one, if
// there are two.
func (m *model) after(e store.Entry, own store.Position) store.Position {
	if len(e.Events) > 1 {
		return own
	}
	for _, later := range m.entries[e.Position:] {
		if len(later.Events) > 0 {
			return later.Position - 1
		}
	}
	return m.feed.Head().Position
}

func (m *model) seekOne(t *rapid.T, j store.Journal, seq, gone uint64, want store.Position) {
	got, err := j.Seek(context.Background(), seq)
	switch {
	case seq < gone && !errors.Is(err, store.ErrTrimmed):
		t.Fatalf("Seek(%d): %d, %v; events up to %d are gone", seq, got, err, gone)
	case seq >= gone && (err != nil || got != want):
		t.Fatalf("Seek(%d): %d, %v; want %d", seq, got, err, want)
	}
}
