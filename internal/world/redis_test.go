package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/redistest"
)

// openOnRedis opens worlds that share a Redis server.
func openOnRedis(t testing.TB, n int) *cluster {
	t.Helper()
	server := redistest.Start(t)
	address, err := redis.ParseAddress(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, clock: newClock()}
	for i := range n {
		j, err := redis.Open(context.Background(), redis.Options{Address: address, RootKey: testRootKey})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := j.Close(); err != nil {
				t.Errorf("close journal %d: %v", i, err)
			}
		})
		w, err := Open(context.Background(), Options{
			Journal: j, RootKey: testRootKey, Now: c.clock.Now, Random: rand.NewChaCha8([32]byte{byte(i + 1)}),
		})
		if err != nil {
			t.Fatal(err)
		}
		c.worlds = append(c.worlds, w)
	}
	t.Cleanup(c.close)
	return c
}

func TestSecretsReachOtherHostOverRedis(t *testing.T) {
	c := openOnRedis(t, 2)
	agent, asker := c.agent(0, 45), id("owner")
	c.awaitReceivers(t)
	missed := 0
	for n := range 100 {
		request := fmt.Sprint("call ", n)
		c.must(0, asker, ask(request, asker, agent))
		reply := c.must(0, agent, answer(request, asker, agent, protocol.IntercomCompleted))
		eventually(t, "the event arrived", func() bool { return c.worlds[1].Events().Head() == reply.Seq })
		if !strings.Contains(c.frame(1, Caller{NodeID: asker}), "ek_hidden") {
			missed++
		}
	}
	// A secret can be missed, but that is rare.
	if missed > 20 {
		t.Errorf("%d of 100 secrets were missed", missed)
	}
}
