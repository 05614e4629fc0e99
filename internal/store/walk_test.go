package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// TestReadChunks walks a journal that grows, is trimmed or damaged in the meantime.
func TestReadChunks(t *testing.T) {
	damaged := errors.New("damaged")
	type chunk struct {
		head      store.Position
		trimmed   uint64
		positions []store.Position
		err       error
	}
	for name, c := range map[string]struct {
		after  store.Position
		chunks []chunk
		want   []store.Position
		err    error
	}{
		"up to the head at the start": {0, []chunk{{3, 0, []store.Position{1, 2}, nil}, {5, 0, []store.Position{3, 4, 5}, nil}}, []store.Position{1, 2, 3}, nil},
		"from the middle, with gaps":  {4, []chunk{{9, 3, []store.Position{6, 9}, nil}}, []store.Position{6, 9}, nil},
		"nothing":                     {0, []chunk{{0, 0, nil, nil}}, nil, nil},
		"up to a damaged entry":       {0, []chunk{{3, 0, []store.Position{1}, damaged}}, []store.Position{1}, damaged},
		"trimmed behind the reader":   {0, []chunk{{3, 0, []store.Position{1, 2}, nil}, {3, 2, []store.Position{3}, nil}}, []store.Position{1, 2, 3}, nil},
		"trimmed ahead of the reader": {0, []chunk{{5, 0, []store.Position{1, 2}, nil}, {5, 3, []store.Position{5}, nil}}, []store.Position{1, 2}, store.ErrTrimmed},
		"shorter than before":         {0, []chunk{{5, 0, []store.Position{1, 2}, nil}, {2, 0, nil, nil}}, []store.Position{1, 2}, store.ErrDiverged},
	} {
		t.Run(name, func(t *testing.T) {
			left := c.chunks
			var got []store.Position
			var failed error
			for e, err := range store.ReadChunks(c.after, func(w *store.Walk) ([]store.Entry, error) {
				next := left[0]
				left = left[1:]
				if err := w.Step(next.head, next.trimmed); err != nil {
					return nil, err
				}
				var entries []store.Entry
				for _, p := range next.positions {
					entries = append(entries, store.Entry{Position: p, Seq: uint64(p)})
				}
				return entries, next.err
			}) {
				if failed = err; err == nil {
					got = append(got, e.Position)
				}
			}
			if !slices.Equal(got, c.want) || !errors.Is(failed, c.err) || (failed == nil) != (c.err == nil) {
				t.Errorf("walked %v, %v; want %v, %v", got, failed, c.want, c.err)
			}
		})
	}
}
