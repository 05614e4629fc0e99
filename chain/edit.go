package chain

import (
	"cmp"
	"slices"
)

// edit is the change of one key: index is the index of its leaf in the old tree or,
// if absent, the index where it is inserted. A nil leaf removes.
type edit struct {
	index  int
	absent bool
	leaf   *Leaf
	key    string
}

// replaces reports whether the edit changes no index.
func (d *edit) replaces() bool { return !d.absent && d.leaf != nil }

// editor builds a tree from an old one, height by height from the leaves up.
// At each height the elements of the new tree are: those of the old tree below
// the index cut, except where patches replace one, and then tail.
type editor struct {
	old     *Tree
	edits   []edit
	patches []patch // by ascending index, all below cut
	cut     int
	tail    []element
	shifted bool // leaves were added or removed, so indexes from cut on moved
}

// patch replaces the element at an index.
type patch struct {
	index int
	with  element
}

// Put returns the tree with the leaf in it, in place of the one with its key if
// there is one. If the tree has a leaf with the same key and digest, it returns t
// itself. Replacing costs O(log n) hashes; adding rehashes everything at or right
// of the new leaf.
func (t *Tree) Put(leaf *Leaf) *Tree {
	index, old := t.Find(leaf.key)
	switch {
	case old == nil:
		return t.Edit([]*Leaf{leaf}, nil)
	case old.same(leaf):
		return t
	}
	return t.replaced(index, leaf)
}

// replaced returns the tree with another leaf at an existing index.
func (t *Tree) replaced(index int, leaf *Leaf) *Tree {
	return &Tree{top: t.top.replaced(t.height, index, leaf, true), height: t.height, count: t.count}
}

// replaced returns the block with one leaf below it replaced: the path to the leaf
// is copied and rehashed.
func (b *block) replaced(height, index int, leaf *Leaf, whole bool) *block {
	next := *b
	shift := blockLevels * (height - 1)
	pos := index >> shift & (blockWidth - 1)
	if height == 1 {
		next.kids[pos] = leaf
	} else {
		next.kids[pos] = b.kids[pos].(*block).replaced(height-1, index, leaf, false)
	}
	next.rehash(1<<pos, whole)
	return &next
}

// Remove returns the tree without the key's leaf, t itself if it has none.
// Everything at or right of the leaf is rehashed.
func (t *Tree) Remove(key string) *Tree { return t.Edit(nil, []string{key}) }

// Edit applies several edits at once and rehashes each block it touches once.
// If a key is in both lists, or twice in puts, its last put counts. An edit
// that changes nothing returns t itself.
func (t *Tree) Edit(puts []*Leaf, removals []string) *Tree {
	edits := make([]edit, 0, len(puts)+len(removals))
	for _, key := range removals {
		edits = append(edits, edit{key: key})
	}
	for _, leaf := range puts {
		edits = append(edits, edit{key: leaf.key, leaf: leaf})
	}
	return t.apply(edits)
}

// apply applies several edits, of which it takes ownership. If a key has several,
// its last counts.
func (t *Tree) apply(edits []edit) *Tree {
	if t == nil {
		t = &Tree{}
	}
	e := editor{old: t, edits: edits}
	e.plan()
	switch {
	case len(e.edits) == 0:
		return t
	case len(e.edits) == 1 && e.edits[0].replaces():
		return t.replaced(e.edits[0].index, e.edits[0].leaf)
	}
	return e.build()
}

// build applies the planned edits from the leaves to the top.
func (e *editor) build() *Tree {
	e.split()
	t := &Tree{}
	for t.count = e.cut + len(e.tail); t.count > 0; {
		t.height++
		if e.raise(t.height); e.cut+len(e.tail) == 1 {
			t.top = e.newAt(t.height, 0).(*block)
			break
		}
	}
	return t
}

