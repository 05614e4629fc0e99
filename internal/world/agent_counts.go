package world

import (
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// AgentCounts counts the agents of the view by their states.
func (v *View) AgentCounts() *protocol.AgentCounts {
	if known := v.agentCounts.Load(); known != nil {
		return known
	}
	counts := new(protocol.AgentCounts)
	for _, leaf := range v.Tree.Occupants() {
		if strings.HasPrefix(leaf.Key(), string(protocol.KindAgent)+":") {
			counts.Add(stateIn(leaf.Payload()))
		}
	}
	v.agentCounts.Store(counts)
	return counts
}

// stateIn returns the state in the canonical JSON of a row, "" if it has none.
func stateIn(row []byte) string {
	var activity protocol.Activity
	value := chain.ActivityIn(row)
	if value == nil || protocol.Decode(value, &activity) != nil {
		return ""
	}
	return activity.State
}
