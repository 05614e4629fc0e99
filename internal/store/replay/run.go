package replay

import (
	"fmt"
	"slices"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Run replays consecutive entries without a tree for each: an insert changes every
// digest to its right. The tree after the last entry is built in one step, and the
// earlier trees are built backward from it, as far as they are requested.
type Run struct {
	base, now Map
	// latest are the leaves that changed since base, nil for removed ones, and leaves
	// is the number of leaves now.
	latest map[string]*chain.Leaf
	leaves int
	// root is the root that the last entry states.
	root  chain.Digest
	steps []step
	// bytes is the size of the replaced leaves of steps, and budget its limit, with
	// stepBytes for each step.
	bytes, budget int
}

// step is a map of the run, without its tree, with the changes that lead back to
// the map before it.
type step struct {
	Past
	root chain.Digest
	// puts and removals lead back, and replaced is the size of puts.
	puts     []*chain.Leaf
	removals []string
	replaced int
}

// stepBytes is about the size of a step besides its leaves.
const stepBytes = 512

// Past is an intermediate map of a Run.
type Past struct {
	Map
	// Changed reports whether the rows or the header differ from the map before it.
	Changed bool
	// Beside is about how many bytes the map before it does not share with it; 0 for
	// the first one.
	Beside int
}

// NewRun returns a run that continues from a map with its tree. It keeps the steps
// back within a budget in bytes.
func NewRun(from *Map, budget int) *Run {
	r := &Run{base: *from, now: *from, latest: map[string]*chain.Leaf{}, leaves: from.Tree.Len(), root: from.Tree.Root(), budget: budget}
	if from.Position > 0 {
		r.steps = []step{{Past: Past{Map: *from}, root: r.root}}
	}
	return r
}

// Now returns the map after the last entry, with a tree that may be an earlier one.
func (r *Run) Now() *Map { return &r.now }

// Add replays an entry. It fails with store.ErrCorrupt
// if the number of leaves differs from the number that the entry states, or if an
// entry without a change states another root.
func (r *Run) Add(e *store.Entry) error {
	s := step{root: e.Root}
	puts, removals, err := changes(e)
	if err != nil {
		return err
	}
	if e.Cleared {
		r.clear(&s)
	}
	for _, key := range removals {
		r.change(&s, key, nil)
	}
	for _, leaf := range lastOfEach(puts) {
		r.change(&s, leaf.Key(), leaf)
	}
	s.Changed = len(s.puts)+len(s.removals) > 0
	if uint32(r.leaves) != e.LeafCount || !s.Changed && r.root != s.root {
		return fmt.Errorf("%w: entry %d (rev %d) has the root %x over %d leaves, its rows give %d leaves over the root %s",
			store.ErrCorrupt, e.Position, e.Rev, e.Root, e.LeafCount, r.leaves, r.root)
	}
	same := !s.Changed && e.Rev == r.now.Rev && len(r.steps) > 0
	r.root = s.root
	r.now.pass(e)
	s.Map = r.now
	if same {
		r.steps[len(r.steps)-1].Map = r.now
		return nil
	}
	r.steps = append(r.steps, s)
	r.bytes += stepBytes + s.replaced
	r.forget()
	return nil
}

// forget removes the oldest steps that exceed the budget.
func (r *Run) forget() {
	for r.bytes > r.budget && len(r.steps) > 1 {
		r.steps[0] = step{}
		r.steps = r.steps[1:]
		first := &r.steps[0]
		r.bytes -= stepBytes + first.replaced
		first.puts, first.removals, first.replaced = nil, nil, 0
	}
}

// lastOfEach returns the last leaf of each key.
func lastOfEach(puts []*chain.Leaf) []*chain.Leaf {
	if len(puts) < 2 {
		return puts
	}
	last := make(map[string]*chain.Leaf, len(puts))
	for _, leaf := range puts {
		last[leaf.Key()] = leaf
	}
	return slices.DeleteFunc(puts, func(leaf *chain.Leaf) bool { return last[leaf.Key()] != leaf })
}

// clear removes every leaf except for the root key's.
func (r *Run) clear(s *step) {
	for _, leaf := range r.base.Tree.All() {
		if leaf.Key() != protocol.GenesisStableKey {
			r.change(s, leaf.Key(), nil)
		}
	}
	for key := range r.latest {
		r.change(s, key, nil)
	}
}

// change puts a leaf, or removes one if leaf is nil.
func (r *Run) change(s *step, key string, leaf *chain.Leaf) {
	before, known := r.latest[key]
	if !known {
		before = r.base.Tree.Get(key)
	}
	switch {
	case before == nil && leaf == nil:
		return
	case before == nil:
		s.removals = append(s.removals, key)
		r.leaves++
	default:
		s.puts = append(s.puts, before)
		s.replaced += before.Size()
		if leaf == nil {
			r.leaves--
		}
	}
	r.latest[key] = leaf
}

// End builds the tree after the last entry and returns the maps up to it, oldest
// first: as many as fit the budget, and always the last one. It fails with
// store.ErrCorrupt if one has another root than its entry states.
func (r *Run) End() ([]Past, error) {
	var puts []*chain.Leaf
	var removals []string
	for key, leaf := range r.latest {
		if leaf == nil {
			removals = append(removals, key)
		} else {
			puts = append(puts, leaf)
		}
	}
	tree := r.base.Tree.Edit(puts, removals)
	r.now.Tree = tree
	first := len(r.steps)
	for bytes := 0; first > 0; {
		first--
		s := &r.steps[first]
		if root := tree.Root(); root != s.root {
			return nil, fmt.Errorf("%w: entry %d (rev %d) has the root %s, the rows up to it give %s over %d leaves",
				store.ErrCorrupt, s.Position, s.Rev, s.root, root, tree.Len())
		}
		s.Tree = tree
		if first == 0 {
			break
		}
		tree = tree.Edit(s.puts, s.removals)
		s.Beside = tree.BlocksBeside(s.Tree) + s.replaced
		if bytes += stepBytes + s.Beside; bytes > r.budget {
			break
		}
	}
	past := make([]Past, 0, len(r.steps)-first)
	for i := range r.steps[first:] {
		past = append(past, r.steps[first+i].Past)
	}
	return past, nil
}
