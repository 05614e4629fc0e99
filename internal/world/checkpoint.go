package world

import (
	"context"
	"errors"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// checkpoint is the goroutine that stores whole maps. It works on immutable
// views, so the writer does not wait for it.
func (w *World) checkpoint() {
	defer w.writer.Done()
	for view := range w.checkpoints {
		began := w.options.Now()
		mine, err := w.mayCheckpoint()
		if err == nil && !mine {
			continue
		}
		if err == nil {
			err = w.options.Journal.Checkpoint(context.Background(), view.state())
		}
		if w.shared != nil && (errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrDiverged)) {
			// Another host has written a newer one, or the view is of a branch that was lost.
			err = nil
		}
		w.options.Observer.CheckpointDone(w.options.Now().Sub(began), err)
	}
}

// checkpointTerm is for how long the host that stored a map is the only one to
// store one. Hosts of a world come to the entry where the next is due together.
const checkpointTerm = 10 * time.Second

// mayCheckpoint tells whether it is this host that stores the next map. The lock
// is not given back: another host that comes a moment later would store the same
// map again.
func (w *World) mayCheckpoint() (bool, error) {
	if w.shared == nil {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, mine, err := w.Lock(ctx, "checkpoint", w.shared.holder, checkpointTerm)
	return mine, err
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
