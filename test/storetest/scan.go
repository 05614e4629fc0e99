package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
)

func testScan(t *testing.T, b Backend) {
	t.Run("any range", func(t *testing.T) { scanRanges(t, b.open(t, wide)) })
	t.Run("a long table", func(t *testing.T) { scanLong(t, b.open(t, wide)) })
	t.Run("an unknown table", func(t *testing.T) {
		for pair, err := range b.open(t, wide).Scan(context.Background(), "no table", store.Range{}) {
			if err == nil {
				t.Errorf("it yielded %q", pair.Key)
			}
			return
		}
		t.Error("it yielded nothing, want an error")
	})
}

// scan returns the keys that a scan yields; each value repeats its key, or is nil
// for KeysOnly.
func scan(t rapid.TB, j store.Repository, table store.Table, r store.Range) []string {
	t.Helper()
	keys := []string{}
	for pair, err := range j.Scan(context.Background(), table, r) {
		if err != nil {
			t.Fatalf("Scan: %v", err)
		}
		if r.KeysOnly != (pair.Value == nil) || !r.KeysOnly && !bytes.Equal(pair.Key, pair.Value) {
			t.Fatalf("Scan yielded the value %q for the key %q", pair.Value, pair.Key)
		}
		keys = append(keys, string(pair.Key))
	}
	return keys
}

// selected returns the expected keys of a scan, computed in a simple way.
func selected(keys []string, r store.Range) []string {
	want := []string{}
	for _, key := range keys {
		k := []byte(key)
		if bytes.HasPrefix(k, r.Prefix) && bytes.Compare(k, r.From) >= 0 &&
			(len(r.Before) == 0 || bytes.Compare(k, r.Before) < 0) {
			want = append(want, key)
		}
	}
	slices.Sort(want)
	if r.Reverse {
		slices.Reverse(want)
	}
	return want
}

func scanRanges(t *testing.T, j store.Journal) {
	// Few letters, among them the ends of the byte range, make many prefixes.
	alphabet := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 'b', 0xff}), 1, 4)
	keys := rapid.SliceOfNDistinct(alphabet, 120, 120, func(k []byte) string { return string(k) }).Example(1)
	var feed Feed
	e := feed.Next(false, 1)
	var texts []string
	for _, key := range keys {
		texts = append(texts, string(key))
		e.Records = append(e.Records, store.Record{Table: store.Interactions, Key: key, Value: key})
	}
	must(t, j, e)
	bound := rapid.OneOf(rapid.Just([]byte(nil)), alphabet)
	rapid.Check(t, func(t *rapid.T) {
		r := store.Range{
			Prefix: bound.Draw(t, "prefix"), From: bound.Draw(t, "from"),
			Before: bound.Draw(t, "before"), Reverse: rapid.Bool().Draw(t, "reverse"),
			KeysOnly: rapid.Bool().Draw(t, "keysOnly"),
		}
		if diff := difference(selected(texts, r), scan(t, j, store.Interactions, r)); diff != "" {
			t.Fatalf("Scan of %+v (-want +got):\n%s", r, diff)
		}
	})
}

// scanLong has more records than any chunk, and appends while it walks.
func scanLong(t *testing.T, j store.Journal) {
	const n = 5000
	var feed Feed
	var keys []string
	e := feed.Next(false, 1)
	for i := range n {
		key := fmt.Sprintf("key %06d", i)
		keys = append(keys, key)
		e.Records = append(e.Records, store.Record{Table: store.Journeys, Key: []byte(key), Value: []byte(key)})
	}
	must(t, j, e)
	for _, r := range []store.Range{{}, {Reverse: true}, {KeysOnly: true}, {From: []byte("key 001500")}, {Before: []byte("key 003500"), Reverse: true}} {
		if diff := difference(selected(keys, r), scan(t, j, store.Journeys, r)); diff != "" {
			t.Errorf("Scan of %+v (-want +got):\n%s", r, diff)
		}
	}
	seen := 0
	for pair, err := range j.Scan(context.Background(), store.Journeys, store.Range{}) {
		if err != nil || string(pair.Key) != keys[seen] {
			t.Fatalf("Scan yielded %q, %v; want %q", pair.Key, err, keys[seen])
		}
		if seen++; seen%500 == 0 {
			must(t, j, feed.some(20)...)
		}
	}
	if seen != n {
		t.Errorf("Scan yielded %d records, want %d", seen, n)
	}
}