// raise builds the blocks of the given height that differ from the old tree's.
// After it cut, patches and tail are those of this height.
func (e *editor) raise(height int) {
	total := e.cut + len(e.tail)
	blocks := (total + blockWidth - 1) / blockWidth
	keep := e.cut / blockWidth // blocks before this one have the children they had
	if !e.shifted {
		keep = blocks
	}
	whole := blocks == 1
	patches := make([]patch, 0, len(e.patches))
	for i := 0; i < len(e.patches); {
		index := e.patches[i].index / blockWidth
		if index >= keep {
			break // goes into the tail
		}
		patches = append(patches, patch{index, e.assemble(height, index, total, whole)})
		for i < len(e.patches) && e.patches[i].index/blockWidth == index {
			i++
		}
	}
	tail := make([]element, 0, blocks-keep)
	for index := keep; index < blocks; index++ {
		tail = append(tail, e.assemble(height, index, total, whole))
	}
	e.cut, e.patches, e.tail = keep, patches, tail
}

// assemble builds the block of the given height and index from the elements below
// it, of which there are total, and computes the changed digests.
func (e *editor) assemble(height, index, total int, whole bool) *block {
	low := index * blockWidth
	next := &block{}
	if old := e.oldAt(height, index); old != nil {
		*next = *old.(*block)
	}
	was := next.count
	next.count = min(blockWidth, total-low)
	var dirty uint
	if was != next.count {
		// The last child of the narrower block was or is paired with itself.
		dirty = ^uint(0) << max(0, min(was, next.count)-1)
	}
	for pos := range next.count {
		if kid := e.newAt(height-1, low+pos); next.kids[pos] != kid {
			next.kids[pos] = kid
			dirty |= 1 << pos
		}
	}
	clear(next.kids[next.count:]) // drops what was removed
	next.first = next.kids[0].firstKey()
	next.rehash(dirty, whole)
	return next
}

// oldAt returns the old tree's element of the given height and index, nil if it has
// none.
func (e *editor) oldAt(height, index int) element {
	if index >= e.old.width(height) {
		return nil
	}
	return e.old.at(height, index)
}

// newAt returns the new tree's element at the editor's height.
func (e *editor) newAt(height, index int) element {
	if index >= e.cut {
		return e.tail[index-e.cut]
	}
	at, found := slices.BinarySearchFunc(e.patches, index, func(p patch, index int) int {
		return cmp.Compare(p.index, index)
	})
	if found {
		return e.patches[at].with
	}
	return e.oldAt(height, index)
}

// plan sorts the edits by key and keeps those that change something.
func (e *editor) plan() {
	if len(e.edits) > 1 {
		e.order()
	}
	kept := e.edits[:0]
	for _, d := range e.edits {
		index, leaf := e.old.Find(d.key)
		d.index, d.absent = index, leaf == nil
		if d.absent && d.leaf == nil || !d.absent && d.leaf != nil && leaf.same(d.leaf) {
			continue
		}
		kept = append(kept, d)
	}
	e.edits = kept
}

// order sorts the edits by key and keeps the last of each.
func (e *editor) order() {
	slices.SortStableFunc(e.edits, func(a, b edit) int { return CompareKeys(a.key, b.key) })
	last := e.edits[:0]
	for i, d := range e.edits {
		if i+1 == len(e.edits) || d.key != e.edits[i+1].key {
			last = append(last, d)
		}
	}
	e.edits = last
}

// split sorts the edits into patches, left of the first leaf that is added or
// removed, and the tail from there on.
func (e *editor) split() {
	e.cut = e.old.Len()
	shift := slices.IndexFunc(e.edits, func(d edit) bool { return !d.replaces() })
	if shift < 0 {
		shift = len(e.edits)
	} else {
		e.shifted = true
		e.cut = e.edits[shift].index
	}
	e.patches = make([]patch, shift)
	for i, d := range e.edits[:shift] {
		e.patches[i] = patch{d.index, d.leaf}
	}
	if !e.shifted {
		return
	}
	e.tail = make([]element, 0, e.old.Len()-e.cut+len(e.edits)-shift)
	next := e.cut
	for _, d := range e.edits[shift:] {
		next = e.keep(next, d.index)
		if d.leaf != nil {
			e.tail = append(e.tail, d.leaf)
		}
		if !d.absent {
			next++
		}
	}
	e.keep(next, e.old.Len())
}

// keep appends the old tree's leaves in [from, to) to the tail.
func (e *editor) keep(from, to int) int {
	for _, leaf := range e.old.Range(from, to) {
		e.tail = append(e.tail, leaf)
	}
	return to
}
