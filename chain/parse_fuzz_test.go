package chain_test

import (
	"bytes"
	"testing"

	"github.com/playctl/playctl/chain"
)

// FuzzNodes passes replies to every parser of nodes and merges the results: nothing
// may panic, and a merge may never lose the genesis or the header.
func FuzzNodes(f *testing.F) {
	f.Add([]byte(`{"node":{"kind":"occupant","stableKey":"human:h","removed":false,"occupant":` + humanRow + `},"rev":1}`))
	f.Add([]byte(`{"node":{"kind":"space","stableKey":"space:s","space":` + spaceRow + `}}`))
	f.Add([]byte(`{"node":{"kind":"occupant","stableKey":"__header__","removed":true}}`))
	f.Add([]byte(`{"nodes":[{"kind":"header","stableKey":"__header__","sid":"t","bounds":{"minX":0,"minY":0,"maxX":1e9,"maxY":1}}]}`))
	f.Add([]byte(`{"node":{"kind":"genesis","stableKey":"__genesis__","text":""},"leafIndex":0,"path":[{"side":"left","hex":"00"}]}`))
	s, _, err := chain.ParseSnapshot([]byte(smallWorld))
	if err != nil {
		f.Fatal(err)
	}
	root := s.Root()
	f.Fuzz(func(t *testing.T, body []byte) {
		if r, err := chain.ParseProofRPCBody(body); err == nil {
			_ = r.Verify(r.Node.StableKey, root, s.LeafCount())
		}
		nodes, _ := chain.ParseNodesRPCBody(body)
		if one, err := chain.ParseNodeRPCBody(body); err == nil {
			nodes.Nodes = append(nodes.Nodes, one.Node)
		}
		next, err := s.Merge(nodes.Nodes...)
		if err != nil {
			return
		}
		if next.Tree().Get("__genesis__") == nil || next.Tree().Get("__header__") == nil {
			t.Fatalf("%q broke the chain", body)
		}
		if s.Root() != root {
			t.Fatal("the old snapshot changed")
		}
		writeAndReadBack(t, next)
	})
}

// writeAndReadBack checks that a snapshot's JSON parses to an equal snapshot.
func writeAndReadBack(t *testing.T, s *chain.Snapshot) {
	t.Helper()
	text, err := s.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	back, stated, err := chain.ParseSnapshot(text)
	if err != nil {
		t.Fatalf("%s does not read back: %v", text, err)
	}
	if err := back.Verify(stated.MerkleRootHex, stated.MerkleLeafCount); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// FuzzSnapshot parses hostile snapshots; an accepted one must survive a round trip.
func FuzzSnapshot(f *testing.F) {
	f.Add([]byte(smallWorld))
	f.Add([]byte(`{"sid":"","worldMap":{"bounds":{"minX":0,"minY":0,"maxX":0,"maxY":0},"occupants":[]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, _, err := chain.ParseSnapshot(text)
		if err != nil {
			return
		}
		for o := range s.Occupants() {
			if s.Tree().Get(o.StableKey()) == nil {
				t.Fatalf("the row %q is not under its key", o.StableKey())
			}
		}
		writeAndReadBack(t, s)
	})
}

// FuzzEvents parses hostile event data.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"rev":1,"playerChainNotify":{"updatedAt":"t","nodes":[{"stableKey":"mcp:a","leafIndex":-1.5,"removed":true}]},"playerChainNodes":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := chain.ParseEventState(data)
		n, notifyErr := chain.ParseFanoutNotifyFromSSEPayload(data)
		if err == nil && (notifyErr != nil || (n == nil) != (s.Notify == nil)) {
			t.Fatalf("%q: %+v and %v, but alone %+v and %v", data, s, err, n, notifyErr)
		}
		if n == nil {
			return
		}
		sorted := chain.SortNodeRefsForSerializedFetch(n.Nodes)
		removals := true
		for _, ref := range sorted {
			if ref.Removed && !removals {
				t.Fatalf("%q: a removal after others", data)
			}
			removals = ref.Removed
		}
		if len(sorted) != len(n.Nodes) || len(sorted) > chain.MaxNotifyNodes {
			t.Fatalf("%d of %d refs", len(sorted), len(n.Nodes))
		}
	})
}

// FuzzRowReaders parses hostile rows; an accepted row has a canonical form that
// parses to the same row.
func FuzzRowReaders(f *testing.F) {
	f.Add([]byte(humanRow))
	f.Add([]byte(spaceRow))
	f.Add([]byte(`{"kind":"agent","agentId":"a","nodeId":"n","name":"A","x":0,"y":0,"lastUpdate":{"journey":{"steps":[{}]},"path":[{"x":1}]},
		"assistTools":[{"name":"assist_a","parameters":{}}],"onZone":{"zoneCount":1,"at":""},"onYield":{},"agentType":"t"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if space, err := chain.ParseSpace(text); err == nil {
			if _, err := chain.AppendSpace(nil, space); err != nil {
				t.Fatalf("%q reads and does not write: %v", text, err)
			}
		}
		row, err := chain.ParseOccupant(text)
		if err != nil {
			return
		}
		first, err := chain.AppendOccupant(nil, row)
		if err != nil {
			t.Fatalf("%q reads and does not write: %v", text, err)
		}
		again, err := chain.ParseOccupant(first)
		if err != nil {
			t.Fatalf("%s does not read back: %v", first, err)
		}
		if second, err := chain.AppendOccupant(nil, again); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
	})
}
