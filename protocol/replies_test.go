package protocol_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func TestSessionReply(t *testing.T) {
	r := protocol.SessionReply{
		SID: "s", Rev: new(uint64(0)), Seq: new(uint64(7)),
		Capabilities: []protocol.Capability{
			protocol.CapChainNodes, protocol.CapChainAtRev, protocol.CapChainProof, protocol.CapChainInline,
			protocol.CapResume, protocol.CapInteractions, protocol.CapIdempotency, protocol.CapMinRev,
		},
	}
	wireBothWays(t, r, `{"sid":"s","rev":0,"seq":7,"capabilities":["chain-nodes","chain-at-rev","chain-proof",
		"chain-inline","resume","interactions","idempotency","min-rev"]}`)
	if !r.Has(protocol.CapMinRev) || (&protocol.SessionReply{}).Has(protocol.CapResume) {
		t.Error("Has is wrong")
	}
	wireBothWays(t, protocol.SessionReply{SID: "s"}, `{"sid":"s"}`)
	wireBothWays(t, protocol.ResetReply{SID: "s"}, `{"sid":"s"}`)
}

func TestRegisterReply(t *testing.T) {
	agent := protocol.RegisteredAgent{AgentID: "a", Name: "Ada", ToolNames: []string{"chat_tool"}, ZoneCount: 1, YieldCount: 2, Flagged: true}
	wireBothWays(t, protocol.RegisterReply{
		PlayerID: "a", PreviewURL: "http://h/play/watch", RegisteredAgent: agent,
		ConnectionID: new("c"), LeaseTTLSeconds: new(45), EnableP2A: "off",
	}, `{"playerId":"a","previewUrl":"http://h/play/watch",
		"registeredAgent":{"agentId":"a","name":"Ada","toolNames":["chat_tool"],"zoneCount":1,"yieldCount":2,"flagged":true},
		"connectionId":"c","leaseTtlSeconds":45,"enableP2a":"off"}`)
	// Without a connection these two fields are null; no other field is ever null.
	wireEqual(t, protocol.RegisterReply{}, `{"playerId":"","previewUrl":"",
		"registeredAgent":{"agentId":"","name":"","toolNames":[],"zoneCount":0,"yieldCount":0,"flagged":false},
		"connectionId":null,"leaseTtlSeconds":null,"enableP2a":""}`)
	wireBothWays(t, protocol.HeartbeatReply{OK: true, LeaseTTLSeconds: 5}, `{"ok":true,"leaseTtlSeconds":5}`)
	wireBothWays(t, protocol.OKReply{}, `{"ok":false}`)
	wireBothWays(t, protocol.IDReply{ID: "m"}, `{"id":"m"}`)
	wireBothWays(t, protocol.RequestReply{OK: true, RequestID: "r"}, `{"ok":true,"requestId":"r"}`)
	wireBothWays(t, protocol.WatchSessionReply{Scope: protocol.WatchScopeAct, ExpiresAt: "e"}, `{"scope":"act","expiresAt":"e"}`)
	wireBothWays(t, protocol.WatchTokenReply{Token: protocol.NewSecret("t").Wire(), URL: "u", ExpiresAt: "e"}, `{"token":"t","url":"u","expiresAt":"e"}`)
	wireBothWays(t, protocol.WatchTokenReply{Token: protocol.NewSecret("t").Wire(), URL: "u", ExpiresAt: "e", AllAddresses: true},
		`{"token":"t","url":"u","expiresAt":"e","allAddresses":true}`)
}

