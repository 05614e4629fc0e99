package verify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/test/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const sid = "0b7f6c1e-3a52-4e0f-9d4b-6a1c2d3e4f50"

// history returns a world whose placements are added, changed and removed, and send
// chat lines.
func history(n int) (*storetest.WorldFeed, []store.Entry) {
	feed, first := storetest.NewWorldFeed(sid)
	entries := []store.Entry{first}
	placed := 0
	for i := range n {
		switch {
		case i%11 == 10:
			entries = append(entries, feed.Remove(placed))
		case i%3 == 2:
			entries = append(entries, feed.Say(fmt.Sprint("line ", i)))
		default:
			placed = i % 60
			entries = append(entries, feed.Place(placed, fmt.Sprint("name ", i)))
		}
	}
	return feed, entries
}

func journal(t *testing.T, retention store.Retention, entries []store.Entry) store.Journal {
	t.Helper()
	j := memory.Open(retention)
	t.Cleanup(func() { _ = j.Close() })
	if err := storetest.Append(context.Background(), j, 0, entries...); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestCheckOfValidWorld(t *testing.T) {
	feed, entries := history(300)
	j := journal(t, store.DefaultRetention(), entries)
	report, err := verify.Check(context.Background(), j, storetest.RootKey)
	if err != nil {
		t.Fatal(err)
	}
	revs := feed.Head().Rev
	want := &verify.Report{
		Entries: 301, Events: feed.Head().Seq, Records: 300 - revs + 1, RevsVerified: revs,
		LastRev: revs, FirstSeq: 1, LastSeq: feed.Head().Seq,
	}
	if diff := cmp.Diff(want, report); diff != "" || len(report.Problems) > 0 {
		t.Errorf("the report (-want +got):\n%s", diff)
	}
	state, err := replay.State(context.Background(), j, storetest.RootKey)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(feed.State(), state); diff != "" {
		t.Errorf("the state at the head (-want +got):\n%s", diff)
	}
}

func TestCheckFromCheckpoint(t *testing.T) {
	feed, entries := history(400)
	j := journal(t, store.Retention{Events: 30, Revs: 10}, entries[:1])
	for _, e := range entries[1:] {
		if err := storetest.Append(context.Background(), j, e.Position-1, e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := j.Checkpoint(context.Background(), feed.State()); err != nil {
		t.Fatal(err)
	}
	report, err := verify.Check(context.Background(), j, storetest.RootKey)
	if err != nil || len(report.Problems) > 0 {
		t.Fatalf("Check: %+v, %v", report, err)
	}
	if report.CheckpointRev != feed.Head().Rev || report.RevsVerified != 1 || report.Entries != 30 {
		t.Errorf("the report is %+v; want the checkpoint of rev %d verified and 30 entries", report, feed.Head().Rev)
	}
}

// checkpointDuringLoad is a journal in which a host stores a checkpoint right after it was
// loaded. Later calls of Load return later.
type checkpointDuringLoad struct {
	store.Journal
	state *store.State
	later error
}

func (w *checkpointDuringLoad) Load(ctx context.Context) (store.State, error) {
	loaded, err := w.Journal.Load(ctx)
	if w.state == nil {
		return loaded, errors.Join(err, w.later)
	}
	_, failed := w.Checkpoint(ctx, *w.state)
	w.state = nil
	return loaded, errors.Join(err, failed)
}

// Entries that a reader missed because a checkpoint trimmed them are not damage, nor is
// a store that is unavailable when it is asked for a new checkpoint.
func TestCheckpointStoredDuringCheck(t *testing.T) {
	feed, entries := history(400)
	for name, read := range map[string]func(store.Source) error{
		"check": func(j store.Source) error {
			_, err := verify.Check(t.Context(), j, storetest.RootKey)
			return err
		},
		"state": func(j store.Source) error {
			_, err := replay.State(t.Context(), j, storetest.RootKey)
			return err
		},
	} {
		state := feed.State()
		j := &checkpointDuringLoad{journal(t, store.Retention{Events: 30}, entries), &state, store.ErrUnavailable}
		if err := read(j); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s of an unavailable store: %v, want %v", name, err, store.ErrUnavailable)
		}
		state = feed.State()
		j = &checkpointDuringLoad{journal(t, store.Retention{Events: 30}, entries), &state, nil}
		if err := read(j); !errors.Is(err, store.ErrTrimmed) {
			t.Errorf("%s: %v, want %v", name, err, store.ErrTrimmed)
		}
		if err := read(j); err != nil {
			t.Errorf("%s again: %v", name, err)
		}
	}
}

// TestCheckDetectsDamagedEntry damages a valid world in each way that a check must detect.
func TestCheckDetectsDamagedEntry(t *testing.T) {
	const at = 100
	for name, test := range map[string]struct {
		damage   func(e *store.Entry)
		contains string
	}{
		"another root":       {func(e *store.Entry) { e.Root[0] ^= 1 }, "root"},
		"another leaf count": {func(e *store.Entry) { e.LeafCount++ }, "leaves"},
		"another row": {func(e *store.Entry) {
			e.Rows[0].JSON = bytes.Replace(e.Rows[0].JSON, []byte("name"), []byte("nome"), 1)
		}, "root"},
		"a row under another key": {func(e *store.Entry) { e.Rows[0].Key = "mcp:other" }, "its content is the row"},
		"a row not canonical": {func(e *store.Entry) {
			e.Rows[0].JSON = append([]byte(" "), e.Rows[0].JSON...)
		}, "canonical"},
		"too many rows removed": {func(e *store.Entry) {
			e.Rows = append(e.Rows, store.Row{Key: "mcp:mcp-0000"}, store.Row{Key: "mcp:mcp-0001"})
		}, "root"},
		"no notify":              {func(e *store.Entry) { e.Notify = nil }, "without a notify"},
		"a wrong notify":         {func(e *store.Entry) { e.Notify = bytes.Replace(e.Notify, []byte("mcp-"), []byte("mcq-"), 1) }, "names"},
		"a truncated notify":     {func(e *store.Entry) { e.Notify = e.Notify[:len(e.Notify)/2] }, "notify"},
		"no event":               {func(e *store.Entry) { e.Events = nil }, "without an event"},
		"an event not JSON":      {func(e *store.Entry) { e.Events[0].Data = e.Events[0].Data[1:] }, "not a JSON object"},
		"a truncated event":      {func(e *store.Entry) { e.Events[0].Data = e.Events[0].Data[:5] }, "not a JSON object"},
		"a change of nothing":    {func(e *store.Entry) { e.Rows = nil }, "changes nothing"},
		"a header without a rev": {func(e *store.Entry) { e.MapChanged = false; e.Rev-- }, "without a rev of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			_, entries := history(200)
			e := &entries[at]
			if !e.MapChanged || e.Rows[0].JSON == nil {
				t.Fatalf("entry %d does not put a row", at)
			}
			test.damage(e)
			report, err := verify.Check(context.Background(), journal(t, store.DefaultRetention(), entries), storetest.RootKey)
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Problems) == 0 || !strings.Contains(strings.Join(report.Problems, "\n"), test.contains) {
				t.Errorf("the report is %q, want a problem with %q", report.Problems, test.contains)
			}
			if len(report.Problems) > 2 {
				t.Errorf("one damaged entry causes %d problems: %q", len(report.Problems), report.Problems)
			}
		})
	}
}

