package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// Placed is an agent in a list for people.
type Placed struct {
	*protocol.Agent
	// Depth is how many of its parents are above it in the list.
	Depth int
}

// deepest is the greatest depth that is shown.
const deepest = 4

// Indented returns the name of an agent, not cleaned, after a sign of its depth.
func (p Placed) Indented() string {
	if p.Depth == 0 {
		return p.Name
	}
	return strings.Repeat("  ", min(p.Depth, deepest)-1) + "└ " + p.Name
}

// Arrange returns agents in the order for people, each once: those who wait for a person
// first, the longest first; then failed, working, done and idle ones, and last those that
// say nothing; by name among equals. An agent that another one of the same owner started
// comes below it, and both come as early as the more urgent one.
//
// A parent that is not among the rows, belongs to another owner or descends from the agent
// itself does not count.
func Arrange(rows []*protocol.Agent) []Placed {
	f := family{
		byKey: map[kin]*protocol.Agent{}, looped: map[*protocol.Agent]bool{},
		children: map[*protocol.Agent][]*protocol.Agent{}, first: map[*protocol.Agent]*protocol.Agent{},
	}
	for _, row := range rows {
		f.byKey[kin{row.NodeID, row.AgentID}] = row
	}
	f.findLoops(rows)
	var roots []*protocol.Agent
	for _, row := range rows {
		if parent := f.parentOf(row); parent != nil {
			f.children[parent] = append(f.children[parent], row)
		} else {
			roots = append(roots, row)
		}
	}
	placed := make([]Placed, 0, len(rows))
	f.place(roots, 0, &placed)
	return placed
}

// kin is an agent's key among those of all owners.
type kin struct{ owner, id string }

// family finds the parents and children of agents.
type family struct {
	byKey map[kin]*protocol.Agent
	// looped are the agents that descend from themselves.
	looped   map[*protocol.Agent]bool
	children map[*protocol.Agent][]*protocol.Agent
	// first is the most urgent agent among an agent and its descendants, once it is known.
	first map[*protocol.Agent]*protocol.Agent
}

// findLoops marks the agents whose parents lead back to them. Each agent is walked over
// at most twice.
func (f *family) findLoops(rows []*protocol.Agent) {
	walks := map[*protocol.Agent]int{} // the walk that came by, from 1
	for i, row := range rows {
		walk, above := i+1, row
		for above != nil && walks[above] == 0 {
			walks[above] = walk
			above = f.statedParent(above)
		}
		if above == nil || walks[above] != walk {
			continue
		}
		for ; !f.looped[above]; above = f.statedParent(above) {
			f.looped[above] = true
		}
	}
}

// parentOf returns the agent below which a row is listed, nil for none.
func (f *family) parentOf(row *protocol.Agent) *protocol.Agent {
	if f.looped[row] {
		return nil
	}
	return f.statedParent(row)
}

// statedParent returns the row that a row names as its parent, nil for none.
func (f *family) statedParent(row *protocol.Agent) *protocol.Agent {
	if row.ParentID == "" {
		return nil
	}
	return f.byKey[kin{row.NodeID, row.ParentID}]
}

// place adds agents and their descendants to the list.
func (f *family) place(rows []*protocol.Agent, depth int, placed *[]Placed) {
	slices.SortStableFunc(rows, func(a, b *protocol.Agent) int {
		return cmp.Or(compareUrgency(f.mostUrgent(a), f.mostUrgent(b)), compareNames(a, b))
	})
	for _, row := range rows {
		*placed = append(*placed, Placed{row, depth})
		f.place(f.children[row], depth+1, placed)
	}
}

// mostUrgent returns the most urgent of an agent and its descendants.
func (f *family) mostUrgent(row *protocol.Agent) *protocol.Agent {
	if known := f.first[row]; known != nil {
		return known
	}
	first := row
	for _, child := range f.children[row] {
		if below := f.mostUrgent(child); compareUrgency(below, first) < 0 {
			first = below
		}
	}
	f.first[row] = first
	return first
}

// compareUrgency compares states, and of two that wait the times since when.
func compareUrgency(a, b *protocol.Agent) int {
	if order := cmp.Compare(urgencyOf(a), urgencyOf(b)); order != 0 || StateOf(a) != protocol.ActivityWaiting {
		return order
	}
	return strings.Compare(a.Activity.Since, b.Activity.Since)
}

func compareNames(a, b *protocol.Agent) int {
	return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.AgentID, b.AgentID), strings.Compare(a.NodeID, b.NodeID))
}
