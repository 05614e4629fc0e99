package world

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// damagedJournal is a journal of which some records and entries are damaged.
type damagedJournal struct {
	store.Journal
	mu      sync.Mutex
	records map[string]bool
	entries map[store.Position]bool
}

func (j *damagedJournal) damage(table store.Table, key []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.records == nil {
		j.records = map[string]bool{}
	}
	j.records[string(table)+string(key)] = true
}

func (j *damagedJournal) repair() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records, j.entries = nil, nil
}

func (j *damagedJournal) look(table store.Table, key []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.records[string(table)+string(key)] {
		return fmt.Errorf("reading the test's store: %w", &store.DamagedError{Table: table, Key: key, Size: 9})
	}
	return nil
}

func (j *damagedJournal) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	value, err := j.Journal.Get(ctx, table, key)
	return value, errors.Join(err, j.look(table, key))
}

func (j *damagedJournal) GetAll(ctx context.Context, records []store.Lookup) ([][]byte, error) {
	values, err := j.Journal.GetAll(ctx, records)
	for _, r := range records {
		err = errors.Join(err, j.look(r.Table, r.Key))
	}
	return values, err
}

func (j *damagedJournal) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return func(yield func(store.Pair, error) bool) {
		for pair, err := range j.Journal.Scan(ctx, table, r) {
			if !yield(pair, errors.Join(err, j.look(table, pair.Key))) {
				return
			}
		}
	}
}

