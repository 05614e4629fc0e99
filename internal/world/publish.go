package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// publish makes a committed batch visible: nodes, then views, then events, so
// that a reader of an event finds it in the snapshot.
func (w *World) publish(plans []*stagedPlan) {
	var events []*Event
	view := w.View()
	for _, plan := range plans {
		if plan == nil || plan.entry == nil {
			continue
		}
		view = w.publishEntry(view, plan.entry, &plan.after)
		made := eventsOf(plan.entry)
		attach(made, plan.private)
		events = append(events, made...)
	}
	w.show(view, events)
}

// publishEntry puts one entry's view with the past revs and its nodes into
// the registry.
func (w *World) publishEntry(prev *View, e *store.Entry, after *replay.Map) *View {
	w.registry.update(e.Records, w.state)
	if e.Header != nil && e.Header.SID != prev.SID {
		w.resetSeq.Store(e.Seq)
	}
	return w.nextView(e, after)
}

// nextView returns the view after an entry, which is kept with the past revs.
func (w *World) nextView(e *store.Entry, after *replay.Map) *View {
	w.grow(e)
	next := &View{Map: *after}
	w.views.add(next)
	return next
}

// grow counts the bytes of an entry.
func (w *World) grow(e *store.Entry) {
	size := e.Size()
	w.grown += size
	w.journal.mu.Lock()
	defer w.journal.mu.Unlock()
	if e.Position > w.journal.upTo {
		w.journal.bytes.Add(size)
		w.journal.upTo = e.Position
	}
}

// show makes a view the newest and wakes the goroutines that wait for it.
func (w *World) show(view *View, events []*Event) {
	w.view.Store(view)
	w.wake()
	w.log.add(events)
	if w.checkpointDue(view) {
		select {
		case w.checkpoints <- view:
			w.lastCheckpoint, w.grown = view.Position, 0
		default:
			// The previous checkpoint is still being written; the next batch asks again.
		}
	}
}

// checkpointsPerLimit is the least number of checkpoints that are stored while the
// journal grows by its limit: the trim with each checkpoint keeps the journal within
// it.
const checkpointsPerLimit = 8

// checkpointDue reports whether the entries since the last checkpoint are many or large.
func (w *World) checkpointDue(view *View) bool {
	limit := w.journal.limit.Load()
	return view.Position >= w.lastCheckpoint+store.Position(w.options.CheckpointEvery) ||
		limit > 0 && w.grown >= limit/checkpointsPerLimit
}

// journalWeight is the size of the journal's entries in bytes and its limit; 0 for no
// limit.
type journalWeight struct {
	bytes, limit atomic.Uint64

	mu sync.Mutex
	// upTo is the last entry that was counted: the journal may be read again.
	upTo store.Position
}

// setAfterTrim sets the size of the journal after a checkpoint. The bytes that this host
// counted for later entries are not included until the next checkpoint.
func (j *journalWeight) setAfterTrim(bytes uint64, upTo store.Position) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bytes.Store(bytes)
	j.upTo = upTo
}

// JournalBytes returns about how many bytes the entries of the journal take, and how
// many they may take; 0 for no limit.
func (w *World) JournalBytes() (bytes, limit uint64) {
	return w.journal.bytes.Load(), w.journal.limit.Load()
}

// weigh reads the size of the journal from the store; bytes that commits add
// meanwhile may be counted or not.
func (w *World) weigh(ctx context.Context) error {
	bytes, limit, err := w.options.Journal.Size(ctx)
	if err != nil {
		return fmt.Errorf("read the size of the journal: %w", err)
	}
	w.journal.bytes.Store(bytes)
	w.journal.limit.Store(limit)
	return nil
}

// wake wakes the goroutines that wait for a view.
func (w *World) wake() {
	next := make(chan struct{})
	close(*w.changed.Swap(&next))
}

// checkpoint is the goroutine that stores whole maps. It works on immutable
// views, so the writer does not wait for it.
func (w *World) checkpoint() {
	for view := range w.checkpoints {
		w.storeCheckpoint(view)
	}
}

// storeCheckpoint stores a view as a checkpoint if no other host does so now.
func (w *World) storeCheckpoint(view *View) {
	began := w.options.Now()
	mine, err := w.mayCheckpoint()
	if err == nil && mine {
		err = w.storeMap(view)
	}
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrDiverged) {
		// Another host has written a newer one, or the view is of a branch that was lost.
		err = nil
	}
	if mine || err != nil {
		w.options.Observer.CheckpointDone(w.options.Now().Sub(began), err)
	}
}

// weightMessage is the kind of message with the size of the journal after a checkpoint:
// its bytes, and the last counted entry, 8 bytes each, big-endian.
const weightMessage = 6

// storeMap stores a view as a checkpoint. It sends the other hosts the size of the
// trimmed journal: the store would have to read every entry to compute it for each. A
// host that misses the message counts only additions until the next.
func (w *World) storeMap(view *View) error {
	kept, err := w.options.Journal.Checkpoint(context.Background(), view.State())
	if err != nil {
		return err
	}
	w.journal.setAfterTrim(kept.Bytes, kept.UpTo)
	if !w.SoleHost() {
		ctx, cancel := context.WithTimeout(context.Background(), sendTerm)
		defer cancel()
		message := binary.BigEndian.AppendUint64([]byte{weightMessage}, kept.Bytes)
		_ = w.options.Journal.Send(ctx, binary.BigEndian.AppendUint64(message, uint64(kept.UpTo)))
	}
	return nil
}

// receiveWeight applies a weightMessage and reports whether it was one.
func (w *World) receiveWeight(message []byte) bool {
	if len(message) != 17 || message[0] != weightMessage {
		return false
	}
	w.journal.setAfterTrim(binary.BigEndian.Uint64(message[1:]), store.Position(binary.BigEndian.Uint64(message[9:])))
	return true
}

// checkpointTerm is for how long the host that stored a map is the only one to
// store one. All hosts of a world reach the entry where the next one is due at
// about the same time.
const checkpointTerm = 10 * time.Second

// mayCheckpoint reports whether this host stores the next map. The lock is not
// released: another host a moment later would store the same map again.
func (w *World) mayCheckpoint() (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, mine, err := w.Lock(ctx, "checkpoint", w.replica.holder, checkpointTerm)
	return mine, err
}
