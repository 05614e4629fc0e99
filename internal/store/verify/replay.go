package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// replay is a map that is rebuilt entry by entry.
type replay struct {
	rootKey string
	tree    *chain.Tree
	header  store.Header
	// place and at are those of the last entry applied.
	place store.Place
	at    int64
}

func newReplay(rootKey string) *replay {
	return &replay{rootKey: rootKey, tree: chain.NewTree(chain.GenesisLeaf(rootKey))}
}

// load starts from a checkpoint, and fails if its rows do not have its root.
func (r *replay) load(s *store.State) error {
	header := s.Header
	e := store.Entry{
		Position: s.Position, At: s.At, Rev: s.Rev, Seq: s.Seq, Root: s.Root, LeafCount: s.LeafCount,
		Cleared: true, Header: &header, Rows: s.Rows,
	}
	tree, err := r.next(&e)
	if err != nil {
		return fmt.Errorf("the checkpoint of rev %d: %w", s.Rev, err)
	}
	r.take(&e, tree)
	return compareRoot(fmt.Sprintf("the checkpoint of rev %d", s.Rev), tree, s.Root, s.LeafCount)
}

// next is the tree after an entry.
func (r *replay) next(e *store.Entry) (*chain.Tree, error) {
	tree := r.tree
	if e.Cleared {
		tree = chain.NewTree(chain.GenesisLeaf(r.rootKey))
	}
	puts := make([]*chain.Leaf, 0, len(e.Rows)+1)
	var removals []string
	if e.Header != nil {
		leaf, err := headerLeaf(e.Header)
		if err != nil {
			return nil, err
		}
		puts = append(puts, leaf)
	}
	for i := range e.Rows {
		if row := &e.Rows[i]; row.JSON == nil {
			removals = append(removals, row.Key)
		} else {
			puts = append(puts, chain.NewLeaf(row.Key, row.JSON))
		}
	}
	return tree.Edit(puts, removals), nil
}

// take makes the entry the last one that was applied.
func (r *replay) take(e *store.Entry, tree *chain.Tree) {
	r.tree, r.place, r.at = tree, e.Place(), e.At
	if e.Header != nil {
		r.header = *e.Header
	}
}

// state is the map as a checkpoint.
func (r *replay) state() store.State {
	s := store.State{
		Position: r.place.Position, At: r.at, Rev: r.place.Rev, Seq: r.place.Seq,
		Root: r.tree.Root(), LeafCount: leafCount(r.tree), Header: r.header,
	}
	for _, leaf := range r.tree.All() {
		if key := leaf.Key(); key != protocol.GenesisStableKey && key != protocol.HeaderStableKey {
			s.Rows = append(s.Rows, store.Row{Key: key, JSON: leaf.Payload()})
		}
	}
	return s
}

// State returns the map at the journal's head. It fails with store.ErrCorrupt
// where an entry on the way does not have the root that it says.
func State(ctx context.Context, j store.Journal, rootKey string) (store.State, error) {
	r := newReplay(rootKey)
	base, err := j.Load(ctx)
	if err != nil {
		return store.State{}, fmt.Errorf("loading the checkpoint: %w", err)
	}
	if base.Position > 0 {
		if err := r.load(&base); err != nil {
			return store.State{}, err
		}
	}
	for e, err := range j.Read(ctx, base.Position) {
		if err != nil {
			return store.State{}, fmt.Errorf("reading the entry after position %d: %w", r.place.Position, err)
		}
		tree, err := r.next(&e)
		if err != nil {
			return store.State{}, err
		}
		if err := compareRoot(fmt.Sprintf("entry %d (rev %d)", e.Position, e.Rev), tree, e.Root, e.LeafCount); err != nil {
			return store.State{}, err
		}
		r.take(&e, tree)
	}
	return r.state(), nil
}

// Tree builds the chain of a world that has this root key, header and rows.
func Tree(rootKey string, header *store.Header, rows []store.Row) (*chain.Tree, error) {
	return newReplay(rootKey).next(&store.Entry{Header: header, Rows: rows})
}

func compareRoot(what string, tree *chain.Tree, root [32]byte, count uint32) error {
	if got := tree.Root(); got != chain.Digest(root) || leafCount(tree) != count {
		return fmt.Errorf("%w: %s says that its root is %s over %d leaves, its rows give %s over %d",
			store.ErrCorrupt, what, chain.Digest(root), count, got, tree.Len())
	}
	return nil
}

func leafCount(tree *chain.Tree) uint32 {
	return uint32(min(tree.Len(), math.MaxUint32))
}

func headerLeaf(h *store.Header) (*chain.Leaf, error) {
	leaf, err := chain.HeaderLeaf(h.SID, protocol.Bounds{
		MinX: float64(h.MinX), MinY: float64(h.MinY), MaxX: float64(h.MaxX), MaxY: float64(h.MaxY),
	})
	if err != nil {
		return nil, fmt.Errorf("%w: its header: %w", store.ErrCorrupt, err)
	}
	return leaf, nil
}
