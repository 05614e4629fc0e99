package world

import (
	"cmp"
	"slices"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Aggregate is what is kept of an agent besides its row; it survives the row.
type Aggregate struct {
	Name       string   `json:"name"`
	ToolNames  []string `json:"toolNames"`
	ZoneCount  int64    `json:"zoneCount"`
	YieldCount int64    `json:"yieldCount"`
	UpdatedAt  int64    `json:"updatedAt"`

	// Account is the main node that has the agent, the root node where there are none.
	Account string `json:"-"`
}

// Flagged reports whether the agent has reached the threshold of zone signals.
func (a *Aggregate) Flagged() bool { return a.ZoneCount >= protocol.FlaggedZoneCount }

// size is about how many bytes of memory it takes, with the record of it that readers
// share.
func (a *Aggregate) size() int {
	const maps, text = 256, 16
	size := maps + 2*len(a.Name)
	for _, tool := range a.ToolNames {
		size += text + 2*len(tool)
	}
	return size
}

// setAggregate counts what is kept of an agent for the account that has it.
func (s *state) setAggregate(id string, next *Aggregate) {
	if next != nil {
		next.Account = s.accountOf(id)
	}
	setCounted(s, s.aggregates, id, next, func(v *Aggregate, by int) { s.count(v.Account, AgentBytes, by*v.size()) })
}

// makeRoomForNames stages that the oldest names are forgotten of agents that are off
// the map, where an account or all of them have more than the operator allows with
// what is to be kept of one. Of all it is the account with the most that loses them.
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

// forgetNames stages that the oldest of an account's agents that are off the map are
// forgotten, until what is over a limit has room, and a little more. passed are those
// that stay or were forgotten before.
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
