package sdk

import (
	"fmt"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// copyWithAgents returns a copy of a world with a number of agents, and an event that
// changes the first of them with the agent's new row.
func copyWithAgents(tb testing.TB, n int) (chain.Copy, *chain.EventState, protocol.ChainNode) {
	tb.Helper()
	var leaves []*chain.Leaf
	agent := func(i int, name string) *chain.Leaf {
		leaf, err := chain.OccupantLeaf(&protocol.Agent{
			NodeID: "n", AgentID: fmt.Sprintf("agent-%d", i), Name: name, X: float64(i), Platform: "go",
			ToolNames: []string{"chat_tool"}, AssistToolNames: []string{}, HasChatTool: true, EnableP2A: "off",
		})
		if err != nil {
			tb.Fatal(err)
		}
		return leaf
	}
	for i := range n {
		leaves = append(leaves, agent(i, "before"))
	}
	rev := uint64(7)
	snapshot, err := chain.NewSnapshot(chain.Head{SID: "s", MainNodeID: "root", Rev: &rev}, chain.NewTree(leaves...))
	if err != nil {
		tb.Fatal(err)
	}
	var c chain.Copy
	stated := chain.Stated{MerkleRootHex: snapshot.Root().Hex(), MerkleLeafCount: snapshot.LeafCount()}
	if err := c.Replace(snapshot, stated); err != nil || c.Verification() != chain.Verified {
		tb.Fatalf("replace: %v, %v", err, c.Verification())
	}
	changed := agent(0, "after")
	next := snapshot.Tree().Put(changed)
	eventRev := rev + 1
	event := &chain.EventState{
		Rev: &eventRev, MerkleRootHex: next.Root().Hex(), MerkleLeafCount: next.Len(),
		Notify: &protocol.Notify{UpdatedAt: "t", Nodes: []protocol.NodeRef{{StableKey: changed.Key()}}},
	}
	return c, event, protocol.ChainNode{Kind: protocol.NodeOccupant, StableKey: changed.Key(), Occupant: changed.Payload()}
}

func TestRowsOfMixedRevs(t *testing.T) {
	three, five := uint64(3), uint64(5)
	for name, c := range map[string]struct {
		revs []*uint64
		want *uint64
	}{
		"the highest":        {[]*uint64{&three, &five, &three}, &five},
		"none at the start":  {[]*uint64{nil, &five}, nil},
		"none at the end":    {[]*uint64{&five, nil}, nil},
		"none in the middle": {[]*uint64{&three, nil, &five}, nil},
	} {
		var f fetched
		for _, rev := range c.revs {
			if err := f.add(protocol.ChainNode{Kind: protocol.NodeOccupant, StableKey: "mcp:1", Removed: true}, "mcp:1", rev); err != nil {
				t.Fatal(err)
			}
		}
		if (f.rev == nil) != (c.want == nil) || f.rev != nil && *f.rev != *c.want {
			t.Errorf("%s: %v", name, f.rev)
		}
	}
}

// The cost of one event in the client: its data is parsed, its row merged, and root
// and count are recomputed and compared.
func BenchmarkMergeAndVerify(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("occupants=%d", n), func(b *testing.B) {
			world, event, node := copyWithAgents(b, n)
			data := fmt.Appendf(nil,
				`{"player":%s,"rev":8,"merkleRootHex":%q,"merkleLeafCount":%d,"playerChainNotify":{"updatedAt":"t","nodes":[{"stableKey":%q,"leafIndex":2}]},"playerChainNodes":[{"kind":"occupant","stableKey":%q,"removed":false,"occupant":%s}]}`,
				node.Occupant, event.MerkleRootHex, event.MerkleLeafCount, node.StableKey, node.StableKey, node.Occupant)
			b.ReportAllocs()
			for b.Loop() {
				state, err := chain.ParseEventState(data)
				if err != nil {
					b.Fatal(err)
				}
				c := world
				if found, err := c.Apply(&state, nil); found != chain.Equal {
					b.Fatalf("found %d, %v", found, err)
				}
			}
		})
	}
}
