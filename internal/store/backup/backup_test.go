package backup_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/test/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	oldSID = "0b7f6c1e-3a52-4e0f-9d4b-6a1c2d3e4f50"
	newSID = "7c1d9a40-52b3-4f6e-8a9b-0c1d2e3f4a5b"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)

// world returns a journal with placements, lines and more records than fit in a
// frame.
func world(t *testing.T) (store.Journal, *storetest.WorldFeed) {
	t.Helper()
	feed, first := storetest.NewWorldFeed(oldSID)
	first.Records = []store.Record{{Table: store.Meta, Key: []byte("empty"), Value: []byte{}}}
	entries := []store.Entry{first}
	for i := range 50 {
		entries = append(entries, feed.Place(i, fmt.Sprint("name ", i)), feed.Say(fmt.Sprint("line ", i)))
	}
	long := feed.Say("a long line")
	for i := range 3000 {
		long.Records = append(long.Records, store.Record{
			Table: store.Aggregates, Key: fmt.Append(nil, "journey ", i), Value: bytes.Repeat([]byte{'a' + byte(i%26)}, 800),
		})
	}
	j := memory.Open(store.DefaultRetention())
	t.Cleanup(func() { _ = j.Close() })
	if err := storetest.Append(context.Background(), j, 0, append(entries, long)...); err != nil {
		t.Fatal(err)
	}
	return j, feed
}

func write(t *testing.T, j store.Journal) ([]byte, backup.Info) {
	t.Helper()
	var file bytes.Buffer
	info, err := backup.Write(context.Background(), j, storetest.RootKey, &file)
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return file.Bytes(), info
}

func TestWriteAndVerify(t *testing.T) {
	j, feed := world(t)
	file, info := write(t, j)
	state := feed.State()
	want := backup.Info{
		RootKey: storetest.RootKey, SID: oldSID, Rev: 50, Seq: 101, Root: fmt.Sprintf("%x", state.Root),
		LeafCount: 52, At: time.UnixMilli(state.At).UTC(), Rows: 50, Records: 3053,
	}
	if diff := cmp.Diff(want, info); diff != "" {
		t.Errorf("Write returned (-want +got):\n%s", diff)
	}
	read, err := backup.Verify(context.Background(), bytes.NewReader(file))
	if err != nil {
		t.Fatalf("Verify: %v", err)
	}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("Verify returned (-want +got):\n%s", diff)
	}
}

func TestRestore(t *testing.T) {
	ctx := context.Background()
	j, feed := world(t)
	file, _ := write(t, j)
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db")}
	target := backup.Target{SID: newSID, Now: now, Begin: func(key string) (store.Import, error) {
		o := o
		o.RootKey = key
		return bolt.BeginImport(ctx, o)
	}}
	if _, err := backup.Restore(ctx, bytes.NewReader(file), target); err != nil {
		t.Fatalf("Restore: %v", err)
	}
	fresh, err := bolt.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = fresh.Close() }()
	if fresh.RootKey() != storetest.RootKey {
		t.Errorf("the store was created for the root key %q", fresh.RootKey())
	}
	report, err := verify.Check(ctx, fresh, storetest.RootKey)
	if err != nil || len(report.Problems) > 0 {
		t.Fatalf("Check of the restored store: %+v, %v", report, err)
	}
	old, state := feed.State(), must(replay.State(ctx, fresh, storetest.RootKey))(t)
	if state.Rev != old.Rev+1<<32 || state.Seq != old.Seq+1<<32 {
		t.Errorf("rev and seq are %d and %d, before the backup %d and %d", state.Rev, state.Seq, old.Rev, old.Seq)
	}
	if state.Header.SID != newSID || state.Header.MaxX != old.Header.MaxX || state.At != now.UnixMilli() {
		t.Errorf("the header is %+v, its time %d", state.Header, state.At)
	}
	if diff := cmp.Diff(old.Rows, state.Rows); diff != "" {
		t.Errorf("the rows (-backup +restored):\n%s", diff)
	}
	entry := first(t, fresh)
	if len(entry.Events) != 1 || entry.Events[0].Kind != "session:reset" || entry.Notify != nil ||
		string(entry.Events[0].Data) != `{"reason":"restore","sid":"`+newSID+`"}` {
		t.Errorf("the entry has the events %s and the notify %s", entry.Events, entry.Notify)
	}
	sameRecords(t, j, fresh)
	reset, err := fresh.Get(ctx, store.Meta, []byte(store.ResetSeqKey))
	if err != nil || len(reset) != 8 || binary.BigEndian.Uint64(reset) != state.Seq {
		t.Errorf("the seq of the reset is %x, %v; want %d", reset, err, state.Seq)
	}
	if _, err := backup.Restore(ctx, bytes.NewReader(file), target); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a second Restore into the same store: %v", err)
	}
}

