package chain_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/playctl/playctl/chain"
)

// Each level is the digests of the pairs of the one below, and the last one is
// the root.
func TestLevels(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 255, 256, 257, 300} {
		var leaves []*chain.Leaf
		for i := range count {
			leaves = append(leaves, chain.NewLeaf(fmt.Sprintf("mcp:%04d", i), []byte{byte(i)}))
		}
		tree := chain.NewTree(leaves...)
		var below []string
		for _, leaf := range tree.All() {
			below = append(below, leaf.Digest().Hex())
		}
		for level := range tree.Levels() {
			var got []string
			for pos, digest := range tree.Level(level) {
				if pos != len(got) {
					t.Fatalf("%d leaves: level %d gives %d at %d", count, level, pos, len(got))
				}
				got = append(got, digest.Hex())
			}
			if level > 0 {
				below = pairUp(below)
			}
			if fmt.Sprint(got) != fmt.Sprint(below) {
				t.Fatalf("%d leaves: level %d is %v, want %v", count, level, got, below)
			}
		}
		if count > 0 && (len(below) != 1 || below[0] != tree.Root().Hex()) {
			t.Errorf("%d leaves: the levels end with %v", count, below)
		}
		for range tree.Level(tree.Levels()) {
			t.Errorf("%d leaves: there is a level above the root", count)
		}
	}
}

// pairUp is one level above another, by the protocol's definition.
func pairUp(below []string) []string {
	var above []string
	for i := 0; i < len(below); i += 2 {
		right := below[min(i+1, len(below)-1)]
		sum := sha256.Sum256([]byte("wilforlan:player-chain:node\x00" + below[i] + right))
		above = append(above, hex.EncodeToString(sum[:]))
	}
	return above
}
