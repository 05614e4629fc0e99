package migrate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/playctl/playctl/internal/store"
)

// The greatest size of one write: a store that serves others too can serve them in
// between.
const (
	chunkBytes = 1 << 20
	chunkItems = 256
)

// tally counts and hashes the content of a store.
type tally struct {
	entries, events, records uint64
	sum                      hash.Hash
	buffer                   []byte
}

func (t *tally) equal(other *tally) bool {
	return t.entries == other.entries && t.events == other.events && t.records == other.records &&
		bytes.Equal(t.sum.Sum(nil), other.sum.Sum(nil))
}

// entry counts an entry in its stored form, and returns its size in bytes.
func (t *tally) entry(e *store.Entry) int {
	t.entries++
	t.events += uint64(len(e.Events))
	t.buffer = store.AppendEntry(t.buffer[:0], e)
	t.sum.Write(t.buffer)
	return len(t.buffer)
}

// record counts a record, and returns its size in bytes.
func (t *tally) record(r *store.Record) int {
	t.records++
	t.buffer = t.buffer[:0]
	for _, part := range [][]byte{[]byte(r.Table), r.Key, r.Value} {
		t.buffer = binary.AppendUvarint(t.buffer, uint64(len(part)))
		t.buffer = append(t.buffer, part...)
	}
	t.sum.Write(t.buffer)
	return len(t.buffer)
}

// sink receives the chunks of a walk.
type sink interface {
	Entries(ctx context.Context, entries []store.Entry) error
	Records(ctx context.Context, records []store.Record) error
}

// nowhere is the sink of a walk that only counts.
type nowhere struct{}

func (nowhere) Entries(context.Context, []store.Entry) error  { return nil }
func (nowhere) Records(context.Context, []store.Record) error { return nil }

// walk reads every entry and every record, writes them to a sink in chunks, and
// returns their tally.
func walk(ctx context.Context, from store.Source, into sink, setTerm func(*store.Record) error) (*tally, error) {
	count := &tally{sum: sha256.New()}
	for entries, err := range store.Chunks(from.Read(ctx, 0), chunkItems, chunkBytes, count.entry) {
		if err != nil {
			return nil, fmt.Errorf("reading entries: %w", err)
		}
		if err := into.Entries(ctx, entries); err != nil {
			return nil, fmt.Errorf("writing entries: %w", err)
		}
	}
	for records, err := range store.Chunks(store.Records(ctx, from), chunkItems, chunkBytes, count.record) {
		if err != nil {
			return nil, err
		}
		for i := range records {
			if r := &records[i]; setTerm != nil {
				if err := setTerm(r); err != nil {
					return nil, fmt.Errorf("the record %q of the table %s: %w", r.Key, r.Table, err)
				}
			}
		}
		if err := into.Records(ctx, records); err != nil {
			return nil, fmt.Errorf("writing the tables: %w", err)
		}
	}
	return count, nil
}
