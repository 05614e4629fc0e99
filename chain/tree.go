package chain

import (
	"iter"
	"sort"
)

// Tree is an immutable Merkle tree over leaves in chain order. An edit returns a
// new tree that shares all unchanged blocks; the old tree does not change. The zero
// value and nil are the empty tree.
//
// Reading by index or key costs O(log n). A Tree is safe for concurrent use.
type Tree struct {
	top    *block // nil if there are no leaves
	height int    // of top: its children are leaves at height 1
	count  int    // leaves
}

// NewTree builds a tree of the given leaves, in any order. If two have the same
// key the later one counts.
func NewTree(leaves ...*Leaf) *Tree { return (*Tree)(nil).Edit(leaves, nil) }

// Len returns the number of leaves (`merkleLeafCount`).
func (t *Tree) Len() int {
	if t == nil {
		return 0
	}
	return t.count
}

// Root returns the tree's root (`merkleRootHex`). A root alone does not determine
// the number of leaves, because an odd level pairs its last digest with itself:
// compare Len as well.
func (t *Tree) Root() Digest {
	if t.Len() == 0 {
		return LeafDigest(nil)
	}
	return *t.top.at(levels(t.top.count), 0)
}

// At returns the leaf with the given index in chain order. Like a slice, it panics
// if there is none.
func (t *Tree) At(index int) *Leaf {
	if index < 0 || index >= t.Len() {
		panic("chain: leaf index out of range")
	}
	return t.element(0, index).(*Leaf)
}

// element returns the element of the given height (0 for leaves) with the given
// index among those of its height.
func (t *Tree) element(height, index int) element {
	b := t.top
	for h := t.height; ; h-- {
		kid := b.kids[index>>(blockLevels*(h-1-height))&(blockWidth-1)]
		if h-1 == height {
			return kid
		}
		b = kid.(*block)
	}
}

// at does the same as element, but also for the top.
func (t *Tree) at(height, index int) element {
	if height == t.height {
		return t.top
	}
	return t.element(height, index)
}

// width returns the number of elements of the given height.
func (t *Tree) width(height int) int {
	switch {
	case height > t.height:
		return 0
	case height == 0:
		return t.count
	}
	return (t.count-1)>>(blockLevels*height) + 1
}

// Find returns the leaf with the given key and its index. If there is none the
// leaf is nil and the index is the one that a leaf with the key would get.
func (t *Tree) Find(key string) (int, *Leaf) {
	if t.Len() == 0 {
		return 0, nil
	}
	index, b := 0, t.top
	for h := t.height; ; h-- {
		// The last child whose first key is not above the key, or the first one.
		kid := max(0, sort.Search(b.count, func(i int) bool {
			return CompareKeys(b.kids[i].firstKey(), key) > 0
		})-1)
		index += kid << (blockLevels * (h - 1))
		if h > 1 {
			b = b.kids[kid].(*block)
			continue
		}
		leaf := b.kids[kid].(*Leaf)
		switch c := CompareKeys(leaf.key, key); {
		case c == 0:
			return index, leaf
		case c < 0:
			return index + 1, nil
		default:
			return index, nil
		}
	}
}

// Get returns the leaf with the given key, nil if there is none.
func (t *Tree) Get(key string) *Leaf {
	_, leaf := t.Find(key)
	return leaf
}

// All iterates over the leaves with their indexes in chain order.
func (t *Tree) All() iter.Seq2[int, *Leaf] { return t.Range(0, t.Len()) }

// Occupants iterates over the leaves of the map's rows.
func (t *Tree) Occupants() iter.Seq2[int, *Leaf] {
	return t.Range(t.start(rankOccupant), t.start(rankSpace))
}

// Spaces iterates over the leaves of `spaces`.
func (t *Tree) Spaces() iter.Seq2[int, *Leaf] { return t.Range(t.start(rankSpace), t.Len()) }

// OccupantCount returns the number of rows on the map.
func (t *Tree) OccupantCount() int { return t.start(rankSpace) - t.start(rankOccupant) }

// start returns the index of the first leaf of the given rank or a higher one.
func (t *Tree) start(atLeast int) int {
	return sort.Search(t.Len(), func(i int) bool { return rank(t.At(i).key) >= atLeast })
}

// Range iterates over the leaves with an index in [from, to). Both are clamped to
// the tree's own range.
func (t *Tree) Range(from, to int) iter.Seq2[int, *Leaf] {
	from, to = max(from, 0), min(to, t.Len())
	return func(yield func(int, *Leaf) bool) {
		for i := from; i < to; {
			b := t.at(1, i/blockWidth).(*block)
			for pos := i % blockWidth; pos < b.count && i < to; pos++ {
				if !yield(i, b.kids[pos].(*Leaf)) {
					return
				}
				i++
			}
		}
	}
}

// Levels returns the number of levels of digests, including the leaves: 1 for one
// leaf, 0 for none.
func (t *Tree) Levels() int {
	if t.Len() == 0 {
		return 0
	}
	return levels(t.count) + 1
}

// Level iterates over the digests of a level from the left; level 0 are the leaves,
// level Levels()-1 is the root alone. A level that the tree does not have is empty.
// A digest costs O(log n).
func (t *Tree) Level(level int) iter.Seq2[int, Digest] {
	return func(yield func(int, Digest) bool) {
		if level < 0 || level >= t.Levels() {
			return
		}
		width := (t.count-1)>>level + 1
		for pos := range width {
			if !yield(pos, *t.digestAt(level, pos)) {
				return
			}
		}
	}
}
