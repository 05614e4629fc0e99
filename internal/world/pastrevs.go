package world

import (
	"sort"
	"sync"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// pastRevs is how many revs stay readable at most (protocol reference, "RPC").
const pastRevs = 1024

// pastViews are the views of the last revs, the newest included: as many as a
// budget of memory has room for.
type pastViews struct {
	budget int

	mu sync.RWMutex
	keptViews
}

type keptViews struct {
	// kept are in the order of their revs.
	kept []keptView
	// bytes is what all of them take beside the newest.
	bytes int
}

// keptView is a view and the memory that it does not share with the one after it.
type keptView struct {
	*View
	bytes int
}

// viewBytes is about what a view takes beside its tree.
const viewBytes = 512

// add keeps a view, which is the one after an entry; one of the same rev is
// replaced.
func (p *pastViews) add(v *View, e *store.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.kept) - 1
	if last >= 0 && p.kept[last].Rev == v.Rev {
		p.kept[last].View = v
		return
	}
	if last >= 0 {
		p.kept[last].bytes = viewBytes + unshared(p.kept[last].Tree, v.Tree, e)
		p.bytes += p.kept[last].bytes
	}
	p.kept = append(p.kept, keptView{View: v})
	for len(p.kept) > pastRevs || p.bytes > p.budget && len(p.kept) > 1 {
		p.bytes -= p.kept[0].bytes
		p.kept[0] = keptView{}
		p.kept = p.kept[1:]
	}
}

// at is the view of a rev, nil where it is not kept.
func (p *pastViews) at(rev uint64) *View {
	p.mu.RLock()
	defer p.mu.RUnlock()
	i := sort.Search(len(p.kept), func(i int) bool { return p.kept[i].Rev >= rev })
	if i < len(p.kept) && p.kept[i].Rev == rev {
		return p.kept[i].View
	}
	return nil
}

// swap keeps others, and returns those that were kept.
func (p *pastViews) swap(others keptViews) keptViews {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keptViews, others = others, p.keptViews
	return others
}

// unshared is about how many bytes of memory a tree takes beside the one after an
// entry.
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
