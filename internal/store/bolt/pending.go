package bolt

import (
	"bytes"
	"slices"
	"sync"

	"github.com/playctl/playctl/internal/store"
)

// pending are the commits of the write-ahead log that are not in the database
// yet. Readers look here first and then into the database: what they do not find
// here the database has by then.
type pending struct {
	mu      sync.RWMutex
	entries []store.Entry
	// bytes is about what they take.
	bytes   int
	records map[store.Table]map[string]pendingRecord
	// cleared are the tables that were emptied, with the entry that did.
	cleared map[store.Table]store.Position
}

// pendingRecord is the newest value of a record, nil where it was deleted, and the
// entry that it is of.
type pendingRecord struct {
	value []byte
	of    store.Position
}

// add takes a commit and reports how many bytes wait now.
func (p *pending) add(entries []store.Entry, size int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries = append(p.entries, entries...)
	p.bytes += size
	for i := range entries {
		for k := range entries[i].Records {
			p.record(entries[i].Position, &entries[i].Records[k])
		}
	}
	return p.bytes
}

func (p *pending) record(of store.Position, r *store.Record) {
	if p.records == nil {
		p.records, p.cleared = map[store.Table]map[string]pendingRecord{}, map[store.Table]store.Position{}
	}
	if r.Clears() {
		delete(p.records, r.Table)
		p.cleared[r.Table] = of
		return
	}
	table := p.records[r.Table]
	if table == nil {
		table = map[string]pendingRecord{}
		p.records[r.Table] = table
	}
	table[string(r.Key)] = pendingRecord{r.Value, of}
}

// all returns the entries, oldest first. The slice is not changed.
func (p *pending) all() []store.Entry {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Clip(p.entries)
}

// weight is about how many bytes the entries take, with their records.
func (p *pending) weight() uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return uint64(p.bytes)
}

// last returns where the last entry stands, and whether there is one.
func (p *pending) last() (store.Place, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if len(p.entries) == 0 {
		return store.Place{}, false
	}
	return p.entries[len(p.entries)-1].Place(), true
}

// flushed forgets the first entries, which the database has.
func (p *pending) flushed(entries []store.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	end := entries[len(entries)-1].Position
	for i := range entries {
		for k := range entries[i].Records {
			r := &entries[i].Records[k]
			if table := p.records[r.Table]; table != nil && table[string(r.Key)].of <= end {
				delete(table, string(r.Key))
			}
			if p.cleared[r.Table] <= end {
				delete(p.cleared, r.Table)
			}
		}
	}
	p.bytes -= p.bytes * len(entries) / len(p.entries)
	p.entries = slices.Clone(p.entries[len(entries):])
}

// get returns a record's value, and whether it is known without the database.
func (p *pending) get(table store.Table, key []byte) ([]byte, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if r, known := p.records[table][string(key)]; known {
		return keep(r.value), true
	}
	_, cleared := p.cleared[table]
	return nil, cleared
}

// within returns the records of a range, nil for those that were deleted, and
// whether the database's own are gone.
func (p *pending) within(table store.Table, r store.Range) (records map[string][]byte, cleared bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for key, record := range p.records[table] {
		if r.Holds(key) {
			if records == nil {
				records = map[string][]byte{}
			}
			records[key] = record.value
		}
	}
	_, cleared = p.cleared[table]
	return records, cleared
}

// merge puts records into a chunk of a range: all of those that lie before the
// chunk's end.
func merge(chunk *scanned, r store.Range, records map[string][]byte) {
	if len(records) == 0 {
		return
	}
	chunk.pairs = slices.DeleteFunc(chunk.pairs, func(p store.Pair) bool {
		_, newer := records[string(p.Key)]
		return newer
	})
	for key, value := range records {
		if value == nil || !chunk.last && !before(r, []byte(key), chunk.end) {
			continue
		}
		pair := store.Pair{Key: []byte(key)}
		if !r.KeysOnly {
			pair.Value = keep(value)
		}
		chunk.pairs = append(chunk.pairs, pair)
	}
	slices.SortFunc(chunk.pairs, func(x, y store.Pair) int {
		if r.Reverse {
			x, y = y, x
		}
		return bytes.Compare(x.Key, y.Key)
	})
}

// before reports whether a walk over a range comes to a key before it comes past
// another.
func before(r store.Range, key, other []byte) bool {
	if r.Reverse {
		return bytes.Compare(key, other) >= 0
	}
	return bytes.Compare(key, other) <= 0
}
