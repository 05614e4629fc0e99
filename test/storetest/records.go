package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

func testRecords(t *testing.T, b Backend) {
	t.Run("the last one counts", func(t *testing.T) {
		recordsReplaced(recordTest{t: t, j: b.open(t, wide), feed: &Feed{}})
	})
	t.Run("every table has its own", func(t *testing.T) {
		recordsOfTables(recordTest{t: t, j: b.open(t, wide), feed: &Feed{}})
	})
}

// recordTest writes records to a journal and reads them.
type recordTest struct {
	t    *testing.T
	j    store.Journal
	feed *Feed
}

func (r recordTest) put(records ...store.Record) {
	r.t.Helper()
	e := r.feed.Next(false, 1)
	e.Records = records
	must(r.t, r.j, e)
}

func (r recordTest) expect(table store.Table, key, want string) {
	r.t.Helper()
	value, err := r.j.Get(context.Background(), table, []byte(key))
	if err != nil || value == nil || string(value) != want {
		r.t.Errorf("Get %s %s: %q (nil: %t), %v; want %q", table, key, value, value == nil, err, want)
	}
}

func (r recordTest) absent(table store.Table, key string) {
	r.t.Helper()
	if value, err := r.j.Get(context.Background(), table, []byte(key)); err != nil || value != nil {
		r.t.Errorf("Get %s %s: %q, %v; want nil", table, key, value, err)
	}
}

func recordsReplaced(r recordTest) {
	r.absent(store.Nodes, "a")
	r.put(store.Record{Table: store.Nodes, Key: []byte("a"), Value: []byte("1")},
		store.Record{Table: store.Leases, Key: []byte("a"), Value: []byte{}})
	r.expect(store.Nodes, "a", "1")
	r.expect(store.Leases, "a", "")
	r.put(store.Record{Table: store.Nodes, Key: []byte("a"), Value: []byte("2")},
		store.Record{Table: store.Nodes, Key: []byte("b"), Value: []byte("3")})
	r.expect(store.Nodes, "a", "2")
	r.expect(store.Nodes, "b", "3")
	// Within one entry the last one counts, and deleting nothing is no error.
	r.put(store.Record{Table: store.Nodes, Key: []byte("a")},
		store.Record{Table: store.Nodes, Key: []byte("none")},
		store.Record{Table: store.Nodes, Key: []byte("b")},
		store.Record{Table: store.Nodes, Key: []byte("b"), Value: []byte("4")})
	r.absent(store.Nodes, "a")
	r.expect(store.Nodes, "b", "4")
	// A record without key and value empties its table, and no other.
	r.put(store.Record{Table: store.Leases, Key: []byte("old"), Value: []byte("5")},
		store.Record{Table: store.Leases},
		store.Record{Table: store.Leases, Key: []byte("new"), Value: []byte("6")})
	r.absent(store.Leases, "a")
	r.absent(store.Leases, "old")
	r.expect(store.Leases, "new", "6")
	r.expect(store.Nodes, "b", "4")
}

func recordsOfTables(r recordTest) {
	for _, table := range store.Tables() {
		r.put(store.Record{Table: table, Key: []byte("own"), Value: []byte(table)})
	}
	for _, table := range store.Tables() {
		r.expect(table, "own", string(table))
	}
	if value, err := r.j.Get(context.Background(), "no table", []byte("own")); err == nil {
		r.t.Errorf("Get of an unknown table: %q and no error", value)
	}
	for _, e := range all(r.t, r.j, 0) {
		if e.Records != nil {
			r.t.Fatalf("entry %d was yielded with records", e.Position)
		}
	}
}

// testGetAll looks up records of several tables at once, more than one command can,
// among them missing, repeated and empty ones.
func testGetAll(t *testing.T, b Backend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	const many = 1500
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = append(e.Records, store.Record{Table: store.Intercom, Key: []byte("empty"), Value: []byte{}})
	lookups := []store.Lookup{
		{Table: store.Intercom, Key: []byte("nobody's")}, {Table: store.Intercom, Key: []byte("empty")},
		{Table: store.Leases, Key: []byte("empty")},
	}
	want := [][]byte{nil, {}, nil}
	for i := range many {
		key, value := fmt.Append(nil, "key\x00", i), fmt.Append(nil, "value ", i)
		e.Records = append(e.Records, store.Record{Table: store.Idempotency, Key: key, Value: value})
		lookups = append(lookups, store.Lookup{Table: store.Idempotency, Key: key}, store.Lookup{Table: store.Meta, Key: key})
		want = append(want, value, nil)
	}
	lookups, want = append(lookups, lookups[3]), append(want, want[3])
	commits(t, handles[0], NewBatch(store.Tip{}, e))
	got, err := handles[1].GetAll(ctx, lookups)
	if err != nil || len(got) != len(want) {
		t.Fatalf("GetAll of %d: %d values, %v", len(lookups), len(got), err)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) || (got[i] == nil) != (want[i] == nil) {
			t.Fatalf("value %d (%s, %q) is %q, want %q", i, lookups[i].Table, lookups[i].Key, got[i], want[i])
		}
	}
	if got, err := handles[0].GetAll(ctx, nil); err != nil || len(got) != 0 {
		t.Errorf("GetAll of nothing: %q, %v", got, err)
	}
	if _, err := handles[0].GetAll(ctx, []store.Lookup{{Table: "no table", Key: []byte("k")}}); err == nil || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("GetAll of an unknown table: %v, want a refusal", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := handles[0].GetAll(ended, lookups); !errors.Is(err, context.Canceled) {
		t.Errorf("GetAll with an ended context: %v", err)
	}
}