// Numbers, tags and secrets may begin with the first byte of an object.
func TestCheckAcceptsBinaryRecords(t *testing.T) {
	_, entries := history(50)
	const n = '{'
	caller := replay.CallerTag{'{'}
	secret := store.Record{Table: store.Meta, Key: []byte("watch_secret"), Value: []byte("{secret")}
	records := []store.Record{secret}
	for _, of := range []replay.Remembered{replay.IdempotencyKeys, replay.ClosedRequests} {
		for i := range n {
			id := []byte{byte(i)}
			records = append(records,
				store.Record{Table: of.Times, Key: of.TimeKey(int64(i), id), Value: caller[:]},
				store.Record{Table: of.Callers, Key: of.CallerKey(caller, int64(i), id), Value: []byte{}})
		}
		for _, key := range [][]byte{of.Tally(), of.CallerTally(caller)} {
			records = append(records, store.Record{Table: of.Callers, Key: key, Value: replay.AppendTally(nil, n)})
		}
	}
	entries[10].Records = records
	report, err := verify.Check(context.Background(), journal(t, store.DefaultRetention(), entries), storetest.RootKey)
	if err != nil || len(report.Problems) > 0 {
		t.Errorf("a valid store: %+v, %v", report, err)
	}
}

func TestCheckDetectsDamageOutsideEntries(t *testing.T) {
	ctx := context.Background()
	_, entries := history(50)
	entries[10].Records = []store.Record{{Table: store.Nodes, Key: []byte("n"), Value: []byte(`{"cut":`)}}
	j := journal(t, store.DefaultRetention(), entries)
	report, err := verify.Check(ctx, j, storetest.RootKey)
	// The accounts of nodes are needed for the usage, too.
	if err != nil || len(report.Problems) != 2 || !strings.Contains(report.Problems[0], "nodes") || !strings.Contains(report.Problems[1], "nodes") {
		t.Errorf("a truncated record: %+v, %v", report, err)
	}
	report, err = verify.Check(ctx, j, "another root key")
	if err != nil || len(report.Problems) < 1 {
		t.Errorf("another root key: %+v, %v", report, err)
	}

	feed, entries := history(50)
	j = journal(t, store.DefaultRetention(), entries)
	state := feed.State()
	state.Rows = state.Rows[1:]
	if _, err := j.Checkpoint(ctx, state); err != nil {
		t.Fatal(err)
	}
	report, err = verify.Check(ctx, j, storetest.RootKey)
	if err != nil || len(report.Problems) != 1 || !strings.Contains(report.Problems[0], "checkpoint") {
		t.Errorf("a checkpoint without a row: %+v, %v", report, err)
	}
	if _, err := replay.State(ctx, j, storetest.RootKey); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("State from a damaged checkpoint: %v", err)
	}
}

