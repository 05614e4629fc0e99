package chain_test

import (
	"fmt"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

const exampleSnapshot = `{
	"sid": "3b241101-e2bb-4255-8caf-4136c566a962", "mainNodeId": "87b6", "rev": 4,
	"worldMap": {
		"bounds": {"minX": 0, "minY": 0, "maxX": 19, "maxY": 11},
		"occupants": [
			{"kind": "mcp", "id": "m1", "name": "Calendar", "x": 3, "y": 4},
			{"kind": "human", "id": "h1", "name": "Ada", "x": 1, "y": 1}
		]
	},
	"spaces": [], "mcpServers": [{"id": "m1", "name": "Calendar"}]
}`

func ExampleCanonicalize() {
	text, err := chain.Canonicalize(nil, []byte(`{"y": 1.50, "x": 1e2, "name": "caf\u00e9"}`))
	fmt.Println(string(text), err)
	_, err = chain.Canonicalize(nil, []byte(`{"x": 1, "x": 2}`))
	fmt.Println(err)
	// Output:
	// {"name":"café","x":100,"y":1.5} <nil>
	// not valid JSON: duplicate object member name at byte 9
}

// A subscriber keeps a copy, merges the rows that an event names and compares the
// roots.
func ExampleSnapshot_Merge() {
	snapshot, _, err := chain.ParseSnapshot([]byte(exampleSnapshot))
	if err != nil {
		fmt.Println(err)
		return
	}
	event, err := chain.ParseEventState([]byte(`{
		"rev": 5, "merkleLeafCount": 4,
		"merkleRootHex": "954c66377aac081091c4ab31d8f56dc18182779c459c8f050b402058b593be21",
		"playerChainNotify": {"updatedAt": "2026-01-02T03:04:05.678Z", "nodes": [{"stableKey": "human:h1", "leafIndex": 2}]},
		"playerChainNodes": [{"kind": "occupant", "stableKey": "human:h1", "removed": false,
			"occupant": {"kind": "human", "id": "h1", "name": "Ada Lovelace", "x": 1, "y": 1}}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	next, err := snapshot.Merge(event.Inline...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for occupant := range next.Occupants() {
		x, y := occupant.Position()
		fmt.Println(occupant.StableKey(), "at", x, y)
	}
	fmt.Println("verified:", next.Verify(event.MerkleRootHex, event.MerkleLeafCount) == nil)
	// Output:
	// human:h1 at 1 1
	// mcp:m1 at 3 4
	// verified: true
}

func ExampleTree_Put() {
	row := &protocol.MCP{ID: "m1", NodeID: "ab", Name: "Calendar", X: 3, Y: 4}
	leaf, err := chain.OccupantLeaf(row)
	if err != nil {
		fmt.Println(err)
		return
	}
	before := chain.NewTree(chain.GenesisLeaf("87b6"))
	after := before.Put(leaf)
	fmt.Println(before.Len(), after.Len(), after.Root() != before.Root())
	// Output: 1 2 true
}

func ExampleDiff() {
	prev := chain.NewTree(chain.NewLeaf("mcp:a", []byte("1")), chain.NewLeaf("mcp:b", []byte("1")))
	next := prev.Edit([]*chain.Leaf{chain.NewLeaf("mcp:b", []byte("2"))}, []string{"mcp:a"})
	for _, ref := range chain.Diff(prev, next, "2026-01-02T03:04:05.678Z").Nodes {
		fmt.Println(ref.StableKey, ref.LeafIndex, ref.Removed)
	}
	// Output:
	// mcp:a 0 true
	// mcp:b 0 false
}

func ExampleTree_Proof() {
	tree := chain.NewTree(
		chain.NewLeaf("mcp:a", []byte("first")), chain.NewLeaf("mcp:b", []byte("second")), chain.NewLeaf("mcp:c", []byte("third")),
	)
	proof, ok := tree.Proof("mcp:c")
	fmt.Println(ok, proof.LeafIndex, len(proof.Path))
	fmt.Println(proof.Verify([]byte("third"), tree.Root(), tree.Len()))
	fmt.Println(proof.Verify([]byte("forged"), tree.Root(), tree.Len()))
	// Output:
	// true 2 2
	// <nil>
	// proof does not hold: the payload is not the leaf's
}

func ExampleParseFanoutNotifyFromSSEPayload() {
	notify, err := chain.ParseFanoutNotifyFromSSEPayload([]byte(`{"rev": 9, "playerChainNotify": {
		"updatedAt": "2026-01-02T03:04:05.678Z",
		"nodes": [{"stableKey": "mcp:b", "leafIndex": 3}, {"stableKey": "mcp:a", "leafIndex": 2, "removed": true}]}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ref := range chain.SortNodeRefsForSerializedFetch(notify.Nodes) {
		fmt.Println(ref.StableKey)
	}
	// Output:
	// mcp:a
	// mcp:b
}

// A subscriber without a stream: it passes on the host's data.
func ExampleCopy() {
	snapshot, stated, err := chain.ParseSnapshot([]byte(exampleSnapshot))
	if err != nil {
		fmt.Println(err)
		return
	}
	var world chain.Copy
	fmt.Println(world.Replace(snapshot, stated), world.Verification())
	event, err := chain.ParseEventState([]byte(`{
		"rev": 5, "merkleLeafCount": 3,
		"merkleRootHex": "eafb8ebfa07a7c8d863444eb9629cd1ab7663f7ec1318c262c9d3d03ddc19e9c",
		"playerChainNotify": {"updatedAt": "2026-01-02T03:04:05.678Z", "nodes": [{"stableKey": "mcp:m1", "leafIndex": 3, "removed": true}]},
		"playerChainNodes": [{"kind": "occupant", "stableKey": "mcp:m1", "removed": true}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	seq := uint64(12)
	result, err := world.Apply(&event, &seq)
	fmt.Println(result == chain.Equal, err, world.Verification())
	// Output:
	// <nil> unverifiable
	// true <nil> verified
}
