//go:build full

package manyhosts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/playctl/playctl/protocol"
)

// slowestRefusal is the time limit for a host to report that the store is
// unavailable: a second (docs/redis.md), plus the delay of a busy machine. The
// world's own share of the wait is measured exactly in the tests of its package.
const slowestRefusal = 4 * time.Second

// verify lists the errors found after a scenario.
func (s *site) verify(was *record, b *faultInjector, following []*subscriber, counted map[string]int64) (wrong []error) {
	h := b.history
	fail := func(err error) {
		if err != nil {
			wrong = append(wrong, err)
		}
	}
	fail(was.presence(h.ops, b.restarts))
	for _, f := range following {
		fail(f.verify(was))
	}
	switch {
	case s.synced && len(was.jumps) > 0:
		fail(fmt.Errorf("a Redis server that syncs every write lost nothing, but the world jumped: %+v", was.jumps))
	case len(was.jumps) > len(b.restarts):
		fail(fmt.Errorf("Redis was killed %d times and the world jumped more often: %+v", len(b.restarts), was.jumps))
	case !s.synced && len(b.restarts) > 0 && len(was.jumps) == 0:
		fail(fmt.Errorf("Redis was killed %d times and may have lost something; the world did not jump", len(b.restarts)))
	}
	for _, took := range h.refusals {
		if took > slowestRefusal {
			fail(fmt.Errorf("a host took %v to report that the store is unavailable", took))
		}
	}
	if len(was.jumps) == 0 {
		fail(inOrder(h.ops))
		fail(checkReplies(h.ops, counted))
	}
	return wrong
}

// checkReplies checks that the replies of a scenario could be those of one host, and that
// the check would detect a different reply.
func checkReplies(ops []*op, counted map[string]int64) error {
	begin := func(subject string) state {
		kind, _, _ := strings.Cut(subject, " ")
		switch kind + " " {
		case agentSubject:
			zones, there := counted[subject]
			return agentState{node: there, zones: zones}
		case placementSubject:
			return placementState{}
		case spaceSubject:
			return spaceState{}
		case requestSubject:
			return requestState{}
		}
		return logState{}
	}
	if err := linearizable(ops, begin); err != nil {
		return err
	}
	for name, changed := range corrupted(ops) {
		if linearizable(changed, begin) == nil {
			return fmt.Errorf("%s, but the history still counts as linearizable", name)
		}
	}
	return nil
}

// moveSubscribers moves subscribers from host to host.
func moveSubscribers(ctx context.Context, following []*subscriber, seed uint64) (moves int) {
	random := rand.New(rand.NewPCG(seed, 98))
	for {
		wait := time.NewTimer(time.Duration(100+random.IntN(400)) * time.Millisecond)
		select {
		case <-wait.C:
			following[random.IntN(len(following))].way.move()
			moves++
		case <-ctx.Done():
			wait.Stop()
			return moves
		}
	}
}

func (t *tally) add(h *history, b *faultInjector, was *record, following []*subscriber, moves int) {
	t.scenarios++
	t.acked, t.refused, t.unknown = t.acked+h.count(acked), t.refused+h.count(refused), t.unknown+h.count(unknown)
	t.faults, t.restarts, t.losses = t.faults+len(h.faults), t.restarts+len(b.restarts), t.losses+b.losses
	t.jumps, t.events, t.moves = t.jumps+len(was.jumps), t.events+len(was.events), t.moves+moves
	for _, took := range h.refusals {
		t.unavailable++
		t.slowest = max(t.slowest, milliseconds(took))
		if took > time.Second {
			t.late++
		}
	}
	for _, o := range h.ops {
		if o.outcome == acked && marked[o.verb] && len(was.made[key(o.verb, o.mark)]) == 0 {
			t.missing++
		}
	}
	for _, f := range following {
		for _, e := range f.events {
			if e.Kind == protocol.EventSessionResync {
				t.resyncs++
			}
		}
	}
}
