package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
)

// Open recovers a world from its journal, or makes a new one in an empty
// journal, and starts its writer. The caller closes the world before it closes
// the journal.
func Open(ctx context.Context, options Options) (*World, error) {
	if err := options.check(); err != nil {
		return nil, err
	}
	w := &World{
		options: options, state: newState(options.RootKey), views: newViewRing(), start: options.Now(),
		queue: make(chan *job, queueLength), checkpoints: make(chan *View, 1),
	}
	wake := make(chan struct{})
	w.changed.Store(&wake)
	if err := w.share(); err != nil {
		return nil, err
	}
	view, err := w.load(ctx)
	if err == nil && w.shared != nil {
		err = w.shared.journal.Arrive(ctx)
	}
	if err != nil {
		return nil, err
	}
	w.view.Store(view)
	w.registry = newRegistry(w.state)
	w.log = newEventLog(options.RingEvents, w.state.seq)
	w.resetSeq.Store(w.state.resetSeq)
	w.startWriter()
	go w.checkpoint() //nolint:gosec // G118: it outlives the context that bounds the opening; Close ends it
	return w, nil
}

// startWriter starts the goroutines that Close waits for.
func (w *World) startWriter() {
	w.writer.Add(2)
	if w.shared == nil {
		go w.write()
		return
	}
	w.showTip()
	ctx, cancel := context.WithCancel(context.Background())
	w.shared.stop = cancel
	w.writer.Add(2)
	go w.follow(ctx)
	go w.listen(ctx)
	go w.writeShared()
}

// load loads the checkpoint, replays the entries after it through the same
// function as live ones, and reads the tables that are kept in memory.
func (w *World) load(ctx context.Context) (*View, error) {
	journal := w.options.Journal
	head, err := journal.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the journal's head: %w", err)
	}
	if head == 0 {
		if err := w.create(ctx); err != nil {
			return nil, err
		}
	}
	view, err := w.loadCheckpoint(ctx)
	if err != nil {
		return nil, err
	}
	for e, err := range journal.Read(ctx, w.state.at) {
		if err != nil {
			return nil, fmt.Errorf("read the journal after entry %d: %w", w.state.at, err)
		}
		if view, err = w.replay(view, &e); err != nil {
			return nil, err
		}
	}
	if err := w.loadTables(ctx); err != nil {
		return nil, err
	}
	w.state.keep()
	return view, nil
}

// create makes a new world: its first entry gives it a sid.
func (w *World) create(ctx context.Context) error {
	sid, err := newUUID(w.options.Random)
	if err != nil {
		return err
	}
	e := store.Entry{Position: 1, At: w.options.Now().UnixMilli(), Header: smallestGrid.header(sid)}
	tree := w.state.nextTree(&e)
	e.Root, e.LeafCount = tree.Root(), uint32(tree.Len())
	if w.shared != nil {
		err = w.createShared(ctx, e)
	} else {
		_, err = w.options.Journal.Append(ctx, 0, []store.Entry{e})
	}
	if err != nil {
		return fmt.Errorf("make a new world: %w", err)
	}
	return nil
}

// createShared makes a new world unless another host is doing so.
func (w *World) createShared(ctx context.Context, e store.Entry) error {
	if _, err := io.ReadFull(w.options.Random, e.Commit[:]); err != nil {
		return fmt.Errorf("name a commit: %w", err)
	}
	_, err := w.shared.journal.Commit(ctx, &store.Batch{Commit: e.Commit, Entries: []store.Entry{e}, Resumed: true})
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

func (w *World) loadCheckpoint(ctx context.Context) (*View, error) {
	view := &View{RootKey: w.options.RootKey, Tree: w.state.tree}
	saved, err := w.options.Journal.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the checkpoint: %w", err)
	}
	if saved.Position == 0 {
		return view, nil
	}
	e := &store.Entry{
		Position: saved.Position, Commit: saved.Commit, At: saved.At, Rev: saved.Rev, Seq: saved.Seq, Root: saved.Root,
		LeafCount: saved.LeafCount, MapChanged: true, Header: &saved.Header, Rows: saved.Rows,
	}
	w.lastCheckpoint = saved.Position
	return w.replay(view, e)
}

// replay applies an entry whose records the tables already have.
func (w *World) replay(view *View, e *store.Entry) (*View, error) {
	tree := w.state.nextTree(e)
	if err := checkRoot(e, tree); err != nil {
		return nil, err
	}
	if err := w.state.apply(e, tree, nil); err != nil {
		return nil, err
	}
	w.state.keep()
	return w.nextView(view, e, tree), nil
}

func checkRoot(e *store.Entry, tree *chain.Tree) error {
	if root := tree.Root(); root != chain.Digest(e.Root) || uint32(tree.Len()) != e.LeafCount {
		return fmt.Errorf("%w: entry %d (rev %d) has the root %x over %d leaves, its rows give %s over %d",
			store.ErrCorrupt, e.Position, e.Rev, e.Root, e.LeafCount, root, tree.Len())
	}
	return nil
}

// loadTables reads the tables that the engine keeps in memory. Every lease gets
// one full term from now.
func (w *World) loadTables(ctx context.Context) error {
	now := w.monotonic(w.options.Now())
	for _, table := range [...]store.Table{store.Nodes, store.Aggregates, store.Leases, store.Spaces, store.Intercom} {
		var records []store.Record
		var walk store.Range
		if table == store.Intercom {
			// Closed requests stay in the store.
			walk.Prefix = []byte(openIntercom)
		}
		for pair, err := range w.options.Journal.Scan(ctx, table, walk) {
			if err != nil {
				return fmt.Errorf("read the table %s: %w", table, err)
			}
			records = append(records, store.Record{Table: table, Key: pair.Key, Value: pair.Value})
		}
		if err := w.state.applyRecords(records, now); err != nil {
			return err
		}
	}
	reset, err := w.options.Journal.Get(ctx, store.Meta, []byte(resetRecord))
	if err != nil {
		return fmt.Errorf("read when the session began: %w", err)
	}
	if len(reset) == 8 {
		w.state.resetSeq = max(w.state.resetSeq, binary.BigEndian.Uint64(reset))
	}
	return nil
}
