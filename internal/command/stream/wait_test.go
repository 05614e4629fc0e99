package stream

import (
	"fmt"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// mapOf returns a map with one agent.
func mapOf(t *testing.T, state, since string) *chain.Snapshot {
	t.Helper()
	snapshot, _, err := chain.ParseSnapshot(fmt.Appendf(nil, `{"sid":"5d1f0ee5-be11-4d0d-9e2f-3a4b5c6d7e8f","mainNodeId":"m","rev":7,"seq":9,"worldMap":{"bounds":{"minX":0,"minY":0,"maxX":19,"maxY":11},
		"occupants":[{"kind":"agent","nodeId":"m","agentId":"ada","name":"Ada","x":1,"y":1,"platform":"go","toolNames":["chat_tool"],"assistToolNames":[],"hasChatTool":true,
		"enableP2a":"off","stationary":true,"zoneCount":0,"yieldCount":0,"flagged":false,"activity":{"state":%q,"since":%q}}]},"spaces":[],"mcpServers":[]}`, state, since))
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// A wait for a state that begins later misses none while it has no connection: what a read
// shows then counts, unless it was the same before.
func TestWaitAcrossReads(t *testing.T) {
	t.Parallel()
	const early, late = "2026-03-04T11:57:00.000Z", "2026-03-04T11:59:00.000Z"
	for name, test := range map[string]struct {
		next  bool
		gap   bool
		reads [][2]string // state and since
		want  bool        // whether the last read meets the wait; none before does
	}{
		"there already":           {false, false, [][2]string{{"waiting", early}}, true},
		"another state":           {false, false, [][2]string{{"working", early}}, false},
		"there already, for next": {true, false, [][2]string{{"waiting", early}}, false},
		"the same after a loss":   {true, false, [][2]string{{"waiting", early}, {"waiting", early}}, false},
		"again after a loss":      {true, false, [][2]string{{"waiting", early}, {"waiting", late}}, true},
		"new after a loss":        {true, false, [][2]string{{"working", early}, {"waiting", late}}, true},
		"events are missing":      {true, true, [][2]string{{"waiting", early}}, true},
	} {
		w := &stateWait{states: []string{protocol.ActivityWaiting}, next: test.next, gap: test.gap}
		tailing := &tailer{wait: w, flags: &tailFlags{}, caller: &command.Caller{}, pick: &selection{}}
		for i, read := range test.reads {
			tailing.state = sdk.State{Snapshot: mapOf(t, read[0], read[1])}
			if met, last := w.read(tailing), i == len(test.reads)-1; met != (last && test.want) {
				t.Errorf("%s: read %d: %v", name, i, met)
			}
		}
		if test.want && (w.found == nil || w.found.AgentID != "ada" || *w.found.Seq != 9) {
			t.Errorf("%s: found %+v", name, w.found)
		}
	}
}
