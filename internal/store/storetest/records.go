package storetest

import (
	"context"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

func testRecords(t *testing.T, b Backend) {
	ctx := context.Background()
	j := b.open(t, wide)
	var feed Feed
	put := func(records ...store.Record) {
		t.Helper()
		e := feed.Next(false, 1)
		e.Records = records
		must(t, j, e)
	}
	expect := func(table store.Table, key, want string) {
		t.Helper()
		value, err := j.Get(ctx, table, []byte(key))
		if err != nil || value == nil || string(value) != want {
			t.Errorf("Get %s %s: %q (nil: %t), %v; want %q", table, key, value, value == nil, err, want)
		}
	}
	absent := func(table store.Table, key string) {
		t.Helper()
		if value, err := j.Get(ctx, table, []byte(key)); err != nil || value != nil {
			t.Errorf("Get %s %s: %q, %v; want nil", table, key, value, err)
		}
	}
	absent(store.Nodes, "a")
	put(store.Record{Table: store.Nodes, Key: []byte("a"), Value: []byte("1")},
		store.Record{Table: store.Leases, Key: []byte("a"), Value: []byte{}})
	expect(store.Nodes, "a", "1")
	expect(store.Leases, "a", "")
	put(store.Record{Table: store.Nodes, Key: []byte("a"), Value: []byte("2")},
		store.Record{Table: store.Nodes, Key: []byte("b"), Value: []byte("3")})
	expect(store.Nodes, "a", "2")
	expect(store.Nodes, "b", "3")
	// Within one entry the last one counts, and deleting nothing is no error.
	put(store.Record{Table: store.Nodes, Key: []byte("a")},
		store.Record{Table: store.Nodes, Key: []byte("none")},
		store.Record{Table: store.Nodes, Key: []byte("b")},
		store.Record{Table: store.Nodes, Key: []byte("b"), Value: []byte("4")})
	absent(store.Nodes, "a")
	expect(store.Nodes, "b", "4")
	// A record without key and value empties its table, and no other.
	put(store.Record{Table: store.Leases, Key: []byte("old"), Value: []byte("5")},
		store.Record{Table: store.Leases},
		store.Record{Table: store.Leases, Key: []byte("new"), Value: []byte("6")})
	absent(store.Leases, "a")
	absent(store.Leases, "old")
	expect(store.Leases, "new", "6")
	expect(store.Nodes, "b", "4")
	for _, table := range store.Tables() {
		put(store.Record{Table: table, Key: []byte("own"), Value: []byte(table)})
	}
	for _, table := range store.Tables() {
		expect(table, "own", string(table))
	}
	if value, err := j.Get(ctx, "beasts", []byte("own")); err == nil {
		t.Errorf("Get of an unknown table: %q and no error", value)
	}
	for _, e := range all(t, j, 0) {
		if e.Records != nil {
			t.Fatalf("entry %d was yielded with records", e.Position)
		}
	}
}
