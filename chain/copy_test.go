package chain_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// copyWithAgents returns a verified copy of a world with a number of agents, and an event
// that changes the first of them.
func copyWithAgents(tb testing.TB, n int) (*chain.Copy, *chain.EventState) {
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
	c := &chain.Copy{}
	if err := c.Replace(snapshot, statedOf(snapshot)); err != nil || c.Verification() != chain.Verified {
		tb.Fatalf("Replace: %v, %v", err, c.Verification())
	}
	changed := agent(0, "after")
	next := snapshot.Tree().Put(changed)
	eventRev := rev + 1
	return c, &chain.EventState{
		Rev: &eventRev, MerkleRootHex: next.Root().Hex(), MerkleLeafCount: next.Len(),
		Notify: &protocol.Notify{UpdatedAt: "t", Nodes: []protocol.NodeRef{{StableKey: changed.Key()}}},
		Inline: []protocol.ChainNode{{Kind: protocol.NodeOccupant, StableKey: changed.Key(), Occupant: changed.Payload()}},
	}
}

// statedOf returns the values that an honest host states for a snapshot.
func statedOf(s *chain.Snapshot) chain.Stated {
	return chain.Stated{MerkleRootHex: s.Root().Hex(), MerkleLeafCount: s.LeafCount()}
}

func TestCopyAfterMerge(t *testing.T) {
	ahead := uint64(9)
	for name, c := range map[string]struct {
		change func(e *chain.EventState) (nodesRev *uint64)
		result chain.Comparison
		known  chain.Verification
	}{
		"as of the event":    {func(e *chain.EventState) *uint64 { return e.Rev }, chain.Equal, chain.Verified},
		"a wrong root":       {func(e *chain.EventState) *uint64 { e.MerkleRootHex = "00"; return e.Rev }, chain.Mismatch, chain.Mismatched},
		"a wrong count":      {func(e *chain.EventState) *uint64 { e.MerkleLeafCount++; return e.Rev }, chain.Mismatch, chain.Mismatched},
		"no root":            {func(e *chain.EventState) *uint64 { e.MerkleRootHex = ""; return e.Rev }, chain.NotCompared, chain.Unverifiable},
		"of a later rev":     {func(*chain.EventState) *uint64 { return &ahead }, chain.NotCompared, chain.CatchingUp},
		"of no rev, equal":   {func(*chain.EventState) *uint64 { return nil }, chain.Equal, chain.Verified},
		"of no rev, unequal": {func(e *chain.EventState) *uint64 { e.MerkleRootHex = "00"; return nil }, chain.Unsettled, chain.CatchingUp},
		"an event of no rev": {func(e *chain.EventState) *uint64 { e.Rev, e.MerkleRootHex = nil, "00"; return &ahead }, chain.Unsettled, chain.CatchingUp},
	} {
		world, event := copyWithAgents(t, 5)
		nodesRev := c.change(event)
		seq := uint64(40)
		result, err := world.Merge(event, &seq, event.Inline, nodesRev)
		_, mismatch := errors.AsType[*chain.MismatchError](err)
		if result != c.result || world.Verification() != c.known || mismatch != (result == chain.Unsettled || result == chain.Mismatch) {
			t.Errorf("%s: result %d, %v, %v", name, result, err, world.Verification())
		}
		if head := world.Snapshot().Head(); *head.Seq != seq || event.Rev != nil && *head.Rev != *event.Rev {
			t.Errorf("%s: the copy is at %d, event %d", name, *head.Rev, *head.Seq)
		}
	}
}

// A copy that is catching up is verified by the event that reaches the rev of its
// rows, and one that never agrees becomes mismatched.
func TestCopySettles(t *testing.T) {
	world, event := copyWithAgents(t, 5)
	later := *event.Rev + 1
	if result, err := world.Merge(event, nil, event.Inline, &later); result != chain.NotCompared || err != nil {
		t.Fatalf("result %d, %v", result, err)
	}
	next := *event
	next.Rev, next.Notify, next.Inline = &later, nil, nil
	if result, err := world.Apply(&next, nil); result != chain.Equal || world.Verification() != chain.Verified {
		t.Errorf("result %d, %v, %v", result, err, world.Verification())
	}
	world, event = copyWithAgents(t, 5)
	event.MerkleRootHex = "00"
	if result, _ := world.Merge(event, nil, event.Inline, nil); result != chain.Unsettled {
		t.Fatalf("result %d", result)
	}
	if world.GiveUp(); world.Verification() != chain.Mismatched {
		t.Errorf("the copy is %v", world.Verification())
	}
}

func TestCopyNeeds(t *testing.T) {
	revs := func(rev uint64) *uint64 { return &rev }
	for name, c := range map[string]struct {
		rev     *uint64
		changes bool
		want    chain.Need
	}{
		"an older change":      {revs(6), true, chain.NeedNothing},
		"an older line":        {revs(6), false, chain.NeedNothing},
		"the change it has":    {revs(7), true, chain.NeedNothing},
		"a line of its rev":    {revs(7), false, chain.NeedCompare},
		"the next change":      {revs(8), true, chain.NeedMerge},
		"a line of a next rev": {revs(8), false, chain.NeedCompare},
		"a change of no rev":   {nil, true, chain.NeedMerge},
		"a line of no rev":     {nil, false, chain.NeedCompare},
	} {
		world, event := copyWithAgents(t, 1)
		if event.Rev = c.rev; !c.changes {
			event.Notify = nil
		}
		if got := world.Need(event); got != c.want {
			t.Errorf("%s: need %d, want %d", name, got, c.want)
		}
	}
}

