package bolt

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// A scan's first chunk is small, for receivers that stop early; each further one
// is twice as long, up to the limit.
const (
	firstScanChunk = 64
	lastScanChunk  = 1024
)

// Get implements store.Repository.
func (j *Journal) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	values, err := j.GetAll(ctx, []store.Lookup{{Table: table, Key: key}})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// GetAll implements store.Repository.
func (j *Journal) GetAll(ctx context.Context, records []store.Lookup) ([][]byte, error) {
	values := make([][]byte, len(records))
	known := make([]bool, len(records))
	for i, r := range records {
		values[i], known[i] = j.pending.get(r.Table, r.Key)
	}
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		for i, r := range records {
			table, err := tableOf(tx, r.Table)
			if err != nil {
				return err
			}
			if table != nil && !known[i] {
				values[i] = bytes.Clone(table.Get(r.Key))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// Scan implements store.Repository.
func (j *Journal) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return func(yield func(store.Pair, error) bool) {
		for limit := firstScanChunk; ; limit = min(2*limit, lastScanChunk) {
			chunk, err := j.scanChunk(ctx, table, r, limit)
			if err != nil {
				yield(store.Pair{}, err)
				return
			}
			for _, pair := range chunk.pairs {
				if !yield(pair, nil) {
					return
				}
			}
			if chunk.last {
				return
			}
			r = past(r, chunk.end)
		}
	}
}

// scanned is a part of a table's records; end is the key of the last of them, which
// the receiver must not change.
type scanned struct {
	pairs []store.Pair
	end   []byte
	last  bool
}

// past narrows a range to the keys after a key in its direction.
func past(r store.Range, key []byte) store.Range {
	if r.Reverse {
		r.Before = key
	} else {
		r.From = slices.Concat(key, []byte{0})
	}
	return r
}

func (j *Journal) scanChunk(ctx context.Context, table store.Table, r store.Range, limit int) (scanned, error) {
	var chunk scanned
	waiting, cleared := j.pending.within(table, r)
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		records, err := tableOf(tx, table)
		if err != nil || records == nil || cleared {
			chunk.last = true
			return err
		}
		chunk = copyRange(records.Cursor(), r, limit)
		return nil
	})
	if err == nil {
		merge(&chunk, r, waiting)
	}
	return chunk, err
}

func copyRange(cursor *bbolt.Cursor, r store.Range, limit int) scanned {
	var chunk scanned
	key, value := first(cursor, r)
	next := cursor.Next
	if r.Reverse {
		next = cursor.Prev
	}
	for size := 0; key != nil && r.Holds(string(key)); key, value = next() {
		if len(chunk.pairs) == limit || size > chunkBytes {
			chunk.end = bytes.Clone(chunk.pairs[len(chunk.pairs)-1].Key)
			return chunk
		}
		pair := store.Pair{Key: bytes.Clone(key)}
		if !r.KeysOnly {
			pair.Value = bytes.Clone(value)
		}
		chunk.pairs = append(chunk.pairs, pair)
		size += len(key) + len(pair.Value)
	}
	chunk.last = true
	return chunk
}

// first moves the cursor to the start of the range.
func first(cursor *bbolt.Cursor, r store.Range) (key, value []byte) {
	low, high := r.Bounds()
	if !r.Reverse {
		return cursor.Seek(low)
	}
	if len(high) == 0 {
		return cursor.Last()
	}
	if key, _ = cursor.Seek(high); key == nil {
		return cursor.Last()
	}
	return cursor.Prev()
}

// tableOf returns a table's bucket; nil if a store that is open for reading only does
// not have it yet.
func tableOf(tx *bbolt.Tx, table store.Table) (*bbolt.Bucket, error) {
	if !table.Known() {
		return nil, refusal{fmt.Errorf("there is no table %q", table)}
	}
	return tx.Bucket(tableBucket(table)), nil
}
