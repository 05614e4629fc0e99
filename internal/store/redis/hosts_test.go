package redis_test

import (
	"context"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/test/redistest"
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
