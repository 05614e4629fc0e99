package creds

import (
	"net/netip"
	"slices"
)

// Origin is the network origin of a caller, by which places in the queue are
// shared: a network, such as an IPv4 address or an IPv6 /64, and the site that it
// is part of, such as a /48. The zero Origin is one of its own.
type Origin struct {
	Network, Site netip.Addr
	// Exempt origins have no limit of their own, such as a proxy with many callers
	// behind it.
	Exempt bool
}

// waiter is a caller that has its turn or waits for it.
type waiter struct {
	from Origin
	// turn receives nil when it is the caller's turn, or the reason why it gets none.
	turn chan error
	runs bool
}

// queue is the waiting callers, in the order of their arrival. The next turn is
// that of the site whose last turn is longest ago, and among equal sites that of
// such a network. A new caller replaces a caller of the site with the most places.
// There are few callers, so the queue is searched linearly.
type queue struct {
	waiting []*waiter
	// turns counts the turns so far, and last has the count at the last turn of each
	// network and site. A missing one had none recently.
	turns uint64
	last  map[share]uint64
}

// share is the key of a network or a site.
type share struct {
	addr netip.Addr
	site bool
}

func (o Origin) network() share { return share{addr: o.Network} }
func (o Origin) site() share    { return share{addr: o.Site, site: true} }

// maxRemembered bounds the number of remembered turns.
const maxRemembered = 4096

// add adds a caller at the end, if its site may have one more place and there is
// room, or another site with more places can lose one.
func (q *queue) add(w *waiter, limit int) bool {
	sites := map[netip.Addr]int{}
	for _, other := range q.waiting {
		sites[other.from.Site]++
	}
	own := sites[w.from.Site]
	if limit == 0 || w.from.Network.IsValid() && !w.from.Exempt && own >= max(limit/4, 1) {
		return false
	}
	if len(q.waiting) >= limit {
		most := 0
		var out *waiter
		for _, other := range q.waiting {
			if n := sites[other.from.Site]; n >= most {
				most, out = n, other
			}
		}
		if most <= own+1 {
			return false
		}
		q.remove(out)
		out.turn <- ErrBusy
	}
	q.waiting = append(q.waiting, w)
	return true
}

// next returns the caller whose turn it is; nil if none waits.
func (q *queue) next() *waiter {
	var best *waiter
	for _, w := range q.waiting {
		if best == nil || q.before(w.from, best.from) {
			best = w
		}
	}
	if best != nil {
		q.remove(best)
	}
	return best
}

func (q *queue) before(a, b Origin) bool {
	if x, y := q.last[a.site()], q.last[b.site()]; x != y {
		return x < y
	}
	return q.last[a.network()] < q.last[b.network()]
}

// served records that a caller had its turn.
func (q *queue) served(w *waiter) {
	q.turns++
	if q.last == nil || len(q.last) >= maxRemembered {
		// Forgetting all of them is fair as well: then all are equal.
		q.last = map[share]uint64{}
	}
	q.last[w.from.site()], q.last[w.from.network()] = q.turns, q.turns
}

func (q *queue) remove(w *waiter) {
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
}

// turnAway refuses all waiting callers.
func (q *queue) turnAway(why error) {
	for _, w := range q.waiting {
		w.turn <- why
	}
	q.waiting = nil
}
