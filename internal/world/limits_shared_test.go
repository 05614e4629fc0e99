package world

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// openWithDifferentClocks opens worlds on one journal whose clocks differ by a minute each.
func openWithDifferentClocks(t testing.TB, n int, limits Limits) *cluster {
	t.Helper()
	c := &cluster{t: t, clock: newClock()}
	c.server = sharedstore.NewServer(store.DefaultRetention(), c.clock.Now)
	for i := range n {
		apart := time.Duration(i-1) * time.Minute
		h := c.server.Host()
		w, err := Open(context.Background(), Options{
			Journal: h, RootKey: testRootKey, Random: rand.NewChaCha8([32]byte{byte(i + 1)}), Limits: limits,
			Now: func() time.Time { return c.clock.Now().Add(apart) },
		})
		if err != nil {
			t.Fatal(err)
		}
		c.hosts, c.worlds = append(c.hosts, h), append(c.worlds, w)
	}
	t.Cleanup(c.close)
	return c
}

// race runs a numbered command for each number at every world concurrently and
// returns how many succeeded; all others must be refused with the code. It is for a bubble
// of testing/synctest, where the second that a caller waits does not pass meanwhile.
func (c *cluster) race(n int, refused protocol.Code, caller string, command func(n int) Command) int {
	c.t.Helper()
	var succeeded atomic.Int64
	var racing sync.WaitGroup
	for i := range c.worlds {
		for k := range n {
			racing.Go(func() {
				switch _, err := c.do(i, caller, command(k)); {
				case err == nil:
					succeeded.Add(1)
				case protocol.CodeOf(err) != refused:
					c.t.Errorf("%d at host %d: %v, want %s", k, i, err, refused)
				}
			})
		}
	}
	racing.Wait()
	c.agree()
	return int(succeeded.Load())
}

// Every limit applies to the world, not to each host.
func TestLimitsHoldAcrossHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openWithDifferentClocks(t, 3, Limits{Occupants: 7, Account: Amounts{Agents: 6, MCPServers: 5, Spaces: 3, Requests: 4}, World: Amounts{Spaces: 5}})
		owner, other := id("owner"), id("other")
		if made := c.race(1, protocol.CodeNodeExists, "", func(int) Command {
			return CreateMainNode{NodeID: owner, Digest: sha256.Sum256([]byte("owner")), APIKey: protocol.NewSecret("key")}
		}); made != 1 {
			t.Errorf("one node was created %d times", made)
		}
		c.must(0, "", CreateMainNode{NodeID: other, Digest: sha256.Sum256([]byte("other")), APIKey: protocol.NewSecret("key")})
		agents := atomic.Int64{}
		if made := c.race(4, protocol.CodeAgentLimit, owner, func(int) Command {
			return CreateAgentNode{AgentNodeID: id(fmt.Sprint("agent", agents.Add(1)))}
		}); made != 6 {
			t.Errorf("%d agents were created for one account, want 6", made)
		}
		places := atomic.Int64{}
		place := func(int) Command {
			return RegisterMCP{protocol.MCPRegisterRequest{Name: fmt.Sprint("place", places.Add(1))}}
		}
		if made := c.race(4, protocol.CodeMCPLimit, owner, place); made != 5 {
			t.Errorf("%d placements were created for one account, want 5", made)
		}
		if made := c.race(4, protocol.CodeOccupantLimit, other, place); made != 2 {
			t.Errorf("%d more placements were created on a map with 2 free", made)
		}
		if rows := len(c.worlds[2].state.rows); rows != 7 {
			t.Errorf("the map has %d rows, want 7", rows)
		}
		space := func(int) Command {
			return RegisterSpace{protocol.RegisterSpaceRequest{Name: "Bare", DesignKey: "plain", Amenities: []string{"shop"}}}
		}
		if made := c.race(4, protocol.CodeSpaceLimit, owner, space); made != 3 {
			t.Errorf("%d spaces were created for one account, want 3", made)
		}
		if made := c.race(4, protocol.CodeSpaceLimit, other, space); made != 2 {
			t.Errorf("%d more spaces were created in a world with 2 free", made)
		}
	})
}

// A request's id counts once for all hosts, and every host refuses another caller's
// request with it.
func TestRequestIDIsUniqueAcrossHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openWithDifferentClocks(t, 3, Limits{})
		a, owner := c.agent(0, 45), id("owner")
		c.agree()
		before := c.worlds[0].View().Seq
		c.race(4, "", owner, func(int) Command { return ask("one", owner, a) })
		if made := c.worlds[0].View().Seq - before; made != 2 {
			t.Errorf("%d events were created, want started and forwarded", made)
		}
		c.must(1, a, answer("one", owner, a, protocol.IntercomCompleted))
		if succeeded := c.race(1, protocol.CodeForbidden, a, func(int) Command { return ask("one", owner, a) }); succeeded != 0 {
			t.Errorf("another caller used the id at %d hosts", succeeded)
		}
		if succeeded := c.race(2, protocol.CodeRequestUnknown, a, func(int) Command {
			return answer("one", owner, a, protocol.IntercomCompleted)
		}); succeeded != 0 {
			t.Errorf("a closed request was answered %d more times", succeeded)
		}
	})
}

// Hosts whose clocks differ by minutes use the store's time: their entries are in
// order, and nothing expires early.
func TestHostsWithWrongClocksAgreeOnTime(t *testing.T) {
	c := openWithDifferentClocks(t, 3, Limits{})
	a, owner := c.agent(0, 20), id("owner")
	c.must(2, owner, ask("slow", owner, a))
	for range 5 {
		c.clock.Advance(19 * time.Second)
		for i := range c.worlds {
			if err := c.worlds[i].Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			c.must(i, a, heartbeat(a, "c"))
			if now := c.worlds[i].Now(); !now.Equal(c.clock.Now()) {
				t.Errorf("the time at host %d is %v, that of the store %v", i, now, c.clock.Now())
			}
		}
	}
	c.agree()
	if c.worlds[1].state.agent(a) == nil {
		t.Error("an agent that renewed its lease was removed")
	}
	if got := c.worlds[0].View().Seq; got != 3 {
		t.Errorf("the log ends at %d, want 3: nothing has expired", got)
	}
	c.clock.Advance(25 * time.Second)
	for i := range c.worlds {
		if err := c.worlds[i].Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	c.agree()
	// No host swept for so long that every term starts again.
	for range 130 {
		c.clock.Advance(time.Second)
		for i := range c.worlds {
			if err := c.worlds[i].Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.agree()
	if got := c.worlds[0].View().Seq; got != 5 || c.worlds[1].state.agent(a) != nil {
		t.Errorf("the log ends at %d, want 5: the agent removed once, the request failed once", got)
	}
}
