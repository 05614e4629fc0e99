package world

import (
	"cmp"
	"slices"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Aggregate is the data of an agent that is kept besides its row, and outlives the row.
type Aggregate struct {
	Name       string   `json:"name"`
	ToolNames  []string `json:"toolNames"`
	ZoneCount  int64    `json:"zoneCount"`
	YieldCount int64    `json:"yieldCount"`
	UpdatedAt  int64    `json:"updatedAt"`

	// Account is the main node that owns the agent, or the root node where there are no main
	// nodes.
	Account string `json:"-"`
}

// Flagged reports whether the agent has reached the threshold of zone signals.
func (a *Aggregate) Flagged() bool { return a.ZoneCount >= protocol.FlaggedZoneCount }

// size returns about how many bytes of memory the aggregate takes, with the record
// that readers share.
func (a *Aggregate) size() int {
	const maps, text = 256, 16
	size := maps + 2*len(a.Name)
	for _, tool := range a.ToolNames {
		size += text + 2*len(tool)
	}
	return size
}

// setAggregate stores an agent's aggregate and counts its size for the agent's account.
func (s *state) setAggregate(id string, next *Aggregate) {
	if next != nil {
		next.Account = s.accountOf(id)
	}
	setCounted(s, s.aggregates, id, next, func(v *Aggregate, by int) { s.count(v.Account, AgentBytes, by*v.size()) })
}

// makeRoomForNames stages the removal of the oldest names of agents off the map,
// where the next aggregate of an agent would take its account, or all accounts
// together, beyond the operator's limit. If all together are beyond it, the account
// with the most loses names.
func (p *planner) makeRoomForNames(id string, next *Aggregate) error {
	more := next.size()
	if prev := p.st.aggregates[id]; prev != nil {
		more -= prev.size()
	}
	name, kept := p.st.accountOf(id), map[string]bool{id: true}
	if limit := p.limit(name, AgentBytes); limit > 0 {
		over := p.st.usedBy(name)[AgentBytes] + more - limit
		freed := p.forgetNames(name, over, limit, kept)
		if more -= freed; freed < over {
			return p.noRoom(AgentBytes, limit, ofOne)
		}
	}
	limit := p.options.Limits.World[AgentBytes]
	for tried := []string{}; limit > 0 && p.st.used[AgentBytes]+more > limit; {
		victim := p.largest(AgentBytes, tried)
		if victim == "" {
			return p.noRoom(AgentBytes, limit, ofAll)
		}
		tried = append(tried, victim)
		more -= p.forgetNames(victim, p.st.used[AgentBytes]+more-limit, limit, kept)
	}
	return nil
}

// forgetNames stages the removal of an account's oldest agents off the map, until the
// amount beyond a limit has room, and a little more. passed are the agents that stay
// or were forgotten before.
func (p *planner) forgetNames(name string, over, limit int, passed map[string]bool) (freed int) {
	if over <= 0 {
		return 0
	}
	var off []string
	for id, a := range p.st.aggregates {
		if a.Account == name && p.st.agent(id) == nil && !passed[id] {
			off = append(off, id)
		}
	}
	slices.SortFunc(off, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.st.aggregates[a].UpdatedAt, p.st.aggregates[b].UpdatedAt), cmp.Compare(a, b))
	})
	for _, id := range off {
		if freed >= over+slack(AgentBytes, limit) {
			break
		}
		freed += p.st.aggregates[id].size()
		passed[id] = true
		p.erase(store.Aggregates, id)
	}
	return freed
}
