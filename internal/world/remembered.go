package world

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// repeatTerm is how long a repeat is recognized (protocol reference,
// "Idempotency").
const repeatTerm = protocol.RepeatSeconds * time.Second

// remembered is a kind of ids that are remembered for repeatTerm, up to a number
// for each caller and for all callers.
type remembered struct {
	replay.Remembered
	quota Quota
	// inBatch reports whether the batch that is not yet committed has the id.
	inBatch func(*state, []byte) bool
}

var (
	idempotencyKeys = &remembered{replay.IdempotencyKeys, IdempotencyKeys, func(s *state, id []byte) bool {
		return len(id) == 32 && s.repeats[[32]byte(id)] != nil
	}}
	closedRequests = &remembered{replay.ClosedRequests, ClosedRequests, func(s *state, id []byte) bool {
		return s.closedIntercoms[string(id)] != nil
	}}
	rememberedKinds = [...]*remembered{idempotencyKeys, closedRequests}
)

// CallerTag identifies a caller.
type CallerTag = replay.CallerTag

// TagOf returns the tag of a caller, whose identity may contain a secret.
func TagOf(identity string) CallerTag { return replay.TagOf(identity) }

// tallies lists the records to read before an id of a caller is remembered.
func (of *remembered) tallies(caller CallerTag) []store.Lookup {
	return []store.Lookup{{Table: of.Callers, Key: of.CallerTally(caller)}, {Table: of.Callers, Key: of.Tally()}}
}

// knownID is an id in the store, with the time since when it is known.
type knownID struct {
	caller CallerTag
	at     int64
	id     []byte
	// weight is the number of ids that it counts as; 0 if that was not read yet.
	weight int
}

// rememberID stages that an id is known, in addition to its record, and the removal of
// the oldest ids where there are too many: of the same caller, then of the callers that
// have the most. weight is the number of ids that it counts as.
func (p *planner) rememberID(of *remembered, caller CallerTag, at int64, id []byte, weight int) error {
	p.remembering = id
	p.putBytes(of.Times, of.TimeKey(at, id), caller[:])
	p.putBytes(of.Callers, of.CallerKey(caller, at, id), replay.AppendWeight([]byte{}, weight))
	own, err := p.tally(of, of.CallerTally(caller), weight)
	if err != nil {
		return err
	}
	if _, err := p.tally(of, of.Tally(), weight); err != nil {
		return err
	}
	if limit := p.options.Limits.Account[of.quota]; limit > 0 && own > limit+slack(of.quota, limit) {
		if _, err := p.forgetOldest(of, own-limit, p.idsOf(of, caller)); err != nil {
			return err
		}
	}
	all, err := p.tally(of, of.Tally(), 0)
	if err != nil {
		return err
	}
	if limit := p.options.Limits.World[of.quota]; limit > 0 && all > limit+slack(of.quota, limit) {
		return p.forgetOfLargest(of, all-limit)
	}
	return nil
}

// forgetOldest stages the removal of the first ids of a walk that count as n, a bounded
// number at a time: a limit may be lower than before. It returns the sum of their
// weights.
func (p *planner) forgetOldest(of *remembered, n int, walk iter.Seq2[knownID, error]) (count int, err error) {
	n = min(n, forgetAtOnce)
	oldest := make([]knownID, 0, n)
	for known, err := range walk {
		if err != nil {
			return 0, err
		}
		oldest = append(oldest, known)
		if count += max(1, known.weight); count >= n {
			break
		}
	}
	return count, p.forgetIDs(of, oldest)
}

// idsOf walks the ids of a caller that the store has, the oldest first.
func (p *planner) idsOf(of *remembered, caller CallerTag) iter.Seq2[knownID, error] {
	return walk(p, of.Callers, store.Range{Prefix: of.CallerTally(caller)}, func(pair store.Pair) (known knownID, ok bool, err error) {
		at, id, ok := of.ParseCallerKey(pair.Key)
		if !ok || p.isForgotten(string(pair.Key)) {
			return known, false, nil
		}
		weight, err := replay.ParseWeight(pair.Value)
		return knownID{caller, at, id, weight}, true, err
	})
}

// ids walks the ids of all callers that are older than a time, the oldest first.
func (p *planner) ids(of *remembered, before int64) iter.Seq2[knownID, error] {
	return walk(p, of.Times, of.Before(before), func(pair store.Pair) (known knownID, ok bool, err error) {
		if known.at, known.id, ok = of.ParseTimeKey(pair.Key); !ok {
			return known, false, nil
		}
		if len(pair.Value) != len(known.caller) {
			return known, false, fmt.Errorf("%w: the record %x of the table %s names no caller", store.ErrCorrupt, pair.Key, of.Times)
		}
		known.caller = CallerTag(pair.Value)
		return known, !p.isForgotten(string(of.CallerKey(known.caller, known.at, known.id))), nil
	})
}

// isForgotten reports whether the batch forgets an id that the store still has.
func (p *planner) isForgotten(callerKey string) bool {
	_, before := p.st.forgotten[callerKey]
	_, now := p.forgotten[callerKey]
	return before || now
}

