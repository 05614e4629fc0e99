package world

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// registerAndRemove registers an agent with long tool names and removes it from the map.
func (f *fixture) registerAndRemove(agent string, n int) {
	f.t.Helper()
	r := registration(agent)
	r.Agent.ToolNames = append(r.Agent.ToolNames, strings.Repeat("x", n))
	f.as(agent, r)
	f.as(agent, Disconnect{protocol.DisconnectRequest{PlayerID: agent}})
	f.clock.Advance(1)
}

// checkNameBytes fails unless the counted bytes equal the stored aggregates and are
// within the limit; it returns the aggregates by agent id.
func (f *fixture) checkNameBytes(limit int) map[string]*Aggregate {
	f.t.Helper()
	f.replica.mu.Lock()
	defer f.replica.mu.Unlock()
	of, all := map[string]int{}, 0
	for _, a := range f.state.aggregates {
		of[a.Account] += a.size()
		all += a.size()
	}
	for name, size := range of {
		if got := f.state.usedBy(name)[AgentBytes]; got != size {
			f.t.Errorf("%s has %d bytes of names, counted %d", name, size, got)
		}
	}
	if used := f.state.used[AgentBytes]; used != all || used > limit {
		f.t.Errorf("%d bytes of names are kept, counted %d, limit %d", all, used, limit)
	}
	return f.registry.aggregates
}

// In a world without nodes anybody can invent agents: the aggregates of removed
// agents are bounded, the oldest are dropped, and those of agents on the map stay.
func TestNamesOfRemovedAgentsAreBounded(t *testing.T) {
	const limit = 20_000
	f := open(t, func(o *Options) { o.NoRepository, o.Limits.Account[AgentBytes] = true, limit })
	f.as("", registration("stays"))
	for i := range 40 {
		f.registerAndRemove(fmt.Sprint("agent-", i), 500)
		if i == 20 {
			f.reopen()
		}
		f.checkNameBytes(limit)
	}
	kept := f.checkNameBytes(limit)
	if kept["stays"] == nil || kept["agent-39"] == nil || kept["agent-0"] != nil || len(kept) < 10 {
		t.Errorf("%d aggregates are kept", len(kept))
	}
}

// The account with the most aggregates loses the names of its oldest removed
// agents; an account whose agents are all on the map is refused.
func TestLargestAccountLosesNames(t *testing.T) {
	const limit = 20_000
	f := open(t, func(o *Options) { o.Limits.World[AgentBytes] = limit })
	quiet := f.agent(f.main("quiet account"), "quiet")
	f.registerAndRemove(quiet, 500)
	loud := f.main("loud account")
	for i := range 40 {
		f.registerAndRemove(f.agent(loud, fmt.Sprint("loud", i)), 500)
	}
	if kept := f.checkNameBytes(limit); kept[quiet] == nil || kept[id("loud0")] != nil || kept[id("loud39")] == nil {
		t.Errorf("%d aggregates are kept", len(kept))
	}
	f.as(loud, DeleteNode{NodeID: loud})
	f.checkNameBytes(1500)

	full := open(t, func(o *Options) { o.Limits.Account[AgentBytes] = 1000 })
	owner := full.main("owner")
	for _, name := range []string{"a", "b"} {
		full.as(owner, registration(full.agent(owner, name)))
	}
	_, err := full.try(owner, registration(full.agent(owner, "c")))
	wantCode(t, err, protocol.CodeStorageLimit)
	if !strings.Contains(err.Error(), "1000 bytes of agents' names") {
		t.Errorf("the refusal does not name the limit: %v", err)
	}
	full.checkNameBytes(1000)
}

// Agents registered in one batch, before any of them is in the store, also stay
// within the limit.
func TestNamesInBatchAreBounded(t *testing.T) {
	const limit = 10_000
	f := open(t, func(o *Options) { o.NoRepository, o.Limits.Account[AgentBytes], o.Limits.Occupants = true, limit, 1000 })
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			agent := fmt.Sprint("agent-", i)
			if _, err := f.try("", registration(agent)); err == nil {
				_, err = f.try("", Disconnect{protocol.DisconnectRequest{PlayerID: agent}})
				if err != nil {
					t.Error(err)
				}
			} else if protocol.CodeOf(err) != protocol.CodeStorageLimit {
				t.Error(err)
			}
		})
	}
	all.Wait()
	f.checkNameBytes(limit)
}
