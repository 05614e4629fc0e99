package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// SharedBackend is what the contract of a shared journal is run on.
type SharedBackend struct {
	// New makes one new, empty store with a retention and returns how to open a
	// handle of it. Several handles are open at once; each is closed by its user.
	New func(t *testing.T, retention store.Retention) func() store.Shared
}

// patience bounds every wait of the contract: what takes longer failed.
const patience = 10 * time.Second

// RunShared runs the contract of a store.Shared as subtests.
func RunShared(t *testing.T, b SharedBackend) {
	t.Helper()
	for _, group := range []struct {
		name string
		run  func(*testing.T, SharedBackend)
	}{
		{"Commit", sharedCommit},
		{"Diverged", sharedDiverged},
		{"Mirror", sharedMirror},
		{"Follow", sharedFollow},
		{"Race", sharedRace},
		{"Deadlines", sharedDeadlines},
		{"Grace", sharedGrace},
		{"Arrive", sharedArrive},
		{"Renewals", sharedRenewals},
		{"Fences", sharedFences},
		{"Messages", sharedMessages},
		{"GetAll", sharedGetAll},
		{"Checkpoints", sharedCheckpoints},
		{"Trimmed", sharedTrimmed},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, b) })
	}
}

// handles opens n handles of one new store, which are closed with the test.
func (b SharedBackend) handles(t *testing.T, retention store.Retention, n int) []store.Shared {
	t.Helper()
	open := b.New(t, retention)
	list := make([]store.Shared, n)
	for i := range list {
		list[i] = open()
		t.Cleanup(func() {
			if err := list[i].Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	return list
}

// newBatch returns a batch of entries with a commit id of its own.
func newBatch(after store.Tip, entries ...store.Entry) *store.Batch {
	batch := &store.Batch{After: after, Entries: entries}
	// crypto/rand.Read never fails.
	_, _ = rand.Read(batch.Commit[:])
	prev := after.Commit
	for i := range entries {
		entries[i].Commit, entries[i].Prev = batch.Commit, prev
		prev = batch.Commit
	}
	return batch
}

// commits commits a batch and fails the test when that fails.
func commits(t *testing.T, j store.Shared, batch *store.Batch) store.Tip {
	t.Helper()
	tip, err := j.Commit(context.Background(), batch)
	if err != nil {
		t.Fatalf("Commit of %d entries after %d: %v", len(batch.Entries), batch.After.Position, err)
	}
	want := batch.After
	if n := len(batch.Entries); n > 0 {
		want = store.Tip{Position: batch.After.Position + store.Position(n), Commit: batch.Commit}
	}
	if tip != want {
		t.Fatalf("Commit returned the tip %v, want %v", tip, want)
	}
	return tip
}

// misses compares the entries after a tip.
func misses(t *testing.T, j store.Shared, after store.Tip, want []store.Entry) {
	t.Helper()
	got, err := j.Missed(context.Background(), after)
	if err != nil || len(got) != len(want) {
		t.Fatalf("Missed after %d: %d entries, %v; want %d", after.Position, len(got), err, len(want))
	}
	if len(want) > 0 {
		if diff := difference(want, got); diff != "" {
			t.Fatalf("Missed after %d (-want +got):\n%s", after.Position, diff)
		}
	}
}

func sharedCommit(t *testing.T, b SharedBackend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	var feed Feed
	first := feed.some(3)
	tip := commits(t, handles[0], newBatch(store.Tip{}, first...))
	misses(t, handles[1], store.Tip{}, first)
	misses(t, handles[1], tip, nil)

	// The other handle planned on the same tip: it is told what it missed.
	var other Feed
	late := newBatch(store.Tip{}, other.some(2)...)
	late.Entries[0].Records = []store.Record{{Table: store.Nodes, Key: []byte("late"), Value: []byte("x")}}
	_, err := handles[1].Commit(ctx, late)
	overtaken, ok := errors.AsType[*store.OvertakenError](err)
	if !ok || !errors.Is(err, store.ErrConflict) {
		t.Fatalf("Commit on an old tip: %v, want *OvertakenError", err)
	}
	if diff := difference(first, overtaken.Entries); diff != "" {
		t.Fatalf("OvertakenError has other entries (-want +got):\n%s", diff)
	}
	if value, err := handles[0].Get(ctx, store.Nodes, []byte("late")); value != nil || err != nil {
		t.Fatalf("a refused batch left %q, %v", value, err)
	}

	second := feed.some(2)
	next := commits(t, handles[1], newBatch(tip, second...))
	misses(t, handles[0], tip, second)
	// A batch without entries compares the tip and moves nothing.
	if _, err := handles[0].Commit(ctx, newBatch(tip)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an empty batch on an old tip: %v, want ErrConflict", err)
	}
	commits(t, handles[0], newBatch(next))
	misses(t, handles[1], next, nil)

	var back Feed
	wrong := back.some(1)
	wrong[0].Position = next.Position + 1
	if _, err := handles[0].Commit(ctx, newBatch(next, wrong...)); err == nil || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a batch whose seq goes back: %v, want a refusal", err)
	}
	misses(t, handles[1], next, nil)
}

// sharedDiverged asks with tips that the journal never had.
func sharedDiverged(t *testing.T, b SharedBackend) {
	ctx := context.Background()
	j := b.handles(t, wide, 1)[0]
	var feed Feed
	tip := commits(t, j, newBatch(store.Tip{}, feed.some(3)...))
	other := store.CommitID{1, 2, 3}
	for name, wrong := range map[string]store.Tip{
		"past the head":            {Position: tip.Position + 1, Commit: tip.Commit},
		"another commit":           {Position: tip.Position, Commit: other},
		"an older one of nobody's": {Position: tip.Position - 1, Commit: other},
	} {
		if _, err := j.Missed(ctx, wrong); !errors.Is(err, store.ErrDiverged) {
			t.Errorf("Missed, %s: %v, want ErrDiverged", name, err)
		}
		at := feed
		entry := at.Next(false, 1)
		entry.Position = wrong.Position + 1
		if _, err := j.Commit(ctx, newBatch(wrong, entry)); !errors.Is(err, store.ErrDiverged) {
			t.Errorf("Commit, %s: %v, want ErrDiverged", name, err)
		}
		for _, err := range j.Follow(ctx, wrong) {
			if !errors.Is(err, store.ErrDiverged) {
				t.Errorf("Follow, %s: %v, want ErrDiverged", name, err)
			}
			break
		}
	}
	misses(t, j, tip, nil)
}

// sharedMirror has records of every way of mirroring, among them a cleared table.
func sharedMirror(t *testing.T, b SharedBackend) {
	handles := b.handles(t, wide, 2)
	var feed Feed
	e := feed.Next(true, 1)
	e.Records = []store.Record{
		{Table: store.Leases},
		{Table: store.Leases, Key: []byte("a"), Value: []byte("1")},
		{Table: store.Leases, Key: []byte("b")},
		{Table: store.Journeys, Key: []byte("c"), Value: []byte("long")},
		{Table: store.Journeys, Key: []byte("d")},
		{Table: store.Idempotency, Key: []byte("e"), Value: []byte("secret")},
	}
	batch := newBatch(store.Tip{}, e)
	tip := commits(t, handles[0], batch)
	want := batch.Entries[0]
	want.Records = []store.Record{
		e.Records[0], e.Records[1], e.Records[2],
		{Table: store.Journeys, Key: []byte("c"), Value: []byte{}}, e.Records[4],
	}
	got, err := handles[1].Missed(context.Background(), store.Tip{})
	if err != nil || len(got) != 1 || len(got[0].Records) != len(want.Records) {
		t.Fatalf("Missed: %v, %v", got, err)
	}
	for i, r := range got[0].Records {
		w := want.Records[i]
		if r.Table != w.Table || !bytes.Equal(r.Key, w.Key) || !bytes.Equal(r.Value, w.Value) || (r.Value == nil) != (w.Value == nil) {
			t.Errorf("record %d is %+v, want %+v", i, r, w)
		}
	}
	value, err := handles[1].Get(context.Background(), store.Journeys, []byte("c"))
	if err != nil || string(value) != "long" {
		t.Errorf("Get: %q, %v", value, err)
	}
	misses(t, handles[0], tip, nil)
}
