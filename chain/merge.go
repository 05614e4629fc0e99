package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// MergeSnapshotWithNode returns the snapshot with one node merged in; s does not
// change. See Snapshot.Merge.
func MergeSnapshotWithNode(s *Snapshot, node protocol.ChainNode) (*Snapshot, error) {
	return s.Merge(node)
}

// Merge returns the snapshot with the nodes of one event merged in, in their order,
// with one edit of the tree; s does not change. Rev and seq are kept: At changes
// them.
//
// A genesis node changes nothing. A header replaces sid and bounds. A row is stored
// under its own key, whatever key the node states; a caller that requested a
// certain key checks it with AnswersFor first, or merges into a Copy. The removal
// of a missing row changes nothing. A node that cannot be read is ErrNode or
// ErrRow, and then nothing is merged.
func (s *Snapshot) Merge(nodes ...protocol.ChainNode) (*Snapshot, error) {
	return s.merge(nodes, false)
}

// merge does the same as Merge; with named, every row must have the key of its
// node.
func (s *Snapshot) merge(nodes []protocol.ChainNode, named bool) (*Snapshot, error) {
	next := *s
	edits := make([]edit, 0, len(nodes))
	for i := range nodes {
		d, err := next.head.merge(&nodes[i])
		if err != nil {
			return nil, fmt.Errorf("merge the node %.200q: %w", nodes[i].StableKey, err)
		}
		if named && d.leaf != nil && d.key != nodes[i].StableKey {
			return nil, fmt.Errorf("%w: the node %.200q has the row %.200q", ErrNode, nodes[i].StableKey, d.key)
		}
		if d.key != "" {
			edits = append(edits, d)
		}
	}
	next.tree = s.tree.apply(edits)
	return &next, nil
}

// merge returns the edit of the tree for a node, the zero edit for none. A header
// changes the head as well.
func (h *Head) merge(n *protocol.ChainNode) (edit, error) {
	if n.Kind == protocol.NodeGenesis {
		return edit{}, nil
	}
	leaf, err := NodeLeaf(*n)
	switch {
	case err != nil:
		return edit{}, err
	case leaf == nil:
		return removal(n)
	case n.Kind == protocol.NodeHeader:
		h.SID, h.Bounds = n.SID, *n.Bounds
	}
	return edit{key: leaf.key, leaf: leaf}, nil
}

// removal returns the edit that removes a row. The node's key is the only one it
// has, so it must be of the node's kind: an occupant that removes the header would
// break the chain.
func removal(n *protocol.ChainNode) (edit, error) {
	want := rankOccupant
	if n.Kind == protocol.NodeSpace {
		want = rankSpace
	}
	if rank(n.StableKey) != want {
		return edit{}, fmt.Errorf("%w: a node of kind %s cannot remove it", ErrNode, n.Kind)
	}
	return edit{key: n.StableKey}, nil
}
