package redis

import (
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// change is the result of a batch for one key: the stored form of its value, nil for a
// removal.
type change struct {
	value []byte
	term  time.Duration
}

// changes are the results of a batch for a table: of a key that
// changes twice only the last value is sent.
type changes struct {
	cleared bool
	byKey   map[string]change
}

func (c *changes) clear() { c.cleared, c.byKey = true, map[string]change{} }

func (c *changes) set(key string, to change) {
	if c.byKey == nil {
		c.byKey = map[string]change{}
	}
	c.byKey[key] = to
}

// appendTo adds the arguments: whether everything is cleared, removals, puts, and the
// terms of puts.
func (c *changes) appendTo(args []any) []any {
	var removed, put, timed []any
	for key, to := range c.byKey {
		if to.value == nil {
			removed = append(removed, key)
			continue
		}
		put = append(put, key, to.value)
		if to.term > 0 {
			timed = append(timed, key, milliseconds(to.term))
		}
	}
	args = append(args, bit(c.cleared), len(removed))
	args = append(append(args, removed...), len(put))
	args = append(append(args, put...), len(timed)/2)
	return append(args, timed...)
}

// milliseconds rounds up: no deadline is too early.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

func bit(set bool) string {
	if set {
		return "1"
	}
	return "0"
}

// appendChanges adds the changes of tables.
func appendChanges(args []any, records []store.Record) []any {
	tables := map[store.Table]*changes{}
	var order []store.Table
	for _, r := range records {
		if !slices.Contains(order, r.Table) {
			order = append(order, r.Table)
			tables[r.Table] = new(changes)
		}
		if r.Clears() {
			tables[r.Table].clear()
			continue
		}
		to := change{term: r.Term}
		if r.Value != nil {
			to.value = store.AppendSealed(make([]byte, 0, store.SealedLen(r.Value)), r.Table, r.Key, r.Value)
		}
		tables[r.Table].set(string(r.Key), to)
	}
	args = append(args, len(order))
	for _, table := range order {
		args = tables[table].appendTo(append(args, string(table)))
	}
	return args
}
