package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// everything calls each method of the journal but Close and returns its error.
func everything(ctx context.Context, j store.Journal, next store.Entry) map[string]error {
	errs := map[string]error{}
	tip := store.Tip{Position: next.Position - 1}
	_, errs["Commit"] = j.Commit(ctx, NewBatch(tip, next))
	_, errs["Commit of nothing"] = j.Commit(ctx, NewBatch(tip))
	_, errs["Head"] = j.Head(ctx)
	_, errs["Seek"] = j.Seek(ctx, 0)
	_, errs["Checkpoint"] = j.Checkpoint(ctx, store.State{Position: next.Position - 1, Rev: next.Rev})
	_, errs["Load"] = j.Load(ctx)
	_, errs["Get"] = j.Get(ctx, store.Nodes, []byte("a"))
	for _, err := range j.Read(ctx, 0) {
		errs["Read"] = err
	}
	for _, err := range j.Scan(ctx, store.Nodes, store.Range{}) {
		errs["Scan"] = err
	}
	return errs
}

func testClosed(t *testing.T, b Backend) {
	var feed Feed
	j := b.open(t, wide)
	first := feed.Next(false, 1)
	first.Records = []store.Record{{Table: store.Nodes, Key: []byte("a"), Value: []byte("1")}}
	must(t, j, first)
	must(t, j, feed.some(600)...)
	var after error
	for _, err := range j.Read(context.Background(), 0) {
		if after = err; err == nil {
			if err := j.Close(); err != nil {
				t.Fatalf("Close within a walk: %v", err)
			}
		}
	}
	if !errors.Is(after, store.ErrClosed) {
		t.Errorf("a walk over a journal closed meanwhile ended with %v, want ErrClosed", after)
	}
	errs := everything(context.Background(), j, feed.Next(false, 1))
	for _, name := range []string{"Commit", "Commit of nothing", "Head", "Seek", "Checkpoint", "Load", "Get", "Read", "Scan"} {
		if !errors.Is(errs[name], store.ErrClosed) {
			t.Errorf("%s after Close: %v, want ErrClosed", name, errs[name])
		}
	}
	if err := j.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func testCanceled(t *testing.T, b Backend) {
	var feed Feed
	j := b.open(t, wide)
	first := feed.some(3)
	must(t, j, first...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	at := feed
	for name, err := range everything(ctx, j, at.Next(false, 1)) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a canceled context: %v", name, err)
		}
	}
	unchanged(t, j, first)
}
