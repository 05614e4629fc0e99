package world

import (
	"bytes"
	"container/heap"
	"iter"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// stageRank stages the new rank of a caller whose number of ids changed. The rank of a
// caller with many ids changes rarely.
func (p *planner) stageRank(of *remembered, caller CallerTag, before, after int) {
	was, is := replay.RankOf(before), replay.RankOf(after)
	if was == is {
		return
	}
	if was > 0 {
		p.putBytes(of.Callers, of.RankKey(was, caller), nil)
	}
	if is > 0 {
		p.putBytes(of.Callers, of.RankKey(is, caller), []byte{})
	}
}

// callerCount is a caller with its number of ids. rank is 0 if the batch changed
// the number, which is then exact; else it is the least of the rank.
type callerCount struct {
	caller CallerTag
	n      int
	rank   replay.Rank
}

// forgetOfLargest stages the removal of n ids, each of which is the oldest of the
// caller that has the most at that time. So a caller loses none to one that sends
// more.
func (p *planner) forgetOfLargest(of *remembered, n int) error {
	n = min(n, forgetAtOnce)
	spared := map[CallerTag]bool{}
	for n > 0 {
		largest, err := p.largestCallers(of, n, spared)
		if err != nil {
			return err
		}
		if len(largest) == 0 {
			return nil
		}
		for _, l := range largest {
			gone, err := p.forgetOldest(of, l.n, p.idsOf(of, l.caller))
			if err != nil {
				return err
			}
			if n -= gone; gone < l.n {
				spared[l.caller] = true // The remaining ids are not in the store yet.
			}
		}
	}
	return nil
}

// largestCallers returns the callers that have the most ids, each with the number of
// ids to remove, so that n are removed in all and no caller keeps more than one that
// loses ids.
func (p *planner) largestCallers(of *remembered, n int, spared map[CallerTag]bool) ([]callerCount, error) {
	staged := p.stagedCallers(of)
	var all callerHeap
	for caller, count := range staged {
		if count > 0 && !spared[caller] {
			all = append(all, callerCount{caller: caller, n: count})
		}
	}
	heap.Init(&all)
	next, stop := iter.Pull2(p.callersByRank(of))
	defer stop()
	var largest []callerCount
	at := map[CallerTag]int{}
	ranked, err, more := next()
	for n > 0 {
		for ; err == nil && more && (len(all) == 0 || ranked.rank > replay.RankOf(all[0].n)); ranked, err, more = next() {
			if _, changed := staged[ranked.caller]; !changed && !spared[ranked.caller] {
				heap.Push(&all, ranked)
			}
		}
		if err != nil || len(all) == 0 {
			return largest, err
		}
		// After the last one ranked is the zero value.
		top, lose := all.take(n, ranked.n)
		if _, there := at[top.caller]; !there {
			at[top.caller] = len(largest)
			largest = append(largest, callerCount{caller: top.caller})
		}
		largest[at[top.caller]].n += lose
		n -= lose
	}
	return largest, nil
}

// stagedCallers are the callers whose numbers of ids the batch changed.
func (p *planner) stagedCallers(of *remembered) map[CallerTag]int {
	staged := map[CallerTag]int{}
	for _, tallies := range [...]map[string]int{p.st.tallies, p.tallies} {
		for key, n := range tallies {
			if caller, ok := of.ParseCallerTally([]byte(key)); ok {
				staged[caller] = n
			}
		}
	}
	return staged
}

// callersByRank walks the callers in the store, the greatest rank first.
func (p *planner) callersByRank(of *remembered) iter.Seq2[callerCount, error] {
	ranks := store.Range{Prefix: of.Ranks(), Reverse: true, KeysOnly: true}
	return walk(p, of.Callers, ranks, func(pair store.Pair) (callerCount, bool, error) {
		rank, caller, ok := of.ParseRankKey(pair.Key)
		return callerCount{caller, rank.Least(), rank}, ok, nil
	})
}

// callerHeap has the caller with the most ids on top, and among equals the one with
// the greatest tag.
type callerHeap []callerCount

func (h *callerHeap) Len() int { return len(*h) }
func (h *callerHeap) Less(i, j int) bool {
	a, b := (*h)[i], (*h)[j]
	return a.n > b.n || a.n == b.n && bytes.Compare(a.caller[:], b.caller[:]) > 0
}
func (h *callerHeap) Swap(i, j int) { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }
func (h *callerHeap) Push(c any)    { *h = append(*h, c.(callerCount)) } //nolint:forcetypeassert // nothing else is pushed
func (h *callerHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// take takes ids from the caller on top, n at most and at least one, until it has no
// more than the next caller and than least.
func (h *callerHeap) take(n, least int) (top callerCount, lose int) {
	top, _ = heap.Pop(h).(callerCount)
	if len(*h) > 0 {
		least = max(least, (*h)[0].n)
	}
	lose = min(n, max(1, top.n-least))
	if top.n > lose {
		heap.Push(h, callerCount{top.caller, top.n - lose, top.rank})
	}
	return top, lose
}
