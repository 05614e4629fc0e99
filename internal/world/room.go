package world

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// roomReads counts the reads, and their bytes, with which the plans of a batch make
// room.
type roomReads struct{ times, bytes int }

// A batch that has read this much makes only the necessary room where a limit was
// lowered: while it is planned, no other command is carried out, and over a network
// each read takes a round trip to the store.
const (
	manyRoomReads    = 32
	manyBytesForRoom = 4 << 20
)

func (r roomReads) many() bool { return r.times >= manyRoomReads || r.bytes >= manyBytesForRoom }

// makeRoom stages the removal of the oldest lines and journeys where a new record of a
// size takes an account, or all of them together, beyond the operator's limit. It
// refuses a record that alone exceeds the limit. If all together are beyond it, the
// account with the most loses records.
func (p *planner) makeRoom(name string, size int) error {
	own, all := p.limit(name, Bytes), p.options.Limits.World[Bytes]
	if own > 0 && size > own {
		return p.noRoom(Bytes, own, ofOne)
	}
	if all > 0 && size > all {
		return p.noRoom(Bytes, all, ofAll)
	}
	for _, q := range [...]Quota{Lines, Journeys, Bytes} {
		if limit := p.limit(name, q); limit > 0 {
			if err := p.makeRoomOfOne(name, q, limit); err != nil {
				return err
			}
		}
		if limit := p.options.Limits.World[q]; limit > 0 {
			if err := p.makeRoomOfAll(q, limit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *planner) makeRoomOfOne(name string, q Quota, limit int) error {
	had := p.st.usedBy(name)[q]
	fits := func(most int) bool { return p.fits(p.usage(name).of(q), most, had, limit) }
	if fits(limit) {
		return nil
	}
	if err := p.dropOldest(name, q, func() bool { return fits(limit - slack(q, limit)) }); err != nil {
		return err
	}
	if !fits(limit) {
		return p.noRoom(q, limit, ofOne)
	}
	return nil
}

func (p *planner) makeRoomOfAll(q Quota, limit int) error {
	had := p.st.used[q]
	fits := func(most int) bool { return p.fits(p.total(q), most, had, limit) }
	for tried := []string{}; !fits(limit); {
		victim := p.largest(q, tried)
		if victim == "" {
			return p.noRoom(q, limit, ofAll)
		}
		tried = append(tried, victim)
		if err := p.dropOldest(victim, q, func() bool { return fits(limit - slack(q, limit)) }); err != nil {
			return err
		}
	}
	return nil
}

// fits reports whether n is no more than most.
//
// A limit may be lowered so far that one batch cannot drop all the excess. Then a
// command is carried out above the limit if it leaves less than there was before it:
// the excess shrinks with each command, down to the limit, and never grows.
func (p *planner) fits(n, most, had, limit int) bool {
	shrinks := had > limit && n < had
	return n <= most || shrinks && p.loop.roomReads.many()
}

// The holder of a limit, for people.
const (
	ofOne = "one account"
	ofAll = "all accounts together"
)

func (p *planner) noRoom(q Quota, limit int, whose string) error {
	return protocol.Errorf(protocol.CodeStorageLimit, "this does not fit: the limit is %d %s for %s", limit, q, whose)
}

// slack is the additional amount to drop at once, so that not every write has to
// look for the oldest record.
func slack(q Quota, limit int) int {
	if q == Bytes || q == AgentBytes {
		return min(limit/16, 256<<10)
	}
	return min(limit/16, 64)
}

// total returns the amount of all accounts after the plan.
func (p *planner) total(q Quota) int {
	n := p.st.used[q]
	for i := range p.usages {
		u := &p.usages[i]
		n += u.of(q) - p.st.usedBy(u.account)[q]
	}
	return n
}

// largest returns the account that has the most, of those not tried yet.
func (p *planner) largest(q Quota, tried []string) string {
	name, most := "", 0
	larger := func(candidate string, n int) bool {
		return (n > most || n == most && n > 0 && candidate < name) && !slices.Contains(tried, candidate)
	}
	for candidate, a := range p.st.accounts {
		n := a.Amounts[q]
		if larger(candidate, n) && !slices.ContainsFunc(p.usages, func(u accountUsage) bool { return u.account == candidate }) {
			name, most = candidate, n
		}
	}
	for i := range p.usages {
		if n := p.usages[i].of(q); larger(p.usages[i].account, n) {
			name, most = p.usages[i].account, n
		}
	}
	return name
}

// record is one record of a history.
type record struct {
	history
	playerID string
	kept
}

// dropOldest stages the removal of an account's oldest records until enough
// returns true or there are no more.
func (p *planner) dropOldest(name string, q Quota, enough func() bool) error {
	var of []history
	for _, h := range agentHistories {
		if q == Bytes || q == h.counts {
			of = append(of, h)
		}
	}
	p.loop.roomReads.times++
	const most = 16
	group, size := make([]record, 0, most), 2 // usually few are read to drop few
	for r, err := range p.oldest(name, of) {
		if err != nil {
			return err
		}
		if group = append(group, r); len(group) < size {
			continue
		}
		if err := p.drop(name, group, enough); err != nil || enough() {
			return err
		}
		group, size = group[:0], min(2*size, most)
	}
	if err := p.drop(name, group, enough); err != nil || enough() {
		return err
	}
	return p.drop(name, p.uncommitted(name, of), enough)
}

// drop stages the removal of records, in their order, until enough returns true.
func (p *planner) drop(name string, records []record, enough func() bool) error {
	list := make([]store.Lookup, 0, len(records))
	for _, r := range records {
		if r.value == 0 {
			list = append(list, store.Lookup{Table: r.byPlayer, Key: historyRecordKey(r.playerID, r.seq)})
		}
	}
	p.loop.roomReads.times++
	lengths, err := p.lengths(list)
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.value == 0 {
			r.value, lengths = lengths[0], lengths[1:]
			p.loop.roomReads.bytes += r.value
		}
		if !enough() {
			p.forgetOne(r.history, name, r.playerID, r.kept)
		}
	}
	return nil
}

// cursor is a lower bound of the position of an account's oldest record.
type cursor struct {
	table   store.Table
	account string
}

// oldest walks the records of an account that are in the store, by their seqs.
func (p *planner) oldest(name string, of []history) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		heads := make([]func() (record, error, bool), len(of))
		next := make([]*record, len(of))
		for i, h := range of {
			pull, stop := iter.Pull2(p.oldestOf(name, h))
			defer stop() //nolint:revive,gocritic // there are two or three
			heads[i] = pull
		}
		for {
			first := -1
			for i := range heads {
				if next[i] == nil && heads[i] != nil {
					r, err, more := heads[i]()
					switch {
					case !more:
						heads[i] = nil
						continue
					case err != nil:
						yield(record{}, err)
						return
					}
					next[i] = &r
				}
				if next[i] != nil && (first < 0 || next[i].seq < next[first].seq) {
					first = i
				}
			}
			if first < 0 || !yield(*next[first], nil) {
				return
			}
			next[first] = nil
		}
	}
}

