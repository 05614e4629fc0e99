package storetest

import (
	"context"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

func testCheckpoint(t *testing.T, b Backend) {
	ctx := context.Background()
	j := b.open(t, store.Retention{Events: 10, Revs: 10})
	var feed Feed
	loaded := func(want store.State) {
		t.Helper()
		got, err := j.Load(ctx)
		if err != nil {
			t.Fatalf("Load: %v", err)
		}
		got.Commit = store.CommitID{}
		if diff := difference(want, got); diff != "" {
			t.Fatalf("Load (-want +got):\n%s", diff)
		}
	}
	loaded(store.State{})
	must(t, j, feed.Next(true, 1), feed.Next(true, 1))
	first := feed.State()
	if err := Checkpoint(ctx, j, first); err != nil {
		t.Fatal(err)
	}
	loaded(first)
	must(t, j, feed.Next(false, 1))
	for name, wrong := range map[string]store.State{
		"past the head":      {Position: 4, Rev: 2},
		"older position":     {Position: 1, Rev: 2},
		"an older rev":       {Position: 3, Rev: 1},
		"before the journal": {},
	} {
		if err := Checkpoint(ctx, j, wrong); err == nil {
			t.Errorf("Checkpoint %s: no error", name)
		}
		loaded(first)
	}
	// The same rev at a later position leaves less to replay.
	same := feed.State()
	if err := Checkpoint(ctx, j, same); err != nil {
		t.Fatal(err)
	}
	loaded(same)
	for range 9 {
		must(t, j, feed.Next(true, 1))
	}
	later := feed.State()
	if err := Checkpoint(ctx, j, later); err != nil {
		t.Fatal(err)
	}
	loaded(same)
	for range 10 {
		loaded(same)
		must(t, j, feed.Next(true, 1))
	}
	loaded(later)
	if err := Checkpoint(ctx, j, feed.State()); err != nil {
		t.Fatal(err)
	}
	loaded(later)
}
