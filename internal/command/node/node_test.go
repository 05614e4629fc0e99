package node

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// The administrator's list of nodes fits as a table into a terminal of 80 columns: the
// block for each row, which replaces a wider table, is hard to compare.
func TestNodesTableFitsTerminal(t *testing.T) {
	t.Parallel()
	const stamp = "2026-01-02T03:04:05.678Z"
	main, agent := strings.Repeat("a", 64), strings.Repeat("b", 64)
	some, many, none := uint64(1234), uint64(123456789), uint64(0)
	usage := &protocol.Amounts{Agents: &some, Spaces: &some, MCP: &some, Requests: &some, Lines: &some, Journeys: &some, Bytes: &many, MapBytes: &some, AgentBytes: &many}
	reply := &protocol.AllNodesReply{
		MainNodes: protocol.List[protocol.MainNodeRecord]{{
			NodeID: main, Kind: protocol.NodeKindMain, ParentNodeID: strings.Repeat("c", 64), CreatedAt: stamp,
			AgentNodeIDs: []string{agent}, Usage: usage, Limits: &protocol.Amounts{Spaces: &none, MCP: &some, AgentBytes: &many, RateHistory: &many},
		}},
		AgentNodes: protocol.List[protocol.AgentRecord]{{
			AgentID: agent, Name: "Ada", Label: "the miller who grinds what the farmers bring in autumn", CreatedAt: stamp,
		}},
	}
	look := render.Look{Width: 80, Now: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)}
	var out bytes.Buffer
	printer := render.Printer{Out: &out, Look: look, Format: render.FormatTable}
	if err := printer.Print(*nodesDocument(look, new(command.Caller), reply)); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for line := range strings.Lines(text) {
		if len(line) > 80+len("\n") {
			t.Errorf("a line has %d columns: %q", len(line)-1, line)
		}
	}
	for _, want := range []string{"KIND   NODE", "ACCOUNT       AGENTS  ", "1234/none  1234/1234", "MAP-BYTES", "LINES  JOURNEYS", "farmers", "123456789", "123456789/123456789", "OCCUPANTS  RATE-HISTORY", "/123456789\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// The node of a space is listed with the space, because the node id alone is meaningless
// to people.
func TestNodesListTheirSpaces(t *testing.T) {
	t.Parallel()
	reply := &protocol.AllNodesReply{
		SpaceNodes: protocol.List[protocol.SpaceNodeRecord]{{NodeID: strings.Repeat("d", 64), Kind: protocol.NodeKindSpace, SpaceID: "mill"}},
	}
	var out bytes.Buffer
	printer := render.Printer{Out: &out, Format: render.FormatNDJSON}
	if err := printer.Print(*nodesDocument(render.Look{}, new(command.Caller), reply)); err != nil {
		t.Fatal(err)
	}
	if want := `"name":"mill"`; !strings.Contains(out.String(), want) {
		t.Errorf("%s is missing in %s", want, &out)
	}
}
