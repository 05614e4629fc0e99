package redis_test

import (
	"context"
	"errors"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

// TestMissingKeys deletes keys of a world behind a host, as an eviction does: the host
// writes nothing more until they are back, and no other host starts.
func TestMissingKeys(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	var feed storetest.Feed
	first := batch(&feed, store.Tip{}, 1)
	first.Entries[0].Records = []store.Record{
		{Table: store.Nodes, Key: []byte("a"), Value: []byte("node")},
		{Table: store.Interactions, Key: []byte("a"), Value: []byte("line")},
	}
	tip := commit(t, j, first)
	next := batch(&feed, tip, 2)
	next.Entries[0].Records = []store.Record{{Table: store.Nodes, Key: []byte("a")}}
	prefix := "play:{" + o.HostID + "}:"
	for name, reason := range map[string]string{
		"table:nodes":        "a key of the world's tables is missing on the Redis server",
		"order:interactions": "a key of the world's tables is missing on the Redis server",
		"journal":            "the journal of the world is missing on the Redis server",
	} {
		restore := server.Save(prefix + name)
		server.Do("del", prefix+name)
		for _, b := range []*store.Batch{next, {After: tip, Commit: store.CommitID{3}}} {
			if _, err := j.Commit(ctx, b); !errors.Is(err, store.ErrUnavailable) || store.Reason(err) != reason {
				t.Errorf("without %s: %v", name, err)
			}
		}
		if name != "journal" {
			if _, err := redis.Open(ctx, o); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("without %s a host starts: %v", name, err)
			}
		}
		restore()
	}
	restore := server.Save(prefix + "head")
	server.Do("del", prefix+"head")
	if _, err := redis.Open(ctx, o); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a host starts in the remains of a world: %v", err)
	}
	if _, err := j.Head(ctx); store.Reason(err) != "the Redis server has no world" {
		t.Errorf("without a head: %v", err)
	}
	restore()
	open(t, o)
	// A table that becomes empty is not missing.
	tip = commit(t, j, next)
	commit(t, j, batch(&feed, tip, 4))
	open(t, o)
}

// TestServerBecomesUnfit changes a server while a host runs: the host uses it again when
// it is as it was.
func TestServerBecomesUnfit(t *testing.T) {
	ctx := context.Background()
	server := redistest.Start(t)
	j := open(t, at(t, server.URL()))
	if err := j.HostStarted(ctx, nil); err != nil {
		t.Fatal(err)
	}
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	next := batch(&feed, tip, 2)
	for _, change := range []struct {
		do, undo []any
		reason   string
	}{
		{
			[]any{"config", "set", "maxmemory-policy", "allkeys-lru"}, []any{"config", "set", "maxmemory-policy", "noeviction"},
			"the Redis server evicts keys: maxmemory-policy allkeys-lru",
		},
		{[]any{"replicaof", "127.0.0.1", "1"}, []any{"replicaof", "no", "one"}, "the Redis server is a replica"},
	} {
		server.Do(change.do...)
		server.Do("client", "kill", "type", "normal")
		worldtest.Eventually(t, "the host notices: "+change.reason, func() bool {
			_, err := j.Head(ctx)
			return store.Reason(err) == change.reason
		})
		_, commitErr := j.Commit(ctx, next)
		_, dueErr := j.Expired(ctx, store.Leases, 1)
		for _, err := range []error{commitErr, dueErr} {
			if !errors.Is(err, store.ErrUnavailable) || store.Reason(err) != change.reason {
				t.Errorf("%v, want the reason %q", err, change.reason)
			}
		}
		server.Do(change.undo...)
		worldtest.Eventually(t, "the host uses the server again", func() bool {
			_, err := j.Head(ctx)
			return err == nil
		})
	}
	if missed, err := j.EntriesAfter(ctx, tip); err != nil || len(missed) > 0 {
		t.Errorf("refused commits left %d entries, %v", len(missed), err)
	}
	commit(t, j, next)
}
