package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// line returns an entry of a recorded interaction: an event of 400 bytes and the
// records of the histories.
func line(position store.Position) store.Entry {
	data := bytes.Repeat([]byte("x"), 400)
	seq := uint64(position)
	return store.Entry{
		Position: position, At: 1_767_323_045_678, Seq: seq, LeafCount: 102,
		Events: []store.Event{{Kind: "world:interaction", Data: data}},
		Records: []store.Record{
			{Table: store.Interactions, Key: fmt.Appendf(nil, "agent-%03d\x00%016x", seq%100, seq), Value: data},
			{Table: store.InteractionOrder, Key: be(seq), Value: []byte("agent")},
		},
	}
}

// BenchmarkAppend commits durably: an operation is a batch; the relevant result is
// entries/s.
func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprint("batch=", size), func(b *testing.B) { benchmarkAppend(b, size) })
	}
}

func benchmarkAppend(b *testing.B, size int) {
	b.Helper()
	ctx := context.Background()
	j, err := bolt.Open(ctx, bolt.Options{Path: filepath.Join(b.TempDir(), "world.db"), RootKey: rootKey})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := j.Close(); err != nil {
			b.Error(err)
		}
	}()
	var tip store.Tip
	b.ReportAllocs()
	for b.Loop() {
		batch := make([]store.Entry, size)
		for i := range batch {
			batch[i] = line(tip.Position + store.Position(i) + 1)
		}
		if tip, err = j.Commit(ctx, &store.Batch{After: tip, Entries: batch}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(tip.Position)/b.Elapsed().Seconds(), "entries/s")
}

// recorded returns a store with 20,000 lines.
func recorded(b *testing.B) (*bolt.Journal, store.Position) {
	b.Helper()
	j, err := bolt.Open(context.Background(), bolt.Options{Path: filepath.Join(b.TempDir(), "world.db"), RootKey: rootKey})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := j.Close(); err != nil {
			b.Error(err)
		}
	})
	var head store.Position
	for head < 20_000 {
		batch := make([]store.Entry, 1000)
		for i := range batch {
			batch[i] = line(head + store.Position(i) + 1)
		}
		if err := storetest.Append(context.Background(), j, head, batch...); err != nil {
			b.Fatal(err)
		}
		head += store.Position(len(batch))
	}
	return j, head
}

func BenchmarkSeek(b *testing.B) {
	j, head := recorded(b)
	b.ReportAllocs()
	for seq := uint64(0); b.Loop(); seq = (seq + 7919) % uint64(head) {
		if p, err := j.Seek(context.Background(), seq); err != nil || uint64(p) != seq {
			b.Fatal(p, err)
		}
	}
}

// BenchmarkRead reads the last 10,000 entries, as a starting host or a late stream
// does.
func BenchmarkRead(b *testing.B) {
	j, head := recorded(b)
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range j.Read(context.Background(), head-10_000) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 10_000 {
			b.Fatal(n)
		}
	}
}

// BenchmarkCheckpoint has a thousand new lines to trim each time.
func BenchmarkCheckpoint(b *testing.B) {
	j, head := recorded(b)
	state := store.State{Rows: make([]store.Row, 100)}
	for i := range state.Rows {
		state.Rows[i] = store.Row{Key: fmt.Sprint("agent:main:", i), JSON: bytes.Repeat([]byte("x"), 1000)}
	}
	for b.Loop() {
		b.StopTimer()
		batch := make([]store.Entry, 1000)
		for i := range batch {
			batch[i] = line(head + store.Position(i) + 1)
		}
		err := storetest.Append(context.Background(), j, head, batch...)
		head += store.Position(len(batch))
		b.StartTimer()
		state.Position, state.Seq = head, uint64(head)
		_, failure := j.Checkpoint(context.Background(), state)
		if err := errors.Join(err, failure); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen starts on a store of 20,000 lines.
func BenchmarkOpen(b *testing.B) {
	j, head := recorded(b)
	o := bolt.Options{Path: j.Path(), RootKey: rootKey}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		j, err := bolt.Open(context.Background(), o)
		if err != nil {
			b.Fatal(err)
		}
		if at, err := j.Head(context.Background()); err != nil || at != head {
			b.Fatal(at, err)
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
