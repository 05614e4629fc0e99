package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// testConcurrent runs one writer, readers of every kind and checkpoints at the same
// time. Each entry counts itself in a table, so that a reader can detect an entry
// without its record.
func testConcurrent(t *testing.T, b Backend) {
	j := b.open(t, store.Retention{Events: 200, Revs: 50})
	ctx, stop := context.WithCancel(context.Background())
	failed := make(chan error, 16)
	var readers sync.WaitGroup
	for _, read := range []func(context.Context, store.Journal) error{
		readSteps, readSteps, seekSteps, countSteps,
	} {
		readers.Go(func() {
			for ctx.Err() == nil {
				if err := read(ctx, j); err != nil && ctx.Err() == nil {
					failed <- err
					return
				}
			}
		})
	}
	err := writeSteps(j)
	stop()
	readers.Wait()
	close(failed)
	if err != nil {
		t.Error(err)
	}
	for err := range failed {
		t.Error(err)
	}
}

var counterKey = []byte("count")

func writeSteps(j store.Journal) error {
	ctx := context.Background()
	var feed Feed
	var tip store.Tip
	for step := range 80 {
		batch := feed.some(1 + step%16)
		for i := range batch {
			batch[i].Records = []store.Record{{
				Table: store.Aggregates, Key: counterKey, Value: fmt.Append(nil, batch[i].Position),
			}}
		}
		var err error
		if tip, err = j.Commit(ctx, NewBatch(tip, batch...)); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		if step%10 == 9 {
			state := feed.State()
			state.Commit = tip.Commit
			if _, err := j.Checkpoint(ctx, state); err != nil {
				return fmt.Errorf("checkpoint: %w", err)
			}
		}
	}
	return nil
}

// readSteps walks from the oldest event kept; every event must be read.
func readSteps(ctx context.Context, j store.Journal) error {
	from, err := oldest(ctx, j)
	if errors.Is(err, store.ErrTrimmed) {
		return nil
	}
	if err != nil {
		return err
	}
	var last uint64
	for e, err := range j.Read(ctx, from) {
		if errors.Is(err, store.ErrTrimmed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if last != 0 && e.Seq != last+1 {
			return fmt.Errorf("read: seq %d came after %d", e.Seq, last)
		}
		last = e.Seq
	}
	return nil
}

// oldest finds a position from which all events are kept; in the worst case it is
// the head.
func oldest(ctx context.Context, j store.Journal) (store.Position, error) {
	head, err := j.Head(ctx)
	if err != nil {
		return 0, err
	}
	seq := uint64(0)
	if head > 150 {
		seq = uint64(head) - 150
	}
	return j.Seek(ctx, seq)
}

// seekSteps looks for the entry that follows the head, which is never trimmed.
func seekSteps(ctx context.Context, j store.Journal) error {
	head, err := j.Head(ctx)
	if err != nil {
		return err
	}
	got, err := j.Seek(ctx, uint64(head))
	if err != nil && !errors.Is(err, store.ErrTrimmed) || err == nil && got < head {
		return fmt.Errorf("seek(%d): %d, %w", head, got, err)
	}
	_, err = j.Load(ctx)
	return err
}

// countSteps reads the head and then the count, which must not be behind.
func countSteps(ctx context.Context, j store.Journal) error {
	head, err := j.Head(ctx)
	if err != nil || head == 0 {
		return err
	}
	for pair, err := range j.Scan(ctx, store.Aggregates, store.Range{}) {
		if err != nil {
			return err
		}
		value, err := j.Get(ctx, store.Aggregates, counterKey)
		if err != nil {
			return err
		}
		var scanned, got store.Position
		if _, err := fmt.Sscan(string(pair.Value), &scanned); err != nil {
			return err
		}
		if _, err := fmt.Sscan(string(value), &got); err != nil {
			return err
		}
		if scanned < head || got < scanned {
			return fmt.Errorf("the head was %d, then a scan counted %d and a get %d", head, scanned, got)
		}
	}
	return nil
}