// lossyImport is an import that loses the first record of each commit.
type lossyImport struct{ store.Import }

func (l lossyImport) Commit(ctx context.Context, batch *store.Batch) (store.Tip, error) {
	for i := range batch.Entries {
		batch.Entries[i].Records = batch.Entries[i].Records[min(1, len(batch.Entries[i].Records)):]
	}
	return l.Import.Commit(ctx, batch)
}

// A store that does not have every record of the backup does not become a world.
func TestRestoreIsReadBack(t *testing.T) {
	ctx := context.Background()
	j, _ := world(t)
	file, _ := write(t, j)
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "world.db")}
	_, err := backup.Restore(ctx, bytes.NewReader(file), backup.Target{SID: newSID, Now: now, Begin: func(key string) (store.Import, error) {
		o := o
		o.RootKey = key
		into, err := bolt.BeginImport(ctx, o)
		return lossyImport{into}, err
	}})
	if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "records are missing") {
		t.Errorf("Restore of which records are lost: %v", err)
	}
	if _, err := bolt.Open(ctx, o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open after a failed restore: %v", err)
	}
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// first returns the first entry of a store, whose others only have records.
func first(t *testing.T, j store.Journal) store.Entry {
	t.Helper()
	var entries []store.Entry
	for e, err := range j.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if entries = append(entries, e); len(entries) > 1 && (e.MapChanged || len(e.Events)+len(e.Rows) > 0) {
			t.Errorf("entry %d changes more than records: %+v", e.Position, e)
		}
	}
	if len(entries) < 2 {
		t.Fatalf("the store has %d entries, want one for the map and others for records", len(entries))
	}
	return entries[0]
}

func sameRecords(t *testing.T, a, b store.Journal) {
	t.Helper()
	read := func(j store.Journal) map[string]string {
		records := map[string]string{}
		for _, table := range store.Tables() {
			if table == store.Meta {
				continue
			}
			for pair, err := range j.Scan(context.Background(), table, store.Range{}) {
				if err != nil {
					t.Fatal(err)
				}
				records[string(table)+"/"+string(pair.Key)] = string(pair.Value)
			}
		}
		return records
	}
	if diff := cmp.Diff(read(a), read(b)); diff != "" {
		t.Errorf("the records differ:\n%s", diff)
	}
}

