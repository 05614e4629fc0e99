package world

import (
	"context"
	"errors"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// checkpoint is the goroutine that stores whole maps. It works on immutable
// views, so the writer does not wait for it.
func (w *World) checkpoint() {
	defer w.writer.Done()
	for view := range w.checkpoints {
		began := w.options.Now()
		err := w.options.Journal.Checkpoint(context.Background(), view.state())
		if w.shared != nil && (errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrDiverged)) {
			// Another host has written a newer one, or the view is of a branch that was lost.
			err = nil
		}
		w.options.Observer.CheckpointDone(w.options.Now().Sub(began), err)
	}
}

// state is a view as a checkpoint.
func (v *View) state() store.State {
	s := store.State{
		Position: v.at, Commit: v.commit, At: v.time, Rev: v.Rev, Seq: v.Seq,
		Root: v.Tree.Root(), LeafCount: uint32(v.Tree.Len()),
		Header: store.Header{
			SID: v.SID, MinX: int64(v.Bounds.MinX), MinY: int64(v.Bounds.MinY),
			MaxX: int64(v.Bounds.MaxX), MaxY: int64(v.Bounds.MaxY),
		},
		Rows: make([]store.Row, 0, v.Tree.Len()),
	}
	for _, leaf := range v.Tree.All() {
		if key := leaf.Key(); key != protocol.GenesisStableKey && key != protocol.HeaderStableKey {
			s.Rows = append(s.Rows, store.Row{Key: key, JSON: leaf.Payload()})
		}
	}
	return s
}