func TestNodeReplies(t *testing.T) {
	main := protocol.MainNodeRecord{NodeID: "m", Kind: "main", ParentNodeID: "g", CreatedAt: "c", AgentNodeIDs: []string{"a"}}
	agent := protocol.AgentRecord{AgentID: "a", ToolNames: []string{}, CreatedAt: "c", UpdatedAt: "u"}
	const mainWire = `{"nodeId":"m","kind":"main","parentNodeId":"g","createdAt":"c","agentNodeIds":["a"]}`
	const agentWire = `{"agentId":"a","name":"","toolNames":[],"zoneCount":0,"yieldCount":0,"flagged":false,"createdAt":"c","updatedAt":"u"}`

	wireBothWays(t, protocol.NodesReply{GenesisNodeID: "g", MainNode: main, AgentNodes: []protocol.AgentRecord{agent}},
		`{"genesisNodeId":"g","mainNode":`+mainWire+`,"agentNodes":[`+agentWire+`]}`)
	wireBothWays(t, protocol.AllNodesReply{
		GenesisNodeID: "g", MainNodes: []protocol.MainNodeRecord{main}, AgentNodes: []protocol.AgentRecord{agent},
		SpaceNodes: []protocol.SpaceNodeRecord{{NodeID: "n", Kind: "space", ParentNodeID: "m", SpaceID: "s", CreatedAt: "c"}},
	}, `{"genesisNodeId":"g","mainNodes":[`+mainWire+`],"agentNodes":[`+agentWire+`],
		"spaceNodes":[{"nodeId":"n","kind":"space","parentNodeId":"m","spaceId":"s","createdAt":"c"}]}`)
	wireEqual(t, protocol.AllNodesReply{}, `{"genesisNodeId":"","mainNodes":[],"agentNodes":[],"spaceNodes":[]}`)
	wireEqual(t, protocol.AgentsReply{}, `{"agents":[]}`)
	wireEqual(t, protocol.AgentRecord{}, `{"agentId":"","name":"","toolNames":[],"zoneCount":0,"yieldCount":0,"flagged":false,"createdAt":"","updatedAt":""}`)
	wireEqual(t, protocol.MainNodeRecord{}, `{"nodeId":"","kind":"","parentNodeId":"","createdAt":"","agentNodeIds":[]}`)

	wireBothWays(t, protocol.CreateNodeReply{NodeID: "n"}, `{"nodeId":"n"}`)
	wireBothWays(t, protocol.AgentNodeReply{AgentID: "a"}, `{"agentId":"a"}`)
	wireBothWays(t, protocol.APIKeyReply{APIKey: protocol.NewSecret("k").Wire()}, `{"apiKey":"k"}`)
	wireBothWays(t, protocol.DeleteNodeReply{OK: true}, `{"ok":true,"deletedAgentCount":0}`)
	wireBothWays(t, protocol.ValidateReply{OK: true, NodeKind: protocol.NodeKindMain}, `{"ok":true,"nodeKind":"main"}`)
	wireBothWays(t, protocol.ValidateReply{Reason: protocol.ReasonNodeNotFound}, `{"ok":false,"reason":"node not found"}`)
}

func TestRPCReplies(t *testing.T) {
	seven := new(uint64(7))
	wireBothWays(t, protocol.SnapshotReply{Snapshot: json.RawMessage(`{"sid":"s"}`)}, `{"snapshot":{"sid":"s"}}`)
	wireBothWays(t, protocol.RecordInteractionReply{OK: true, Seq: seven}, `{"ok":true,"seq":7}`)
	wireBothWays(t, protocol.RecordInteractionReply{OK: true}, `{"ok":true}`)
	wireBothWays(t, protocol.RecordJourneyReply{OK: true, Rev: seven}, `{"ok":true,"rev":7}`)
	wireBothWays(t, protocol.InteractionsReply{
		Interactions: []protocol.Interaction{{PlayerID: "p", Role: "user", Text: "x", At: "t", Seq: 7}}, HasMore: true,
	}, `{"interactions":[{"playerId":"p","role":"user","text":"x","at":"t","seq":7}],"hasMore":true}`)
	wireEqual(t, protocol.InteractionsReply{}, `{"interactions":[],"hasMore":false}`)
	wireEqual(t, protocol.JourneysReply{}, `{"journeys":[],"hasMore":false}`)
	wireBothWays(t, protocol.JourneysReply{Journeys: []protocol.JourneyRecord{{
		PlayerID: "p", At: "t", Seq: 7,
		Journey: protocol.Journey{Steps: []protocol.JourneyStep{{Type: "origin"}}, StartedAt: "a", CompletedAt: "b"},
		Path:    []protocol.PathStep{{JourneyStep: protocol.JourneyStep{Type: "origin"}, X: 1, Y: -2, StructureID: "agent:p"}},
	}}}, `{"journeys":[{"playerId":"p","journey":{"steps":[{"type":"origin","content":"","messageId":""}],"startedAt":"a","completedAt":"b"},
		"path":[{"type":"origin","content":"","messageId":"","x":1,"y":-2,"structureId":"agent:p"}],"at":"t","seq":7}],"hasMore":false}`)
	wireBothWays(t, protocol.ChainNodeReply{Node: json.RawMessage(`{}`), Rev: seven}, `{"node":{},"rev":7}`)
	wireBothWays(t, protocol.ChainNodeReply{Node: json.RawMessage(`{}`)}, `{"node":{}}`)
	wireBothWays(t, protocol.ChainNodesReply{Nodes: []json.RawMessage{[]byte(`{}`)}, Rev: 7, MerkleRootHex: "h", MerkleLeafCount: 2},
		`{"nodes":[{}],"rev":7,"merkleRootHex":"h","merkleLeafCount":2}`)
	wireEqual(t, protocol.ChainNodesReply{}, `{"nodes":[],"rev":0,"merkleRootHex":"","merkleLeafCount":0}`)
	wireBothWays(t, protocol.ChainProofReply{
		Node: json.RawMessage(`{}`), LeafDigestHex: "d", Path: []protocol.ProofStep{{Side: protocol.SideLeft, Hex: "s"}},
		MerkleRootHex: "h", MerkleLeafCount: 2, Rev: 7,
	}, `{"node":{},"leafIndex":0,"leafDigestHex":"d","path":[{"side":"left","hex":"s"}],"merkleRootHex":"h","merkleLeafCount":2,"rev":7}`)
}