// TestDamagedBackup changes, cuts and extends a backup in many places: it is never
// accepted as a valid one, and never restored.
func TestDamagedBackup(t *testing.T) {
	ctx := context.Background()
	feed, first := storetest.NewWorldFeed(oldSID)
	j := memory.Open(store.DefaultRetention())
	defer func() { _ = j.Close() }()
	if err := storetest.Append(ctx, j, 0, first, feed.Place(1, "one"), feed.Say("line")); err != nil {
		t.Fatal(err)
	}
	file, _ := write(t, j)
	target := backup.Target{SID: newSID, Now: now, Begin: func(string) (store.Import, error) {
		t.Error("the store to restore into was opened for a damaged backup")
		return nil, errors.New("unexpected")
	}}
	refused := func(what string, damaged []byte) {
		t.Helper()
		if _, err := backup.Verify(ctx, bytes.NewReader(damaged)); !errors.Is(err, backup.ErrInvalid) && !errors.Is(err, store.ErrFormat) {
			t.Errorf("Verify of a backup %s: %v", what, err)
		}
		if _, err := backup.Restore(ctx, bytes.NewReader(damaged), target); err == nil {
			t.Errorf("Restore of a backup %s succeeded", what)
		}
	}
	for i := range file {
		for _, flip := range []byte{1, 0x80} {
			damaged := bytes.Clone(file)
			damaged[i] ^= flip
			refused(fmt.Sprintf("with a wrong byte %d", i), damaged)
		}
		refused(fmt.Sprintf("cut at %d", i), file[:i])
	}
	refused("with an extra byte", append(bytes.Clone(file), 0))
	refused("twice", append(bytes.Clone(file), file...))
	for format, todo := range map[int]string{store.Format - 1: "the playctl that wrote it", store.Format + 1: "a newer playctl"} {
		other := bytes.Replace(file, fmt.Appendf(nil, "playctl-backup %d", store.Format), fmt.Appendf(nil, "playctl-backup %d", format), 1)
		want := fmt.Sprintf("the backup has format %d, and this playctl reads format %d only; use %s", format, store.Format, todo)
		if _, err := backup.Restore(ctx, bytes.NewReader(other), target); !errors.Is(err, store.ErrFormat) || errors.Is(err, backup.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("Restore of a backup of format %d: %v, want %q", format, err, want)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	ctx := context.Background()
	empty := memory.Open(store.DefaultRetention())
	defer func() { _ = empty.Close() }()
	if _, err := backup.Write(ctx, empty, storetest.RootKey, &bytes.Buffer{}); err == nil {
		t.Error("Write of an empty store: no error")
	}
	j, feed := world(t)
	if _, err := backup.Write(ctx, j, "another root key", &bytes.Buffer{}); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("Write with another root key: %v", err)
	}
	busy := &busy{Journal: j, feed: feed}
	if _, err := backup.Write(ctx, busy, storetest.RootKey, &bytes.Buffer{}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Write while another appends: %v", err)
	}
}

// busy is a journal to which another writer appends while its tables are read.
type busy struct {
	store.Journal
	feed *storetest.WorldFeed
}

func (b *busy) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	if table == store.Nodes {
		at := b.feed.Head().Position
		if err := storetest.Append(ctx, b, at, b.feed.Say("meanwhile")); err != nil {
			return func(yield func(store.Pair, error) bool) { yield(store.Pair{}, err) }
		}
	}
	return b.Journal.Scan(ctx, table, r)
}

func FuzzVerify(f *testing.F) {
	feed, first := storetest.NewWorldFeed(oldSID)
	j := memory.Open(store.DefaultRetention())
	defer func() { _ = j.Close() }()
	if err := storetest.Append(context.Background(), j, 0, first, feed.Place(1, "one"), feed.Say("line")); err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := backup.Write(context.Background(), j, storetest.RootKey, &file); err != nil {
		f.Fatal(err)
	}
	whole := file.Bytes()
	f.Add(whole[:len(whole)-2-sha256.Size])
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("playctl-backup 3\n{}\nS\xff\xff\xff\xff\x03"))
	// The checksum is corrected, so that the reader accepts it.
	f.Fuzz(func(t *testing.T, body []byte) {
		sum := sha256.Sum256(body)
		signed := append(append(bytes.Clone(body), 'E', sha256.Size), sum[:]...)
		info, err := backup.Verify(context.Background(), bytes.NewReader(signed))
		if err == nil && int(info.LeafCount) != info.Rows+2 {
			t.Errorf("a valid backup has %d leaves and %d rows", info.LeafCount, info.Rows)
		}
		if err != nil && !errors.Is(err, backup.ErrInvalid) && !errors.Is(err, store.ErrFormat) {
			t.Errorf("Verify: %v", err)
		}
	})
}
