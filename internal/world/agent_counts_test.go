package world

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// Agents are counted by their states; the text of a tool or of a name is not taken for a
// state, and the counts are those of their own view.
func TestAgentCounts(t *testing.T) {
	t.Parallel()
	f := open(t)
	owner := f.main("owner")
	add := func(name, state string) {
		id := f.agent(owner, name)
		r := registration(id)
		r.Name = `{"activity":{"state":"waiting"}}`
		f.as(id, r)
		if state != "" {
			f.as(id, RecordActivity{protocol.RecordActivityRequest{PlayerID: id, State: state, Text: `"state":"done"`}})
		}
	}
	if got := f.View().AgentCounts(); *got != (protocol.AgentCounts{}) {
		t.Fatalf("the empty map has %+v", got)
	}
	for i, state := range append(protocol.ActivityStates(), "", protocol.ActivityWorking) {
		add(fmt.Sprint("agent", i), state)
	}
	f.as(owner, RegisterMCP{protocol.MCPRegisterRequest{Name: "files"}})
	before := f.View()
	want := protocol.AgentCounts{Agents: 7, Working: 2, Waiting: 1, Idle: 1, Done: 1, Failed: 1}
	if diff := cmp.Diff(want, *before.AgentCounts()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	add("later", protocol.ActivityFailed)
	if got := f.View().AgentCounts(); got.Failed != 2 || before.AgentCounts().Failed != 1 {
		t.Errorf("the counts are not those of their view: %+v, before %+v", got, before.AgentCounts())
	}
}
