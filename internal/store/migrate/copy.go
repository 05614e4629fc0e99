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
	batchBytes = 1 << 20
	batchItems = 256
)

// tally counts and hashes the content of a store.
type tally struct {
	entries, events, records uint64
	sum                      hash.Hash
	buffer                   []byte
}

func newTally() *tally { return &tally{sum: sha256.New()} }

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

// sink receives the batches of a walk.
type sink interface {
	Entries(ctx context.Context, entries []store.Entry) error
	Records(ctx context.Context, records []store.Record) error
}

// nowhere is the sink of a walk that only counts.
type nowhere struct{}

func (nowhere) Entries(context.Context, []store.Entry) error  { return nil }
func (nowhere) Records(context.Context, []store.Record) error { return nil }

// walk reads every entry and every record, writes them to a sink in batches, and
// returns their tally.
func walk(ctx context.Context, from store.Source, into sink, setTerm func(*store.Record) error) (*tally, error) {
	count := newTally()
	entries := batch[store.Entry]{write: into.Entries}
	for e, err := range from.Read(ctx, 0) {
		if err != nil {
			return nil, fmt.Errorf("reading entries: %w", err)
		}
		if err := entries.add(ctx, e, count.entry(&e)); err != nil {
			return nil, fmt.Errorf("writing entries: %w", err)
		}
	}
	if err := entries.flush(ctx); err != nil {
		return nil, fmt.Errorf("writing entries: %w", err)
	}
	records := batch[store.Record]{write: into.Records}
	for _, table := range store.Tables() {
		for pair, err := range from.Scan(ctx, table, store.Range{}) {
			if err != nil {
				return nil, fmt.Errorf("reading the table %s: %w", table, err)
			}
			r := store.Record{Table: table, Key: pair.Key, Value: pair.Value}
			size := count.record(&r)
			if setTerm != nil {
				if err := setTerm(&r); err != nil {
					return nil, fmt.Errorf("the record %q of the table %s: %w", r.Key, table, err)
				}
			}
			if err := records.add(ctx, r, size); err != nil {
				return nil, fmt.Errorf("writing the table %s: %w", table, err)
			}
		}
	}
	if err := records.flush(ctx); err != nil {
		return nil, fmt.Errorf("writing the tables: %w", err)
	}
	return count, nil
}

// batch collects the items of one write.
type batch[T any] struct {
	write func(context.Context, []T) error
	items []T
	size  int
}

func (b *batch[T]) add(ctx context.Context, item T, size int) error {
	b.items = append(b.items, item)
	b.size += size
	if len(b.items) < batchItems && b.size < batchBytes {
		return nil
	}
	return b.flush(ctx)
}

func (b *batch[T]) flush(ctx context.Context) error {
	if len(b.items) == 0 {
		return nil
	}
	err := b.write(ctx, b.items)
	b.items, b.size = b.items[:0], 0
	return err
}
