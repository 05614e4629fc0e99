package chain_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/chain"
)

// readVectors reads known answers of the protocol from testdata.
func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
}

// mustSnapshot reads a snapshot whose chain starts with the given genesis text.
func mustSnapshot(t *testing.T, text []byte, genesis string) *chain.Snapshot {
	t.Helper()
	s, _, err := chain.ParseSnapshot(text)
	if err != nil {
		t.Fatalf("ParseSnapshot: %v", err)
	}
	return s.WithGenesis(genesis)
}

func TestChainVectors(t *testing.T) {
	var v struct {
		Cases []struct {
			Name     string
			Genesis  string
			Snapshot json.RawMessage
			Leaves   []struct{ StableKey, Payload, LeafDigestHex string }

			MerkleRootHex   string
			MerkleLeafCount int
		}
	}
	readVectors(t, "chain.json", &v)
	if len(v.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range v.Cases {
		t.Run(c.Name, func(t *testing.T) {
			s := mustSnapshot(t, c.Snapshot, c.Genesis)
			if s.LeafCount() != len(c.Leaves) {
				t.Fatalf("%d leaves, want %d", s.LeafCount(), len(c.Leaves))
			}
			for i, leaf := range s.Tree().All() {
				want := c.Leaves[i]
				if leaf.Key() != want.StableKey {
					t.Fatalf("leaf %d is %s, want %s", i, leaf.Key(), want.StableKey)
				}
				if diff := cmp.Diff(want.Payload, string(leaf.Payload())); diff != "" {
					t.Errorf("payload of %s (-want +got):\n%s", want.StableKey, diff)
				}
				if got := leaf.Digest().Hex(); got != want.LeafDigestHex {
					t.Errorf("digest of %s is %s, want %s", want.StableKey, got, want.LeafDigestHex)
				}
			}
			if err := s.Verify(c.MerkleRootHex, c.MerkleLeafCount); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMerkleVectors(t *testing.T) {
	var v struct {
		MerkleOnly []struct {
			LeafPayloads []string
			RootHex      string
		}
	}
	readVectors(t, "chain.json", &v)
	if len(v.MerkleOnly) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range v.MerkleOnly {
		var leaves []*chain.Leaf
		for _, p := range c.LeafPayloads {
			leaves = append(leaves, chain.NewLeaf(p, []byte(p)))
		}
		tree := chain.NewTree(leaves...)
		if got := tree.Root().Hex(); got != c.RootHex || tree.Len() != len(leaves) {
			t.Errorf("root over %d leaves is %s over %d, want %s", len(leaves), got, tree.Len(), c.RootHex)
		}
	}
}

func TestNotifyVectors(t *testing.T) {
	var v struct {
		Genesis, UpdatedAt string
		Cases              []struct {
			Name       string
			Prev, Next json.RawMessage
			Notify     json.RawMessage
			FetchOrder []string
		}
	}
	readVectors(t, "notify.json", &v)
	if len(v.Cases) == 0 {
		t.Fatal("no cases")
	}
	for _, c := range v.Cases {
		t.Run(c.Name, func(t *testing.T) {
			prev, next := mustSnapshot(t, c.Prev, v.Genesis), mustSnapshot(t, c.Next, v.Genesis)
			got := chain.Diff(prev.Tree(), next.Tree(), v.UpdatedAt)
			if string(c.Notify) == "null" {
				if got != nil {
					t.Fatalf("got %+v, want none", got)
				}
				return
			}
			want, err := chain.ParseFanoutNotify(c.Notify)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Diff (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, chain.NotifyFor(prev.Tree(), next.Tree(), allKeys(prev, next), v.UpdatedAt)); diff != "" {
				t.Errorf("NotifyFor (-want +got):\n%s", diff)
			}
			var order []string
			for _, ref := range chain.SortNodeRefsForSerializedFetch(got.Nodes) {
				order = append(order, ref.StableKey)
			}
			if diff := cmp.Diff(c.FetchOrder, order); diff != "" {
				t.Errorf("fetch order (-want +got):\n%s", diff)
			}
		})
	}
}

// allKeys lists the stable keys of several snapshots, some of them repeatedly.
func allKeys(snapshots ...*chain.Snapshot) []string {
	var keys []string
	for _, s := range snapshots {
		for _, leaf := range s.Tree().All() {
			keys = append(keys, leaf.Key())
		}
	}
	return keys
}
