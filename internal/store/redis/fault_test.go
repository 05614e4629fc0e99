package redis_test

import (
	"context"
	"errors"
	"fmt"
	"net"
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
	missed, err := j.Missed(context.Background(), tip)
	if err != nil || len(missed) != 1 || missed[0].Commit != (store.CommitID{2}) {
		t.Fatalf("after the connection recovered: %v, %v; want the commit once", missed, err)
	}

	proxy.Refuse(true)
	if _, err := j.Missed(context.Background(), tip); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without a connection: %v, want ErrUnavailable", err)
	}
	proxy.Refuse(false)
	awaitServer(t, j)
}

// TestLostReplyOfCluster loses one reply: the commit must not be sent again,
// because the second attempt would conflict with the first.
func TestLostReplyOfCluster(t *testing.T) {
	t.Parallel() // A Cluster takes two seconds to begin.
	server := redistest.Start(t, "--cluster-enabled", "yes")
	server.Do("cluster", "addslotsrange", 0, 16383)
	server.UntilCluster()
	proxy := server.Before(t)
	_, port, err := net.SplitHostPort(proxy.Addr)
	if err != nil {
		t.Fatal(err)
	}
	server.Do("config", "set", "cluster-announce-port", port)
	j := open(t, at(t, "redis+cluster://"+proxy.Addr))
	var feed storetest.Feed
	tip := commit(t, j, batch(&feed, store.Tip{}, 1))
	proxy.LoseNext()
	_, err = j.Commit(context.Background(), batch(&feed, tip, 2))
	if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict) {
		t.Fatalf("a commit whose reply was lost: %v, want ErrUnavailable alone", err)
	}
	missed, err := j.Missed(context.Background(), tip)
	if err != nil || len(missed) != 1 || missed[0].Commit != (store.CommitID{2}) {
		t.Fatalf("after the connection recovered: %v, %v; want the commit once", missed, err)
	}
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

func TestRestart(t *testing.T) {
	for fsync, want := range map[string]error{"everysec": store.ErrRestarted, "always": nil} {
		t.Run(fsync, func(t *testing.T) { restart(t, fsync, want) })
	}
}

// restart kills the server and starts it with its data: unless it syncs every
// write, it accepts no commits until the host confirms that it knows of the
// restart.
func restart(t *testing.T, fsync string, want error) {
	ctx := context.Background()
	server := redistest.Start(t, redistest.AOF(fsync)...)
	o := at(t, server.URL())
	j, behind := open(t, o), open(t, o)
	var feed storetest.Feed
	first := commit(t, j, batch(&feed, store.Tip{}, 1))
	tip := commit(t, j, batch(&feed, first, 2))
	server.Logged()
	server.Restart()
	awaitServer(t, j)
	awaitServer(t, behind)
	if missed, err := behind.Missed(ctx, first); err != nil || len(missed) != 1 {
		t.Fatalf("catching up after a restart: %d entries, %v", len(missed), err)
	}
	if _, err := j.Missed(ctx, tip); !errors.Is(err, want) {
		t.Fatalf("Missed at the end after a restart: %v, want %v", err, want)
	}
	next := batch(&feed, tip, 3)
	_, err := j.Commit(ctx, next)
	if !errors.Is(err, want) {
		t.Fatalf("Commit after a restart: %v, want %v", err, want)
	}
	if want == nil {
		return
	}
	next.Resumed = storetest.RunOf(err)
	// A host that knows of this restart does not know of the next one.
	server.Restart()
	awaitServer(t, j)
	_, err = j.Commit(ctx, next)
	if again := storetest.RunOf(err); again == "" || again == next.Resumed {
		t.Fatalf("Commit after another restart: %v", err)
	}
	next.Resumed = storetest.RunOf(err)
	tip = commit(t, j, next)
	// That confirms the restart for every host.
	commit(t, behind, batch(&feed, tip, 4))
}

// TestFailover promotes a replica that lost the last commits.
func TestFailover(t *testing.T) {
	ctx := context.Background()
	master := redistest.Start(t)
	o := at(t, master.URL())
	j := open(t, o)
	var feed storetest.Feed
	first := commit(t, j, batch(&feed, store.Tip{}, 1))
	replica := master.Replica(t)
	o.Address.Hosts = []string{replica.Addr}
	moved := open(t, withoutRootKey(o))
	if _, err := moved.Commit(ctx, batch(&storetest.Feed{}, store.Tip{}, 9)); err == nil {
		t.Fatal("a replica accepted a commit")
	}
	if _, err := moved.Commit(ctx, &store.Batch{After: first}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("a replica confirmed its tip: %v, want ErrUnavailable", err)
	}
	replica.Do("replicaof", "no", "one")
	tip := commit(t, j, batch(&feed, first, 2))
	if _, err := moved.Missed(ctx, tip); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a tip that the replica lost: %v, want ErrDiverged", err)
	}
	_, err := moved.Missed(ctx, first)
	if !errors.Is(err, store.ErrRestarted) {
		t.Errorf("a tip that the replica has: %v, want ErrRestarted", err)
	}
	other := batch(&storetest.Feed{}, first, 3)
	other.Entries[0].Position, other.Entries[0].Rev, other.Entries[0].Seq = 2, 1<<20, 1<<20
	other.Resumed = storetest.RunOf(err)
	other.Commit = store.CommitID{3}
	commit(t, moved, other)
	if _, err := moved.Missed(ctx, tip); !errors.Is(err, store.ErrDiverged) {
		t.Errorf("a tip of the lost branch: %v, want ErrDiverged", err)
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
	if missed, err := j.Missed(context.Background(), tip); err != nil || len(missed) > 0 {
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