func TestSpaceReplies(t *testing.T) {
	space := protocol.Space{ID: "s", Name: "n", DesignKey: "d", Owner: protocol.SpaceOwner{DisplayName: "o", NodeID: "m"}, Amenities: []string{"shop"}}
	const wire = `{"id":"s","name":"n","description":"","designKey":"d","owner":{"displayName":"o","nodeId":"m"},"amenities":["shop"]}`
	wireBothWays(t, protocol.SpaceReply{Space: space}, `{"space":`+wire+`}`)
	wireBothWays(t, protocol.SpacesReply{Spaces: []protocol.Space{space}}, `{"spaces":[`+wire+`]}`)
	wireEqual(t, protocol.SpacesReply{}, `{"spaces":[]}`)
	wireBothWays(t, protocol.InspectSpaceReply{Space: space}, `{"space":`+wire+`}`)
	// A caller that may see the log gets an empty one.
	wireBothWays(t, protocol.InspectSpaceReply{Space: space, Log: []protocol.SpaceLogEntry{}}, `{"space":`+wire+`,"log":[]}`)
	wireBothWays(t, protocol.CreateSpaceReply{SpaceID: "s", NodeID: "n", Phrase: protocol.NewSecret("p").Wire(), Structure: json.RawMessage(`{}`)},
		`{"spaceId":"s","nodeId":"n","phrase":"p","structure":{}}`)
}

// Names are case-sensitive, and no other name is accepted.
func TestDecodeIsStrict(t *testing.T) {
	var r protocol.SessionReply
	if err := protocol.Decode([]byte(`{"SID":"x","Rev":7,"later":{"a":[1]}}`), &r); err != nil || r.SID != "" || r.Rev != nil {
		t.Errorf("got %+v, %v", r, err)
	}
	for _, body := range []string{``, `{`, `[]`, `{"sid":7}`, `{"sid":"a","sid":"b"}`, "{\"sid\":\"\xff\"}", `{"sid":"a"} x`} {
		if err := protocol.Decode([]byte(body), &r); err == nil {
			t.Errorf("Decode(%s) gives no error", body)
		}
	}
}

// Names are case-sensitive also within steps and nodes, which have decoders of
// their own, and the previous value of the variable does not remain.
func TestDecodeRequiresExactNestedNames(t *testing.T) {
	other := []byte(`{"TYPE":"origin","Content":"a","messageID":"b","X":1,"Y":2,"structureID":"c","Kind":"space","REMOVED":true}`)
	step := protocol.JourneyStep{Type: "structure", ToolName: "before"}
	place := protocol.PathStep{JourneyStep: step, X: 3, Y: 4, StructureID: "before"}
	node := protocol.ChainNode{Removed: true}
	for _, v := range []any{&step, &place, &node} {
		if err := protocol.Decode(other, v); err != nil {
			t.Errorf("%T: %v", v, err)
		}
		if !reflect.ValueOf(v).Elem().IsZero() {
			t.Errorf("%T: names in another case give %+v", v, v)
		}
	}
}
