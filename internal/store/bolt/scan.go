package bolt

import (
	"bytes"
	"context"
	"errors"
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
			if err == nil && !known[i] {
				values[i], err = find(table, r)
			}
			if err == nil && values[i] != nil {
				values[i], err = store.Unseal(r.Table, r.Key, values[i])
			}
			if err != nil {
				return err
			}
			values[i] = bytes.Clone(values[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// find returns the stored form of a record, nil if there is none. It fails with
// *store.DamagedError if the record's key changed.
func find(table *bbolt.Bucket, r store.Lookup) ([]byte, error) {
	cursor := table.Cursor()
	key, stored := cursor.Seek(r.Key)
	if bytes.Equal(key, r.Key) {
		return notNil(stored), nil
	}
	isIntact := intact(r.Table)
	for key, stored = settle(cursor, r.Key, key, stored, isIntact); key != nil; key, stored = cursor.Next() {
		switch {
		case bytes.Equal(key, r.Key):
			return notNil(stored), nil
		case isIntact(key, stored):
			if bytes.Compare(key, r.Key) > 0 {
				return nil, nil
			}
			continue
		}
		if _, err := store.Unseal(r.Table, r.Key, stored); err == nil {
			return nil, &store.DamagedError{Table: r.Table, Key: r.Key, Size: len(stored)}
		}
	}
	return nil, nil
}

// notNil is for the pair that damage turned into a bucket, which has no value.
func notNil(stored []byte) []byte {
	if stored == nil {
		return []byte{}
	}
	return stored
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
				if !yield(pair.Pair, j.explain("reading", pair.err)) {
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
	pairs []scannedPair
	end   []byte
	last  bool
}

// scannedPair is a record of a scan; err is set if it is damaged.
type scannedPair struct {
	store.Pair
	err error
}

// scan returns a copy of a record for a scan of a range.
func scan(table store.Table, r store.Range, key, stored []byte) scannedPair {
	value, err := store.Unseal(table, key, stored)
	if err != nil {
		damaged, _ := errors.AsType[*store.DamagedError](err)
		return scannedPair{store.Pair{Key: damaged.Key}, err}
	}
	pair := store.Pair{Key: bytes.Clone(key)}
	if !r.KeysOnly {
		pair.Value = bytes.Clone(value)
	}
	return scannedPair{pair, nil}
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
		if err != nil || cleared {
			chunk.last = true
			return err
		}
		chunk = copyRange(records.Cursor(), table, r, limit)
		return nil
	})
	if err == nil {
		merge(&chunk, table, r, waiting)
	}
	return chunk, err
}

// copyRange copies the records of a range, about limit of them. It passes over intact
// records before the range, and ends at the first one after it. A damaged record is one of
// the range if it was written as one; a chunk does not end with it.
func copyRange(cursor *bbolt.Cursor, table store.Table, r store.Range, limit int) scanned {
	var chunk scanned
	key, stored := first(cursor, table, r)
	next := cursor.Next
	if r.Reverse {
		next = cursor.Prev
	}
	low, high := r.Bounds()
	for size := 0; key != nil; key, stored = next() {
		pair := scan(table, r, key, stored)
		switch {
		case r.Holds(string(pair.Key)):
			chunk.pairs = append(chunk.pairs, pair)
			size += len(key) + len(pair.Value)
		case pair.err != nil:
			continue
		case r.Reverse && bytes.Compare(key, low) < 0, !r.Reverse && len(high) > 0 && bytes.Compare(key, high) >= 0:
			chunk.last = true
			return chunk
		}
		if pair.err == nil && (len(chunk.pairs) >= limit || size > chunkBytes) {
			chunk.end = bytes.Clone(key)
			return chunk
		}
	}
	chunk.last = true
	return chunk
}

// first moves a cursor to the start of the range, or before it.
func first(cursor *bbolt.Cursor, table store.Table, r store.Range) (key, stored []byte) {
	low, high := r.Bounds()
	if !r.Reverse {
		return seekIntact(cursor, low, intact(table))
	}
	if len(high) == 0 {
		return cursor.Last()
	}
	isIntact := intact(table)
	key, stored = cursor.Seek(high)
	for key != nil && (!isIntact(key, stored) || bytes.Compare(key, high) < 0) {
		key, stored = cursor.Next()
	}
	if key == nil {
		return cursor.Last()
	}
	return key, stored
}

// seekIntact moves a cursor to the first pair from a key on, or to a damaged one before it: a
// changed key can mislead bbolt, which relies on the order of the keys. So the search
// starts at an intact pair before the key, and passes over further ones.
func seekIntact(cursor *bbolt.Cursor, from []byte, isIntact func(key, stored []byte) bool) (key, stored []byte) {
	key, stored = cursor.Seek(from)
	return settle(cursor, from, key, stored, isIntact)
}

// settle does the rest of seekIntact from where bbolt's search ended.
func settle(cursor *bbolt.Cursor, from, key, stored []byte, isIntact func(key, stored []byte) bool) ([]byte, []byte) {
	before := func() bool { return bytes.Compare(key, from) < 0 && isIntact(key, stored) }
	if key == nil {
		key, stored = cursor.Last()
	}
	for key != nil && !before() {
		key, stored = cursor.Prev()
	}
	if key == nil {
		key, stored = cursor.First()
	}
	for key != nil && before() {
		key, stored = cursor.Next()
	}
	return key, stored
}

// intact returns whether a pair of a table is what was written.
func intact(table store.Table) func(key, stored []byte) bool {
	return func(key, stored []byte) bool {
		_, err := store.Unseal(table, key, stored)
		return err == nil
	}
}

// tableOf returns a table's bucket.
func tableOf(tx *bbolt.Tx, table store.Table) (*bbolt.Bucket, error) {
	if !table.Known() {
		return nil, refusal{fmt.Errorf("there is no table %q", table)}
	}
	return bucket(tx, tableBucket(table))
}
