package world

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/test/sharedstore"
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

// unaware is a host's access to a shared journal that can read no entries while cut is
// set, but sends and receives messages.
type unaware struct {
	*sharedstore.Host
	cut atomic.Bool
}

func (u *unaware) EntriesAfter(ctx context.Context, after store.Tip) ([]store.Entry, error) {
	if u.cut.Load() {
		return nil, store.ErrUnavailable
	}
	return u.Host.EntriesAfter(ctx, after)
}

// A host that still shows entries that the store has lost does not confirm a deletion
// whose entry has a lower position, because it does not have it.
func TestDeletionIsNotConfirmedFromLostEntries(t *testing.T) {
	synctest.Test(t, notConfirmedFromLost)
}

func notConfirmedFromLost(t *testing.T) {
	c := openCluster(t, 1)
	defer c.close()
	journal := &unaware{Host: c.server.Host()}
	c.add(journal.Host, journal)
	a := c.agent(0, 45)
	const lost = 8
	for n := range lost {
		c.must(0, a, line(a, fmt.Sprint(n)))
	}
	c.agree()
	journal.cut.Store(true)
	c.server.Restart(lost)
	c.must(0, id("owner"), DeleteAgent{AgentID: a})
	if first, second := c.worlds[0].View(), c.worlds[1].View(); second.Position < first.Position || c.worlds[1].Registry().Node(a) == nil {
		t.Fatalf("the deletion is entry %d, and the host that lacks it shows entry %d", first.Position, second.Position)
	}
	late, err := c.worlds[0].AwaitHosts(t.Context())
	if err != nil || !slices.Equal(late, []string{"host 1"}) {
		t.Errorf("the late hosts are %q, %v, although host 1 still has the deleted agent", late, err)
	}
	journal.cut.Store(false)
	late, err = c.worlds[0].AwaitHosts(t.Context())
	if err != nil || len(late) > 0 || c.worlds[1].Registry().Node(a) != nil {
		t.Errorf("the late hosts are %q, %v, and host 1 has the agent: %v", late, err, c.worlds[1].Registry().Node(a) != nil)
	}
}

// Messages about positions are parsed as they were sent, and only answers for the same entries count.
func TestProgressMessages(t *testing.T) {
	const host = "0b7f6c1e-3a52-4e0f-9d4b-6a1c2d3e4f50"
	for _, p := range []progress{
		{questionMessage, reached{5, 0}, host}, {questionMessage, reached{5, 1 << 40}, host}, {appliedMessage, reached{1 << 40, 256}, host},
	} {
		b := p.encode()
		if got, ok := parseProgress(b); !ok || got != p {
			t.Errorf("%+v became %+v, %v", p, got, ok)
		}
		if got, ok := parseProgress(b[:16]); ok {
			t.Errorf("%+v cut off became %+v", p, got)
		}
	}
	ctx, done := context.WithCancel(t.Context())
	w := waits{open: map[*wait]struct{}{}}
	w.begin(&wait{reached{5, 7}, map[string]string{host: "a host"}, done})
	w.receive(progress{appliedMessage, reached{5, 6}, host})
	if ctx.Err() != nil {
		t.Error("an answer for entries that were lost counts")
	}
	w.receive(progress{appliedMessage, reached{5, 7}, host})
	if ctx.Err() == nil {
		t.Error("an answer for the entries does not count")
	}
}
