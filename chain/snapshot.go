package chain

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// Snapshot is one state of a world with its chain, immutable: merging a node
// returns another Snapshot that shares every row that did not change. Rows are
// kept in canonical form with all of their fields, because the root is over
// whole rows.
//
// A Snapshot is not verified to equal the host's: its owner does that, with Verify.
type Snapshot struct {
	head Head
	tree *Tree
}

// Head is the part of a snapshot besides its rows.
type Head struct {
	SID        string
	MainNodeID string
	Bounds     protocol.Bounds
	// Rev and Seq are the position of the snapshot in the world's history, nil if the
	// host does not state them.
	Rev, Seq *uint64
}

// NewSnapshot returns the snapshot with the given head over the rows of a tree. The
// genesis and header leaves are added (at no cost if the tree has them already).
func NewSnapshot(head Head, rows *Tree) (*Snapshot, error) {
	header, err := HeaderLeaf(head.SID, head.Bounds)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	tree := rows.Edit([]*Leaf{GenesisLeaf(head.MainNodeID), header}, nil)
	return &Snapshot{head: head, tree: tree}, nil
}

// Head returns the part of the snapshot besides its rows.
func (s *Snapshot) Head() Head { return s.head }

// SID returns the world's session.
func (s *Snapshot) SID() string { return s.head.SID }

// MainNodeID returns the world's root key.
func (s *Snapshot) MainNodeID() string { return s.head.MainNodeID }

// Bounds returns the map's inclusive limits.
func (s *Snapshot) Bounds() protocol.Bounds { return s.head.Bounds }

// Tree returns the snapshot's chain.
func (s *Snapshot) Tree() *Tree { return s.tree }

// Root returns the chain's root, computed from the rows.
func (s *Snapshot) Root() Digest { return s.tree.Root() }

// LeafCount returns the chain's number of leaves.
func (s *Snapshot) LeafCount() int { return s.tree.Len() }

// At returns the same snapshot with another position in the world's history.
func (s *Snapshot) At(rev, seq *uint64) *Snapshot {
	next := *s
	next.head.Rev, next.head.Seq = rev, seq
	return &next
}

// WithGenesis returns the same snapshot with another genesis text. It is needed
// only for hosts of the agent-play service, whose snapshots do not name the root
// key as their main node: the text is that of their genesis node.
func (s *Snapshot) WithGenesis(text string) *Snapshot {
	next := *s
	next.tree = s.tree.Put(GenesisLeaf(text))
	return &next
}

// Verify compares the chain with the root and the number of leaves that a host
// states. The error is a *MismatchError.
func (s *Snapshot) Verify(rootHex string, leafCount int) error {
	got := s.Root().Hex()
	if got == rootHex && s.LeafCount() == leafCount {
		return nil
	}
	return &MismatchError{WantRoot: rootHex, GotRoot: got, WantCount: leafCount, GotCount: s.LeafCount()}
}

// Node returns the chain node of a key: a removed one if the world has none. A text
// that is not a stable key is ErrStableKey.
func (s *Snapshot) Node(key string) (protocol.ChainNode, error) { return s.tree.Node(key) }

// Occupants iterates over the rows of the map in their typed form, in chain
// order. Each row is read when it is reached.
func (s *Snapshot) Occupants() iter.Seq[protocol.Occupant] {
	return func(yield func(protocol.Occupant) bool) {
		for _, leaf := range s.tree.Occupants() {
			if o, err := readOccupant(leaf.Payload()); err == nil && !yield(o) {
				return
			}
		}
	}
}

// Occupant returns the typed row with the given stable key, nil if there is none.
func (s *Snapshot) Occupant(key string) protocol.Occupant {
	leaf := s.tree.Get(key)
	if leaf == nil || rank(key) != rankOccupant {
		return nil
	}
	o, err := readOccupant(leaf.Payload())
	if err != nil {
		return nil
	}
	return o
}

// Spaces iterates over the entries of `spaces` in chain order.
func (s *Snapshot) Spaces() iter.Seq[*protocol.Space] {
	return func(yield func(*protocol.Space) bool) {
		for _, leaf := range s.tree.Spaces() {
			if space, err := readSpace(leaf.Payload()); err == nil && !yield(space) {
				return
			}
		}
	}
}

// MCPServers returns the mcp rows in the form that a snapshot repeats, in chain
// order.
func (s *Snapshot) MCPServers() []protocol.MCPServer {
	return slices.AppendSeq([]protocol.MCPServer{}, mcpServers(s.tree))
}

func mcpServers(t *Tree) iter.Seq[protocol.MCPServer] {
	return func(yield func(protocol.MCPServer) bool) {
		from, _ := t.Find(protocol.MCPKeyPrefix)
		for _, leaf := range t.Range(from, t.Len()) {
			if !strings.HasPrefix(leaf.key, protocol.MCPKeyPrefix) {
				return
			}
			o, _ := ParseOccupant(leaf.Payload())
			if m, ok := o.(*protocol.MCP); ok && !yield(protocol.MCPServer{ID: m.ID, Name: m.Name, URL: m.URL}) {
				return
			}
		}
	}
}
