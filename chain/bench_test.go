package chain_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// benchAgent returns an agent with the fields that a framework registers, after a
// journey.
func benchAgent(i, x int) *protocol.Agent {
	steps := []protocol.JourneyStep{
		{Type: "origin", Content: "Which invoices are open?", MessageID: "m1"},
		{Type: "structure", ToolName: "assist_search", ToolCallID: "c1", Args: json.RawMessage(`{"query":"open invoices","limit":10}`)},
		{Type: "destination", Content: "Three invoices are open.", MessageID: "m2"},
	}
	u := &protocol.LastUpdate{
		PlayerID: fmt.Sprintf("%064x", i), Path: []protocol.PathStep{},
		Journey: protocol.Journey{Steps: steps, StartedAt: updatedAt, CompletedAt: updatedAt},
	}
	for _, s := range steps {
		u.Path = append(u.Path, protocol.PathStep{JourneyStep: s, X: 3, Y: 4, StructureID: "agent:x"})
	}
	return &protocol.Agent{
		NodeID: fmt.Sprintf("%064x", i/10), AgentID: fmt.Sprintf("%064x", i), Name: "Researcher", X: float64(x), Y: 7,
		Platform: "langchain", ToolNames: []string{"chat_tool", "assist_search", "assist_mail"},
		AssistToolNames: []string{"assist_search", "assist_mail"}, HasChatTool: true, EnableP2A: "off",
		LastUpdate: u, ZoneCount: 3, YieldCount: 1,
	}
}

func benchTree(b *testing.B, agents int) *chain.Tree {
	b.Helper()
	leaves := []*chain.Leaf{chain.GenesisLeaf("g")}
	for i := range agents {
		leaf, err := chain.OccupantLeaf(benchAgent(2*i, i))
		if err != nil {
			b.Fatal(err)
		}
		leaves = append(leaves, leaf)
	}
	return chain.NewTree(leaves...)
}

var sizes = []int{10, 100, 1000, 10000}

// benchEdit measures an edit with the leaf of a new row in the middle, without
// the cost of the row.
func benchEdit(b *testing.B, id func(agents int) int, edit func(t *chain.Tree, leaf *chain.Leaf) *chain.Tree) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			tree := benchTree(b, n)
			leaf, err := chain.OccupantLeaf(benchAgent(id(n), 12345))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				edit(tree, leaf).Root()
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	benchEdit(b, func(n int) int { return n }, (*chain.Tree).Put)
}

func BenchmarkInsertMiddle(b *testing.B) {
	benchEdit(b, func(n int) int { return n + 1 }, (*chain.Tree).Put)
}

func BenchmarkInsertFirst(b *testing.B) {
	benchEdit(b, func(int) int { return 1 }, (*chain.Tree).Put)
}

func BenchmarkInsertLast(b *testing.B) {
	benchEdit(b, func(n int) int { return 2 * n }, (*chain.Tree).Put)
}

func BenchmarkRemoveMiddle(b *testing.B) {
	benchEdit(b, func(n int) int { return n }, func(t *chain.Tree, leaf *chain.Leaf) *chain.Tree {
		return t.Remove(leaf.Key())
	})
}

// BenchmarkDiffOfUpdate measures the search for the one leaf that differs.
func BenchmarkDiffOfUpdate(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			tree := benchTree(b, n)
			leaf, err := chain.OccupantLeaf(benchAgent(n, 12345))
			if err != nil {
				b.Fatal(err)
			}
			next := tree.Put(leaf)
			b.ReportAllocs()
			for b.Loop() {
				if notify := chain.Diff(tree, next, updatedAt); len(notify.Nodes) != 1 {
					b.Fatalf("%+v", notify)
				}
			}
		})
	}
}

// BenchmarkChange is one occupant change from the typed row to the notify: a host's
// cost for the chain.
func BenchmarkChange(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			tree := benchTree(b, n)
			row := benchAgent(n, 0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				row.X = float64(i)
				leaf, err := chain.OccupantLeaf(row)
				if err != nil {
					b.Fatal(err)
				}
				next := tree.Put(leaf)
				chain.NotifyFor(tree, next, []string{leaf.Key()}, updatedAt)
				tree = next
			}
		})
	}
}

func BenchmarkAppendOccupant(b *testing.B) {
	row := benchAgent(1, 2)
	dst := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := chain.AppendOccupant(dst, row); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCanonicalize(b *testing.B) {
	text, err := json.Marshal(benchAgent(1, 2))
	if err != nil {
		b.Fatal(err)
	}
	canonical, err := chain.Canonicalize(nil, text)
	if err != nil {
		b.Fatal(err)
	}
	for name, in := range map[string][]byte{"unsorted": text, "canonical": canonical} {
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, 0, 4096)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := chain.Canonicalize(dst, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMerge is a client's cost of an event with one inline node: parse the
// data, merge, recompute the root and compare it with the event's.
func BenchmarkMerge(b *testing.B) {
	for _, n := range sizes {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s, data, want := benchEvent(b, n)
			b.ReportAllocs()
			for b.Loop() {
				event, err := chain.ParseEventState(data)
				if err != nil {
					b.Fatal(err)
				}
				next, err := s.Merge(event.Inline...)
				if err != nil {
					b.Fatal(err)
				}
				if err := next.Verify(want.Root().Hex(), event.MerkleLeafCount); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchEvent returns a snapshot with n agents, the data of an event that changes
// one of them, and the snapshot after it.
func benchEvent(b *testing.B, n int) (before *chain.Snapshot, data []byte, after *chain.Snapshot) {
	b.Helper()
	before, err := chain.NewSnapshot(chain.Head{SID: "s", MainNodeID: "g"}, benchTree(b, n))
	if err != nil {
		b.Fatal(err)
	}
	leaf, err := chain.OccupantLeaf(benchAgent(n, 12345))
	if err != nil {
		b.Fatal(err)
	}
	if after, err = chain.NewSnapshot(before.Head(), before.Tree().Put(leaf)); err != nil {
		b.Fatal(err)
	}
	notify, err := json.Marshal(chain.Diff(before.Tree(), after.Tree(), updatedAt))
	if err != nil {
		b.Fatal(err)
	}
	changed, err := after.Node(leaf.Key())
	if err != nil {
		b.Fatal(err)
	}
	node, err := changed.AppendJSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	return before, fmt.Appendf(nil, `{"rev":2,"merkleRootHex":%q,"merkleLeafCount":%d,"playerChainNotify":%s,"playerChainNodes":[%s]}`,
		after.Root().Hex(), after.LeafCount(), notify, node), after
}

func BenchmarkReadSnapshot(b *testing.B) {
	s, _, _ := benchEvent(b, 100)
	text, err := s.AppendJSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := chain.ParseSnapshot(text); err != nil {
			b.Fatal(err)
		}
	}
}
