package protocol_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// rowOnTheWire checks a row's JSON, and that the JSON decodes to the row.
func rowOnTheWire[T any](t *testing.T, row *T, want string) {
	t.Helper()
	wireEqual(t, row, want)
	var back T
	if err := protocol.Decode([]byte(want), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(row, &back); diff != "" {
		t.Errorf("%T read back (-want +got):\n%s", row, diff)
	}
}

func TestAgentRow(t *testing.T) {
	journey := protocol.Journey{
		Steps: []protocol.JourneyStep{{Type: "structure", ToolName: "search", ToolCallID: "c", Args: json.RawMessage(`{"q":1}`)}}, StartedAt: "a", CompletedAt: "b",
	}
	rowOnTheWire(t, &protocol.Agent{
		NodeID: "n", AgentID: "a", Name: "Ada", X: 3, Y: -4, Platform: "langchain",
		ToolNames: []string{"chat_tool", "assist_x"}, AssistToolNames: []string{"assist_x"},
		AssistTools: []protocol.AssistTool{{Name: "assist_x", Description: "", Parameters: json.RawMessage(`{}`)}},
		HasChatTool: true, EnableP2A: "on", RealtimeInstructions: "brief", Stationary: true,
		LastUpdate: &protocol.LastUpdate{
			PlayerID: "a", Journey: journey,
			Path: []protocol.PathStep{{JourneyStep: journey.Steps[0], X: 1, Y: 2, StructureID: "agent:a"}},
		},
		ZoneCount: 1, YieldCount: 2, Flagged: true,
		OnZone: &protocol.ZoneMark{ZoneCount: 1, Flagged: true, At: "t"}, OnYield: &protocol.YieldMark{YieldCount: 2, At: "t"},
		Activity: &protocol.Activity{
			State: protocol.ActivityWaiting, Text: "Approve it", ToolName: "send", Since: "t", Usage: &protocol.Usage{InputTokens: new(0.0), CostUSD: new(0.1)},
		},
		ParentID: "p", Group: "shop",
	}, `{"kind":"agent","nodeId":"n","agentId":"a","name":"Ada","x":3,"y":-4,"platform":"langchain",
		"toolNames":["chat_tool","assist_x"],"assistToolNames":["assist_x"],
		"assistTools":[{"name":"assist_x","description":"","parameters":{}}],
		"hasChatTool":true,"enableP2a":"on","realtimeInstructions":"brief","stationary":true,
		"lastUpdate":{"playerId":"a",
			"journey":{"steps":[{"type":"structure","toolName":"search","toolCallId":"c","args":{"q":1}}],"startedAt":"a","completedAt":"b"},
			"path":[{"type":"structure","toolName":"search","toolCallId":"c","args":{"q":1},"x":1,"y":2,"structureId":"agent:a"}]},
		"zoneCount":1,"yieldCount":2,"flagged":true,
		"onZone":{"zoneCount":1,"flagged":true,"at":"t"},"onYield":{"yieldCount":2,"at":"t"},
		"activity":{"state":"waiting","text":"Approve it","toolName":"send","since":"t","usage":{"inputTokens":0,"costUsd":0.1}},
		"parentId":"p","group":"shop"}`)

	// Fields that do not apply are absent; counts, flags and lists are always
	// present, in a row that was read without its lists, too.
	const bare = `{"kind":"agent","nodeId":"n","agentId":"a","name":"","x":0,"y":0,"platform":"","toolNames":[],"assistToolNames":[],
		"hasChatTool":false,"enableP2a":"","stationary":false,"zoneCount":0,"yieldCount":0,"flagged":false}`
	rowOnTheWire(t, &protocol.Agent{NodeID: "n", AgentID: "a", ToolNames: []string{}, AssistToolNames: []string{}}, bare)
	wireEqual(t, &protocol.Agent{NodeID: "n", AgentID: "a"}, bare)
}

func TestOtherRows(t *testing.T) {
	rowOnTheWire(t, &protocol.MCP{ID: "m", NodeID: "n", Name: "Weather", URL: "http://h", X: 1, Y: 2},
		`{"kind":"mcp","id":"m","nodeId":"n","name":"Weather","url":"http://h","x":1,"y":2}`)
	rowOnTheWire(t, &protocol.MCP{ID: "m"}, `{"kind":"mcp","id":"m","nodeId":"","name":"","x":0,"y":0}`)
	rowOnTheWire(t, &protocol.Human{ID: "h", Name: "Bo", X: 1.5, Interactive: new(false)},
		`{"kind":"human","id":"h","name":"Bo","x":1.5,"y":0,"interactive":false}`)
	rowOnTheWire(t, &protocol.Structure{
		ID: "s", Name: "House", X: 1, Y: 2, WorldID: "w", SpaceIDs: []string{"a"}, GameID: "g", PrimaryAmenity: "shop", Amenities: []string{"shop"}, Stationary: true,
	}, `{"kind":"structure","id":"s","name":"House","x":1,"y":2,"worldId":"w","spaceIds":["a"],"gameId":"g",
		"primaryAmenity":"shop","amenities":["shop"],"stationary":true}`)
	rowOnTheWire(t, &protocol.Space{
		ID: "s", Name: "Corner", DesignKey: "d", Owner: protocol.SpaceOwner{DisplayName: "Ada", PlayerID: "a", NodeID: "n"},
		Amenities: []string{"shop"}, ActivityObjectIDs: []string{"o"},
	}, `{"id":"s","name":"Corner","description":"","designKey":"d","owner":{"displayName":"Ada","playerId":"a","nodeId":"n"},
		"amenities":["shop"],"activityObjectIds":["o"]}`)
}

func TestRowsAreOccupants(t *testing.T) {
	for _, c := range []struct {
		row  protocol.Occupant
		kind protocol.OccupantKind
		key  string
	}{
		{&protocol.Agent{NodeID: "n", AgentID: "a", X: 1, Y: 2}, protocol.KindAgent, "agent:n:a"},
		{&protocol.MCP{ID: "i", X: 1, Y: 2}, protocol.KindMCP, "mcp:i"},
		{&protocol.Human{ID: "i", X: 1, Y: 2}, protocol.KindHuman, "human:i"},
		{&protocol.Structure{ID: "i", X: 1, Y: 2}, protocol.KindStructure, "structure:i"},
	} {
		x, y := c.row.Position()
		if c.row.OccupantKind() != c.kind || c.row.StableKey() != c.key || x != 1 || y != 2 {
			t.Errorf("%T is a %s, %s at %v, %v", c.row, c.row.OccupantKind(), c.row.StableKey(), x, y)
		}
	}
}

func TestSnapshotOnTheWire(t *testing.T) {
	full := protocol.Snapshot{
		SID: "s", MainNodeID: "r", Rev: new(uint64(0)), Seq: new(uint64(7)), MerkleRootHex: "h", MerkleLeafCount: 2,
		WorldMap: protocol.WorldMap{Bounds: protocol.Bounds{MinX: -10, MinY: -6, MaxX: 9, MaxY: 5}, Occupants: []json.RawMessage{[]byte(`{"kind":"mcp"}`)}},
		Spaces:   []json.RawMessage{}, MCPServers: []protocol.MCPServer{{ID: "m", Name: "n"}},
	}
	wireBothWays(t, full, `{"sid":"s","mainNodeId":"r","rev":0,"seq":7,"merkleRootHex":"h","merkleLeafCount":2,
		"worldMap":{"bounds":{"minX":-10,"minY":-6,"maxX":9,"maxY":5},"occupants":[{"kind":"mcp"}]},
		"spaces":[],"mcpServers":[{"id":"m","name":"n"}]}`)
}

func TestChainNodesOnTheWire(t *testing.T) {
	for want, node := range map[string]protocol.ChainNode{
		`{"kind":"genesis","stableKey":"__genesis__","text":"r"}`: {
			Kind: protocol.NodeGenesis, StableKey: protocol.GenesisStableKey, Text: "r",
		},
		`{"kind":"header","stableKey":"__header__","sid":"s","bounds":{"minX":0,"minY":0,"maxX":0,"maxY":0}}`: {
			Kind: protocol.NodeHeader, StableKey: protocol.HeaderStableKey, SID: "s", Bounds: &protocol.Bounds{},
		},
		`{"kind":"occupant","stableKey":"mcp:m","removed":true}`: {
			Kind: protocol.NodeOccupant, StableKey: "mcp:m", Removed: true,
		},
		`{"kind":"occupant","stableKey":"mcp:m","removed":false,"occupant":{"a":1}}`: {
			Kind: protocol.NodeOccupant, StableKey: "mcp:m", Occupant: json.RawMessage(`{"a":1}`),
		},
		`{"kind":"space","stableKey":"space:s","removed":true}`: {
			Kind: protocol.NodeSpace, StableKey: "space:s", Removed: true,
		},
		`{"kind":"space","stableKey":"space:s","removed":false,"space":{"a":1}}`: {
			Kind: protocol.NodeSpace, StableKey: "space:s", Space: json.RawMessage(`{"a":1}`),
		},
	} {
		wireEqual(t, node, want)
	}
	wireBothWays(t, protocol.Notify{UpdatedAt: "t", Nodes: []protocol.NodeRef{
		{StableKey: "mcp:m", LeafIndex: 3, Removed: true}, {StableKey: "__header__", LeafIndex: 1, UpdatedAt: "t"},
	}}, `{"updatedAt":"t","nodes":[{"stableKey":"mcp:m","leafIndex":3,"removed":true},{"stableKey":"__header__","leafIndex":1,"updatedAt":"t"}]}`)
}
