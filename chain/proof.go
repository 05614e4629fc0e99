package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// ProofStep is one step from a leaf up to the root: the sibling's digest and its
// side. A digest that is paired with itself is its own right sibling.
type ProofStep struct {
	// Side is the side that the sibling stands on: left or right.
	Side string `json:"side"`
	// Hex is its digest.
	Hex Digest `json:"hex"`
}

// Proof states that a leaf has an index in a tree of a certain root and number of
// leaves. Its JSON is the part of a `getPlayerChainProof` reply about the tree.
type Proof struct {
	// LeafIndex is the place of the leaf, from 0.
	LeafIndex int `json:"leafIndex"`
	// LeafDigestHex is the digest of the leaf.
	LeafDigestHex Digest `json:"leafDigestHex"`
	// Path are the steps from the leaf up to the root.
	Path            []ProofStep `json:"path"`
	MerkleRootHex   Digest      `json:"merkleRootHex"`
	MerkleLeafCount int         `json:"merkleLeafCount"`
}

// Proof returns a proof that the leaf with the given key is in the tree; false if
// there is none.
func (t *Tree) Proof(key string) (Proof, bool) {
	index, leaf := t.Find(key)
	if leaf == nil {
		return Proof{}, false
	}
	p := Proof{
		LeafIndex: index, LeafDigestHex: leaf.digest, Path: make([]ProofStep, 0, levels(t.count)),
		MerkleRootHex: t.Root(), MerkleLeafCount: t.count,
	}
	width := t.count
	for level := 0; width > 1; level++ {
		sibling, side := siblingOf(index, width)
		p.Path = append(p.Path, ProofStep{Side: side, Hex: *t.digestAt(level, sibling)})
		index, width = index/2, (width+1)/2
	}
	return p, true
}

// siblingOf returns the index of the sibling of an index of a level, and its side.
func siblingOf(index, width int) (sibling int, side string) {
	switch {
	case index%2 == 1:
		return index - 1, protocol.SideLeft
	case index+1 < width:
		return index + 1, protocol.SideRight
	}
	return index, protocol.SideRight
}

// digestAt returns the digest at a position of a Merkle level; level 0 are the
// leaves.
func (t *Tree) digestAt(level, pos int) *Digest {
	if level == 0 {
		return t.element(0, pos).hash()
	}
	height, inBlock := (level-1)/blockLevels+1, (level-1)%blockLevels+1
	shift := blockLevels - inBlock
	return t.at(height, pos>>shift).(*block).at(inBlock, pos&(1<<shift-1))
}

// Verify checks the proof for the stated payload of the leaf, against a root and a
// number of leaves that the caller trusts: the proof's own root and count must
// equal these.
//
// The sides of the path follow from index and count; a path that disagrees, is too
// short or too long is refused, and so is a digest that is its own sibling without
// being equal to it. Every error is ErrProof.
func (p Proof) Verify(payload []byte, root Digest, leafCount int) error {
	switch {
	case p.MerkleLeafCount != leafCount:
		return fmt.Errorf("%w: it is about %d leaves, the tree has %d", ErrProof, p.MerkleLeafCount, leafCount)
	case p.MerkleRootHex != root:
		return fmt.Errorf("%w: it is about the root %s, the tree's is %s", ErrProof, p.MerkleRootHex, root)
	case p.LeafIndex < 0 || p.LeafIndex >= leafCount:
		return fmt.Errorf("%w: there is no leaf %d of %d", ErrProof, p.LeafIndex, leafCount)
	case LeafDigest(payload) != p.LeafDigestHex:
		return fmt.Errorf("%w: the payload is not the leaf's", ErrProof)
	}
	got, err := p.climb()
	if err != nil {
		return err
	}
	if got != root {
		return fmt.Errorf("%w: the path leads to %s and not to the root %s", ErrProof, got, root)
	}
	return nil
}

// climb follows the path from the leaf's digest to the top.
func (p Proof) climb() (Digest, error) {
	digest, index, width := p.LeafDigestHex, p.LeafIndex, p.MerkleLeafCount
	if want := levels(width); len(p.Path) != want {
		return digest, fmt.Errorf("%w: the path has %d steps, a tree of %d leaves has %d", ErrProof, len(p.Path), width, want)
	}
	for i, step := range p.Path {
		sibling, side := siblingOf(index, width)
		if step.Side != side {
			return digest, fmt.Errorf("%w: step %d has its sibling on the side %.20q, index and count say %s", ErrProof, i, step.Side, side)
		}
		if sibling == index && step.Hex != digest {
			return digest, fmt.Errorf("%w: step %d pairs the last digest of an odd level with another", ErrProof, i)
		}
		if side == protocol.SideLeft {
			digest = parentDigest(&step.Hex, &digest)
		} else {
			digest = parentDigest(&digest, &step.Hex)
		}
		index, width = index/2, (width+1)/2
	}
	return digest, nil
}
