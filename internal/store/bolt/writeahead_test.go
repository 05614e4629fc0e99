package bolt_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// crashedStore commits entries, each with some events, and returns the files that a crash would leave.
func crashedStore(t *testing.T, commits, events int) bolt.Options {
	t.Helper()
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey}
	j := open(t, o)
	defer closeStore(t, j)
	var feed storetest.Feed
	for range commits {
		appendTo(t, j, feed.Next(true, events), feed.Next(false, events))
	}
	o.Path = filepath.Join(t.TempDir(), "world.db")
	if err := j.CopyTo(o.Path); err != nil {
		t.Fatal(err)
	}
	return o
}

// entries opens a store and counts its entries.
func entries(t *testing.T, o bolt.Options) (int, error) {
	t.Helper()
	j, err := bolt.Open(context.Background(), o)
	if err != nil {
		return 0, err
	}
	defer closeStore(t, j)
	n := 0
	for e, err := range j.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.Position != store.Position(n) {
			t.Fatalf("entry %d follows entry %d", e.Position, n-1)
		}
	}
	if head, err := j.Head(context.Background()); err != nil || int(head) != n {
		t.Fatalf("the head is %d, %v, after %d entries", head, err, n)
	}
	return n, nil
}

func TestCleanStopLeavesOneFile(t *testing.T) {
	o := createdStore(t)
	if files := names(t, filepath.Dir(o.Path)); len(files) != 1 {
		t.Errorf("the folder contains %q", files)
	}
}

func TestOneSyncPerCommit(t *testing.T) {
	j := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey})
	defer closeStore(t, j)
	var feed storetest.Feed
	appendTo(t, j, feed.Next(true, 1)) // creates the log
	const commits = 50
	syncs, written := j.Syncs(func() {
		for i := range commits {
			appendTo(t, j, feed.Next(i%2 == 0, 1), feed.Next(false, 2))
		}
	})
	if syncs != commits || written != 0 {
		t.Errorf("%d commits caused %d syncs and %d writes to the database", commits, syncs, written)
	}
}

// A store works without a log that cannot be created, and tries again later.
func TestLogCreationIsRetried(t *testing.T) {
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey}
	log := bolt.WriteAheadPath(o.Path)
	if err := os.Mkdir(log, 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := bolt.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { must(t, j.Close()) }()
	var feed storetest.Feed
	add := func() {
		e := feed.Next(true, 1)
		appendTo(t, j, e)
	}
	add()
	must(t, os.Remove(log))
	for range bolt.LogAgain - 1 {
		add()
	}
	if _, err := os.Stat(log); err == nil {
		t.Fatal("the log was created before the retry was due")
	}
	add()
	if _, err := os.Stat(log); err != nil {
		t.Errorf("the log was not created at the retry: %v", err)
	}
}

// A store opened read-only shows the content of the log, and leaves both files
// unchanged.
func TestCrashLosesNoCommit(t *testing.T) {
	o := crashedStore(t, 5, 1)
	before := bytes.Join([][]byte{content(t, o.Path), content(t, bolt.WriteAheadPath(o.Path))}, nil)
	for _, readOnly := range []bool{true, true, false, false} {
		o.ReadOnly = readOnly
		n, err := entries(t, o)
		if err != nil || n != 10 {
			t.Fatalf("read only: %t: %d entries, %v; want 10", readOnly, n, err)
		}
		if readOnly && !bytes.Equal(before, bytes.Join([][]byte{content(t, o.Path), content(t, bolt.WriteAheadPath(o.Path))}, nil)) {
			t.Error("the files changed")
		}
	}
	if files := names(t, filepath.Dir(o.Path)); len(files) != 1 {
		t.Errorf("the folder contains %q", files)
	}
}

// An append to a store opened read-only leaves the log of a crash unchanged.
func TestReadOnlyAppendLeavesLogUnchanged(t *testing.T) {
	o := crashedStore(t, 5, 1)
	o.ReadOnly = true
	before := content(t, bolt.WriteAheadPath(o.Path))
	j := open(t, o)
	if err := j.Append(t.Context(), 10, []store.Entry{{Position: 11, Rev: 100, Seq: 100}}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Append to a store opened read-only: %v", err)
	}
	closeStore(t, j)
	if !bytes.Equal(before, content(t, bolt.WriteAheadPath(o.Path))) {
		t.Error("the log changed")
	}
	if n, err := entries(t, o); err != nil || n != 10 {
		t.Errorf("%d entries, %v; want 10", n, err)
	}
}

