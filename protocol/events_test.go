package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

func TestEventDataOnTheWire(t *testing.T) {
	row := json.RawMessage(`{"kind":"mcp"}`)
	wireBothWays(t, protocol.PlayerAddedData{Player: row}, `{"player":{"kind":"mcp"}}`)
	wireBothWays(t, protocol.PlayerRemovedData{PlayerID: "a", Reason: protocol.RemovedLease}, `{"playerId":"a","reason":"lease"}`)
	wireBothWays(t, protocol.PersonAddedData{Person: row}, `{"person":{"kind":"mcp"}}`)
	wireBothWays(t, protocol.PersonRemovedData{PersonID: "p", Reason: protocol.RemovedDisconnect}, `{"personId":"p","reason":"disconnect"}`)
	wireBothWays(t, protocol.MCPRegisteredData{MCP: row}, `{"mcp":{"kind":"mcp"}}`)
	wireBothWays(t, protocol.MCPUnregisteredData{ID: "m", Reason: protocol.RemovedAdmin}, `{"id":"m","reason":"admin"}`)
	wireBothWays(t, protocol.InteractionData{PlayerID: "a", Role: "user", Text: "x", At: "t", Seq: 1}, `{"playerId":"a","role":"user","text":"x","at":"t","seq":1}`)
	wireEqual(t, protocol.JourneyData{PlayerID: "a", Journey: protocol.Journey{Steps: []protocol.JourneyStep{}}},
		`{"playerId":"a","journey":{"steps":[],"startedAt":"","completedAt":""},"path":[]}`)
	wireBothWays(t, protocol.SpaceChangedData{SpaceID: "s", Action: protocol.SpaceCreated}, `{"spaceId":"s","action":"created"}`)
	wireBothWays(t, protocol.SessionResetData{Reason: "admin", SID: "s"}, `{"reason":"admin","sid":"s"}`)
	wireBothWays(t, protocol.SessionResyncData{Reason: "trimmed"}, `{"reason":"trimmed"}`)
	for want, data := range map[string]any{
		`{"reason":"node_deleted"}`:           protocol.SignalReason{Reason: protocol.ReasonNodeDeleted},
		`{"stepCount":3}`:                     protocol.SignalSteps{StepCount: 3},
		`{"zoneCount":100,"flagged":true}`:    protocol.SignalZone{ZoneCount: protocol.FlaggedZoneCount, Flagged: true},
		`{"yieldCount":2}`:                    protocol.SignalYield{YieldCount: 2},
		`{"yieldCount":2,"fromPlayerId":"p"}`: protocol.SignalYield{YieldCount: 2, FromPlayerID: "p"},
		`{"fromPlayerId":"__human__"}`:        protocol.SignalFrom{FromPlayerID: protocol.HumanLabel},
	} {
		wireEqual(t, data, want)
		raw := json.RawMessage(encode(t, data))
		wireBothWays(t, protocol.AgentSignalData{PlayerID: protocol.WorldPlayerID, Kind: protocol.SignalMetadata, Data: raw},
			`{"playerId":"__world__","kind":"metadata","data":`+want+`}`)
	}
}

func TestIntercomEventOnTheWire(t *testing.T) {
	wireBothWays(t, protocol.IntercomEvent{
		RequestID: "r", MainNodeID: "m", ToPlayerID: "__human__", FromPlayerID: "a", Kind: "assist", Status: "forwarded",
		TS: "t", ToolName: "assist_x", Message: "hi", Result: json.RawMessage(`{}`), Error: "e",
		ChannelKey: protocol.IntercomChannelKey("__human__", "a"), Command: json.RawMessage(`{"requestId":"r"}`),
	}, `{"requestId":"r","mainNodeId":"m","toPlayerId":"__human__","fromPlayerId":"a","kind":"assist","status":"forwarded","ts":"t",
		"toolName":"assist_x","message":"hi","result":{},"error":"e","channelKey":"intercom:human:__human__:agent:a","command":{"requestId":"r"}}`)
	wireBothWays(t, protocol.IntercomEvent{Status: protocol.IntercomStarted},
		`{"requestId":"","mainNodeId":"","toPlayerId":"","fromPlayerId":"","kind":"","status":"started","ts":""}`)
}

