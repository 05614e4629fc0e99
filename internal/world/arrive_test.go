package world

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// A host that starts alone renews every lease for one full term. If other hosts
// serve the world, it does not: agents could renew their leases there, and a host
// that restarts repeatedly would keep agents that are gone.
func TestLoneHostRenewsLeasesAtStart(t *testing.T) {
	for name, c := range map[string]struct {
		others int
		stays  bool
	}{"alone": {0, true}, "with another host": {1, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { restartHost(t, c.others, c.stays) })
		})
	}
}

func restartHost(t *testing.T, others int, stays bool) {
	c := openCluster(t, 1+others)
	defer c.close()
	sweep := func(after time.Duration) {
		t.Helper()
		c.clock.Advance(after)
		for _, w := range c.worlds {
			if err := w.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	sweep(0) // The first sweep finds that no sweep ran for a long time.
	a := c.agent(0, 6)
	there := func() bool { return rowOf(c.worlds[0].View(), protocol.AgentKey(id("owner"), a)) != nil }
	sweep(4 * time.Second)
	synctest.Wait() // A serving host follows the journal.
	closeWorld(t, c.worlds[0])
	w, err := Open(t.Context(), Options{Journal: c.server.Host(), RootKey: testRootKey, Now: c.clock.Now, Random: rand.NewChaCha8([32]byte{7})})
	if err != nil {
		t.Fatal(err)
	}
	c.worlds[0] = w
	sweep(3 * time.Second)
	if there() != stays {
		t.Errorf("7 s after its registration and 3 s after the restart, the agent is on the map: %v, want %v", there(), stays)
	}
	sweep(4 * time.Second)
	if there() {
		t.Error("the agent is on the map after its full term")
	}
}

// Of two hosts that create the world at the same time one commits first, and the other
// one continues from its entry.
func TestHostsThatStartTogetherShareOneWorld(t *testing.T) {
	server := sharedstore.NewServer(store.DefaultRetention(), newClock().Now)
	late := &faulty{Journal: server.Host()}
	var first *World
	late.beforeCommit = func() {
		late.beforeCommit = nil
		first = openOn(t, server.Host(), 1)
	}
	second := openOn(t, late, 2)
	if got, want := second.View(), first.View(); got.SID != want.SID || got.Tip() != want.Tip() {
		t.Errorf("the second host has the world %s at %v, the first one %s at %v", got.SID, got.Tip(), want.SID, want.Tip())
	}
}