func TestCopyStaysUnchangedAfterInvalidRow(t *testing.T) {
	world, event := copyWithAgents(t, 5)
	before := *world
	event.Inline[0].Occupant = []byte(`{"kind":"dragon"}`)
	result, err := world.Merge(event, nil, event.Inline, event.Rev)
	if result != chain.NotCompared || !errors.Is(err, chain.ErrRow) || *world != before {
		t.Errorf("result %d, %v", result, err)
	}
	if result, err = world.Apply(event, nil); result != chain.NotCompared || err == nil || *world != before {
		t.Errorf("Apply: result %d, %v", result, err)
	}
	world, event = copyWithAgents(t, 5)
	before = *world
	event.Inline[0].Occupant = []byte(humanRow)
	if result, err = world.Apply(event, nil); result != chain.NotCompared || !errors.Is(err, chain.ErrNode) || *world != before {
		t.Errorf("another row: result %d, %v", result, err)
	}
	event.Inline[0].StableKey = "human:h"
	if result, err = world.Apply(event, nil); result != chain.NotCompared || !errors.Is(err, chain.ErrNode) || *world != before {
		t.Errorf("another node: result %d, %v", result, err)
	}
	if event.Inline = nil; !errors.Is(event.CheckInline(), chain.ErrNode) {
		t.Error("a change without its row is accepted")
	}
}

func TestCopyBeforeTheFirstSnapshot(t *testing.T) {
	_, event := copyWithAgents(t, 1)
	var empty chain.Copy
	if _, known := empty.Rev(); known || empty.Snapshot() != nil || empty.Verification() != chain.Unread {
		t.Errorf("an empty copy is %+v", empty)
	}
	if result, err := empty.Apply(event, nil); result != chain.NotCompared || err == nil {
		t.Errorf("a merge into an empty copy: %d, %v", result, err)
	}
	event.Notify = nil
	if result, err := empty.Apply(event, nil); result != chain.NotCompared || err == nil {
		t.Errorf("a comparison with an empty copy: %d, %v", result, err)
	}
	for v, want := range map[chain.Verification]string{chain.CatchingUp: "catching up", -1: "Verification(-1)"} {
		if v.String() != want {
			t.Errorf("the text is %s, want %s", v, want)
		}
	}
}

// A copy without verification reports that it does not verify.
func TestCopyWithoutVerification(t *testing.T) {
	world, event := copyWithAgents(t, 5)
	unverified := &chain.Copy{Trusting: true}
	if err := unverified.Replace(world.Snapshot(), chain.Stated{MerkleRootHex: "00", MerkleLeafCount: 1}); err != nil {
		t.Error(err)
	}
	event.MerkleRootHex = "00"
	if result, err := unverified.Apply(event, nil); result != chain.NotCompared || err != nil || unverified.Verification() != chain.Unverifiable {
		t.Errorf("result %d, %v, %v", result, err, unverified.Verification())
	}
	// A copy with verification detects it, both in a snapshot and in an event.
	if err := world.Replace(unverified.Snapshot(), chain.Stated{MerkleRootHex: "00", MerkleLeafCount: 1}); err == nil || world.Verification() != chain.Mismatched {
		t.Errorf("a false root of a snapshot: %v, %v", err, world.Verification())
	}
}

// TestCopyFollowsTheHost simulates a host that changes rows at random, reports some
// revs twice and some late, and a copy that applies every event: it is verified
// after each, and equal to the host's.
func TestCopyFollowsTheHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rev := uint64(1)
		host, err := chain.NewSnapshot(chain.Head{SID: "s", MainNodeID: "m", Rev: &rev}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var world chain.Copy
		if err := world.Replace(host, statedOf(host)); err != nil {
			t.Fatal(err)
		}
		rows := map[string]*chain.Leaf{}
		for range rapid.IntRange(1, 10).Draw(t, "events") {
			next := hostEvent(t, host, rows)
			event := eventBetween(t, host, next)
			for range rapid.IntRange(1, 2).Draw(t, "times") {
				if _, err := world.Apply(event, nil); err != nil {
					t.Fatal(err)
				}
			}
			if world.Verification() != chain.Verified || world.Snapshot().Root() != next.Root() {
				t.Fatalf("the copy is %v at %v, the host at %v", world.Verification(), world.Snapshot().Root(), next.Root())
			}
			host = next.At(event.Rev, nil)
		}
	})
}

// eventBetween returns the event of a change from one state of a host to the next.
func eventBetween(t *rapid.T, prev, next *chain.Snapshot) *chain.EventState {
	rev := *prev.Head().Rev
	event := &chain.EventState{
		Rev: &rev, MerkleRootHex: next.Root().Hex(), MerkleLeafCount: next.LeafCount(),
		Notify: chain.Diff(prev.Tree(), next.Tree(), updatedAt),
	}
	if event.Notify == nil {
		return event
	}
	rev++
	for _, ref := range event.Notify.Nodes {
		node, err := next.Node(ref.StableKey)
		if err != nil {
			t.Fatal(err)
		}
		event.Inline = append(event.Inline, node)
	}
	return event
}
