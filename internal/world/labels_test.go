package world

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func label(id, text string) LabelNode {
	return LabelNode{protocol.LabelRequest{NodeID: id, Label: text}}
}

// A label belongs to one agent in its account until that agent gets another label
// or is removed.
func TestLabelsAreUniqueInAccount(t *testing.T) {
	f := open(t)
	owner, other := f.main("owner"), f.main("other")
	one, two, others := f.agent(owner, "one"), f.agent(owner, "two"), f.agent(other, "others")
	taken := func(account, id string) {
		t.Helper()
		_, err := f.try(account, label(id, "Ada"))
		wantCode(t, err, protocol.CodeLabelExists)
	}
	f.as(owner, label(one, "Ada"))
	f.as(owner, label(one, "Ada"))
	f.as(owner, label(owner, "Ada"))
	f.as(other, label(others, "Ada"))
	taken(owner, two)
	f.reopen()
	taken(owner, two)
	f.as(owner, label(one, "Bob"))
	f.as(owner, label(two, "Ada"))
	taken(owner, one)
	f.as(owner, DeleteAgent{AgentID: two})
	f.as(owner, label(one, "Ada"))
	f.as(owner, label(one, ""))
	f.as(owner, label(f.agent(owner, "three"), "Ada"))
}

// The writer does not scan all agents of an account to find the label of one.
func TestLabelAmongManyAgentsUsesLittleMemory(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	const agents, labels = 2000, 50
	last := ""
	for i := range agents {
		last = f.agent(owner, fmt.Sprint("agent ", i))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range labels {
		f.as(owner, label(last, fmt.Sprint("label ", i)))
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / labels; each > 4*agents {
		t.Errorf("a label allocates %d bytes in an account of %d agents", each, agents)
	}
}
