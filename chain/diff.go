package chain

import (
	"slices"

	"github.com/playctl/playctl/protocol"
)

// Change is one leaf that differs between two trees.
type Change struct {
	Key string
	// Prev and PrevIndex are the leaf in the first tree, nil and -1 if it is new.
	Prev      *Leaf
	PrevIndex int
	// Next and NextIndex are the leaf in the second tree, nil and -1 if it was removed.
	Next      *Leaf
	NextIndex int
}

// Changes returns the leaves that differ between two trees, in chain order. Blocks
// that the trees share at the same place are skipped, so after an update it costs
// about O(log n), after an insertion or removal the number of leaves at or right of
// it.
func Changes(prev, next *Tree) []Change {
	var changes []Change
	i, j := 0, 0
	for i < prev.Len() || j < next.Len() {
		if i == j {
			if skipped := sharedFrom(prev, next, i); skipped > i {
				i, j = skipped, skipped
				continue
			}
		}
		c := pair(prev, next, i, j)
		if c.Prev != nil {
			i++
		}
		if c.Next != nil {
			j++
		}
		if c.Prev == nil || c.Next == nil || !c.Prev.same(c.Next) {
			changes = append(changes, c)
		}
	}
	return changes
}

// pair returns the first of leaf i of prev and leaf j of next in chain order, or both
// if they have the same key.
func pair(prev, next *Tree, i, j int) Change {
	order := -1
	switch {
	case i == prev.Len():
		order = 1
	case j < next.Len():
		order = CompareKeys(prev.At(i).key, next.At(j).key)
	}
	c := Change{PrevIndex: -1, NextIndex: -1}
	if order <= 0 {
		c.Prev, c.PrevIndex = prev.At(i), i
		c.Key = c.Prev.key
	}
	if order >= 0 {
		c.Next, c.NextIndex = next.At(j), j
		c.Key = c.Next.key
	}
	return c
}

// sharedFrom returns the end of the run of leaves from index on that both trees
// have in the same blocks at the same place, by the blocks' identity.
func sharedFrom(prev, next *Tree, index int) int {
	for index < prev.Len() && index < next.Len() {
		height := min(prev.height, next.height)
		for ; height >= 0; height-- {
			size := 1 << (blockLevels * height)
			if index%size == 0 && prev.at(height, index/size) == next.at(height, index/size) {
				break
			}
		}
		if height < 0 {
			return index
		}
		index = min(index+1<<(blockLevels*height), prev.Len())
	}
	return index
}

// Diff returns the notify of a change from prev to next, nil if nothing differs.
// updatedAt is RFC 3339 in UTC with milliseconds; every ref has it.
func Diff(prev, next *Tree, updatedAt string) *protocol.Notify {
	return notifyOf(Changes(prev, next), updatedAt)
}

// NotifyFor does the same as Diff, for a caller that knows which keys can differ:
// it checks only these, in O(k log n). Keys may repeat and may name leaves that do
// not differ.
func NotifyFor(prev, next *Tree, keys []string, updatedAt string) *protocol.Notify {
	changes := make([]Change, 0, len(keys))
	for _, key := range keys {
		c := Change{Key: key}
		c.PrevIndex, c.Prev = prev.Find(key)
		c.NextIndex, c.Next = next.Find(key)
		switch {
		case c.Prev == nil && c.Next == nil:
			continue
		case c.Prev == nil:
			c.PrevIndex = -1
		case c.Next == nil:
			c.NextIndex = -1
		case c.Prev.same(c.Next):
			continue
		}
		changes = append(changes, c)
	}
	slices.SortFunc(changes, func(a, b Change) int { return CompareKeys(a.Key, b.Key) })
	changes = slices.CompactFunc(changes, func(a, b Change) bool { return a.Key == b.Key })
	return notifyOf(changes, updatedAt)
}

// notifyOf puts changes from chain order into the order of the wire: removals from
// the highest index down, then the rest in ascending order.
func notifyOf(changes []Change, updatedAt string) *protocol.Notify {
	if len(changes) == 0 {
		return nil
	}
	refs := make([]protocol.NodeRef, 0, len(changes))
	for _, c := range slices.Backward(changes) {
		if c.Next == nil {
			refs = append(refs, protocol.NodeRef{
				StableKey: c.Key, LeafIndex: float64(c.PrevIndex), Removed: true, UpdatedAt: updatedAt,
			})
		}
	}
	for _, c := range changes {
		if c.Next != nil {
			refs = append(refs, protocol.NodeRef{
				StableKey: c.Key, LeafIndex: float64(c.NextIndex), UpdatedAt: updatedAt,
			})
		}
	}
	return &protocol.Notify{UpdatedAt: updatedAt, Nodes: refs}
}
