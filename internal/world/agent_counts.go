package world

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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

// activityMember is how the canonical JSON of a row with an activity begins: its members
// are in alphabetical order, so the rest of the row, such as its tools, need not be read.
var activityMember = []byte(`{"activity":`)

// stateIn returns the state in the canonical JSON of a row, "" if it has none.
func stateIn(row []byte) string {
	text, has := bytes.CutPrefix(row, activityMember)
	if !has {
		return ""
	}
	value, err := jsontext.NewDecoder(bytes.NewBuffer(text)).ReadValue()
	if err != nil {
		return ""
	}
	var activity protocol.Activity
	if err := protocol.Decode(value, &activity); err != nil {
		return ""
	}
	return activity.State
}
