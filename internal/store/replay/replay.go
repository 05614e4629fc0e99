// Package replay applies the entries of a journal to the map of a world. A host
// that commits, recovers or follows others, and a check of the store, all compute a
// map in this way only: the root and the number of leaves that an entry states are
// compared each time, except for a Run, which compares the roots of the maps that
// it returns.
package replay

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// MinJump is how far rev and seq jump at least when the store may have lost
// acknowledged entries (protocol reference, "Ground rules"): more than the number of
// lost entries that any host can have shown.
const MinJump = 1 << 20

// Map is the map of a world after an entry. It is a value: a copy of it does not
// change.
type Map struct {
	// RootKey is the chain's genesis text and the world's mainNodeId.
	RootKey string
	// SID is the session, and Bounds are the map's limits.
	SID    string
	Bounds protocol.Bounds
	// Tree holds every leaf of the chain, rows as canonical JSON.
	Tree *chain.Tree
	// Rev and Seq are the map's revision and the log's position.
	Rev, Seq uint64
	// Position and Commit are those of the last entry, and At is its time in
	// milliseconds since the Unix epoch.
	Position store.Position
	Commit   store.CommitID
	At       int64
}

// New returns the map of a world with this root key, before its first entry.
func New(rootKey string) Map {
	return Map{RootKey: rootKey, Tree: chain.NewTree(chain.GenesisLeaf(rootKey))}
}

// FromState returns the map of a checkpoint. It fails with store.ErrCorrupt if its
// rows do not have its root.
func FromState(rootKey string, s *store.State) (Map, error) {
	m := New(rootKey)
	e := Entry(s)
	err := m.Apply(&e, nil)
	return m, err
}

// Entry returns a checkpoint as the entry that leads to its map; its Rows and
// Header are the checkpoint's.
func Entry(s *store.State) store.Entry {
	return store.Entry{
		Position: s.Position, Commit: s.Commit, At: s.At, Rev: s.Rev, Seq: s.Seq, Root: s.Root,
		LeafCount: s.LeafCount, MapChanged: true, Header: &s.Header, Rows: s.Rows,
	}
}

// Tip returns the journal's tip as of the map.
func (m *Map) Tip() store.Tip { return store.Tip{Position: m.Position, Commit: m.Commit} }

// SetRoot sets the root and the number of leaves of an entry that follows on the map,
// and returns the tree after it.
func (m *Map) SetRoot(e *store.Entry) (*chain.Tree, error) {
	tree, err := m.next(e)
	if err != nil {
		return nil, err
	}
	e.Root, e.LeafCount = tree.Root(), leafCount(tree)
	return tree, nil
}

// next returns the tree after an entry, and changes nothing.
func (m *Map) next(e *store.Entry) (*chain.Tree, error) {
	tree := m.Tree
	if e.Cleared {
		tree = chain.NewTree(chain.GenesisLeaf(m.RootKey))
	}
	puts, removals, err := changes(e)
	if err != nil {
		return nil, err
	}
	switch {
	case len(puts) == 0 && len(removals) == 0:
		return tree, nil
	case len(puts) == 1 && len(removals) == 0:
		return tree.Put(puts[0]), nil
	}
	return tree.Edit(puts, removals), nil
}

// changes returns the leaves that an entry puts, and the keys of the leaves that it
// removes.
func changes(e *store.Entry) (puts []*chain.Leaf, removals []string, err error) {
	if e.Header != nil {
		leaf, err := chain.HeaderLeaf(e.Header.SID, Bounds(e.Header))
		if err != nil {
			return nil, nil, fmt.Errorf("%w: the header of entry %d: %w", store.ErrCorrupt, e.Position, err)
		}
		puts = append(puts, leaf)
	}
	for i := range e.Rows {
		if r := &e.Rows[i]; r.JSON == nil {
			removals = append(removals, r.Key)
		} else {
			puts = append(puts, chain.NewLeaf(r.Key, r.JSON))
		}
	}
	return puts, removals, nil
}

