package world

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/playctl/playctl/internal/store/replay"
)

const (
	// pastRevs is how many revs stay readable (protocol reference, "Chain reads").
	pastRevs = 1024
	// recentRevs is of how many revs the views stay in memory. Older ones are replayed
	// from the journal on request, and the last replayedRevs of those stay as well.
	recentRevs   = 128
	replayedRevs = 8
)

// pastViews are the views that stay in memory.
type pastViews struct {
	mu sync.Mutex
	keptViews
	// swaps counts the calls of swap.
	swaps int
}

type keptViews struct {
	// recent are the views of the last revs, the newest included, in the order of their
	// revs. Views share the rows that they have in common.
	recent []*View
	// replayed are older views, those that were read last at the end.
	replayed []replayedView
}

// replayedView is the view for the revs from its own to upTo, at none of which the map
// changed. If from is less than its rev, the session has no older one.
type replayedView struct {
	*View
	from, upTo uint64
}

// add keeps the newest view; a view of the same rev is replaced.
func (p *pastViews) add(v *View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.recent) - 1; last >= 0 && p.recent[last].Rev == v.Rev {
		p.recent[last] = v
		return
	}
	p.recent = append(p.recent, v)
	for p.recent[0].Rev+recentRevs <= v.Rev {
		p.recent[0].dropped.Store(true)
		p.recent[0] = nil
		p.recent = p.recent[1:]
	}
}

// swap replaces the kept views with others, and returns the previous ones.
func (p *pastViews) swap(others keptViews) keptViews {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.swaps++
	p.keptViews, others = others, p.keptViews
	return others
}

// keep keeps a view that was replayed, unless the views were swapped meanwhile.
func (p *pastViews) keep(v replayedView, swaps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.swaps != swaps {
		return
	}
	if len(p.replayed) == replayedRevs {
		p.replayed[0].dropped.Store(true)
		p.replayed = slices.Delete(p.replayed, 0, 1)
	}
	p.replayed = append(p.replayed, v)
}

// upTo returns the newest view of a session that is not newer than a rev, or else the
// session's oldest; nil if that is not in memory. An empty sid stands for any session.
func (p *pastViews) upTo(rev uint64, sid string) *View {
	p.mu.Lock()
	defer p.mu.Unlock()
	of := func(v *View) bool { return sid == "" || v.SID == sid }
	if i := p.recentUpTo(rev); i >= 0 || len(p.recent) > 0 && !of(p.recent[0]) {
		for _, v := range p.recent[max(i, 0):] {
			if of(v) {
				return v
			}
		}
	}
	for i, v := range p.replayed {
		if (v.Rev <= rev || v.from <= rev && sid != "") && rev <= v.upTo && of(v.View) {
			p.replayed = append(slices.Delete(p.replayed, i, i+1), v)
			return v.View
		}
	}
	return nil
}

// recentUpTo returns the index of the newest recent view that is not newer than a rev, -1
// if there is none.
func (p *pastViews) recentUpTo(rev uint64) int {
	i, found := slices.BinarySearchFunc(p.recent, rev, func(v *View, rev uint64) int { return cmp.Compare(v.Rev, rev) })
	if found {
		return i
	}
	return i - 1
}

// PastRead requests a view of an earlier rev.
type PastRead struct {
	Rev uint64
	// UpTo asks for the newest view of this session that is not newer than the rev, or
	// else the oldest. Without it the view is that of the rev, of any session, and the
	// newest one if the rev is not kept.
	UpTo bool
}

// Past returns a view if it is in memory, else nil: then Replay returns it.
func (w *World) Past(r PastRead) *View {
	now, sid := w.View(), ""
	if r.UpTo {
		sid = now.SID
	}
	if r.Rev >= now.Rev || !r.UpTo && r.Rev+pastRevs <= now.Rev {
		return now
	}
	v := w.views.upTo(r.Rev, sid)
	if v != nil && !r.UpTo && v.Rev != r.Rev {
		return now
	}
	return v
}

// Replay returns a view from memory, or replays it from the journal, which takes the time
// and memory of the whole map: the caller bounds how many calls run at once. It fails with
// store_unavailable if the store does not respond in time, or has replaced the checkpoint
// meanwhile.
func (w *World) Replay(ctx context.Context, r PastRead) (*View, error) {
	if v := w.Past(r); v != nil {
		return v, nil
	}
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	w.views.mu.Lock()
	swaps := w.views.swaps
	w.views.mu.Unlock()
	var sid string
	if r.UpTo {
		sid = w.View().SID
	}
	m, upTo, err := w.replayUpTo(ctx, r.Rev, sid)
	if err != nil {
		return nil, unreadable(err)
	}
	v := &View{Map: m}
	w.views.keep(replayedView{View: v, from: min(r.Rev, v.Rev), upTo: upTo}, swaps)
	if !r.UpTo && v.Rev != r.Rev {
		return w.View(), nil
	}
	return v, nil
}

// replayUpTo replays the newest map of a session that is not newer than a rev, or else its
// oldest. The map is the same for all revs up to the one that it returns.
func (w *World) replayUpTo(ctx context.Context, rev uint64, sid string) (m replay.Map, upTo uint64, err error) {
	base, err := w.options.Journal.Load(ctx)
	if err != nil {
		return m, 0, err
	}
	m, upTo = replay.New(w.options.RootKey), rev
	if base.Position > 0 {
		if m, err = replay.FromState(w.options.RootKey, &base); err != nil {
			return m, 0, err
		}
	}
	run := replay.NewRun(&m)
	for e, err := range w.options.Journal.Read(ctx, m.Position) {
		if err != nil {
			return m, 0, err
		}
		now := run.Now()
		if now.Position > 0 && e.Rev > max(rev, now.Rev) && (sid == "" || now.SID == sid) {
			upTo = e.Rev - 1
			break
		}
		if err := run.Add(&e); err != nil {
			return m, 0, replay.OrReplaced(ctx, w.options.Journal, base.Position, err)
		}
	}
	if m, err = run.End(); err != nil {
		return m, 0, replay.OrReplaced(ctx, w.options.Journal, base.Position, err)
	}
	return m, upTo, nil
}
