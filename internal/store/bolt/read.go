package bolt

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// A walk copies this much at a time and holds nothing open while its receiver
// works: a slow receiver would keep the file from growing, and one that writes
// would wait for itself. A stream that catches up reads as many bytes at a time.
const (
	chunkEntries = 256
	chunkBytes   = 256 << 10
)

// Read implements store.Journal.
func (j *Journal) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return store.ReadChunks(after, func(w *store.Walk) ([]store.Entry, error) {
		encoded, damaged := j.chunk(ctx, w)
		chunk := make([]store.Entry, len(encoded))
		for i := range encoded {
			var err error
			if chunk[i], err = store.DecodeEntry(encoded[i]); err != nil {
				return chunk[:i], j.explain("reading", err)
			}
		}
		return chunk, damaged
	})
}

// chunk copies the next stored entries, with an error also those before it.
func (j *Journal) chunk(ctx context.Context, w *store.Walk) ([][]byte, error) {
	var chunk [][]byte
	pending := j.pending.all()
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		gone, err := trimmed(tx)
		if err != nil {
			return err
		}
		log, at, err := logEnd(tx)
		if err != nil {
			return err
		}
		stored := at.Position
		if n := len(pending); n > 0 {
			at.Position = max(at.Position, pending[n-1].Position)
		}
		if err := w.Step(at.Position, gone); err != nil {
			return err
		}
		size := 0
		cursor := log.Cursor()
		for key, value := seekIntact(cursor, number(uint64(w.After)+1), isPlace); key != nil; key, value = cursor.Next() {
			if len(chunk) == chunkEntries || size > chunkBytes {
				return nil
			}
			if p, err := place(key, value); err != nil || p.Position > w.Head {
				return err
			}
			chunk = append(chunk, bytes.Clone(value))
			size += len(value)
		}
		for i := 0; i < len(pending) && len(chunk) < chunkEntries && size <= chunkBytes; i++ {
			if e := &pending[i]; e.Position > max(stored, w.After) {
				chunk = append(chunk, bytes.Clone(e.stored))
				size += len(e.stored)
			}
		}
		return nil
	})
	return chunk, err
}

// Seek implements store.Journal.
func (j *Journal) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	var found store.Position
	pending := j.pending.all()
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		gone, err := trimmed(tx)
		if err != nil {
			return err
		}
		if seq < gone {
			return fmt.Errorf("%w: events up to seq %d are gone, but those after %d were requested", store.ErrTrimmed, gone, seq)
		}
		log, end, err := logEnd(tx)
		if err != nil {
			return err
		}
		if found, err = seek(log, end, seq); err != nil || found < end.Position {
			return err
		}
		for i := range pending {
			switch e := &pending[i]; {
			case e.Position <= found:
			case e.Seq > seq && e.Events > 0:
				return nil
			default:
				found = e.Position
			}
		}
		return nil
	})
	return found, err
}

// seek returns the position before the first entry with an event after seq, the
// last one's if there is none: a binary search over positions, in which trimming
// leaves gaps.
func seek(log *bbolt.Bucket, at store.Place, seq uint64) (store.Position, error) {
	if at.Seq <= seq {
		return at.Position, nil
	}
	cursor := log.Cursor()
	low, high := uint64(1), uint64(at.Position)
	for low < high {
		middle := low + (high-low)/2
		p, err := place(seekIntact(cursor, number(middle), isPlace))
		if err != nil {
			return 0, err
		}
		if p.Seq > seq {
			high = middle
		} else {
			low = uint64(p.Position) + 1
		}
	}
	for key, value := seekIntact(cursor, number(low), isPlace); key != nil; key, value = cursor.Next() {
		p, err := place(key, value)
		if err != nil {
			return 0, err
		}
		if p.Events > 0 {
			return p.Position - 1, nil
		}
	}
	return at.Position, nil
}
