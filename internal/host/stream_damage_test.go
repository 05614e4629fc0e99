package host

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
)

// damagedEntry is a journal with one damaged entry.
type damagedEntry struct {
	store.Journal
	at atomic.Uint64
}

func (j *damagedEntry) Read(ctx context.Context, after store.Position) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range j.Journal.Read(ctx, after) {
			if err == nil && e.Position == store.Position(j.at.Load()) {
				yield(store.Entry{}, store.DamagedEntry(e.Position, store.ErrCorrupt))
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// A stream sends what is before a damaged event, then a resync, and continues live.
func TestStreamSendsResyncAtDamagedEvent(t *testing.T) {
	j := &damagedEntry{}
	f := newFixture(t, smallRing, func(s *setup) { j.Journal, s.journal = s.journal, j })
	agent := f.player(f.main())
	start := f.world.View()
	for range 20 {
		f.say(agent, "a line")
	}
	j.at.Store(uint64(start.Position) + 4)
	n := f.serve()
	s := n.subscribe(as(agent), "&lastEventId="+itoa(start.Seq))
	defer s.close()
	for want := start.Seq + 1; want <= start.Seq+3; want++ {
		if got := s.event().seq(t); got != want {
			t.Fatalf("received event %d, want %d", got, want)
		}
	}
	if reason, at := s.resync(); reason != world.ResyncDamaged || at != f.world.Events().Head() {
		t.Errorf("the reason is %q at %d", reason, at)
	}
	f.say(agent, "the stream continues")
	if got := s.event().seq(t); got != start.Seq+21 {
		t.Errorf("the next event is %d, want %d", got, start.Seq+21)
	}
	at := n.subscribe(as(agent), "&lastEventId="+itoa(start.Seq+3))
	defer at.close()
	if reason, _ := at.resync(); reason != world.ResyncDamaged {
		t.Errorf("just before the damaged event, the reason is %q", reason)
	}
}