func (j *damagedJournal) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range j.Journal.Read(ctx, after) {
			j.mu.Lock()
			damaged := j.entries[e.Position]
			j.mu.Unlock()
			if damaged {
				yield(store.Entry{}, store.DamagedEntry(e.Position, store.ErrCorrupt))
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// openDamaged opens a world on a journal that can be damaged, with what it reports.
func openDamaged(t *testing.T, change ...func(*Options)) (*fixture, *damagedJournal, func() int) {
	t.Helper()
	j := &damagedJournal{}
	var mu sync.Mutex
	reports := 0
	f := open(t, append(change, func(o *Options) {
		j.Journal = o.Journal
		o.Journal = j
		o.Damaged = func(error) {
			mu.Lock()
			defer mu.Unlock()
			reports++
		}
	})...)
	return f, j, func() int {
		mu.Lock()
		defer mu.Unlock()
		return reports
	}
}

// A page has all records but the damaged ones, which it names, each in one page only.
func TestPagesLeaveDamagedRecordsOut(t *testing.T) {
	f, j, reports := openDamaged(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	var seqs []uint64
	for i := range 10 {
		f.as(a, line(a, fmt.Sprint("line ", i)))
		seqs = append(seqs, f.View().Seq)
	}
	j.damage(store.Interactions, historyRecordKey(a, seqs[2]))
	j.damage(store.Interactions, historyRecordKey(a, seqs[6]))
	j.damage(store.InteractionOrder, seqKey(seqs[9]))
	for _, test := range []struct {
		player string
		want   []uint64
	}{{a, []uint64{seqs[2], seqs[6]}}, {"", []uint64{seqs[2], seqs[6], seqs[9]}}} {
		for _, limit := range []int{100, 3, 1} {
			request := protocol.ListRequest{PlayerID: test.player, Limit: limit}
			var damaged []uint64
			rows := 0
			for {
				page, err := f.Interactions(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				damaged, rows = append(page.Damaged, damaged...), rows+len(page.Records)
				if !page.HasMore {
					break
				}
				if len(page.Records) != limit {
					t.Fatalf("a page of %d has %d rows and continues", limit, len(page.Records))
				}
				before := seqs[len(seqs)-rows-len(damaged)]
				request.BeforeSeq = &before
			}
			if !slices.Equal(damaged, test.want) || rows != len(seqs)-len(test.want) {
				t.Errorf("pages of %d for %q name %v, want %v, and have %d rows", limit, test.player, damaged, test.want, rows)
			}
		}
	}
	if n := reports(); n != 3 {
		t.Errorf("damage is reported %d times, not once for each record", n)
	}
}

// A damaged record refuses those who need it and nobody else, and the host is not ready
// until the record is replaced.
func TestDamagedRecordRefusesWhoNeedsIt(t *testing.T) {
	f, j, reports := openDamaged(t)
	owner := f.main("owner")
	a, b := f.agent(owner, "a"), f.agent(owner, "b")
	f.as(owner, registration(a))
	f.as(owner, registration(b))
	key := [32]byte{7}
	j.damage(store.Idempotency, key[:])
	again := func() error {
		_, err := f.Do(t.Context(), Request{
			Caller: Caller{NodeID: a}, SID: f.View().SID, Idempotency: &Idempotency{Key: key},
		}, line(a, "again"))
		return err
	}
	wantCode(t, again(), protocol.CodeRecordDamaged)
	f.as(b, line(b, "not concerned"))
	if err := f.Healthy(t.Context()); protocol.CodeOf(err) != protocol.CodeRecordDamaged || reports() != 1 {
		t.Errorf("after %d reports the host is %v", reports(), err)
	}
	j.repair()
	if err := f.Healthy(t.Context()); err != nil {
		t.Errorf("without damage the host is %v", err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}

// The history of an agent moves on over damaged records.
func TestHistoryMovesOverDamagedRecords(t *testing.T) {
	f, j, _ := openDamaged(t, func(o *Options) { o.Limits.History = 3 })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	for i := range 3 {
		f.as(a, line(a, fmt.Sprint("line ", i)))
		j.damage(store.Interactions, historyRecordKey(a, f.View().Seq))
	}
	f.reopen()
	for i := range 7 {
		f.as(a, line(a, fmt.Sprint("new ", i)))
	}
	page, err := f.Interactions(t.Context(), protocol.ListRequest{PlayerID: a, Limit: 100})
	if err != nil || len(page.Records) != 3 {
		t.Errorf("%d lines are kept, %v", len(page.Records), err)
	}
}

// A reader of events from the journal starts again at a damaged entry, not before.
func TestDamagedEntryEndsEvents(t *testing.T) {
	f, j, _ := openDamaged(t, func(o *Options) { o.RingEvents = 2 })
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	from := f.View().Seq
	for i := range 10 {
		f.as(a, line(a, fmt.Sprint("line ", i)))
	}
	damaged := f.View().Position - 5
	j.mu.Lock()
	j.entries = map[store.Position]bool{damaged: true}
	j.mu.Unlock()
	size := func(*Event) int { return 1 }
	page, err := f.ListEvents(t.Context(), Caller{Admin: true}, &from, 100, size)
	if err != nil || len(page.Events) != 4 || !page.HasMore {
		t.Fatalf("%d events up to the damaged entry, %v", len(page.Events), err)
	}
	_, err = f.ListEvents(t.Context(), Caller{Admin: true}, &page.Last, 100, size)
	wantCode(t, err, protocol.CodeRecordDamaged)
	events, err := f.JournalEvents(t.Context(), from, f.View().Seq, make([]*Event, 0, 64))
	if err != nil || len(events) != 4 {
		t.Errorf("%d events are read, %v", len(events), err)
	}
	if _, err := f.JournalEvents(t.Context(), page.Last, f.View().Seq, make([]*Event, 0, 64)); !store.IsDamaged(err) {
		t.Errorf("the damaged entry is read with %v", err)
	}
	reader := f.ReadEvents(Cursor{Seq: page.Last})
	if _, err := reader.Next(t.Context()); !store.IsDamaged(err) {
		t.Fatalf("the reader gets %v", err)
	}
	if by := reader.SkipDamage(); by == 0 {
		t.Error("the reader stays before the damaged entry")
	}
	if _, err := reader.Next(t.Context()); err != nil {
		t.Error(err)
	}
}

// The store is read after the start: damage is found before anyone asks.
func TestStoreIsReadAfterStart(t *testing.T) {
	f, j, reports := openDamaged(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(owner, registration(a))
	for i := range 3 {
		f.as(a, line(a, fmt.Sprint("line ", i)))
		j.damage(store.Interactions, historyRecordKey(a, f.View().Seq))
	}
	f.reopen()
	eventually(t, "all damage is found", func() bool { return reports() == 3 })
	wantCode(t, f.Healthy(t.Context()), protocol.CodeRecordDamaged)
}