func TestEventDataContainsHead(t *testing.T) {
	head := protocol.EventHead{
		Rev: new(uint64(7)), MerkleRootHex: "h", MerkleLeafCount: 2,
		Notify: json.RawMessage(`{"updatedAt":"t","nodes":[]}`), Nodes: []json.RawMessage{[]byte(`{"kind":"header"}`)},
	}
	data, err := protocol.EncodeEventData(protocol.PlayerRemovedData{PlayerID: "a", Reason: "lease"}, &head)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"playerId":"a","reason":"lease","rev":7,"merkleRootHex":"h","merkleLeafCount":2,` +
		`"playerChainNotify":{"updatedAt":"t","nodes":[]},"playerChainNodes":[{"kind":"header"}]}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	var got protocol.EventHead
	if err := protocol.Decode(data, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(head, got); diff != "" {
		t.Errorf("the head read back (-want +got):\n%s", diff)
	}
	if err := protocol.Decode([]byte(`{"rev":-1}`), new(protocol.EventHead)); err == nil {
		t.Error("a negative rev is accepted")
	}
	if _, err := protocol.EncodeEventData(make(chan int), &head); err == nil {
		t.Error("invalid JSON is encoded")
	}
}

// An event's data is one line, whatever its input.
func TestEventDataIsOneLine(t *testing.T) {
	data, err := protocol.EncodeEventData(protocol.AgentSignalData{Data: json.RawMessage("{\n\"a\":\r\n1}")}, &protocol.EventHead{})
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(string(data), "\r\n") {
		t.Errorf("%q has more than one line", data)
	}
}

func TestEnvelopesOnTheWire(t *testing.T) {
	wireBothWays(t, protocol.FanoutEnvelope{
		Rev: 7, Event: protocol.EventInteraction, Data: json.RawMessage(`{}`), MerkleRootHex: "h", MerkleLeafCount: 2, Notify: json.RawMessage(`{}`),
	}, `{"rev":7,"event":"world:interaction","data":{},"merkleRootHex":"h","merkleLeafCount":2,"playerChainNotify":{}}`)
	wireBothWays(t, protocol.FanoutEnvelope{Event: protocol.EventSessionReset, Data: json.RawMessage(`{}`)},
		`{"rev":0,"event":"session:reset","data":{}}`)
	wireBothWays(t, protocol.BridgeEvent{Event: protocol.EventInteraction, SID: "s", Payload: json.RawMessage(`{}`)},
		`{"event":"world:interaction","sid":"s","payload":{}}`)
}

func TestPaths(t *testing.T) {
	p, a := protocol.ServicePlay, protocol.ServiceAgentPlay
	for want, got := range map[string]string{
		"/api/play/session": p.Session(), "/api/play/session/reset": p.Reset(), "/api/play/snapshot": p.Snapshot(),
		"/api/play/events": p.Events(), "/api/play/players": p.Players(), "/api/play/players/heartbeat": p.Heartbeat(),
		"/api/play/players/disconnect": p.Disconnect(), "/api/play/mcp/register": p.MCPRegister(),
		"/api/play/mcp/unregister": p.MCPUnregister(), "/api/play/occupants/remove": p.RemoveOccupant(),
		"/api/play/sdk/rpc": p.RPC(), "/api/play/assist-tool": p.AssistTool(), "/api/play/proximity-action": p.ProximityAction(), "/api/play/person": p.Person(),
		"/play/watch": p.Watch(), "/play/watch/session": p.WatchSession(), "/play/watch/token": p.WatchToken(),
		"/play/watch/assets": p.WatchAssets(), "/play/watch/card.png": p.WatchCard(), "/play/watch/town.js": p.WatchTown(), "play_watch": p.WatchCookie(),
		"/api/agent-play/session": a.Session(), "/agent-play/watch": a.Watch(),
		"play:h1:world:events": p.FanoutChannel("h1"), "agent-play:h1:world:events": a.FanoutChannel("h1"),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
