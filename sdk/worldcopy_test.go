package sdk

import (
	"errors"
	"fmt"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// crowd is a copy of a world with a number of agents, and the event and row with
// which the first of them changed.
func crowd(tb testing.TB, n int) (*worldCopy, *chain.EventState, protocol.ChainNode) {
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
	c := &worldCopy{}
	stated := chain.Stated{MerkleRootHex: snapshot.Root().Hex(), MerkleLeafCount: snapshot.LeafCount()}
	if err := c.replace(snapshot, stated); err != nil || c.known != Verified {
		tb.Fatalf("replace: %v, %v", err, c.known)
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

func TestWhatIsKnownAfterAMerge(t *testing.T) {
	ahead := uint64(9)
	for name, c := range map[string]struct {
		change func(e *chain.EventState) (nodesRev *uint64)
		found  finding
		known  Verification
	}{
		"as of the event":    {func(e *chain.EventState) *uint64 { return e.Rev }, foundEqual, Verified},
		"a wrong root":       {func(e *chain.EventState) *uint64 { e.MerkleRootHex = "00"; return e.Rev }, foundMismatch, Mismatched},
		"a wrong count":      {func(e *chain.EventState) *uint64 { e.MerkleLeafCount++; return e.Rev }, foundMismatch, Mismatched},
		"no root":            {func(e *chain.EventState) *uint64 { e.MerkleRootHex = ""; return e.Rev }, foundNothing, Unverifiable},
		"of a later rev":     {func(*chain.EventState) *uint64 { return &ahead }, foundNothing, CatchingUp},
		"of no rev, equal":   {func(*chain.EventState) *uint64 { return nil }, foundEqual, Verified},
		"of no rev, unequal": {func(e *chain.EventState) *uint64 { e.MerkleRootHex = "00"; return nil }, foundUnsettled, CatchingUp},
		"an event of no rev": {func(e *chain.EventState) *uint64 { e.Rev, e.MerkleRootHex = nil, "00"; return &ahead }, foundUnsettled, CatchingUp},
	} {
		world, event, node := crowd(t, 5)
		nodesRev := c.change(event)
		seq := uint64(40)
		found, err := world.merge(event, &seq, []protocol.ChainNode{node}, nodesRev)
		if found != c.found || world.known != c.known || (err == nil) != (found == foundEqual || found == foundNothing) {
			t.Errorf("%s: found %d, %v, %v", name, found, err, world.known)
		}
		if head := world.snapshot.Head(); *head.Seq != seq || event.Rev != nil && *head.Rev != *event.Rev {
			t.Errorf("%s: the copy is at %d, event %d", name, *head.Rev, *head.Seq)
		}
	}
}

func TestARowThatCannotBeReadChangesNothing(t *testing.T) {
	world, event, node := crowd(t, 5)
	before := *world
	node.Occupant = []byte(`{"kind":"dragon"}`)
	found, err := world.merge(event, nil, []protocol.ChainNode{node}, event.Rev)
	if found != foundNothing || err == nil || *world != before {
		t.Errorf("found %d, %v", found, err)
	}
	if _, differs := errors.AsType[*chain.MismatchError](err); differs {
		t.Errorf("it is a mismatch: %v", err)
	}
}

// Verifying that is turned off says so.
func TestACopyThatTrusts(t *testing.T) {
	world, event, node := crowd(t, 5)
	trusting := &worldCopy{trusting: true}
	if err := trusting.replace(world.snapshot, chain.Stated{MerkleRootHex: "00", MerkleLeafCount: 1}); err != nil {
		t.Error(err)
	}
	event.MerkleRootHex = "00"
	if found, err := trusting.merge(event, nil, []protocol.ChainNode{node}, event.Rev); found != foundNothing || err != nil || trusting.known != Unverifiable {
		t.Errorf("found %d, %v, %v", found, err, trusting.known)
	}
}

func TestRowsOfMixedRevs(t *testing.T) {
	three, five := uint64(3), uint64(5)
	for name, c := range map[string]struct {
		revs []*uint64
		want *uint64
	}{
		"the highest":       {[]*uint64{&three, &five, &three}, &five},
		"none at first":     {[]*uint64{nil, &five}, nil},
		"none in the end":   {[]*uint64{&five, nil}, nil},
		"none in the midst": {[]*uint64{&three, nil, &five}, nil},
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

// One event on the client: its data read, its row merged, root and count rebuilt
// and compared.
func BenchmarkMergeAndVerify(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("occupants=%d", n), func(b *testing.B) {
			world, event, node := crowd(b, n)
			data := fmt.Appendf(nil,
				`{"player":%s,"rev":8,"merkleRootHex":%q,"merkleLeafCount":%d,"playerChainNotify":{"updatedAt":"t","nodes":[{"stableKey":%q,"leafIndex":2}]},"playerChainNodes":[{"kind":"occupant","stableKey":%q,"removed":false,"occupant":%s}]}`,
				node.Occupant, event.MerkleRootHex, event.MerkleLeafCount, node.StableKey, node.StableKey, node.Occupant)
			b.ReportAllocs()
			for b.Loop() {
				state, err := chain.ParseEventState(data)
				if err != nil {
					b.Fatal(err)
				}
				c := *world
				if err := checkInline(&state); err != nil {
					b.Fatal(err)
				}
				if found, err := c.merge(&state, nil, state.Inline, state.Rev); found != foundEqual {
					b.Fatalf("found %d, %v", found, err)
				}
			}
		})
	}
}
