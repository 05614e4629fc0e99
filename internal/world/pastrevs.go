package world

import (
	"cmp"
	"slices"
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// pastRevs is how many revs stay readable at most (protocol reference, "Chain
// reads").
const pastRevs = 1024

// Of older revs one view in every keyRevs is kept, at most maxKeyViews of them, so
// that the events after a key view lead to any rev between.
const (
	keyRevs     = 128
	maxKeyViews = 128
)

// pastViews are the views of the last revs, the newest included, and key views of
// older revs: as many as a memory budget allows.
type pastViews struct {
	budget int

	mu sync.RWMutex
	keptViews
}

type keptViews struct {
	// kept are in the order of their revs.
	kept []keptView
	// keys are older than kept, and are dropped first if there is no room. The bytes of a
	// view that is dropped are added to those of the key view before it, which are then
	// at least what that view does not share with the next one.
	keys []keptView
	// bytes is the memory of all views except the newest.
	bytes int
}

// keptView is a view and the memory that it does not share with the one after it.
type keptView struct {
	*View
	bytes int
}

// viewBytes is about how much memory a view takes besides its tree.
const viewBytes = 512

// add keeps the view after an entry; a view of the same rev is replaced.
func (p *pastViews) add(v *View, e *store.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	beside := 0
	if last := len(p.kept) - 1; last >= 0 && p.kept[last].Rev != v.Rev {
		beside = unshared(p.kept[last].Tree, v.Tree, e)
	}
	p.push(v, beside)
}

// restart keeps only the views of maps that were replayed together, and returns the
// last one, nil if there is none.
func (p *pastViews) restart(run []replay.Past) *View {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keptViews = keptViews{}
	var view *View
	for i := range run {
		view = &View{Map: run[i].Map}
		p.push(view, run[i].Beside)
	}
	return view
}

// push keeps a view, replacing one of the same rev. beside is the memory that the view
// before does not share with it.
func (p *pastViews) push(v *View, beside int) {
	last := len(p.kept) - 1
	if last >= 0 && p.kept[last].Rev == v.Rev {
		p.kept[last].View = v
		return
	}
	if last >= 0 {
		p.kept[last].bytes = viewBytes + beside
		p.bytes += p.kept[last].bytes
	}
	p.kept = append(p.kept, keptView{View: v})
	for {
		over := p.bytes > p.budget
		switch {
		case len(p.keys) > maxKeyViews || over && len(p.keys) > 0:
			p.bytes -= p.keys[0].bytes
			p.keys[0].dropped.Store(true)
			p.keys = dropFirst(p.keys)
		case len(p.kept) > pastRevs || over && len(p.kept) > 1:
			p.passOldest()
		default:
			return
		}
	}
}

// passOldest drops the oldest view, or keeps it as a key view if one is due.
func (p *pastViews) passOldest() {
	oldest := p.kept[0]
	p.kept = dropFirst(p.kept)
	last := len(p.keys) - 1
	switch {
	case p.bytes > p.budget:
		p.bytes -= oldest.bytes
		oldest.dropped.Store(true)
	case last < 0 || p.keys[last].SID != oldest.SID || oldest.Rev >= p.keys[last].Rev+keyRevs:
		p.keys = append(p.keys, oldest)
	default:
		p.keys[last].bytes += oldest.bytes - viewBytes
		p.bytes -= viewBytes
	}
}

func dropFirst(views []keptView) []keptView {
	views[0] = keptView{}
	return views[1:]
}

// upTo returns the newest view of a session that is not newer than a rev, or else
// the session's oldest; nil if there is none of the session.
func (p *pastViews) upTo(sid string, rev uint64) *View {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var found *View
	for _, views := range [][]keptView{p.keys, p.kept} {
		for _, v := range views {
			if v.SID == sid && (found == nil || v.Rev <= rev) {
				found = v.View
			}
		}
	}
	return found
}

// at is the view of a rev, nil if it is not kept.
func (p *pastViews) at(rev uint64) *View {
	p.mu.RLock()
	defer p.mu.RUnlock()
	i, found := slices.BinarySearchFunc(p.kept, rev, func(v keptView, rev uint64) int { return cmp.Compare(v.Rev, rev) })
	if !found {
		return nil
	}
	return p.kept[i].View
}

// swap replaces the kept views with others, and returns the previous ones.
func (p *pastViews) swap(others keptViews) keptViews {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keptViews, others = others, p.keptViews
	return others
}

// unshared returns about how many bytes of memory a tree takes in addition to the tree
// after an entry.
func unshared(prev, next *chain.Tree, e *store.Entry) int {
	size := prev.BlocksBeside(next)
	if e.Cleared {
		for _, leaf := range prev.All() {
			size += leaf.Size()
		}
		return size
	}
	replaced := func(key string) {
		if leaf := prev.Get(key); leaf != nil {
			size += leaf.Size()
		}
	}
	for i := range e.Rows {
		replaced(e.Rows[i].Key)
	}
	if e.Header != nil {
		replaced(protocol.HeaderStableKey)
	}
	return size
}