func TestCheckDetectsMissingEvents(t *testing.T) {
	feed, entries := history(20)
	lost := feed.Say("lost")
	later := feed.Say("later")
	later.Position, later.Records = lost.Position, append(lost.Records, later.Records...)
	j := journal(t, store.DefaultRetention(), append(entries, later))
	report, err := verify.Check(context.Background(), j, storetest.RootKey)
	if err != nil || len(report.Problems) != 1 || !strings.Contains(report.Problems[0], "from seq 21 to 21") {
		t.Errorf("Check: %+v, %v", report, err)
	}
}

// damagedTable is a journal in which reads of one table report damage.
type damagedTable struct {
	store.Journal

	table store.Table
}

func (d damagedTable) Scan(ctx context.Context, table store.Table, r store.Range) iter.Seq2[store.Pair, error] {
	if table != d.table {
		return d.Journal.Scan(ctx, table, r)
	}
	return func(yield func(store.Pair, error) bool) {
		yield(store.Pair{}, fmt.Errorf("a page: %w", store.ErrCorrupt))
	}
}

// Damage of a table is in the report, with everything found before.
func TestCheckReportsDamagedTable(t *testing.T) {
	_, entries := history(20)
	for _, table := range store.Tables() {
		report, err := verify.Check(t.Context(), damagedTable{journal(t, store.DefaultRetention(), entries), table}, storetest.RootKey)
		if err != nil {
			t.Errorf("%s: %v", table, err)
			continue
		}
		if report.LastSeq == 0 || len(report.Problems) == 0 || !strings.Contains(report.Problems[0], "a page") {
			t.Errorf("%s: %+v", table, report)
		}
	}
}

func TestCheckOfUnreadableJournal(t *testing.T) {
	_, entries := history(5)
	j := storetest.NewFaulty(journal(t, store.DefaultRetention(), entries))
	j.BreakReads()
	if _, err := verify.Check(context.Background(), j, storetest.RootKey); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Check of a journal that cannot be read: %v", err)
	}
	if _, err := replay.State(context.Background(), j, storetest.RootKey); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("State of a journal that cannot be read: %v", err)
	}
}

func TestCheckComparesUsage(t *testing.T) {
	feed, entries := history(20)
	final := feed.Say("the last")
	usage, err := replay.CountUsage(t.Context(), journal(t, store.DefaultRetention(), append(entries, final)), storetest.RootKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, off := range map[string]int{"unchanged": 0, "one line too many": 1} {
		counted := usage[storetest.RootKey]
		counted.Lines += off
		last := final
		last.Records = append(last.Records[:1:1], store.Record{Table: store.Usage, Key: []byte(storetest.RootKey), Value: counted.Append(nil)})
		report, err := verify.Check(t.Context(), journal(t, store.DefaultRetention(), append(entries, last)), storetest.RootKey)
		if err != nil {
			t.Fatal(err)
		}
		if (len(report.Problems) == 0) != (off == 0) {
			t.Errorf("%s: %q", name, report.Problems)
		}
	}
}

func TestCheckCountsIDs(t *testing.T) {
	kind, caller := replay.IdempotencyKeys, replay.TagOf("somebody")
	records := []store.Record{
		{Table: store.IdempotencyCallers, Key: kind.CallerKey(caller, 1, []byte("a")), Value: []byte{}},
		{Table: store.IdempotencyCallers, Key: kind.CallerKey(caller, 2, []byte("b")), Value: []byte{}},
		{Table: store.IdempotencyCallers, Key: kind.Tally(), Value: replay.AppendTally(nil, 2)},
	}
	for recorded, good := range map[int]bool{0: false, 1: false, 2: true, 3: false} {
		feed, entries := history(5)
		last := feed.Say("the last")
		last.Records = records
		if recorded > 0 {
			last.Records = append(last.Records[:3:3], store.Record{Table: store.IdempotencyCallers, Key: kind.CallerTally(caller), Value: replay.AppendTally(nil, recorded)})
		}
		report, err := verify.Check(t.Context(), journal(t, store.DefaultRetention(), append(entries, last)), storetest.RootKey)
		if err != nil {
			t.Fatal(err)
		}
		if (len(report.Problems) == 0) != good {
			t.Errorf("%d of 2: %q", recorded, report.Problems)
		}
	}
}