// forgetIDs stages the removal of ids.
func (p *planner) forgetIDs(of *remembered, list []knownID) error {
	var wanted []store.Lookup
	for _, known := range list {
		wanted = append(wanted, store.Lookup{Table: of.Records, Key: of.RecordKey(known.id)})
		wanted = append(wanted, of.tallies(known.caller)...)
		if known.weight == 0 {
			wanted = append(wanted, store.Lookup{Table: of.Callers, Key: of.CallerKey(known.caller, known.at, known.id)})
		}
	}
	if err := p.loop.readAll(p.ctx, p.options.Journal, wanted); err != nil {
		return unavailable(err)
	}
	for _, known := range list {
		if err := p.forgetID(of, known); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) forgetID(of *remembered, known knownID) error {
	p.putBytes(of.Times, of.TimeKey(known.at, known.id), nil)
	key := of.CallerKey(known.caller, known.at, known.id)
	if known.weight == 0 {
		b, err := p.get(of.Callers, key)
		if err == nil {
			known.weight, err = replay.ParseWeight(b)
		}
		if err != nil {
			return unavailable(err)
		}
	}
	p.putBytes(of.Callers, key, nil)
	if p.forgotten == nil {
		p.forgotten = map[string]struct{}{}
	}
	p.forgotten[string(key)] = struct{}{}
	for _, tally := range of.tallies(known.caller) {
		if _, err := p.tally(of, tally.Key, -known.weight); err != nil {
			return err
		}
	}
	return p.forgetRecord(of, known)
}

// forgetRecord stages the removal of an id's record, unless the id was used again
// since, in this batch or before.
func (p *planner) forgetRecord(of *remembered, known knownID) error {
	key := of.RecordKey(known.id)
	if bytes.Equal(known.id, p.remembering) || of.inBatch(p.st, known.id) {
		return nil
	}
	b, err := p.get(of.Records, key)
	if err != nil {
		return err
	}
	var record struct {
		At int64 `json:"at"`
	}
	if b == nil || json.Unmarshal(b, &record) != nil || record.At == known.at {
		p.putBytes(of.Records, key, nil)
	}
	return nil
}

// tally stages a change of a number of ids, and returns the new number.
func (p *planner) tally(of *remembered, key []byte, by int) (int, error) {
	n, staged := p.tallies[string(key)]
	if !staged {
		n, staged = p.st.tallies[string(key)]
	}
	if !staged {
		b, err := p.get(of.Callers, key)
		if err == nil {
			n, err = replay.ParseTally(b)
		}
		if err != nil {
			return 0, unavailable(err)
		}
	}
	if p.tallies == nil {
		p.tallies, p.talliedBefore = make(map[string]int, 2), make(map[string]int, 2)
	}
	if _, changed := p.tallies[string(key)]; !changed {
		p.talliedBefore[string(key)] = n
	}
	n = max(0, n+by)
	p.tallies[string(key)] = n
	return n, nil
}

// stageTallies stages the numbers of ids that the plan changed, and the ranks of their
// callers.
func (p *planner) stageTallies() {
	if len(p.tallies) == 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(p.tallies)) {
		of := idempotencyKeys
		if key[:1] == string(closedRequests.Tally()) {
			of = closedRequests
		}
		n := p.tallies[key]
		if n > 0 {
			p.putBytes(of.Callers, []byte(key), replay.AppendTally(nil, n))
		} else {
			p.erase(of.Callers, key)
		}
		if caller, ok := of.ParseCallerTally([]byte(key)); ok {
			p.stageRank(of, caller, p.talliedBefore[key], n)
		}
	}
}

// applyRemembered keeps the batch's changes to the ids until they are in the store.
func (s *state) applyRemembered(r *store.Record) error {
	if !replay.IsTally(r.Key) {
		if r.Value == nil {
			s.forgotten[string(r.Key)] = struct{}{}
		}
		return nil
	}
	n, err := replay.ParseTally(r.Value)
	s.tallies[string(r.Key)] = n
	return err
}

// clearRequests records that the batch empties the table of requests.
func (s *state) clearRequests() {
	for id := range maps.Clone(s.intercoms) {
		s.setIntercom(id, nil)
	}
	clear(s.closedIntercoms)
	maps.DeleteFunc(s.tallies, func(key string, _ int) bool { return key[:1] == string(closedRequests.Tally()) })
}

// forgetExpired removes ids that are a day old, a bounded number at a time.
type forgetExpired struct{ of *remembered }

const forgetAtOnce = 1000

func (c forgetExpired) plan(p *planner) (any, error) {
	var expired []knownID // usually there is none, and this runs each second
	for known, err := range p.ids(c.of, p.now.Add(-repeatTerm).UnixMilli()+1) {
		if err != nil {
			return nil, err
		}
		if expired = append(expired, known); len(expired) == forgetAtOnce {
			break
		}
	}
	return forgotten(len(expired) == forgetAtOnce), p.forgetIDs(c.of, expired)
}

// countRemembered reads how many ids the store has.
func (w *World) countRemembered(ctx context.Context) error {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	lookups := make([]store.Lookup, len(rememberedKinds))
	for i, of := range rememberedKinds {
		lookups[i] = store.Lookup{Table: of.Callers, Key: of.Tally()}
	}
	values, err := w.options.Journal.GetAll(ctx, lookups)
	if err != nil {
		return unavailable(err)
	}
	for i, of := range rememberedKinds {
		n, err := replay.ParseTally(values[i])
		if err != nil {
			return fmt.Errorf("how many %s there are: %w", of.quota, err)
		}
		w.remembered[i].Store(int64(n))
	}
	return nil
}
