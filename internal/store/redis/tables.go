package redis

import (
	"context"
	"fmt"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"github.com/playctl/playctl/internal/store"
)

func known(table store.Table) error {
	if !table.Known() {
		return fmt.Errorf("there is no table %q", table)
	}
	return nil
}

// Get implements store.Repository.
func (j *Journal) Get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	if err := known(table); err != nil {
		return nil, err
	}
	var value []byte
	err := j.read(ctx, "reading", func() (err error) {
		value, err = j.client.HGet(ctx, j.key("table:"+string(table)), string(key)).Bytes()
		if err == goredis.Nil { //nolint:errorlint // the library's own sentinel, never wrapped
			value, err = nil, nil
		} else if err == nil && value == nil {
			value = []byte{}
		}
		return err
	})
	return value, err
}

// lookupsAtOnce is how many records of a table one command requests, so that the
// server can serve others in between.
const lookupsAtOnce = 512

// GetAll implements store.Repository: the commands for all tables are sent
// together.
func (j *Journal) GetAll(ctx context.Context, records []store.Lookup) ([][]byte, error) {
	places := map[store.Table][]int{}
	for i, r := range records {
		if err := known(r.Table); err != nil {
			return nil, err
		}
		places[r.Table] = append(places[r.Table], i)
	}
	values := make([][]byte, len(records))
	if len(records) == 0 {
		return values, j.call(ctx, "reading", func() error { return nil })
	}
	err := j.read(ctx, "reading", func() error {
		var asked []func()
		_, err := j.client.Pipelined(ctx, func(p goredis.Pipeliner) error {
			for table, all := range places {
				for some := range slices.Chunk(all, lookupsAtOnce) {
					keys := make([]string, len(some))
					for k, i := range some {
						keys[k] = string(records[i].Key)
					}
					cmd := p.HMGet(ctx, j.key("table:"+string(table)), keys...)
					asked = append(asked, func() { fill(values, some, cmd.Val()) })
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("asking for %d records: %w", len(records), err)
		}
		for _, take := range asked {
			take()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return values, nil
}

// fill puts found values at the indexes of their lookups; a missing value stays
// nil.
func fill(values [][]byte, where []int, found []any) {
	for k, value := range found {
		if text, ok := value.(string); ok {
			values[where[k]] = append([]byte{}, text...)
		}
	}
}

// Scan implements store.Repository.
func (j *Journal) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	return func(yield func(store.Pair, error) bool) {
		if err := known(table); err != nil {
			yield(store.Pair{}, err)
			return
		}
		first, last, reverse := lexBounds(r)
		for limit := firstScan; ; limit = min(2*limit, lastScan) {
			reply, err := j.readScript(ctx, "reading", scanScript(), j.tableKeys(table)[:2], string(table), reverse, first, last, limit, replyBytes, bit(r.KeysOnly))
			if err != nil {
				yield(store.Pair{}, err)
				return
			}
			pairs, err := decodePairs(reply)
			if err != nil {
				yield(store.Pair{}, fmt.Errorf("reading the table %s of %s: %w", table, j.Path(), err))
				return
			}
			more := len(pairs) > 0 && text(reply.at(2)) == "1"
			if more {
				// From here on the pairs belong to the receiver.
				first = "(" + string(pairs[len(pairs)-1].Key)
			}
			for _, pair := range pairs {
				if r.KeysOnly {
					pair.Value = nil
				}
				if !yield(pair, nil) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

// decodePairs decodes the reply of the scan's script: keys, then their values.
func decodePairs(reply parts) ([]store.Pair, error) {
	keys, _ := reply.at(0).([]any)
	values, _ := reply.at(1).([]any)
	if len(keys) != len(values) {
		return nil, fmt.Errorf("%w: %d keys have %d values", store.ErrCorrupt, len(keys), len(values))
	}
	pairs := make([]store.Pair, len(keys))
	for i := range keys {
		key, isKey := keys[i].(string)
		value, isValue := values[i].(string)
		if !isKey || !isValue {
			return nil, fmt.Errorf("%w: the key %q is listed and has no value", store.ErrCorrupt, key)
		}
		pairs[i] = store.Pair{Key: []byte(key), Value: []byte(value)}
	}
	return pairs, nil
}

// lexBounds returns a range in the form of ZRANGE BYLEX.
func lexBounds(r store.Range) (first, last, reverse string) {
	first, last = "-", "+"
	low, high := r.Bounds()
	if len(low) > 0 {
		first = "[" + string(low)
	}
	if len(high) > 0 {
		last = "(" + string(high)
	}
	if r.Reverse {
		return last, first, "REV"
	}
	return first, last, ""
}
