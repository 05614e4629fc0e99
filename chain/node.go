package chain

import "math/bits"

// A tree is stored in blocks. A block covers four Merkle levels: up to sixteen
// children of one level and the fifteen digests above them. Children of a block
// of height 1 are leaves, those of a block of height h are blocks of height
// h-1; every block but the last of its height is full, because a Merkle tree is
// filled from the left. Sixteen keeps an update to two allocations at 100
// leaves and four at 10,000, and a block within one size class.
const (
	blockLevels = 4
	blockWidth  = 1 << blockLevels
)

// element is a child of a block: a *Leaf or a *block.
type element interface {
	hash() *Digest
	firstKey() string
}

func (l *Leaf) hash() *Digest    { return &l.digest }
func (l *Leaf) firstKey() string { return l.key }

type block struct {
	first string // the key of the leftmost leaf below
	count int    // children in use
	kids  [blockWidth]element

	// inner holds the digests of the four levels above the children, widest
	// first: 8, 4, 2 and 1. In the last block of a height fewer are in use. In
	// a block that is the whole tree the levels end where one digest is left.
	inner [blockWidth - 1]Digest
}

// innerStart is where each level begins in block.inner; level 1 is the one
// above the children.
var innerStart = [blockLevels + 1]int{0, 0, 8, 12, 14}

func (b *block) hash() *Digest    { return &b.inner[blockWidth-2] }
func (b *block) firstKey() string { return b.first }

// at returns the digest at a position of one of the block's levels; level 0 are the
// children.
func (b *block) at(level, pos int) *Digest {
	if level == 0 {
		return b.kids[pos].hash()
	}
	return &b.inner[innerStart[level]+pos]
}

// rehash computes the digests above the children whose bits are set in dirty.
// A block that is a whole tree ends at the level with one digest.
func (b *block) rehash(dirty uint, whole bool) {
	width := b.count
	for level := 0; level < blockLevels && (!whole || width > 1); level++ {
		var above uint
		for pos := 0; pos < width; pos += 2 {
			if dirty>>pos&3 == 0 {
				continue
			}
			left := b.at(level, pos)
			right := left // an odd level pairs its last digest with itself
			if pos+1 < width {
				right = b.at(level, pos+1)
			}
			b.inner[innerStart[level+1]+pos/2] = parentDigest(left, right)
			above |= 1 << (pos / 2)
		}
		dirty, width = above, (width+1)/2
	}
}

// levels returns the number of Merkle levels above count digests; count is at least
// 1.
func levels(count int) int { return bits.Len(uint(count - 1)) }
