package migrate_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/store/migrate"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var retention = store.Retention{Events: 40, Revs: 20}

// location is a store that can contain a world.
type location struct {
	name  string
	begin func(rootKey string) (store.Import, error)
	open  func() (store.Journal, error)
}

func boltLocation(t *testing.T) location {
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), Retention: retention}
	return location{
		"bolt",
		func(rootKey string) (store.Import, error) {
			o := o
			o.RootKey = rootKey
			return bolt.BeginImport(context.Background(), o)
		},
		func() (store.Journal, error) { return bolt.Open(context.Background(), o) },
	}
}

func redisLocation(t *testing.T, server *redistest.Server, hostID string) location {
	t.Helper()
	address, err := redis.ParseAddress(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	retention := retention
	retention.Tail = 1
	// Commands wait that long for a busy store.
	o := redis.Options{Address: address, HostID: hostID, Retention: retention, Timeout: 30 * time.Second}
	return location{
		"redis",
		func(rootKey string) (store.Import, error) {
			o := o
			o.RootKey = rootKey
			return redis.BeginImport(context.Background(), o)
		},
		func() (store.Journal, error) { return redis.Open(context.Background(), o) },
	}
}

func opened(t *testing.T, p location) store.Journal {
	t.Helper()
	j, err := p.open()
	if err != nil {
		t.Fatalf("opening the world in %s: %v", p.name, err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// world returns a trimmed journal in memory: with gaps between its entries, a
// checkpoint, and more records than fit in a batch, one of them large.
func world(t *testing.T) (store.Journal, *storetest.WorldFeed) {
	t.Helper()
	ctx := context.Background()
	j := memory.Open(retention)
	t.Cleanup(func() { _ = j.Close() })
	feed, first := storetest.NewWorldFeed("0b7f6c1e-3a52-4e0f-9d4b-6a1c2d3e4f50")
	entries := []store.Entry{first}
	for i := range 300 {
		entries = append(entries, feed.Place(i%50, fmt.Sprint("name ", i)), feed.Say(fmt.Sprint("line ", i)))
	}
	entries[10].Records = append(entries[10].Records,
		store.Record{Table: store.Meta, Key: []byte("empty"), Value: []byte{}},
		store.Record{Table: store.Leases, Key: []byte("a lease"), Value: []byte("v")},
		store.Record{Table: store.Aggregates, Key: []byte("large"), Value: bytes.Repeat([]byte("x"), 3<<20)})
	if err := storetest.Append(ctx, j, 0, entries...); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Checkpoint(ctx, feed.State()); err != nil {
		t.Fatal(err)
	}
	more := make([]store.Entry, 0, 20)
	for i := range 10 {
		more = append(more, feed.Remove(i), feed.Say("more"))
	}
	if err := storetest.Append(ctx, j, more[0].Position-1, more...); err != nil {
		t.Fatal(err)
	}
	return j, feed
}

// TestRoundTrip copies a world from memory to a file, to Redis, to another world
// there, and back to a file: everything stays the same, including the cursors.
func TestRoundTrip(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t)
	source, feed := world(t)
	from := source
	for _, to := range []location{boltLocation(t), redisLocation(t, server, "one"), redisLocation(t, server, "two"), boltLocation(t)} {
		report, err := migrate.Run(ctx, from, storetest.RootKey, migrate.Target{Begin: to.begin})
		if err != nil {
			t.Fatalf("to %s: %v", to.name, err)
		}
		state := feed.State()
		if report.Root != fmt.Sprintf("%x", state.Root) || report.Rev != state.Rev || report.Seq != state.Seq ||
			report.Position != state.Position || report.Records != 314 || report.Rows != 40 || report.SID != state.Header.SID {
			t.Errorf("the report is %+v, want that of the state %+v", report, state)
		}
		copied := opened(t, to)
		same(t, source, copied)
		if _, err := migrate.Run(ctx, from, storetest.RootKey, migrate.Target{Begin: to.begin}); err == nil {
			t.Errorf("to %s a second time: no error", to.name)
		} else if !errors.Is(err, store.ErrNotEmpty) {
			t.Errorf("to %s a second time: %v, want ErrNotEmpty", to.name, err)
		}
		from = copied
	}
	// The copy continues where the source was.
	if err := storetest.Append(ctx, from, feed.Head().Position, feed.Place(7, "after")); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Checkpoint(ctx, feed.State()); err != nil {
		t.Fatal(err)
	}
}

// same compares the whole content of two journals.
func same(t *testing.T, a, b store.Journal) {
	t.Helper()
	ctx := context.Background()
	if diff := cmp.Diff(read(t, a), read(t, b)); diff != "" {
		t.Fatalf("entries and records (-source +copy):\n%s", diff)
	}
	report, err := verify.Check(ctx, b, storetest.RootKey)
	if err != nil || len(report.Problems) > 0 {
		t.Fatalf("Check of the copy: %v, %+v", err, report)
	}
	for seq := range report.LastSeq + 2 {
		wantAt, want := a.Seek(ctx, seq)
		gotAt, got := b.Seek(ctx, seq)
		if gotAt != wantAt || errors.Is(got, store.ErrTrimmed) != errors.Is(want, store.ErrTrimmed) {
			t.Fatalf("Seek(%d) is %d, %v; in the source %d, %v", seq, gotAt, got, wantAt, want)
		}
	}
	wantBase, err1 := a.Load(ctx)
	gotBase, err2 := b.Load(ctx)
	if diff := cmp.Diff(wantBase, gotBase); err1 != nil || err2 != nil || diff != "" {
		t.Fatalf("checkpoint: %v, %v (-source +copy):\n%s", err1, err2, diff)
	}
}

func read(t *testing.T, j store.Journal) []any {
	t.Helper()
	var found []any
	for e, err := range j.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		// Only shared journals have commits.
		e.Commit, e.Prev = store.CommitID{}, store.CommitID{}
		found = append(found, e)
	}
	for _, table := range store.Tables() {
		for pair, err := range j.Scan(context.Background(), table, store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, fmt.Sprintf("%s %q %x", table, pair.Key, sha256.Sum256(pair.Value)))
		}
	}
	return found
}

// TestDeadlines sets the terms of a table's records during the copy.
func TestDeadlines(t *testing.T) {
	ctx := context.Background()
	source, _ := world(t)
	to := redisLocation(t, redistest.Start(t), "world")
	_, err := migrate.Run(ctx, source, storetest.RootKey, migrate.Target{Begin: to.begin, SetTerm: func(r *store.Record) error {
		if r.Table == store.Leases {
			r.Term = time.Millisecond
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	j := opened(t, to)
	wait, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		keys, err := j.Due(wait, store.Leases, 10)
		if err != nil {
			t.Fatalf("the lease is not due: %v", err)
		}
		if len(keys) == 1 && keys[0] == "a lease" {
			return
		}
	}
}

// changingJournal is a journal to which another writer appends while it is copied.
type changingJournal struct {
	store.Journal
	feed *storetest.WorldFeed
}

func (m changingJournal) Load(ctx context.Context) (store.State, error) {
	state, err := m.Journal.Load(ctx)
	if err == nil && m.feed.Head().Position%2 == 1 {
		err = storetest.Append(ctx, m.Journal, m.feed.Head().Position, m.feed.Say("meanwhile"), m.feed.Say("again"))
	}
	return state, err
}

// lossyImport is an import that loses selected records.
type lossyImport struct {
	store.Import
	entries, records bool
}

func (l lossyImport) Entries(ctx context.Context, entries []store.Entry) error {
	if l.entries && len(entries) > 0 {
		entries = entries[1:]
	}
	return l.Import.Entries(ctx, entries)
}

func (l lossyImport) Records(ctx context.Context, records []store.Record) error {
	if l.records {
		records = records[1:]
	}
	return l.Import.Records(ctx, records)
}

// TestRefused copies stores that cannot be copied: the target remains without a
// world.
func TestRefused(t *testing.T) {
	ctx := context.Background()
	source, feed := world(t)
	server := redistest.Start(t)
	empty := memory.Open(retention)
	defer func() { _ = empty.Close() }()
	for n, to := range []location{boltLocation(t), redisLocation(t, server, "world")} {
		for name, c := range map[string]struct {
			from    store.Journal
			rootKey string
			lose    lossyImport
			want    error
		}{
			"no world":          {empty, storetest.RootKey, lossyImport{}, migrate.ErrEmpty},
			"another root key":  {source, "another", lossyImport{}, store.ErrCorrupt},
			"a changing source": {changingJournal{source, feed}, storetest.RootKey, lossyImport{}, store.ErrConflict},
			"a lost entry":      {source, storetest.RootKey, lossyImport{entries: true}, store.ErrCorrupt},
			"a lost record":     {source, storetest.RootKey, lossyImport{records: true}, store.ErrCorrupt},
		} {
			_, err := migrate.Run(ctx, c.from, c.rootKey, migrate.Target{Begin: func(rootKey string) (store.Import, error) {
				i, err := to.begin(rootKey)
				if err != nil {
					return nil, err
				}
				return lossyImport{i, c.lose.entries, c.lose.records}, nil
			}})
			if !errors.Is(err, c.want) {
				t.Errorf("%s to %s (%d): %v, want %v", name, to.name, n, err, c.want)
			}
			if j, err := to.open(); err == nil {
				_ = j.Close()
				t.Errorf("%s to %s left a world", name, to.name)
			}
		}
	}
}
