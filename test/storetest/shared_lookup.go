package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/playctl/playctl/internal/store"
)

// sharedGetAll asks for records of several tables at once, more than one command
// takes, mixed with ones that are not there, twice and empty.
func sharedGetAll(t *testing.T, b SharedBackend) {
	ctx := context.Background()
	handles := b.handles(t, wide, 2)
	const many = 1500
	var feed Feed
	e := feed.Next(false, 1)
	e.Records = append(e.Records, store.Record{Table: store.Intercom, Key: []byte("empty"), Value: []byte{}})
	lookups := []store.Lookup{
		{Table: store.Intercom, Key: []byte("nobody's")}, {Table: store.Intercom, Key: []byte("empty")},
		{Table: store.Leases, Key: []byte("empty")},
	}
	want := [][]byte{nil, {}, nil}
	for i := range many {
		key, value := fmt.Append(nil, "key\x00", i), fmt.Append(nil, "value ", i)
		e.Records = append(e.Records, store.Record{Table: store.Idempotency, Key: key, Value: value})
		lookups = append(lookups, store.Lookup{Table: store.Idempotency, Key: key}, store.Lookup{Table: store.Meta, Key: key})
		want = append(want, value, nil)
	}
	lookups, want = append(lookups, lookups[3]), append(want, want[3])
	commits(t, handles[0], newBatch(store.Tip{}, e))
	got, err := handles[1].GetAll(ctx, lookups)
	if err != nil || len(got) != len(want) {
		t.Fatalf("GetAll of %d: %d values, %v", len(lookups), len(got), err)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) || (got[i] == nil) != (want[i] == nil) {
			t.Fatalf("value %d (%s, %q) is %q, want %q", i, lookups[i].Table, lookups[i].Key, got[i], want[i])
		}
	}
	if got, err := handles[0].GetAll(ctx, nil); err != nil || len(got) != 0 {
		t.Errorf("GetAll of nothing: %q, %v", got, err)
	}
	if _, err := handles[0].GetAll(ctx, []store.Lookup{{Table: "no table", Key: []byte("k")}}); err == nil || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("GetAll of an unknown table: %v, want a refusal", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := handles[0].GetAll(ended, lookups); !errors.Is(err, context.Canceled) {
		t.Errorf("GetAll with an ended context: %v", err)
	}
}
