package redis_test

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
	"github.com/playctl/playctl/test/storetest"
	"github.com/playctl/playctl/test/worldtest"
)

// TestHosts counts the listening hosts, on one server and on the nodes of a
// Cluster.
func TestHosts(t *testing.T) {
	t.Parallel() // A Cluster takes two seconds to begin.
	t.Run("server", func(t *testing.T) { countHosts(t, at(t, redistest.Start(t).URL())) })
	t.Run("cluster", func(t *testing.T) {
		nodes := redistest.Cluster(t, 3)
		countHosts(t, at(t, "redis+cluster://"+nodes[0].Addr))
	})
}

func countHosts(t *testing.T, o redis.Options) {
	ctx, stop := context.WithCancel(context.Background())
	var hosts sync.WaitGroup
	defer hosts.Wait()
	defer stop()
	j := open(t, o)
	count := func(want int) {
		t.Helper()
		worldtest.Eventually(t, "the right number of hosts", func() bool {
			n, err := j.Hosts(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return n == want
		})
	}
	count(0)
	for n := range 3 {
		other := open(t, o)
		hosts.Go(func() {
			for message, err := range other.Listen(ctx) {
				if err != nil && ctx.Err() == nil {
					t.Errorf("Listen: %q, %v", message, err)
				}
			}
		})
		count(n + 1)
	}
	stop()
	count(0)
}

// TestClockGoesBack has the server's clock go back by an hour, as after a failover to a
// server with another clock: a lease ends after its term, not an hour later.
func TestClockGoesBack(t *testing.T) {
	ctx := t.Context()
	const back, term = time.Hour, time.Minute
	server := redistest.Start(t)
	o := at(t, server.URL())
	j := open(t, o)
	var feed storetest.Feed
	b := batch(&feed, store.Tip{}, 1)
	b.Entries[0].Records = []store.Record{{Table: store.Leases, Key: []byte("lease"), Value: []byte("v"), Term: term}}
	commit(t, j, b)
	due := func() {
		t.Helper()
		if keys, err := j.Expired(ctx, store.Leases, 1); err != nil || len(keys) > 0 {
			t.Fatalf("due are %q, %v, want none", keys, err)
		}
	}
	due()
	prefix := "play:{" + o.HostID + "}:"
	// What the server knows was written by a clock that was ahead.
	server.Do("hincrby", prefix+"asked", string(store.Leases), back.Milliseconds())
	server.Do("zincrby", prefix+"deadlines:"+string(store.Leases), back.Milliseconds(), "lease")
	due()
	ends, err := strconv.ParseFloat(fmt.Sprint(server.Do("zscore", prefix+"deadlines:"+string(store.Leases), "lease")), 64)
	if left := time.Until(time.UnixMilli(int64(ends))); err != nil || left > term {
		t.Errorf("the lease has %v left, %v, of its term of %v", left, err, term)
	}
}
