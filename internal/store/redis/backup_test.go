package redis_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/backup"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

// checked verifies a world and returns its state.
func checked(t *testing.T, j store.Journal) store.State {
	t.Helper()
	report, err := verify.Check(context.Background(), j, storetest.RootKey)
	if err != nil || len(report.Problems) > 0 {
		t.Fatalf("Check: %v, %v", err, report)
	}
	state, err := replay.State(context.Background(), j, storetest.RootKey)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// TestBackup verifies a world, writes a backup of it and restores that beside it.
func TestBackup(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t)
	j := open(t, at(t, server.URL()))
	feed, first := storetest.NewWorldFeed("0b7f6c1e-3a52-4e0f-9d4b-6a1c2d3e4f50")
	entries := []store.Entry{first}
	for i := range 60 {
		entries = append(entries, feed.Place(i, fmt.Sprint("name ", i)), feed.Say("a line"))
	}
	if err := storetest.Append(ctx, j, 0, entries...); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Checkpoint(ctx, j, feed.State()); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Append(ctx, j, feed.Head().Position, feed.Place(3, "another name"), feed.Remove(4)); err != nil {
		t.Fatal(err)
	}
	last := feed.Say("with records")
	last.Records = append(last.Records,
		store.Record{Table: store.Meta, Key: []byte("empty"), Value: []byte{}},
		store.Record{Table: store.Leases, Key: []byte("a lease"), Value: []byte("v")},
		store.Record{Table: store.Aggregates, Key: []byte("large"), Value: bytes.Repeat([]byte("x"), 3<<20)})
	if err := storetest.Append(ctx, j, last.Position-1, last); err != nil {
		t.Fatal(err)
	}
	before := checked(t, j)

	var file bytes.Buffer
	if _, err := backup.Write(ctx, j, storetest.RootKey, &file); err != nil {
		t.Fatal(err)
	}
	o := at(t, server.URL())
	target := backup.Target{SID: "7c1d9a40-52b3-4f6e-8a9b-0c1d2e3f4a5b", Now: time.Now(), Begin: func(rootKey string) (store.Import, error) {
		o.RootKey = rootKey
		return redis.BeginImport(ctx, o)
	}, SetTerm: func(r *store.Record) error {
		if r.Table == store.Leases {
			r.Term = time.Millisecond
		}
		return nil
	}}
	if _, err := backup.Restore(ctx, bytes.NewReader(file.Bytes()), target); err != nil {
		t.Fatalf("Restore: %v", err)
	}
	restored := open(t, withoutRootKey(o))
	if after := checked(t, restored); cmp.Diff(before.Rows, after.Rows) != "" {
		t.Errorf("the rows differ after the restore:\n%s", cmp.Diff(before.Rows, after.Rows))
	}
	if diff := cmp.Diff(records(t, j), records(t, restored)); diff != "" {
		t.Errorf("the records differ after the restore:\n%s", diff)
	}
	worldtest.Eventually(t, "the restored lease is due", func() bool {
		keys, err := restored.Expired(ctx, store.Leases, 10)
		return err == nil && len(keys) == 1 && keys[0] == "a lease"
	})
	if _, err := backup.Restore(ctx, bytes.NewReader(file.Bytes()), target); !errors.Is(err, store.ErrNotEmpty) {
		t.Errorf("a second Restore: %v, want store.ErrNotEmpty", err)
	}
}

// records returns the records of a world but for the seq of its reset.
func records(t *testing.T, j store.Journal) map[string]string {
	t.Helper()
	all := map[string]string{}
	for r, err := range store.Records(context.Background(), j) {
		if err != nil {
			t.Fatal(err)
		}
		if string(r.Key) != store.ResetSeqKey {
			all[string(r.Table)+" "+string(r.Key)] = string(r.Value)
		}
	}
	return all
}
