//go:build full

package manyhosts

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// presence checks that acknowledged writes are stored once, refused ones not at
// all, and unanswered ones at most once. If Redis may lose the last acknowledged
// writes, those may be missing, but no others.
func (was *record) presence(ops []*op, restarts []time.Duration) error {
	var missing []*op
	for _, o := range ops {
		if !marked[o.verb] {
			continue
		}
		there := was.made[key(o.verb, o.mark)]
		switch {
		case len(there) > 1:
			return fmt.Errorf("the event is stored %d times, at %v: %v", len(there), there, o)
		case (o.outcome == refused || o.outcome == unsent) && len(there) > 0:
			return fmt.Errorf("a command without effect has an event at %d: %v", there[0], o)
		case o.outcome == acked && len(there) == 0:
			missing = append(missing, o)
		case o.outcome == acked && o.result.seq != 0 && o.result.seq != there[0]:
			return fmt.Errorf("the event is stored at %d: %v", there[0], o)
		}
	}
	for _, o := range missing {
		if err := was.mayBeLost(o, ops, restarts); err != nil {
			return err
		}
	}
	return nil
}

// mayBeLost checks that an op was lost with the end of a log: Redis was killed
// after the op had started, and no op that began after its reply is stored up to
// that point.
func (was *record) mayBeLost(o *op, ops []*op, restarts []time.Duration) error {
	for _, j := range was.jumps {
		killed := slices.ContainsFunc(restarts, func(at time.Duration) bool { return at >= o.started })
		follower := slices.IndexFunc(ops, func(later *op) bool {
			there := was.made[key(later.verb, later.mark)]
			return later.started > o.ended && len(there) == 1 && there[0] <= j.kept && (o.result.seq == 0 || o.result.seq <= j.kept)
		})
		if killed && follower < 0 {
			return nil
		}
	}
	return fmt.Errorf("an acknowledged command has no event: %v", o)
}

// verify compares the reports of a closed subscriber with the content of the store.
func (f *subscriber) verify(was *record) error {
	state := f.sub.State()
	if state.Verification != sdk.Verified || state.Snapshot.Root().String() != was.root || state.Snapshot.LeafCount() != int(was.leaves) {
		return fmt.Errorf("subscriber %d ends %v with the root %s, the store has %s", f.number, state.Verification, state.Snapshot.Root(), was.root)
	}
	if state.Stats.Heals != 0 {
		return fmt.Errorf("subscriber %d had to heal its copy: %+v, errors %v", f.number, state.Stats, f.errors)
	}
	if state.Stats.Rollbacks != 0 {
		return fmt.Errorf("subscriber %d reports a host that went back: %+v, errors %v", f.number, state.Stats, f.errors)
	}
	for _, u := range f.updates {
		rev := *u.Snapshot.Head().Rev
		if root, known := was.roots[rev]; known && u.Verification == sdk.Verified && root != u.Snapshot.Root().String() {
			return fmt.Errorf("subscriber %d was shown another root of rev %d as verified", f.number, rev)
		}
	}
	return f.complete(was)
}

// complete checks that a subscriber saw every event from its first copy to the end,
// once and in order, except for those skipped by a resync, which comes once for
// each jump, and at no other time. A subscriber that had all remaining events when
// the world jumped, and resumed afterward, may continue without one: it lost no
// events.
func (f *subscriber) complete(was *record) error {
	// The stream, which began before the first copy, may also send the event of that
	// copy.
	last := *f.updates[0].Snapshot.Head().Seq
	if len(f.events) > 0 {
		last = min(last, f.events[0].Seq-1)
	}
	for _, e := range f.events {
		switch {
		case e.Kind == protocol.EventSessionResync:
			if !was.jumpedBetween(last, e.Seq) {
				return fmt.Errorf("subscriber %d had to read everything again at %d, after %d, although nothing was lost: %s", f.number, e.Seq, last, e.Data)
			}
		case e.Seq != last+1 && e.Seq != was.nextAfter(last)+1:
			return fmt.Errorf("subscriber %d got event %d after %d", f.number, e.Seq, last)
		default:
			if err := was.checkEvent(e); err != nil {
				return fmt.Errorf("subscriber %d: %w", f.number, err)
			}
		}
		last = e.Seq
	}
	if last != was.last {
		return fmt.Errorf("the events of subscriber %d end at %d, the log at %d", f.number, last, was.last)
	}
	return nil
}

// jumpedBetween reports whether the world jumped between two seqs. The jump itself may
// have been lost later: then no event has its seq.
func (was *record) jumpedBetween(from, to uint64) bool {
	return slices.ContainsFunc(was.jumps, func(j jump) bool {
		return from < j.resumed && to >= j.resumed || to > j.kept && to < j.resumed && to >= from+ahead
	})
}

// nextAfter returns where the log continues after a seq: after the jump, if it is the
// last seq before one.
func (was *record) nextAfter(seq uint64) uint64 {
	for _, j := range was.jumps {
		if j.kept == seq {
			seq = j.resumed
		}
	}
	return seq
}

// checkEvent checks that an event is in the log, or in the part that was lost.
func (was *record) checkEvent(e sdk.Event) error {
	logged, there := was.events[e.Seq]
	if !there {
		lost := slices.ContainsFunc(was.jumps, func(j jump) bool { return e.Seq > j.kept && e.Seq <= j.resumed })
		if lost || e.Seq <= was.first {
			return nil
		}
		return fmt.Errorf("event %d is not in the log", e.Seq)
	}
	state, err := chain.ParseEventState(e.Data)
	if err != nil {
		return err
	}
	own := logged.Data[:len(logged.Data)-1]
	if logged.Kind != string(e.Kind) || !bytes.HasPrefix(e.Data, own) || state.MerkleRootHex != was.roots[was.revs[e.Seq]] {
		return fmt.Errorf("event %d differs from the log's", e.Seq)
	}
	return nil
}
