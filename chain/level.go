package chain

import "iter"

// Levels is the number of levels of digests, that of the leaves included: 1 for
// one leaf, 0 for none.
func (t *Tree) Levels() int {
	if t.Len() == 0 {
		return 0
	}
	return levels(t.count) + 1
}

// Level iterates over the digests of a level from the left; level 0 are the
// leaves, level Levels()-1 is the root alone. A level that the tree does not
// have is empty. A digest costs O(log n).
func (t *Tree) Level(level int) iter.Seq2[int, Digest] {
	return func(yield func(int, Digest) bool) {
		if level < 0 || level >= t.Levels() {
			return
		}
		width := t.count
		for range level {
			width = (width + 1) / 2
		}
		if level == t.Levels()-1 {
			yield(0, t.Root())
			return
		}
		for pos := range width {
			if !yield(pos, *t.digestAt(level, pos)) {
				return
			}
		}
	}
}
