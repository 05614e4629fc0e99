package bolt

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
)

// A walk copies this much out of the file at a time and holds nothing open while
// its receiver works: a slow receiver would keep the file from growing, and one
// that writes would wait for itself.
const (
	chunkEntries = 256
	chunkBytes   = 1 << 20
)

// walk is where a Read stands.
type walk struct {
	started bool
	// after is the last position yielded, seq the greatest seq up to it.
	after store.Position
	seq   uint64
	// head is where the walk ends. trimmed is the greatest seq that was gone
	// when it started.
	head    store.Position
	trimmed uint64
}

// Read implements store.Journal.
func (j *Journal) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		w := walk{after: after}
		for !w.started || w.after < w.head {
			chunk, err := j.chunk(ctx, &w)
			if err != nil {
				yield(store.Entry{}, err)
				return
			}
			for _, encoded := range chunk {
				e, err := store.DecodeEntry(encoded)
				if err != nil {
					yield(store.Entry{}, j.explain("reading", fmt.Errorf("the entry after position %d: %w", w.after, err)))
					return
				}
				if !yield(e, nil) {
					return
				}
				w.after, w.seq = e.Position, e.Seq
			}
		}
	}
}

// chunk copies the stored entries that come next.
func (j *Journal) chunk(ctx context.Context, w *walk) ([][]byte, error) {
	var chunk [][]byte
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		log, err := bucket(tx, logBucket)
		if err != nil {
			return err
		}
		if err := w.overtaken(tx, log); err != nil {
			return err
		}
		size := 0
		cursor := log.Cursor()
		for key, value := cursor.Seek(number(uint64(w.after) + 1)); key != nil; key, value = cursor.Next() {
			if len(chunk) == chunkEntries || size > chunkBytes {
				return nil
			}
			if p, err := place(key, value); err != nil || p.Position > w.head {
				return err
			}
			chunk = append(chunk, bytes.Clone(value))
			size += len(value)
		}
		return nil
	})
	return chunk, err
}

// overtaken starts the walk, and later fails if an event that it has yet to yield
// was trimmed.
func (w *walk) overtaken(tx *bbolt.Tx, log *bbolt.Bucket) error {
	gone, err := trimmed(tx)
	if err != nil {
		return err
	}
	if w.started {
		if gone > w.trimmed && gone > w.seq {
			return fmt.Errorf("%w: events up to seq %d were trimmed, the walk stood at %d", store.ErrTrimmed, gone, w.seq)
		}
		return nil
	}
	at, err := head(log)
	w.started, w.head, w.trimmed = true, at.Position, gone
	return err
}

// Seek implements store.Journal.
func (j *Journal) Seek(ctx context.Context, seq uint64) (store.Position, error) {
	var found store.Position
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		gone, err := trimmed(tx)
		if err != nil {
			return err
		}
		if seq < gone {
			return fmt.Errorf("%w: events up to seq %d are gone, asked for those after %d", store.ErrTrimmed, gone, seq)
		}
		log, err := bucket(tx, logBucket)
		if err != nil {
			return err
		}
		found, err = seek(log, seq)
		return err
	})
	return found, err
}

// seek returns the position below the first entry with an event after seq: a
// binary search over positions, in which trimming leaves gaps.
func seek(log *bbolt.Bucket, seq uint64) (store.Position, error) {
	at, err := head(log)
	if err != nil || at.Seq <= seq {
		return at.Position, err
	}
	cursor := log.Cursor()
	low, high := uint64(1), uint64(at.Position)
	for low < high {
		middle := low + (high-low)/2
		p, err := place(cursor.Seek(number(middle)))
		if err != nil {
			return 0, err
		}
		if p.Seq > seq {
			high = middle
		} else {
			low = uint64(p.Position) + 1
		}
	}
	for key, value := cursor.Seek(number(low)); key != nil; key, value = cursor.Next() {
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
