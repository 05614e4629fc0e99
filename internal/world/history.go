package world

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/playctl/playctl/internal/store"
)

// history is a kind of record that is kept for each owner, an agent or a space, up
// to Limits.History of them.
type history struct {
	// byPlayer has the records by owner and seq, order the owners by seq; without an
	// order nothing lists all of them.
	byPlayer, order store.Table
	// counts is the quota that one record counts toward, in addition to bytes.
	counts Quota
}

var (
	interactionHistory = history{store.Interactions, store.InteractionOrder, Lines}
	journeyHistory     = history{store.Journeys, store.JourneyOrder, Journeys}
	spaceLog           = history{byPlayer: store.SpaceLogs, counts: quotaCount}

	agentHistories = [...]history{interactionHistory, journeyHistory}
)

type historyKey struct {
	table    store.Table
	playerID string
}

// kept is a record of a history.
type kept struct {
	seq uint64
	// value is the length of its value, 0 if it is not known: the record was written
	// before this host's start, or by another host.
	value int
}

// size is what a record takes in the store: keys and values of its tables.
func (h history) size(playerID string, value int) int {
	n := len(playerID) + 9 + value
	if h.order != "" {
		n += 8 + len(playerID)
	}
	return n
}

// keep stages a record of an account's history, and the removal of the records
// that it replaces.
func (p *planner) keep(h history, account, playerID string, seq uint64, value []byte) error {
	seqs, err := p.history(h, playerID)
	if err != nil {
		return err
	}
	size := h.size(playerID, len(value))
	p.entry.Records = slices.Grow(p.entry.Records, 5)
	p.putBytes(h.byPlayer, historyRecordKey(playerID, seq), value)
	if h.order != "" {
		p.putBytes(h.order, seqKey(seq), []byte(playerID))
	}
	p.usage(account).add(h, 1, size)
	if over := len(seqs) + 1 - p.options.Limits.History; over > 0 {
		if err := p.forget(h, account, playerID, seqs[:over]); err != nil {
			return err
		}
	}
	return p.makeRoom(account, size)
}

// forget stages the removal of records of an account's history. Their lengths do not
// matter where the whole account is deleted.
func (p *planner) forget(h history, account, playerID string, records []kept) error {
	for i := range records {
		if records[i].value == 0 && account != p.closed {
			if err := p.measure(h, playerID, records[i:min(len(records), i+lengthsAtOnce)]); err != nil {
				return err
			}
		}
		p.forgetOne(h, account, playerID, records[i])
	}
	return nil
}

func (p *planner) forgetOne(h history, account, playerID string, r kept) {
	p.gone = append(p.gone, r.seq)
	p.putBytes(h.byPlayer, historyRecordKey(playerID, r.seq), nil)
	if h.order != "" {
		p.putBytes(h.order, seqKey(r.seq), nil)
	}
	p.usage(account).add(h, -1, -h.size(playerID, r.value))
}

// forgetHistories stages the removal of all that an account keeps of an agent.
func (p *planner) forgetHistories(account, playerID string) error {
	for _, h := range agentHistories {
		if err := p.forgetAll(h, account, playerID); err != nil {
			return err
		}
	}
	return nil
}

// forgetAll stages the removal of an owner's history.
func (p *planner) forgetAll(h history, account, playerID string) error {
	records, err := p.history(h, playerID)
	if err != nil {
		return err
	}
	return p.forget(h, account, playerID, records)
}

// lengthsAtOnce bounds the values that are in memory because their lengths are
// not known.
const lengthsAtOnce = 64

