package chain

import "slices"

// edit is what happens to one key: index is where its leaf is in the old tree
// or, if absent, where it comes before. A nil leaf removes.
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

// plan sorts the edits by key and leaves those that change something.
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
