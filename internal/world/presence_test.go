package world

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/internal/pause"
)

// A deletion by one host has reached the other hosts after it waited for them, also
// if one of them is late.
func TestDeletionIsAwaitedAtEveryHost(t *testing.T) { synctest.Test(t, deletionIsAwaited) }

func deletionIsAwaited(t *testing.T) {
	c := openCluster(t, 3)
	defer c.close()
	a := c.agent(0, 45)
	c.agree()
	c.hosts[1].NoFollow.Store(true)
	c.must(0, id("owner"), DeleteAgent{AgentID: a})
	if c.worlds[1].Registry().Node(a) == nil {
		t.Fatal("a host that receives nothing has the deletion")
	}
	waited := make(chan []string, 1)
	go func() {
		late, err := c.worlds[0].AwaitHosts(context.Background())
		if err != nil {
			t.Errorf("AwaitHosts: %v", err)
		}
		for i, w := range c.worlds {
			if w.Registry().Node(a) != nil {
				t.Errorf("world %d has the agent after the wait", i)
			}
		}
		waited <- late
	}()
	synctest.Wait()
	c.hosts[1].NoFollow.Store(false)
	// The host receives the next commit, and with it the earlier ones.
	c.must(2, id("owner"), CreateAgentNode{AgentNodeID: id("b")})
	if late := <-waited; len(late) > 0 {
		t.Errorf("hosts %q were late", late)
	}
}

// A host that does not answer is waited for at most 3 s, and named; a closed host,
// or one that did not register for a while, is not waited for.
func TestUnresponsiveHostsAreNamed(t *testing.T) { synctest.Test(t, unresponsiveHosts) }

func unresponsiveHosts(t *testing.T) {
	c := openCluster(t, 3)
	await := func() []string {
		t.Helper()
		late, err := c.worlds[0].AwaitHosts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return late
	}
	c.hosts[1].NoFollow.Store(true)
	c.agent(0, 45)
	elapsed := pause.Stopwatch()
	if late := await(); !slices.Equal(late, []string{"host 1"}) || elapsed() != awaitTerm {
		t.Errorf("the late hosts are %q after %v, want host 1 after %v", late, elapsed(), awaitTerm)
	}
	c.clock.Advance(presenceTerm)
	if err := c.worlds[2].Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	elapsed = pause.Stopwatch()
	if late := await(); len(late) > 0 || elapsed() >= askEvery {
		t.Errorf("the late hosts are %q after %v, although host 1 is not registered", late, elapsed())
	}
	c.hosts[2].NoFollow.Store(true)
	c.must(0, id("owner"), CreateAgentNode{AgentNodeID: id("b")})
	if err := c.worlds[2].Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if late := await(); len(late) > 0 {
		t.Errorf("the late hosts are %q, although host 2 is closed", late)
	}
	c.close()
}
