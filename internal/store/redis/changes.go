package redis

import (
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// change is the result of a batch for one key; a nil value is a removal.
type change struct {
	value []byte
	term  time.Duration
}

// changes are the results of a batch for a table or for the rows: of a key that
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

// appendTo adds the arguments: whether everything is cleared, removals, puts and,
// with terms, the terms of puts.
func (c *changes) appendTo(args []any, terms bool) []any {
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
	args = append(args, put...)
	if terms {
		args = append(append(args, len(timed)/2), timed...)
	}
	return args
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

// appendChanges adds the changes of rows and tables in the entries.
func appendChanges(args []any, entries []store.Entry) []any {
	var rows changes
	tables := map[store.Table]*changes{}
	var order []store.Table
	for i := range entries {
		e := &entries[i]
		if e.Cleared {
			rows.clear()
		}
		for _, row := range e.Rows {
			rows.set(row.Key, change{value: row.JSON})
		}
		for _, r := range e.Records {
			if !slices.Contains(order, r.Table) {
				order = append(order, r.Table)
				tables[r.Table] = new(changes)
			}
			if r.Clears() {
				tables[r.Table].clear()
				continue
			}
			tables[r.Table].set(string(r.Key), change{r.Value, r.Term})
		}
	}
	args = append(rows.appendTo(args, false), len(order))
	for _, table := range order {
		args = tables[table].appendTo(append(args, string(table)), true)
	}
	return args
}
