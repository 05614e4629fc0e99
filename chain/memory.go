package chain

import "unsafe"

const (
	leafSize  = int(unsafe.Sizeof(Leaf{}))
	blockSize = int(unsafe.Sizeof(block{}))
)

// Size returns about how many bytes of memory the leaf takes.
func (l *Leaf) Size() int { return leafSize + len(l.key) + cap(l.hashed) }

// BlocksBeside returns about how many bytes of memory the inner part of t takes
// that next, which was created from it by edits, does not share. Leaves are not
// counted. It costs as much as the edits.
func (t *Tree) BlocksBeside(next *Tree) int {
	if t.Len() == 0 {
		return 0
	}
	height, other := t.height, (*block)(nil)
	if next.Len() > 0 && next.height >= height {
		other = next.at(height, 0).(*block)
	}
	return t.top.beside(other, height)
}

func (b *block) beside(other *block, height int) int {
	if b == other {
		return 0
	}
	size := blockSize
	for i := 0; height > 1 && i < b.count; i++ {
		var at *block
		if other != nil && i < other.count {
			at = other.kids[i].(*block)
		}
		size += b.kids[i].(*block).beside(at, height-1)
	}
	return size
}
