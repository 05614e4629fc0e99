package bolt_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
)

const rootKey = "5f1a"

func TestOpenKeepsWhatWasAppended(t *testing.T) {
	ctx := context.Background()
	o := bolt.Options{Path: filepath.Join(t.TempDir(), "data", "world.db"), RootKey: rootKey}
	j, err := bolt.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	entries := []store.Entry{{
		Position: 1, Rev: 1, Seq: 1, MapChanged: true, Events: []store.Event{{Kind: "world:interaction"}},
		Records: []store.Record{{Table: store.Nodes, Key: []byte("a"), Value: []byte("1")}},
	}}
	if _, err := j.Append(ctx, 0, entries); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(ctx, bolt.Options{Path: o.Path, LockWait: 1}); !errors.Is(err, store.ErrLocked) {
		t.Fatalf("second Open: %v", err)
	} else {
		t.Log(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if j, err = bolt.Open(ctx, o); err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if value, err := j.Get(ctx, store.Nodes, []byte("a")); err != nil || string(value) != "1" {
		t.Fatalf("Get: %q, %v", value, err)
	}
	for e, err := range j.Read(ctx, 0) {
		t.Log(e, err)
	}
}
