package redis

import (
	"context"
	"errors"
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
	values, err := j.GetAll(ctx, []store.Lookup{{Table: table, Key: key}})
	if err != nil {
		return nil, err
	}
	return values[0], nil
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
	var damaged error
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
					asked = append(asked, func() { damaged = errors.Join(damaged, fill(values, records, some, cmd.Val())) })
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
	if err == nil && damaged != nil {
		err = fmt.Errorf("reading %s: %w", j.Path(), damaged)
	}
	if err != nil {
		return nil, err
	}
	return values, nil
}

// fill puts found values at the indexes of their lookups; a missing value stays
// nil.
func fill(values [][]byte, records []store.Lookup, where []int, found []any) error {
	for k, value := range found {
		text, ok := value.(string)
		if !ok {
			continue
		}
		i := where[k]
		var err error
		if values[i], err = store.Unseal(records[i].Table, records[i].Key, []byte(text)); err != nil {
			return err
		}
	}
	return nil
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
				pair, err := j.unseal(table, r, pair)
				if !yield(pair, err) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

// unseal returns a pair of a scan with its value, which is not read where only keys are.
func (j *Journal) unseal(table store.Table, r store.Range, pair store.Pair) (store.Pair, error) {
	if r.KeysOnly {
		return store.Pair{Key: pair.Key}, nil
	}
	value, err := store.Unseal(table, pair.Key, pair.Value)
	if err != nil {
		return store.Pair{Key: pair.Key}, fmt.Errorf("reading %s: %w", j.Path(), err)
	}
	return store.Pair{Key: pair.Key, Value: value}, nil
}

// decodePairs decodes the reply of the scan's script: keys, then their stored values. A
// key without one has the empty value, which is none.
func decodePairs(reply parts) ([]store.Pair, error) {
	keys, _ := reply.at(0).([]any)
	values, _ := reply.at(1).([]any)
	if len(keys) != len(values) {
		return nil, fmt.Errorf("%w: %d keys have %d values", store.ErrCorrupt, len(keys), len(values))
	}
	pairs := make([]store.Pair, len(keys))
	for i := range keys {
		key, isKey := keys[i].(string)
		value, _ := values[i].(string)
		if !isKey {
			return nil, fmt.Errorf("%w: a key is not a text", store.ErrCorrupt)
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
