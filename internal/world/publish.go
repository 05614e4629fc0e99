package world

import (
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
)

// publish makes a committed batch visible: nodes, then views, then events, so
// that whoever sees an event finds it in the snapshot.
func (w *World) publish(plans []*stagedPlan) {
	var events []*Event
	view := w.View()
	for _, plan := range plans {
		if plan == nil || plan.entry == nil {
			continue
		}
		view = w.publishEntry(view, plan.entry, plan.tree)
		made := eventsOf(plan.entry)
		attach(made, plan.private)
		events = append(events, made...)
	}
	w.show(view, events)
}

// publishEntry puts one entry's view into the ring of past revs and its nodes
// into the registry.
func (w *World) publishEntry(prev *View, e *store.Entry, tree *chain.Tree) *View {
	w.registry.update(e.Records, w.state)
	if e.Header != nil && e.Header.SID != prev.SID {
		w.resetSeq.Store(e.Seq)
	}
	return w.nextView(prev, e, tree)
}

// nextView is the view after an entry; it is kept in the ring of past revs.
func (w *World) nextView(prev *View, e *store.Entry, tree *chain.Tree) *View {
	next := &View{
		SID: prev.SID, RootKey: prev.RootKey, Rev: e.Rev, Seq: e.Seq, Bounds: prev.Bounds, Tree: tree,
		body: prev.body, at: e.Position, commit: e.Commit, time: e.At,
	}
	if e.Header != nil {
		next.SID, next.Bounds = e.Header.SID, bounds(e.Header)
	}
	if e.MapChanged || prev.body == nil {
		next.body = &snapshotBody{}
	}
	w.views.add(next)
	return next
}

// show makes a view the newest and wakes those who wait for it.
func (w *World) show(view *View, events []*Event) {
	w.view.Store(view)
	w.wake()
	w.log.add(events)
	if view.at >= w.lastCheckpoint+store.Position(w.options.CheckpointEvery) {
		select {
		case w.checkpoints <- view:
			w.lastCheckpoint = view.at
		default:
			// The previous checkpoint is still being written; the next batch asks again.
		}
	}
}

// wake lets those who wait for a view look again.
func (w *World) wake() {
	next := make(chan struct{})
	close(*w.changed.Swap(&next))
}

// viewRing keeps the views of the last revs.
type viewRing struct {
	mu   sync.RWMutex
	ring []*View
}

// pastRevs is how many revs stay readable (protocol reference, "RPC").
const pastRevs = 1024

func newViewRing() *viewRing { return &viewRing{ring: make([]*View, pastRevs)} }

func (r *viewRing) add(v *View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ring[v.Rev%pastRevs] = v
}

// clear forgets every view and returns them for restore.
func (r *viewRing) clear() []*View {
	r.mu.Lock()
	defer r.mu.Unlock()
	past := r.ring
	r.ring = make([]*View, pastRevs)
	return past
}

func (r *viewRing) restore(past []*View) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ring = past
}

func (r *viewRing) at(rev uint64) *View {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if v := r.ring[rev%pastRevs]; v != nil && v.Rev == rev {
		return v
	}
	return nil
}