// Apply updates the map to the one after an entry. tree is the result of SetRoot for
// the entry, or nil. It fails with store.ErrCorrupt, and changes nothing, if the
// tree has another root or number of leaves than the entry states.
func (m *Map) Apply(e *store.Entry, tree *chain.Tree) error {
	if tree == nil {
		var err error
		if tree, err = m.next(e); err != nil {
			return err
		}
	}
	if root := tree.Root(); root != chain.Digest(e.Root) || leafCount(tree) != e.LeafCount {
		return fmt.Errorf("%w: entry %d (rev %d) has the root %x over %d leaves, its rows give %s over %d",
			store.ErrCorrupt, e.Position, e.Rev, e.Root, e.LeafCount, root, tree.Len())
	}
	m.Tree = tree
	m.Pass(e)
	return nil
}

// Pass updates the map to the one after an entry, except for its tree.
func (m *Map) Pass(e *store.Entry) {
	if e.Header != nil {
		m.SID, m.Bounds = e.Header.SID, Bounds(e.Header)
	}
	m.Rev, m.Seq = e.Rev, e.Seq
	m.Position, m.Commit, m.At = e.Position, e.Commit, e.At
}

// State returns the map as a checkpoint.
func (m *Map) State() store.State {
	s := store.State{
		Position: m.Position, Commit: m.Commit, At: m.At, Rev: m.Rev, Seq: m.Seq,
		Root: m.Tree.Root(), LeafCount: leafCount(m.Tree),
		Header: store.Header{
			SID: m.SID, MinX: int64(m.Bounds.MinX), MinY: int64(m.Bounds.MinY),
			MaxX: int64(m.Bounds.MaxX), MaxY: int64(m.Bounds.MaxY),
		},
		Rows: make([]store.Row, 0, m.Tree.Len()),
	}
	for _, leaf := range m.Tree.All() {
		if key := leaf.Key(); key != protocol.GenesisStableKey && key != protocol.HeaderStableKey {
			s.Rows = append(s.Rows, store.Row{Key: key, JSON: leaf.Payload()})
		}
	}
	return s
}

// State returns the map at the end of a journal as a checkpoint. It fails with
// store.ErrCorrupt if an entry on the way does not have the root that it states,
// and with store.ErrTrimmed if a host stored a checkpoint meanwhile.
func State(ctx context.Context, j store.Source, rootKey string) (store.State, error) {
	m := New(rootKey)
	base, err := j.Load(ctx)
	if err != nil {
		return store.State{}, fmt.Errorf("loading the checkpoint: %w", err)
	}
	if base.Position > 0 {
		if m, err = FromState(rootKey, &base); err != nil {
			return store.State{}, fmt.Errorf("loading the checkpoint: %w", err)
		}
	}
	for e, err := range j.Read(ctx, m.Position) {
		if err != nil {
			return store.State{}, fmt.Errorf("reading the entry after position %d: %w", m.Position, err)
		}
		if err := m.Apply(&e, nil); err != nil {
			return store.State{}, OrReplaced(ctx, j, base.Position, err)
		}
	}
	return m.State(), nil
}

// OrReplaced returns found, a reader's error about the entries after a checkpoint,
// or store.ErrTrimmed if the journal starts from another checkpoint by now: the
// host that stored it trimmed entries before it, which the reader may have missed. If
// that cannot be found out, it returns the error of the store.
func OrReplaced(ctx context.Context, j store.Source, checkpoint store.Position, found error) error {
	base, err := j.Load(ctx)
	switch {
	case errors.Is(err, store.ErrCorrupt):
		return found
	case err != nil:
		return fmt.Errorf("reading the checkpoint again: %w", err)
	case base.Position == checkpoint:
		return found
	}
	return fmt.Errorf("%w: the checkpoint at position %d was replaced by the one at %d while the entries after it were read",
		store.ErrTrimmed, checkpoint, base.Position)
}

// leafCount returns the number of a tree's leaves as an entry states it.
func leafCount(tree *chain.Tree) uint32 { return uint32(min(tree.Len(), math.MaxUint32)) }

// Bounds returns the bounds of a header in the form of the protocol.
func Bounds(h *store.Header) protocol.Bounds {
	return protocol.Bounds{
		MinX: float64(h.MinX), MinY: float64(h.MinY),
		MaxX: float64(h.MaxX), MaxY: float64(h.MaxY),
	}
}
