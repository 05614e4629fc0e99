package chain_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

const smallWorld = `{"sid":"s","mainNodeId":"m","rev":7,"seq":9,"merkleRootHex":"ab","merkleLeafCount":3,"later":[1],
	"worldMap":{"bounds":{"minX":0,"minY":0,"maxX":19,"maxY":11},"occupants":[
		{"kind":"mcp","id":"m2","name":"Two","x":3,"y":4,"nodeId":"n","url":"https://two.example/<&>"},` + humanRow + `,
		{"kind":"mcp","id":"m1","name":"One","x":3.50,"y":5,"nodeId":"n","colour":{"b":1,"a":2}}]},
	"spaces":[` + spaceRow + `],"mcpServers":[{"id":"stale","name":"stale"}]}`

func TestSnapshotRoundTrip(t *testing.T) {
	s, stated, err := chain.ParseSnapshot([]byte(smallWorld))
	if err != nil {
		t.Fatal(err)
	}
	if stated != (chain.Stated{MerkleRootHex: "ab", MerkleLeafCount: 3}) || *s.Head().Rev != 7 || *s.Head().Seq != 9 {
		t.Errorf("stated %+v, head %+v", stated, s.Head())
	}
	fast, err := s.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"sid":"s","mainNodeId":"m","rev":7,"seq":9,"merkleRootHex":"` + s.Root().Hex() + `","merkleLeafCount":6,
		"worldMap":{"bounds":{"minX":0,"minY":0,"maxX":19,"maxY":11},"occupants":[` + humanRow + `,
			{"kind":"mcp","id":"m1","name":"One","x":3.5,"y":5,"nodeId":"n","colour":{"a":2,"b":1}},
			{"kind":"mcp","id":"m2","name":"Two","x":3,"y":4,"nodeId":"n","url":"https://two.example/<&>"}]},
		"spaces":[` + spaceRow + `],
		"mcpServers":[{"id":"m1","name":"One"},{"id":"m2","name":"Two","url":"https://two.example/<&>"}]}`
	for way, text := range map[string][]byte{"AppendJSON": fast, "MarshalJSON": slow} {
		if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", way, diff)
		}
	}
	again, _, err := chain.ParseSnapshot(fast)
	if err != nil || again.Verify(s.Root().Hex(), s.LeafCount()) != nil {
		t.Errorf("the snapshot does not read back: %v", err)
	}
}

func TestSnapshotViews(t *testing.T) {
	s := mustSnapshot(t, []byte(smallWorld), "m")
	var keys []string
	for o := range s.Occupants() {
		keys = append(keys, o.StableKey())
	}
	for space := range s.Spaces() {
		keys = append(keys, space.StableKey())
	}
	if want := []string{"human:h", "mcp:m1", "mcp:m2", "space:s"}; !slices.Equal(keys, want) {
		t.Errorf("rows %q, want %q", keys, want)
	}
	m, ok := s.Occupant("mcp:m2").(*protocol.MCP)
	if !ok || m.Name != "Two" || m.URL != "https://two.example/<&>" {
		t.Errorf("mcp:m2 is %+v", m)
	}
	for _, key := range []string{"mcp:m3", "space:s", "__header__"} {
		if o := s.Occupant(key); o != nil {
			t.Errorf("Occupant(%s) is %+v", key, o)
		}
	}
	if s.SID() != "s" || s.MainNodeID() != "m" || s.Bounds().MaxX != 19 || s.Tree().OccupantCount() != 3 {
		t.Errorf("head %+v", s.Head())
	}
	rev := uint64(8)
	if next := s.At(&rev, nil); *next.Head().Rev != 8 || next.Head().Seq != nil || *s.Head().Rev != 7 || next.Tree() != s.Tree() {
		t.Error("At does not set the place and nothing else")
	}
	for range s.Occupants() {
		break // stopping early must be fine
	}
	for range s.Spaces() {
		break
	}
}

func TestInvalidSnapshotsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":          smallWorld[1:],
		"null":              `null`,
		"no sid":            strings.Replace(smallWorld, `"sid":"s"`, `"sid":null`, 1),
		"no bounds":         strings.Replace(smallWorld, `"bounds"`, `"Bounds"`, 1),
		"no occupants":      strings.Replace(smallWorld, `"occupants"`, `"people"`, 1),
		"a bad row":         strings.Replace(smallWorld, `"id":"m2"`, `"id":2`, 1),
		"agent of no owner": strings.Replace(smallWorld, humanRow, `{"kind":"agent","agentId":"a","name":"A","x":0,"y":0}`, 1),
		"duplicate key":     strings.Replace(smallWorld, `"id":"m2"`, `"id":"m1"`, 1),
		"a bad space":       strings.Replace(smallWorld, `["shop"]`, `["zoo"]`, 1),
	} {
		if _, _, err := chain.ParseSnapshot([]byte(text)); !errors.Is(err, chain.ErrSnapshot) {
			t.Errorf("%s: %v, want ErrSnapshot", name, err)
		}
	}
	if _, err := chain.NewSnapshot(chain.Head{SID: "\xff"}, nil); !errors.Is(err, chain.ErrSnapshot) {
		t.Errorf("a sid that is not UTF-8: %v", err)
	}
}

func TestVerifyReportsDifference(t *testing.T) {
	s := mustSnapshot(t, []byte(smallWorld), "m")
	if err := s.Verify(s.Root().Hex(), s.LeafCount()); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		root    string
		count   int
		message string
	}{
		"root":  {strings.Repeat("0", 64), 6, "the host's is 0000"},
		"count": {s.Root().Hex(), 7, "the copy has 6 leaves, the host has 7"},
	} {
		err := s.Verify(c.root, c.count)
		if _, ok := errors.AsType[*chain.MismatchError](err); !ok || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want a MismatchError with %q", name, err, c.message)
		}
	}
}

func TestMergeRefusesInvalidNodes(t *testing.T) {
	s := mustSnapshot(t, []byte(smallWorld), "m")
	for name, n := range map[string]protocol.ChainNode{
		"occupant removes the header":  {Kind: "occupant", StableKey: "__header__", Removed: true},
		"occupant removes the genesis": {Kind: "occupant", StableKey: "__genesis__", Removed: true},
		"occupant removes a space":     {Kind: "occupant", StableKey: "space:s", Removed: true},
		"space removes an occupant":    {Kind: "space", StableKey: "human:h", Removed: true},
		"no row":                       {Kind: "occupant", StableKey: "human:h"},
		"no bounds":                    {Kind: "header", StableKey: "__header__", SID: "s"},
		"no kind":                      {StableKey: "human:h", Removed: true},
	} {
		if next, err := s.Merge(n); err == nil || next != nil {
			t.Errorf("%s: merged into %v", name, next)
		}
	}
}

// TestMergeFollowsTheHost simulates a host that changes rows at random and a client
// that has only notifies and nodes: after each, the client's root is the host's.
func TestMergeFollowsTheHost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		host, err := chain.NewSnapshot(chain.Head{SID: "s", MainNodeID: "m"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		client := host
		rows := map[string]*chain.Leaf{}
		for range rapid.IntRange(1, 15).Draw(t, "events") {
			next := hostEvent(t, host, rows)
			notify := chain.Diff(host.Tree(), next.Tree(), updatedAt)
			before := client.Root()
			client = follow(t, client, next, notify)
			if err := client.Verify(next.Root().Hex(), next.LeafCount()); err != nil {
				t.Fatal(err)
			}
			if client.SID() != next.SID() || client.Bounds() != next.Bounds() {
				t.Fatalf("head %+v, want %+v", client.Head(), next.Head())
			}
			if notify == nil && before != client.Root() {
				t.Fatal("the client changed without a notify")
			}
			host = next
		}
	})
}

// hostEvent changes some rows and perhaps the header.
func hostEvent(t *rapid.T, host *chain.Snapshot, rows map[string]*chain.Leaf) *chain.Snapshot {
	var puts []*chain.Leaf
	var removals []string
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		if len(rows) > 0 && rapid.Bool().Draw(t, "remove") {
			key := rapid.SampledFrom(slices.Sorted(maps.Keys(rows))).Draw(t, "key")
			delete(rows, key)
			removals = append(removals, key)
			puts = slices.DeleteFunc(puts, func(l *chain.Leaf) bool { return l.Key() == key })
			continue
		}
		leaf, err := chain.OccupantLeaf(rapid.OneOf(agentRow(), otherRow()).Draw(t, "row"))
		if err != nil {
			t.Fatal(err)
		}
		rows[leaf.Key()] = leaf
		puts = append(puts, leaf)
	}
	head := host.Head()
	if rapid.Bool().Draw(t, "grow") {
		head.Bounds.MaxX++
	}
	next, err := chain.NewSnapshot(head, host.Tree().Edit(puts, removals))
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// follow merges the nodes that a notify names, read from the host's next snapshot.
func follow(t *rapid.T, client, host *chain.Snapshot, notify *protocol.Notify) *chain.Snapshot {
	if notify == nil {
		return client
	}
	var nodes []protocol.ChainNode
	for _, ref := range notify.Nodes {
		node, err := host.Node(ref.StableKey)
		if err != nil {
			t.Fatal(err)
		}
		text, err := node.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := chain.ParseNodeRPCBody([]byte(`{"node":` + string(text) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := chain.AnswersFor(reply.Node, ref.StableKey); err != nil || reply.Node.Removed != ref.Removed {
			t.Fatalf("%+v for %+v: %v", reply.Node, ref, err)
		}
		nodes = append(nodes, reply.Node)
	}
	if rapid.Bool().Draw(t, "one by one") {
		for _, n := range nodes {
			var err error
			if client, err = chain.MergeSnapshotWithNode(client, n); err != nil {
				t.Fatal(err)
			}
		}
		return client
	}
	merged, err := client.Merge(nodes...)
	if err != nil {
		t.Fatal(err)
	}
	return merged
}
