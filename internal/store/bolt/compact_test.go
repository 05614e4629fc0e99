package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// readEverything returns the whole content of a store; it ends with the first error.
func readEverything(j store.Journal) (entries []store.Entry, records map[string]string, err error) {
	ctx := context.Background()
	records = map[string]string{}
	if _, err := j.Load(ctx); err != nil {
		return nil, nil, err
	}
	if _, err := j.Seek(ctx, 7); err != nil && !errors.Is(err, store.ErrTrimmed) {
		return nil, nil, err
	}
	for e, err := range j.Read(ctx, 0) {
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, e)
	}
	for _, table := range store.Tables() {
		for pair, err := range j.Scan(ctx, table, store.Range{}) {
			if err != nil {
				return nil, nil, err
			}
			records[string(table)+"/"+string(pair.Key)] = string(pair.Value)
		}
	}
	return entries, records, nil
}

// filledStore returns a closed store with a history: entries, checkpoints, trimmed
// space.
func filledStore(t *testing.T) bolt.Options {
	t.Helper()
	o := bolt.Options{
		Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey, LockWait: 100 * time.Millisecond,
		Retention: store.Retention{Events: 300, Revs: 100},
	}
	j := open(t, o)
	defer closeStore(t, j)
	var feed storetest.Feed
	for round := range 20 {
		var batch []store.Entry
		for i := range 200 {
			e := feed.Next(i%4 == 0, 1)
			e.Records = []store.Record{{
				Table: store.Interactions, Key: fmt.Append(nil, "player ", i), Value: bytes.Repeat([]byte{byte('a' + round)}, 500),
			}}
			batch = append(batch, e)
		}
		appendTo(t, j, batch...)
		if _, err := j.Checkpoint(context.Background(), feed.State()); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

func TestCompact(t *testing.T) {
	ctx := context.Background()
	o := filledStore(t)
	j := open(t, o)
	entries, records, err := readEverything(j)
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, j)
	before, after, err := bolt.Compact(ctx, o.Path)
	if err != nil {
		t.Fatal(err)
	}
	if after >= before || int64(len(content(t, o.Path))) != after {
		t.Errorf("Compact reports %d and %d bytes, the file has %d", before, after, len(content(t, o.Path)))
	}
	if files := names(t, filepath.Dir(o.Path)); len(files) != 1 {
		t.Errorf("the folder contains %q, want the store only", files)
	}
	j = open(t, o)
	defer closeStore(t, j)
	entriesAfter, recordsAfter, err := readEverything(j)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(entries, entriesAfter) + cmp.Diff(records, recordsAfter); diff != "" {
		t.Errorf("the store changed:\n%s", diff)
	}
	if problems, err := j.CheckPages(ctx); err != nil || len(problems) > 0 {
		t.Errorf("its pages: %q, %v", problems, err)
	}
}

func TestCompactRefuses(t *testing.T) {
	ctx := context.Background()
	missing := filepath.Join(t.TempDir(), "none.db")
	if _, _, err := bolt.Compact(ctx, missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Compact without a store: %v", err)
	}
	o := filledStore(t)
	before := content(t, o.Path)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := bolt.Compact(canceled, o.Path); !errors.Is(err, context.Canceled) {
		t.Errorf("Compact with a canceled context: %v", err)
	}
	if !bytes.Equal(before, content(t, o.Path)) || len(names(t, filepath.Dir(o.Path))) != 1 {
		t.Error("a refused Compact changed the folder")
	}
}

// TestCompactWhileOthersWait compacts repeatedly while another process opens the
// store, appends and closes it: the appended entries must be in the file at the
// path, not in one that was replaced.
func TestCompactWhileOthersWait(t *testing.T) {
	ctx := context.Background()
	o := createdStore(t)
	o.LockWait = 30 * time.Second
	stop, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(failed)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, _, err := bolt.Compact(ctx, o.Path); err != nil && !errors.Is(err, store.ErrLocked) {
				failed <- err
				return
			}
		}
	}()
	const appends = 15
	for i := range store.Position(appends) {
		j := open(t, o)
		appendTo(t, j, store.Entry{Position: 3 + i, Rev: 1, Seq: 2})
		closeStore(t, j)
	}
	close(stop)
	if err := <-failed; err != nil {
		t.Fatal(err)
	}
	j := open(t, o)
	defer closeStore(t, j)
	if head, err := j.Head(ctx); err != nil || head != 2+appends {
		t.Errorf("the head is %d, %v; %d entries were acknowledged", head, err, 2+appends)
	}
}