// A segment is reused when the database has all of its content, even if only
// commits wrote it there.
func TestSegmentIsReusedAfterFlush(t *testing.T) {
	j := open(t, bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey})
	defer closeStore(t, j)
	const perSegment = 5
	text := bytes.Repeat([]byte("x"), bolt.WriteAheadSegment/(perSegment+1))
	var feed storetest.Feed
	for n := 1; n <= 4*perSegment; n++ {
		e := feed.Next(false, 1)
		e.Events[0].Data = fmt.Appendf(nil, `{"text":%q}`, text)
		appendTo(t, j, e)
		if n == 1 {
			j.StopFlushing() // the first commit created the log, and wrote to it
		}
		if n <= 2*perSegment {
			continue
		}
		o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey}
		must(t, j.CopyTo(o.Path))
		if got, err := entries(t, o); err != nil || got != n {
			t.Fatalf("after %d commits a crash leaves %d, %v", n, got, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Commits of all lengths fill the segments many times. Whatever part is in the
// database already, readers find the same content, and so does a store opened from
// the files of a crash.
func TestReadersSeeSameContentWithLog(t *testing.T) {
	ctx := context.Background()
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey}
	j := open(t, o)
	defer closeStore(t, j)
	var flushing sync.WaitGroup
	waits := make(chan struct{}, 1)
	defer flushing.Wait()
	defer close(waits)
	flushing.Go(func() {
		for range waits {
			if err := j.Flush(); err != nil {
				t.Error(err)
			}
		}
	})
	var feed storetest.Feed
	records := map[string]string{}
	for round := range 120 {
		e := feed.Next(round%3 == 0, 1)
		size := rand.N(100 << 10)
		if round%40 == 39 {
			size = bolt.WriteAheadSegment + 1
		}
		// The keys are few, since all are read in each round.
		key := fmt.Sprintf("key %02d", rand.N(10))
		switch {
		case round == 50:
			clear(records)
			e.Records = append(e.Records, store.Record{Table: store.Journeys})
		case rand.N(4) == 0:
			delete(records, key)
			e.Records = append(e.Records, store.Record{Table: store.Journeys, Key: []byte(key)})
		default:
			records[key] = strings.Repeat(string(rune('a'+round%26)), size)
			e.Records = append(e.Records, store.Record{Table: store.Journeys, Key: []byte(key), Value: []byte(records[key])})
		}
		appendTo(t, j, e)
		// Sometimes several commits wait; otherwise the flush is in progress while
		// the commit is read.
		if rand.N(3) > 0 {
			select {
			case waits <- struct{}{}:
			default:
			}
		}
		if rand.N(10) == 0 {
			_, err := j.Checkpoint(ctx, feed.State())
			must(t, err)
		}
		compare(t, j, &feed, records)
		if rand.N(10) > 0 {
			continue
		}
		after := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db")}
		must(t, j.CopyTo(after.Path))
		for _, after.ReadOnly = range []bool{true, false} {
			survivor := open(t, after)
			compare(t, survivor, &feed, records)
			closeStore(t, survivor)
		}
	}
}

// compare reads the whole content in every way.
func compare(t *testing.T, j store.Journal, feed *storetest.Feed, records map[string]string) {
	t.Helper()
	ctx := context.Background()
	head, err := j.Head(ctx)
	if err != nil || head != feed.Head().Position {
		t.Fatalf("the head is %d, %v; want %d", head, err, feed.Head().Position)
	}
	from := store.Position(rand.N(uint64(head)))
	next := from + 1
	for e, err := range j.Read(ctx, from) {
		if err != nil || e.Position != next || len(e.Records) > 0 {
			t.Fatalf("entry %d with %d records, %v; want entry %d", e.Position, len(e.Records), err, next)
		}
		next++
	}
	if next != head+1 {
		t.Fatalf("Read ended before %d; the head is %d", next, head)
	}
	if at, err := j.Seek(ctx, uint64(from)); err != nil || at != from {
		t.Fatalf("Seek(%d): %d, %v", from, at, err)
	}
	for _, reverse := range []bool{false, true} {
		var keys []string
		for pair, err := range j.Scan(ctx, store.Journeys, store.Range{Prefix: []byte("key"), Reverse: reverse}) {
			if err != nil || string(pair.Value) != records[string(pair.Key)] {
				t.Fatalf("Scan: %s has %d bytes, %v; want %d", pair.Key, len(pair.Value), err, len(records[string(pair.Key)]))
			}
			if n := len(keys); n > 0 && (keys[n-1] < string(pair.Key)) == reverse {
				t.Fatalf("Scan: %s follows %s", pair.Key, keys[n-1])
			}
			keys = append(keys, string(pair.Key))
		}
		if len(keys) != len(records) {
			t.Fatalf("Scan: %d records, want %d", len(keys), len(records))
		}
	}
	for key, want := range records {
		if value, err := j.Get(ctx, store.Journeys, []byte(key)); err != nil || string(value) != want {
			t.Fatalf("Get(%s): %d bytes, %v; want %d", key, len(value), err, len(want))
		}
	}
}
