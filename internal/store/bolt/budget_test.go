package bolt_test

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/test/storetest"
)

// TestFileSizeStaysNearJournalLimit writes many times the limit of the journal: the
// space of trimmed entries is reused.
func TestFileSizeStaysNearJournalLimit(t *testing.T) {
	const limit, size = 1 << 20, 25 << 10
	o := bolt.Options{
		Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey,
		Retention: store.Retention{Events: 10_000, Revs: 1_024, Bytes: limit},
	}
	j := open(t, o)
	defer closeStore(t, j)
	var feed storetest.Feed
	for written := 0; written < 20*limit; {
		var batch []store.Entry
		for range limit / 8 / size {
			e := feed.Next(true, 1)
			e.Rows = []store.Row{{Key: "agent:main:1", JSON: []byte(`"` + strings.Repeat("x", size) + `"`)}}
			batch = append(batch, e)
			written += size
		}
		appendTo(t, j, batch...)
		if _, err := j.Checkpoint(context.Background(), feed.State()); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the file has %d bytes", info.Size())
	if info.Size() > 3*limit {
		t.Errorf("after %d bytes of entries the file has %d, the journal limit is %d", 20*limit, info.Size(), limit)
	}
}

// TestOpenDoesNotReadWholeLog computes the size of a log, partly trimmed by a
// checkpoint: as it is, without the checkpoint's note, and with a different note:
// only the entries after the checkpoint are read.
func TestOpenDoesNotReadWholeLog(t *testing.T) {
	for _, retained := range []uint64{10, 1_000} { // less than there are, and more
		o := bolt.Options{
			Path: filepath.Join(t.TempDir(), "world.db"), RootKey: rootKey,
			Retention: store.Retention{Events: retained, Revs: 1},
		}
		j := open(t, o)
		var feed storetest.Feed
		for range 40 {
			appendTo(t, j, feed.Next(false, 1))
		}
		appendTo(t, j, feed.Next(true, 1))
		if _, err := j.Checkpoint(t.Context(), feed.State()); err != nil {
			t.Fatal(err)
		}
		noted := feed.State().Position
		for range 5 {
			appendTo(t, j, feed.Next(false, 2))
		}
		closeStore(t, j)

		weigh := func(change func(meta *bbolt.Bucket) error) uint64 {
			t.Helper()
			db, err := bbolt.Open(o.Path, 0o600, nil)
			must(t, err)
			must(t, db.Update(func(tx *bbolt.Tx) error { return change(tx.Bucket([]byte("meta"))) }))
			must(t, db.Close())
			j := open(t, o)
			defer closeStore(t, j)
			weight, _, err := j.Size(t.Context())
			must(t, err)
			return weight
		}
		unchanged := weigh(func(*bbolt.Bucket) error { return nil })
		if all := weigh(func(meta *bbolt.Bucket) error { return meta.Delete([]byte("kept")) }); unchanged != all || all == 0 {
			t.Errorf("the log weighs %d bytes, and %d when all of it is read", unchanged, all)
		}
		const other = 1 << 30
		if weight := weigh(func(meta *bbolt.Bucket) error {
			kept, note := []byte("kept"), binary.BigEndian.AppendUint64(nil, uint64(noted))
			return meta.Put(kept, store.AppendSealed(nil, "", kept, binary.BigEndian.AppendUint64(note, other)))
		}); weight <= other || weight >= other+unchanged {
			t.Errorf("the log weighs %d bytes, with %d noted by the checkpoint and %d in total", weight, other, unchanged)
		}
	}
}
