package world

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

// A host that starts alone renews every lease for one full term. If other hosts
// serve the world, it does not: agents could renew their leases there, and a host
// that restarts repeatedly would keep agents that are gone.
func TestAHostThatStartsAloneGivesLeasesAFullTerm(t *testing.T) {
	for name, c := range map[string]struct {
		others int
		stays  bool
	}{"alone": {0, true}, "beside another": {1, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { startedAgain(t, c.others, c.stays) })
		})
	}
}

func startedAgain(t *testing.T, others int, stays bool) {
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
	there := func() bool { return c.worlds[0].View().Find(protocol.AgentKey(id("owner"), a)) != nil }
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
		t.Errorf("7 s after it registered, 3 s after the host started again, the agent is there: %v, want %v", there(), stays)
	}
	sweep(4 * time.Second)
	if there() {
		t.Error("the agent is there after its full term")
	}
}
