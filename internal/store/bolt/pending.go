package bolt

import (
	"bytes"
	"slices"
	"sync"

	"github.com/playctl/playctl/internal/store"
)

// pending holds the commits of the write-ahead log that are not in the database
// yet. Readers look here first and then in the database: a commit that is missing
// here is in the database by then.
type pending struct {
	mu      sync.RWMutex
	entries []waiting
	// bytes is the approximate size of the entries.
	bytes   int
	records map[store.Table]map[string]pendingRecord
	// cleared are the tables that were emptied, with the entry that emptied them.
	cleared map[store.Table]store.Position
}

// waiting is an entry that is not in the database yet, in memory of its own.
type waiting struct {
	store.Place
	// stored is its stored form, without records.
	stored []byte
	// records have values in their stored form.
	records []store.Record
}

// copied copies entries to wait, all of them into the same memory.
func copied(entries []store.Entry) []waiting {
	room, records := 0, 0
	for i := range entries {
		room += storedSize(&entries[i])
		records += len(entries[i].Records)
		for k := range entries[i].Records {
			room += len(entries[i].Records[k].Key) + store.SealedLen(entries[i].Records[k].Value)
		}
	}
	c := copier{make([]byte, 0, room), make([]store.Record, 0, records)}
	copies := make([]waiting, len(entries))
	for i := range entries {
		copies[i] = c.entry(&entries[i])
	}
	return copies
}

// copier is the memory for copies.
type copier struct {
	bytes   []byte
	records []store.Record
}

func (c *copier) entry(e *store.Entry) waiting {
	bare := *e
	bare.Records = nil
	start, first := len(c.bytes), len(c.records)
	c.bytes = store.AppendEntry(c.bytes, &bare)
	stored := c.bytes[start:len(c.bytes):len(c.bytes)]
	for _, r := range e.Records {
		r.Key, r.Value = c.copy(r.Key), c.seal(&r)
		c.records = append(c.records, r)
	}
	return waiting{e.Place(), stored, c.records[first:len(c.records):len(c.records)]}
}

func (c *copier) copy(b []byte) []byte {
	start := len(c.bytes)
	c.bytes = append(c.bytes, b...)
	return c.bytes[start:len(c.bytes):len(c.bytes)]
}

// seal returns the stored form of a record's value, nil if that is deleted.
func (c *copier) seal(r *store.Record) []byte {
	if r.Value == nil {
		return nil
	}
	start := len(c.bytes)
	c.bytes = store.AppendSealed(c.bytes, r.Table, r.Key, r.Value)
	return c.bytes[start:len(c.bytes):len(c.bytes)]
}

// storedSize returns about how many bytes an entry takes without its records, and
// never less.
func storedSize(e *store.Entry) int {
	const fixed, each = 128, 16
	size := fixed + len(e.Notify)
	for k := range e.Events {
		size += each + len(e.Events[k].Kind) + len(e.Events[k].Data)
		for _, who := range e.Events[k].Audience {
			size += each + len(who)
		}
	}
	for k := range e.Rows {
		size += each + len(e.Rows[k].Key) + len(e.Rows[k].JSON)
	}
	return size
}

// pendingRecord is the stored form of the newest value of a record, nil if it was
// deleted, and the position of the entry that wrote it.
type pendingRecord struct {
	value []byte
	of    store.Position
}

// add adds a commit and returns the number of waiting bytes.
func (p *pending) add(entries []waiting, size int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries = append(p.entries, entries...)
	p.bytes += size
	for i := range entries {
		for k := range entries[i].records {
			p.record(entries[i].Position, &entries[i].records[k])
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
func (p *pending) all() []waiting {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return slices.Clip(p.entries)
}

// weight returns about how many bytes the entries take, with their records.
func (p *pending) weight() uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return uint64(p.bytes)
}

// empty reports whether no entries wait.
func (p *pending) empty() bool {
	_, waits := p.last()
	return !waits
}

// last returns the place of the last entry, and whether there is one.
func (p *pending) last() (store.Place, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if len(p.entries) == 0 {
		return store.Place{}, false
	}
	return p.entries[len(p.entries)-1].Place, true
}

// flushed removes the first entries, which are in the database.
func (p *pending) flushed(entries []waiting) {
	p.mu.Lock()
	defer p.mu.Unlock()
	end := entries[len(entries)-1].Position
	for i := range entries {
		for k := range entries[i].records {
			r := &entries[i].records[k]
			if table := p.records[r.Table]; table != nil && table[string(r.Key)].of <= end {
				delete(table, string(r.Key))
			}
			if p.cleared[r.Table] <= end {
				delete(p.cleared, r.Table)
			}
		}
	}
	p.bytes -= p.bytes * len(entries) / len(p.entries)
	rest := p.entries[len(entries):]
	p.entries = nil
	if len(rest) > 0 {
		// The same number is likely to arrive before the next flush.
		p.entries = append(make([]waiting, 0, len(rest)+len(entries)), rest...)
	}
}

// get returns the stored form of a record's value, and whether it is known without
// reading the database.
func (p *pending) get(table store.Table, key []byte) ([]byte, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if r, known := p.records[table][string(key)]; known {
		return r.value, true
	}
	_, cleared := p.cleared[table]
	return nil, cleared
}

// within returns the stored forms of the records of a range, nil for deleted ones, and
// whether the database's own records of the table were cleared.
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

// merge merges into a chunk of a range all records before the chunk's end.
func merge(chunk *scanned, table store.Table, r store.Range, records map[string][]byte) {
	if len(records) == 0 {
		return
	}
	chunk.pairs = slices.DeleteFunc(chunk.pairs, func(p scannedPair) bool {
		_, newer := records[string(p.Key)]
		return newer
	})
	for key, stored := range records {
		if stored == nil || !chunk.last && !before(r, []byte(key), chunk.end) {
			continue
		}
		chunk.pairs = append(chunk.pairs, scan(table, r, []byte(key), stored))
	}
	slices.SortStableFunc(chunk.pairs, func(x, y scannedPair) int {
		if r.Reverse {
			x, y = y, x
		}
		return bytes.Compare(x.Key, y.Key)
	})
}

// before reports whether a walk over a range reaches a key before it passes
// another.
func before(r store.Range, key, other []byte) bool {
	if r.Reverse {
		return bytes.Compare(key, other) >= 0
	}
	return bytes.Compare(key, other) <= 0
}
