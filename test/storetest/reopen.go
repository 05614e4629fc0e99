package storetest

import (
	"context"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// image is all data that can be read from a journal.
type image struct {
	Head    store.Position
	Base    store.State
	Entries []store.Entry
	Tables  map[store.Table][]store.Pair
}

func imageOf(t *testing.T, j store.Journal) image {
	t.Helper()
	ctx := context.Background()
	head, err := j.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	base, err := j.Load(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[store.Table][]store.Pair{}
	for _, table := range store.Tables() {
		for pair, err := range j.Scan(ctx, table, store.Range{}) {
			if err != nil {
				t.Fatal(err)
			}
			tables[table] = append(tables[table], pair)
		}
	}
	return image{head, base, all(t, j, 0), tables}
}

func testReopen(t *testing.T, b Backend) {
	open := b.New(t, store.Retention{Events: 20, Revs: 10})
	var feed Feed
	var before image
	for round := range 4 {
		j := open()
		if round > 0 {
			if diff := difference(before, imageOf(t, j)); diff != "" {
				t.Fatalf("the store differs after it was opened again (-before +after):\n%s", diff)
			}
		}
		batch := feed.some(30)
		for i, table := range store.Tables() {
			batch[i].Records = []store.Record{{Table: table, Key: []byte{byte(round)}, Value: []byte(table)}}
		}
		must(t, j, batch...)
		if err := Checkpoint(context.Background(), j, feed.State()); err != nil {
			t.Fatal(err)
		}
		must(t, j, feed.some(5)...)
		before = imageOf(t, j)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
