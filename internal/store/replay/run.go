package replay

import (
	"fmt"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Run replays consecutive entries without a tree for each: an insert changes every
// digest to its right. The tree after the last entry is built in one step.
type Run struct {
	// now is the map after the last entry, with the tree from before the run.
	now Map
	// latest are the leaves that changed since, nil for removed ones, and leaves is the
	// number of leaves now.
	latest map[string]*chain.Leaf
	leaves int
	// root is the root that the last entry states.
	root chain.Digest
}

// NewRun returns a run that continues from a map with its tree.
func NewRun(from *Map) *Run {
	return &Run{now: *from, latest: map[string]*chain.Leaf{}, leaves: from.Tree.Len(), root: from.Tree.Root()}
}

// Now returns the map after the last entry, except for its tree.
func (r *Run) Now() *Map { return &r.now }

// Add replays an entry. It fails with store.ErrCorrupt
// if the number of leaves differs from the number that the entry states, or if an
// entry without a change states another root.
func (r *Run) Add(e *store.Entry) error {
	puts, removals, err := changes(e)
	if err != nil {
		return err
	}
	changed := false
	if e.Cleared {
		changed = r.clear()
	}
	for _, key := range removals {
		changed = r.change(key, nil) || changed
	}
	for _, leaf := range puts {
		changed = r.change(leaf.Key(), leaf) || changed
	}
	if uint32(r.leaves) != e.LeafCount || !changed && r.root != e.Root {
		return fmt.Errorf("%w: entry %d (rev %d) has the root %x over %d leaves, its rows give %d leaves over the root %s",
			store.ErrCorrupt, e.Position, e.Rev, e.Root, e.LeafCount, r.leaves, r.root)
	}
	r.root = e.Root
	r.now.Pass(e)
	return nil
}

// clear removes every leaf except for the root key's.
func (r *Run) clear() (changed bool) {
	for _, leaf := range r.now.Tree.All() {
		if leaf.Key() != protocol.GenesisStableKey {
			changed = r.change(leaf.Key(), nil) || changed
		}
	}
	for key := range r.latest {
		changed = r.change(key, nil) || changed
	}
	return changed
}

// change puts a leaf, or removes one if leaf is nil, and reports whether that changes
// anything.
func (r *Run) change(key string, leaf *chain.Leaf) bool {
	before, known := r.latest[key]
	if !known {
		before = r.now.Tree.Get(key)
	}
	switch {
	case before == nil && leaf == nil:
		return false
	case before == nil:
		r.leaves++
	case leaf == nil:
		r.leaves--
	}
	r.latest[key] = leaf
	return true
}

// End returns the map after the last entry, with its tree. It fails with
// store.ErrCorrupt if that has another root than the entry states.
func (r *Run) End() (Map, error) {
	var puts []*chain.Leaf
	var removals []string
	for key, leaf := range r.latest {
		if leaf == nil {
			removals = append(removals, key)
		} else {
			puts = append(puts, leaf)
		}
	}
	m := r.now
	m.Tree = r.now.Tree.Edit(puts, removals)
	if root := m.Tree.Root(); root != r.root {
		return Map{}, fmt.Errorf("%w: entry %d (rev %d) has the root %s, the rows up to it give %s over %d leaves",
			store.ErrCorrupt, m.Position, m.Rev, r.root, root, m.Tree.Len())
	}
	return m, nil
}
