package world

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/protocol"
)

// TestConcurrentCommandsHaveOneOrder distributes a schedule among several
// concurrent callers. In whatever order the commands run, the events must show it:
// one event for each rev, and a copy that follows them ends equal to the host's,
// also after a restart.
func TestConcurrentCommandsHaveOneOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c, journal := newClock(), memory.Open(store.DefaultRetention())
		w := openFor(t, c, journal)
		first := copyOf(r, w.View())
		schedule := slices.DeleteFunc(moves(r), func(m move) bool {
			_, reset := m.command.(ResetSession)
			return reset
		})
		var callers sync.WaitGroup
		for i := range 4 {
			callers.Go(func() {
				for j := i; j < len(schedule); j += 4 {
					c.Advance(schedule[j].pass)
					_, err := w.Do(context.Background(), Request{Caller: Caller{NodeID: schedule[j].caller, Admin: schedule[j].admin}}, schedule[j].command)
					if code := protocol.CodeOf(err); code == protocol.CodeInternal || code == protocol.CodeStoreUnavailable {
						t.Errorf("%T: %v", schedule[j].command, err)
					}
				}
			})
		}
		callers.Wait()
		closeWorld(t, w)
		again := openFor(t, c, journal)
		defer closeWorld(t, again)
		if again.View().Tree.Root() != w.View().Tree.Root() || again.View().Seq != w.View().Seq {
			r.Fatal("the recovered world differs from the closed one")
		}
		copied, seq, rev := first, uint64(0), uint64(0)
		for e, err := range again.History(context.Background(), 0, again.View().Seq) {
			if err != nil {
				r.Fatal(err)
			}
			if e.Seq != seq+1 || e.Rev < rev || e.Rev > rev+1 {
				r.Fatalf("event %d of rev %d follows %d of rev %d", e.Seq, e.Rev, seq, rev)
			}
			copied = follow(r, again, copied, e, rev)
			seq, rev = e.Seq, e.Rev
		}
		if copied.Root() != again.View().Tree.Root() || seq != again.View().Seq || rev != again.View().Rev {
			r.Fatal("a copy that follows the events differs from the host's map at the end")
		}
	})
}