func (p *planner) oldestOf(name string, h history) iter.Seq2[record, error] {
	at, gone := cursor{h.order, name}, p.gone // records dropped later are behind this walk
	found := false
	return walk(p, h.order, store.Range{From: seqKey(p.st.cursors[at])}, func(pair store.Pair) (r record, ok bool, err error) {
		r = record{h, string(pair.Value), kept{seq: binary.BigEndian.Uint64(pair.Key)}}
		if p.st.accountOf(r.playerID) != name {
			return r, false, nil
		}
		if !found {
			found, p.st.cursors[at] = true, r.seq
		}
		_, dropped := p.st.dropped[r.seq]
		return r, !dropped && !slices.Contains(gone, r.seq), nil
	})
}

// uncommitted returns an account's records that only this batch has: when all
// records in the store are dropped, they are the rest of the histories in memory.
func (p *planner) uncommitted(name string, of []history) []record {
	var left []record
	for key, records := range p.st.histories {
		i := slices.IndexFunc(of, func(h history) bool { return h.byPlayer == key.table })
		if i < 0 || p.st.accountOf(key.playerID) != name {
			continue
		}
		for _, r := range records {
			if !slices.Contains(p.gone, r.seq) {
				left = append(left, record{of[i], key.playerID, r})
			}
		}
	}
	slices.SortFunc(left, func(a, b record) int { return int(a.seq) - int(b.seq) })
	return left
}
