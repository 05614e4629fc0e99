package chain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/chain"
)

// worldWithAgents returns a world of n agents.
func worldWithAgents(n int) world {
	w := world{}
	for i := range n {
		w[fmt.Sprintf("agent:%05d:x", i)] = fmt.Sprint("row ", i)
	}
	return w
}

func TestProofs(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 15, 16, 17, 33, 100, 255, 256, 257, 300} {
		w := worldWithAgents(n)
		tree := chain.NewTree(w.leaves()...)
		for i, leaf := range tree.All() {
			p, ok := tree.Proof(leaf.Key())
			if !ok || p.LeafIndex != i {
				t.Fatalf("leaf %d of %d: proof %+v, %v", i, n, p, ok)
			}
			if err := p.Verify(leaf.Payload(), tree.Root(), n); err != nil {
				t.Fatalf("leaf %d of %d: %v", i, n, err)
			}
			if err := p.Verify([]byte("another"), tree.Root(), n); !errors.Is(err, chain.ErrProof) {
				t.Fatalf("leaf %d of %d: another payload gave %v", i, n, err)
			}
		}
		if _, ok := tree.Proof("mcp:none"); ok {
			t.Fatalf("a proof of a key that is not among %d leaves", n)
		}
	}
	if _, ok := (&chain.Tree{}).Proof("mcp:none"); ok {
		t.Fatal("a proof in an empty tree")
	}
}

// TestForgedProofs changes valid proofs in every part: none may remain valid.
func TestForgedProofs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 70).Draw(t, "leaves")
		tree := chain.NewTree(worldWithAgents(n).leaves()...)
		leaf := tree.At(rapid.IntRange(0, n-1).Draw(t, "leaf"))
		p, _ := tree.Proof(leaf.Key())
		root, count := tree.Root(), n
		step := rapid.IntRange(0, len(p.Path)-1).Draw(t, "step")
		bit := rapid.IntRange(0, 255).Draw(t, "bit")
		flip := func(d *chain.Digest) { d[bit/8] ^= 1 << (bit % 8) }
		what := rapid.SampledFrom([]string{
			"sibling", "side", "drop", "add", "index", "count", "counts", "root", "roots", "leaf", "nonsense side",
		}).Draw(t, "what")
		switch what {
		case "sibling":
			flip(&p.Path[step].Hex)
		case "side":
			p.Path[step].Side = map[string]string{"left": "right", "right": "left"}[p.Path[step].Side]
		case "nonsense side":
			p.Path[step].Side = "LEFT"
		case "drop":
			p.Path = append(p.Path[:step], p.Path[step+1:]...)
		case "add":
			p.Path = append(p.Path, p.Path[step])
		case "index":
			p.LeafIndex = rapid.IntRange(-1, n+1).Filter(func(i int) bool { return i != p.LeafIndex }).Draw(t, "index")
		case "count":
			p.MerkleLeafCount = rapid.IntRange(-1, 200).Filter(func(i int) bool { return i != n }).Draw(t, "count")
		case "counts":
			count = rapid.IntRange(-1, 200).Filter(func(i int) bool { return i != n }).Draw(t, "count")
			p.MerkleLeafCount = count
			if stillHolds(n, count, p.LeafIndex) {
				return
			}
		case "root":
			flip(&p.MerkleRootHex)
		case "roots":
			flip(&root)
			p.MerkleRootHex = root
		case "leaf":
			flip(&p.LeafDigestHex)
		}
		if err := p.Verify(leaf.Payload(), root, count); !errors.Is(err, chain.ErrProof) {
			t.Fatalf("%s: got %v, want ErrProof", what, err)
		}
	})
}

// stillHolds reports whether the proof of an index in a tree of one size is also
// valid for another size: then only the count tells which tree it is, and a caller
// that trusts a wrong count cannot detect it. That is the case if the index has the
// same siblings, or if a digest that is paired with itself would have a copy of
// itself as its sibling.
func stillHolds(size, other, index int) bool {
	for size > 1 || other > 1 {
		if size <= 1 || other <= 1 || index >= size || index >= other {
			return false
		}
		if index%2 == 0 && index+1 < size && index+1 >= other {
			return false
		}
		size, other, index = (size+1)/2, (other+1)/2, index/2
	}
	return true
}

// TestDuplicateLeafAttack covers a host that adds a copy of its last row: the root
// stays the same, because an odd level pairs its last digest with itself, and only
// the leaf count shows it.
func TestDuplicateLeafAttack(t *testing.T) {
	honest := chain.NewTree(worldWithAgents(3).leaves()...)
	forged := honest.Put(chain.NewLeaf("agent:00003:x", []byte("row 2")))
	if honest.Root() != forged.Root() {
		t.Fatal("the roots differ: the attack is not possible any more")
	}
	p, _ := forged.Proof("agent:00003:x")
	if err := p.Verify([]byte("row 2"), honest.Root(), honest.Len()); !errors.Is(err, chain.ErrProof) {
		t.Errorf("the copy is proved in a tree of three leaves: %v", err)
	}
	p.MerkleLeafCount = 3
	if err := p.Verify([]byte("row 2"), honest.Root(), honest.Len()); !errors.Is(err, chain.ErrProof) {
		t.Errorf("the copy is proved with a false count: %v", err)
	}
}

func TestProofJSONRoundTrip(t *testing.T) {
	tree := chain.NewTree(worldWithAgents(5).leaves()...)
	p, _ := tree.Proof("agent:00004:x")
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), `{"leafIndex":4,"leafDigestHex":"`) || !strings.Contains(string(text), `"path":[{"side":"right","hex":"`) {
		t.Errorf("the proof is written as %s", text)
	}
	var back chain.Proof
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.Verify([]byte("row 4"), tree.Root(), 5); err != nil {
		t.Error(err)
	}
}

func TestDigestText(t *testing.T) {
	d := chain.LeafDigest([]byte("x"))
	for name, text := range map[string]string{
		"upper case": strings.ToUpper(d.Hex()), "short": d.Hex()[1:], "long": d.Hex() + "0", "empty": "",
		"not hex": "g" + d.Hex()[1:], "multi-byte": "é" + d.Hex()[2:],
	} {
		if _, err := chain.ParseDigest(text); !errors.Is(err, chain.ErrDigest) {
			t.Errorf("%s: %v, want ErrDigest", name, err)
		}
	}
	back, err := chain.ParseDigest(d.String())
	if err != nil || back != d {
		t.Errorf("%s became %s, %v", d, back, err)
	}
}
