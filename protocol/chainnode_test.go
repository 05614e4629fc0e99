package protocol_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

func TestChainNodeRoundTrip(t *testing.T) {
	for _, node := range []protocol.ChainNode{
		{Kind: protocol.NodeGenesis, StableKey: protocol.GenesisStableKey, Text: "root"},
		{Kind: protocol.NodeHeader, StableKey: protocol.HeaderStableKey, SID: "s", Bounds: &protocol.Bounds{MaxX: 19, MaxY: 11}},
		{Kind: protocol.NodeOccupant, StableKey: "mcp:a", Removed: true},
		{Kind: protocol.NodeOccupant, StableKey: "mcp:a", Occupant: json.RawMessage(`{"id":"a"}`)},
		{Kind: protocol.NodeSpace, StableKey: "space:a", Space: json.RawMessage(`{"id":"a"}`)},
	} {
		text, err := json.Marshal(node)
		if err != nil {
			t.Fatal(err)
		}
		// The previous value of the variable must not remain.
		back := protocol.ChainNode{Removed: true}
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(node, back); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
