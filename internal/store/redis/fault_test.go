package redis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
)

// batch returns a batch of one entry, named by a number.
func batch(feed *storetest.Feed, after store.Tip, id byte) *store.Batch {
	return &store.Batch{After: after, Commit: store.CommitID{id}, Entries: []store.Entry{feed.Next(true, 1)}}
}

func commit(t *testing.T, j *redis.Journal, b *store.Batch) store.Tip {
	t.Helper()
	tip, err := j.Commit(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return tip
}

// awaitServer waits until the server answers again.
func awaitServer(t *testing.T, j *redis.Journal) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if _, err := j.Head(ctx); err == nil {
			return
		}
	}
	t.Fatal("the store did not recover")
}

// TestLostReply loses the reply of a commit that the server carried out: the
// outcome is unknown at first, and then found.
func TestLostReply(t *testing.T) {
	server := redistest.Start(t)
	proxy := server.Before(t)
	j := open(t, at(t, "redis://"+proxy.Addr))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))

	proxy.LoseReplies(true)
	_, err := j.Commit(context.Background(), batch(&feed, tip, 2))
	if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict) {
		t.Fatalf("a commit whose reply was lost: %v, want ErrUnavailable", err)
	}
	proxy.LoseReplies(false)
	missed, err := j.EntriesAfter(context.Background(), tip)
	if err != nil || len(missed) != 1 || missed[0].Commit != (store.CommitID{2}) {
		t.Fatalf("after the connection recovered: %v, %v; want the commit once", missed, err)
	}

	proxy.Refuse(true)
	if _, err := j.EntriesAfter(context.Background(), tip); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without a connection: %v, want ErrUnavailable", err)
	}
	proxy.Refuse(false)
	awaitServer(t, j)
}

// TestStalled uses a server that accepts connections and never answers, for longer
// than any test waits: no call waits for it, with a deadline or without.
func TestStalled(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	var feed storetest.Feed
	next := batch(&feed, store.Tip{}, 1)
	for _, bound := range []time.Duration{0, 50 * time.Millisecond} {
		o.Timeout = 0 // The default of a host.
		if bound > 0 {
			o.Timeout = time.Hour // The context's deadline applies.
		}
		o.HostID += "x"
		j := open(t, o)
		server.Do("client", "pause", time.Hour.Milliseconds(), "all")
		ctx := context.Background()
		if bound > 0 {
			bounded, cancel := context.WithTimeout(ctx, bound)
			defer cancel()
			ctx = bounded
		}
		if _, err := j.Commit(ctx, next); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("a silent server, with a deadline of %v: %v, want ErrUnavailable", bound, err)
		}
		server.Restart()
	}
}

// withoutRootKey returns options to open an existing world: a replica accepts no
// writes.
func withoutRootKey(o redis.Options) redis.Options {
	o.RootKey = ""
	return o
}

// TestFull uses a server without free memory: nothing of a batch is written.
func TestFull(t *testing.T) {
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	server.Do("config", "set", "maxmemory", "1")
	next := batch(&feed, tip, 2)
	if _, err := j.Commit(context.Background(), next); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "maxmemory") {
		t.Errorf("without memory: %v, want ErrUnavailable that names maxmemory", err)
	}
	server.Do("config", "set", "maxmemory", "0")
	if missed, err := j.EntriesAfter(context.Background(), tip); err != nil || len(missed) > 0 {
		t.Fatalf("a refused commit left %d entries, %v", len(missed), err)
	}
	server.Do("config", "set", "min-replicas-to-write", "1")
	if _, err := j.Commit(context.Background(), next); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without replicas: %v, want ErrUnavailable", err)
	}
	server.Do("config", "set", "min-replicas-to-write", "0")
	commit(t, j, next)
}

// TestLargeBatch commits more items than fit on Lua's stack.
func TestLargeBatch(t *testing.T) {
	o := at(t, redistest.Start(t).URL())
	j := open(t, o)
	var feed storetest.Feed
	b := &store.Batch{Commit: store.CommitID{1}}
	const entries, records = 512, 40
	for i := range entries {
		e := feed.Next(true, 1)
		for k := range records {
			e.Records = append(e.Records, store.Record{Table: store.Leases, Key: fmt.Append(nil, i, " ", k), Value: []byte("v"), Term: time.Hour})
		}
		b.Entries = append(b.Entries, e)
	}
	start := time.Now()
	tip := commit(t, j, b)
	t.Logf("%d entries with %d records took %v", entries, entries*records, time.Since(start))
	n := 0
	for _, err := range j.Scan(context.Background(), store.Leases, store.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != entries*records || tip.Position != entries {
		t.Errorf("%d records and the tip %d, want %d and %d", n, tip.Position, entries*records, entries)
	}
}
