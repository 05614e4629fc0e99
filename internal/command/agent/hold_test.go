package agent

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// The options of an agent that is kept on the map have everything from its row, as the
// request of "add-agent" has: a flag that was not given removes nothing.
func TestHeldAgentKeepsItsRow(t *testing.T) {
	t.Parallel()
	id, hash := strings.Repeat("b", 64), creds.HashPhrase("a phrase of this test")
	ref := command.AgentRef{ID: id, Label: "ada", Own: true, Node: client.Credentials{NodeID: id, Hash: hash}}
	flags := &agentFlags{platform: "playctl", p2a: protocol.P2AOff, lease: 20 * time.Second, given: func(string) bool { return false }}
	row := &protocol.Agent{
		AgentID: id, Name: "Ada L.", Platform: "langchain", EnableP2A: protocol.P2AOn, RealtimeInstructions: "Be brief.",
		ParentID: strings.Repeat("c", 64), Group: "shop",
		ToolNames:   protocol.List[string]{protocol.ChatTool, "search", "assist_route"},
		AssistTools: protocol.List[protocol.AssistTool]{{Name: "assist_route", Description: "Plans a route", Parameters: []byte(`{"type":"object"}`)}},
	}
	held, err := heldAgent(nil, &command.Caller{}, ref, flags, row)
	if err != nil {
		t.Fatal(err)
	}
	options := reflect.ValueOf(held).Elem()
	for i := range options.NumField() {
		// Other commands set a function that is called, an agent that stays for good, and one whose
		// program says what it does.
		switch name := options.Type().Field(i).Name; {
		case name == "OnLost" || name == "Permanent" || name == "OwnActivity":
		case options.Field(i).IsZero():
			t.Errorf("the options have no %s", name)
		}
	}
	if held.Name != row.Name || held.Type != row.Platform || held.RealtimeInstructions != row.RealtimeInstructions || !held.EnableP2A ||
		held.ParentID != row.ParentID || held.Group != row.Group {
		t.Errorf("the options are %+v, of the row %+v", held, row)
	}
	if got := held.Tools.ToolNames(); !slices.Equal(got, row.ToolNames) {
		t.Errorf("the tools are %q", got)
	}
	if got := held.Tools.AssistTools(); !reflect.DeepEqual(got, row.AssistTools) {
		t.Errorf("the tools are described by %+v", got)
	}
}
