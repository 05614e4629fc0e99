package creds

import (
	"net/netip"
	"slices"
)

// Origin is where a caller comes from, so that places in the queue are shared among
// origins: a network, such as an IPv4 address or an IPv6 /64, and the site that it is
// part of, such as a /48. The zero Origin is one of its own.
type Origin struct {
	Network, Site netip.Addr
	// Exempt origins have no limit of their own, such as a proxy, behind which are many.
	Exempt bool
}

// waiter is a caller that has its turn or waits for it.
type waiter struct {
	from Origin
	// turn gets nil when it is its turn, and why there will be none.
	turn chan error
	runs bool
}

// queue are the callers that wait, in the order in which they came. The next turn is
// that of the site whose last one is longest ago, and where sites are equal of such a
// network. A newcomer takes the place of a caller of the site that has most places.
// There are few, so they are looked through.
type queue struct {
	waiting []*waiter
	// turns counts those that were given, and last has the count of each network's and
	// site's own last one. One that is not there had none lately.
	turns uint64
	last  map[share]uint64
}

// share is that of a network or a site.
type share struct {
	addr netip.Addr
	site bool
}

func (o Origin) network() share { return share{addr: o.Network} }
func (o Origin) site() share    { return share{addr: o.Site, site: true} }

// maxRemembered bounds the memory of who had a turn.
const maxRemembered = 4096

// add puts a caller at the end, if there is room or it is due more than others.
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

// next is whose turn it is; nil if nobody waits.
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

// served notes that a caller had its turn.
func (q *queue) served(w *waiter) {
	q.turns++
	if q.last == nil || len(q.last) >= maxRemembered {
		// To forget all is fair as well: nobody had a turn then.
		q.last = map[share]uint64{}
	}
	q.last[w.from.site()], q.last[w.from.network()] = q.turns, q.turns
}

func (q *queue) remove(w *waiter) {
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
}

// turnAway refuses all callers that wait for their turn.
func (q *queue) turnAway(why error) {
	for _, w := range q.waiting {
		w.turn <- why
	}
	q.waiting = nil
}