// lengths reads the lengths of records' values, 0 for missing ones.
func (p *planner) lengths(list []store.Lookup) ([]int, error) {
	lengths := make([]int, len(list))
	values, err := p.options.Journal.GetAll(p.ctx, list)
	switch {
	case store.IsDamaged(err) && len(list) == 1:
		damaged, _ := errors.AsType[*store.DamagedError](err)
		lengths[0] = damaged.Size
	case store.IsDamaged(err):
		for i := range list {
			one, err := p.lengths(list[i : i+1])
			if err != nil {
				return nil, err
			}
			lengths[i] = one[0]
		}
	case err != nil:
		return nil, unavailable(err)
	}
	for i := range values {
		lengths[i] = len(values[i])
	}
	return lengths, nil
}

// measure reads the lengths of values.
func (p *planner) measure(h history, playerID string, records []kept) error {
	list := make([]store.Lookup, len(records))
	for i := range records {
		list[i] = store.Lookup{Table: h.byPlayer, Key: historyRecordKey(playerID, records[i].seq)}
	}
	lengths, err := p.lengths(list)
	if err != nil {
		return err
	}
	for i := range records {
		records[i].value = max(records[i].value, lengths[i])
	}
	return nil
}

// history is an owner's records, oldest first. They are read from the store once,
// when the owner first needs them.
func (p *planner) history(h history, playerID string) ([]kept, error) {
	key := historyKey{h.byPlayer, playerID}
	if records, known := p.st.histories[key]; known {
		return records, nil
	}
	records := []kept{}
	prefix := historyPrefix(playerID)
	seqs := walk(p, h.byPlayer, store.Range{Prefix: prefix, KeysOnly: true}, func(pair store.Pair) (uint64, bool, error) {
		return binary.BigEndian.Uint64(pair.Key[len(prefix):]), true, nil
	})
	for seq, err := range seqs {
		if err != nil {
			return nil, err
		}
		records = append(records, kept{seq: seq})
	}
	p.st.setHistory(key, records)
	return records, nil
}

// setHistory stores the records of a history in the state.
func (s *state) setHistory(key historyKey, records []kept) {
	if s.histories[key] = records; len(records) == 0 {
		s.emptied[key] = struct{}{}
	}
}

// forgetEmptied forgets the histories without records at the end of a batch: their
// owners may be gone. Before the end, the store may still have the records that the
// batch removes.
func (s *state) forgetEmptied() {
	for key := range s.emptied {
		if len(s.histories[key]) == 0 {
			delete(s.histories, key)
		}
	}
	clear(s.emptied)
}

// applyHistory keeps the histories that were read already.
func (s *state) applyHistory(r *store.Record) {
	if len(r.Key) < 9 {
		return
	}
	split := len(r.Key) - 8
	seq := binary.BigEndian.Uint64(r.Key[split:])
	if r.Value == nil {
		s.dropped[seq] = struct{}{}
	}
	key := historyKey{r.Table, string(r.Key[:split-1])}
	prev, known := s.histories[key]
	if !known {
		return
	}
	switch {
	case r.Value != nil && len(prev) > 0 && prev[len(prev)-1].seq >= seq:
		// The history was read from the store, which was ahead of the state.
		return
	case r.Value != nil:
		s.histories[key] = append(prev, kept{seq, len(r.Value)})
	case len(prev) > 0 && prev[0].seq == seq:
		s.setHistory(key, prev[1:])
	default:
		// The record is not the oldest: the whole history is being removed. It is read again if it
		// is needed.
		delete(s.histories, key)
	}
	s.undo = append(s.undo, func() { s.histories[key] = prev })
}

func (s *state) clearHistories(table store.Table) {
	prev := s.histories
	next := make(map[historyKey][]kept, len(prev))
	for key, records := range prev {
		if key.table != table {
			next[key] = records
		}
	}
	s.histories = next
	s.undo = append(s.undo, func() { s.histories = prev })
}

// historyPrefix is what the keys of an owner's records begin with, with room for the
// rest of one.
func historyPrefix(playerID string) []byte {
	return append(append(make([]byte, 0, len(playerID)+9), playerID...), 0)
}

func historyRecordKey(playerID string, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(historyPrefix(playerID), seq)
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }
