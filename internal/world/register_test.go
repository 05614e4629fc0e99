package world

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

func TestRegisterPutsAgentOnMap(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	before := f.View()

	reply := f.as(a, registration(a))
	view := f.View()
	if view.Rev != before.Rev+1 || view.Seq != before.Seq+1 {
		t.Errorf("one registration increased rev by %d and seq by %d, want 1 and 1", view.Rev-before.Rev, view.Seq-before.Seq)
	}
	if reply.Rev != view.Rev || reply.Seq != view.Seq {
		t.Errorf("the reply is of rev %d and seq %d, the view of %d and %d", reply.Rev, reply.Seq, view.Rev, view.Seq)
	}
	row, ok := f.occupants()[protocol.AgentKey(owner, a)].(*protocol.Agent)
	if !ok {
		t.Fatal("the agent is not on the map")
	}
	want := &protocol.Agent{
		NodeID: owner, AgentID: a, Name: "Agent " + a[:4], X: row.X, Y: row.Y, Platform: "langchain",
		ToolNames: []string{"chat_tool", "assist_find"}, AssistToolNames: []string{"assist_find"},
		HasChatTool: true, EnableP2A: "off", Stationary: true,
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Errorf("the row (-want +got):\n%s", diff)
	}
	f.check()
}

func TestRepeatedRegisterKeepsCell(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	key := protocol.AgentKey(owner, a)
	x, y := f.occupants()[key].Position()
	rev, seq := f.View().Rev, f.View().Seq

	f.as(owner, registration(a))
	if f.View().Rev != rev || f.View().Seq != seq {
		t.Error("an identical registration caused an event")
	}
	changed := registration(a)
	changed.Name = "Other"
	f.as(owner, changed)
	if f.View().Rev != rev+1 || f.View().Seq != seq+1 {
		t.Error("a changed registration is not one rev and one event")
	}
	if x2, y2 := f.occupants()[key].Position(); x2 != x || y2 != y {
		t.Errorf("the agent moved from %v,%v to %v,%v", x, y, x2, y2)
	}
}

func TestHundredConcurrentRegistrations(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	agents := make([]string, 100)
	for i := range agents {
		agents[i] = f.agent(owner, fmt.Sprint("agent", i))
	}
	cursor := f.Events().Head()
	runConcurrently(t, agents, func(a string) error {
		_, err := f.try(a, leasedRegistration(a, "c", 45))
		return err
	})
	f.check()
	if n := len(f.occupants()); n != 100 {
		t.Fatalf("%d agents are on the map, want 100", n)
	}
	_, err := f.try(owner, RegisterMCP{protocol.MCPRegisterRequest{Name: "one too many"}})
	wantCode(t, err, protocol.CodeOccupantLimit)

	runConcurrently(t, agents, func(a string) error {
		_, err := f.try(a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
		return err
	})
	f.check()
	if n := len(f.occupants()); n != 0 {
		t.Fatalf("%d agents are still on the map", n)
	}
	kinds := map[string]int{}
	for _, e := range f.events(cursor) {
		kinds[e.Kind]++
	}
	want := map[string]int{"world:player_added": 100, "world:player_removed": 100}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// runConcurrently runs do concurrently for each name.
func runConcurrently(t *testing.T, names []string, do func(string) error) {
	t.Helper()
	start := make(chan struct{})
	var group sync.WaitGroup
	for _, name := range names {
		group.Go(func() {
			<-start
			if err := do(name); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	close(start)
	group.Wait()
}

func TestConcurrentClaimsOfAgentIDHaveOneOwner(t *testing.T) {
	for round := range 20 {
		f := open(t)
		owners := []string{f.main("one"), f.main("two")}
		wanted := id(fmt.Sprint("wanted", round))
		var mu sync.Mutex
		won := []string{}
		runConcurrently(t, owners, func(owner string) error {
			_, err := f.try(owner, CreateAgentNode{AgentNodeID: wanted})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won = append(won, owner)
			} else if protocol.CodeOf(err) != protocol.CodeNodeExists {
				return err
			}
			return nil
		})
		if len(won) != 1 || f.Registry().Node(wanted).Parent != won[0] {
			t.Fatalf("round %d: %d accounts got the reply that they own the agent", round, len(won))
		}
	}
}

func TestForeignCallersCannotActForAgent(t *testing.T) {
	f := open(t)
	owner, stranger := f.main("owner"), f.main("stranger")
	a, other := f.agent(owner, "a"), f.agent(owner, "b")
	f.as(a, leasedRegistration(a, "c", 45))
	before := f.View()
	for _, caller := range []string{stranger, other, ""} {
		for _, c := range []Command{
			registration(a), line(a, "hello"), journey(a, "x"),
			Heartbeat{protocol.HeartbeatRequest{PlayerID: a, ConnectionID: "c"}},
			Disconnect{protocol.DisconnectRequest{PlayerID: a}},
		} {
			_, err := f.try(caller, c)
			wantCode(t, err, protocol.CodeForbidden)
		}
	}
	wrongOwner := registration(a)
	wrongOwner.MainNodeID = stranger
	_, err := f.try(a, wrongOwner)
	wantCode(t, err, protocol.CodeForbidden)
	if f.View() != before {
		t.Error("a refused command published a view")
	}
}

func TestCommandForOldSessionIsRefused(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	_, err := f.Do(context.Background(), Request{Caller: Caller{NodeID: a}, SID: "old"}, registration(a))
	wantCode(t, err, protocol.CodeSIDInvalid)
}

func TestRegistrationReply(t *testing.T) {
	f := open(t)
	a := f.agent(f.main("owner"), "a")
	for name, c := range map[string]struct {
		command Register
		want    string
	}{
		"without a connection": {registration(a), `null null`},
		"with a connection":    {leasedRegistration(a, "conn", 10), `"conn" 10`},
	} {
		reply := f.as(a, c.command)
		b, err := reply.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			ConnectionID    json.RawMessage `json:"connectionId"`
			LeaseTTLSeconds json.RawMessage `json:"leaseTtlSeconds"`
		}
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%s %s", got.ConnectionID, got.LeaseTTLSeconds); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}
