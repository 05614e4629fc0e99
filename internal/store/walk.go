package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Walk is the state of a backend's Read, which reads some entries at a time and
// holds no transaction in between.
type Walk struct {
	// After is the last position that was yielded.
	After Position
	// Head is where the walk ends: the journal's head when it started.
	Head Position

	started bool
	// seq is the greatest seq up to After. trimmed is the greatest seq that was
	// gone when the walk started.
	seq     uint64
	trimmed uint64
}

// Step starts the walk at the journal's head and the greatest seq that is no
// longer kept, as of one moment with the entries that come next. Later it fails
// with ErrTrimmed if an event that is yet to be yielded was trimmed, and with
// ErrDiverged if the journal is shorter than it was.
func (w *Walk) Step(head Position, trimmed uint64) error {
	if !w.started {
		w.started, w.Head, w.trimmed = true, head, trimmed
		return nil
	}
	switch {
	case head < w.Head:
		return fmt.Errorf("%w: it ends at position %d, it did at %d", ErrDiverged, head, w.Head)
	case trimmed > w.trimmed && trimmed > w.seq:
		return fmt.Errorf("%w: events up to seq %d were trimmed, the walk stood at %d", ErrTrimmed, trimmed, w.seq)
	}
	return nil
}

// ReadChunks walks the entries after a position. next calls Step and returns the
// entries after w.After that come next, with an error also those before it; ones
// past w.Head are left out.
func ReadChunks(after Position, next func(w *Walk) ([]Entry, error)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := &Walk{After: after}
		for !w.started || w.After < w.Head {
			chunk, err := next(w)
			for i := range chunk {
				if chunk[i].Position > w.Head {
					return
				}
				if !yield(chunk[i], nil) {
					return
				}
				w.After, w.seq = chunk[i].Position, chunk[i].Seq
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if len(chunk) == 0 {
				return
			}
		}
	}
}

// Records walks the records of all tables, with a *DamagedError for each damaged one. If
// a table cannot be read to its end, the walk yields the error and continues with the next
// table.
func Records(ctx context.Context, from Repository) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, table := range Tables() {
			for pair, err := range from.Scan(ctx, table, Range{}) {
				if err != nil {
					if !yield(Record{}, fmt.Errorf("reading the table %s: %w", table, err)) {
						return
					}
					if IsDamaged(err) {
						continue
					}
					break
				}
				if !yield(Record{Table: table, Key: pair.Key, Value: pair.Value}, nil) {
					return
				}
			}
		}
	}
}

// Bounds returns the least key of the range (inclusive) and the bound above it
// (exclusive); empty means none.
func (r Range) Bounds() (low, high []byte) {
	low, high = r.From, r.Before
	if bytes.Compare(low, r.Prefix) < 0 {
		low = r.Prefix
	}
	if after := afterPrefix(r.Prefix); len(after) > 0 && (len(high) == 0 || bytes.Compare(after, high) < 0) {
		high = after
	}
	return low, high
}

// Holds reports whether a key lies in the range.
func (r Range) Holds(key string) bool {
	return strings.HasPrefix(key, string(r.Prefix)) && key >= string(r.From) &&
		(len(r.Before) == 0 || key < string(r.Before))
}

// afterPrefix is the least key above every key with the prefix; empty if there is
// none.
func afterPrefix(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			after := slices.Clone(prefix[:i+1])
			after[i]++
			return after
		}
	}
	return nil
}
