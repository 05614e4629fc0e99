package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// past reads a view of an earlier rev.
func (f *fixture) past(r PastRead) *View {
	f.t.Helper()
	v, err := f.Replay(f.t.Context(), r)
	if err != nil {
		f.t.Fatalf("replay %+v: %v", r, err)
	}
	return v
}

// TestPastRevsSurviveRestart reads revs that must stay readable, before and
// after a restart from a checkpoint.
func TestPastRevsSurviveRestart(t *testing.T) {
	f := open(t, func(o *Options) { o.CheckpointEvery = 100 })
	a := f.agent(f.main("owner"), "a")
	roots := map[uint64]chain.Digest{0: f.View().Tree.Root()}
	for i := range pastRevs + 500 {
		r := registration(a)
		r.Name = fmt.Sprint("name ", i)
		f.as(a, r)
		f.as(a, line(a, "a line between two changes"))
		roots[f.View().Rev] = f.View().Tree.Root()
	}
	head := f.View().Rev
	for _, when := range []string{"before the restart", "after the restart"} {
		if n := len(f.views.recent); n != recentRevs {
			t.Errorf("%s: %d revs are in memory, want %d", when, n, recentRevs)
		}
		for rev := head - pastRevs + 1; rev <= head; rev++ {
			if rev < head-recentRevs && rev%29 != 0 && rev != head-pastRevs+1 {
				continue
			}
			for _, upTo := range []bool{false, true} {
				v := f.past(PastRead{Rev: rev, UpTo: upTo})
				if v.Rev != rev || v.Tree.Root() != roots[rev] {
					t.Fatalf("%s: the view of rev %d is of rev %d", when, rev, v.Rev)
				}
				if f.Past(PastRead{Rev: rev}) != v {
					t.Fatalf("%s: the view of rev %d did not stay in memory", when, rev)
				}
			}
		}
		if v := f.past(PastRead{Rev: head - pastRevs}); v.Rev != head {
			t.Errorf("%s: a dropped rev returns rev %d, want the current one, %d", when, v.Rev, head)
		}
		oldest := f.past(PastRead{UpTo: true})
		if oldest.Rev > head-pastRevs || oldest.Tree.Root() != roots[oldest.Rev] {
			t.Errorf("%s: the oldest view is of rev %d", when, oldest.Rev)
		}
		for _, upTo := range []bool{false, true} {
			if v := f.past(PastRead{Rev: head + 1, UpTo: upTo}); v.Rev != head {
				t.Errorf("%s: the view of a future rev is of rev %d, want %d", when, v.Rev, head)
			}
		}
		if n := len(f.views.replayed); n != replayedRevs {
			t.Errorf("%s: %d replayed revs are in memory, want %d", when, n, replayedRevs)
		}
		f.reopen()
	}
	if f.lastCheckpoint == 0 {
		t.Error("the world was recovered without a checkpoint, so the test is void")
	}
}

// A restart leaves the same revs in memory, even if the session was reset in between. The
// oldest view of a session is that of its first rev.
func TestRestartKeepsRecentRevs(t *testing.T) {
	for name, resetAt := range map[string]int{"one session": -1, "with a reset among them": 400, "with a reset before": 250} {
		t.Run(name, func(t *testing.T) {
			f := open(t, func(o *Options) { o.Limits.Occupants, o.NoRepository, o.CheckpointEvery = 1000, true, 100 })
			first := f.View()
			for i := range 450 {
				f.as("", registration(id(fmt.Sprint(i))))
				if i == resetAt {
					if _, err := f.Do(t.Context(), Request{Caller: Caller{Admin: true}}, ResetSession{}); err != nil {
						t.Fatal(err)
					}
					first = f.View()
				}
			}
			before := slices.Clone(f.views.recent)
			f.reopen()
			after := f.views.recent
			if len(before) != recentRevs || len(after) != recentRevs {
				t.Fatalf("%d revs are in memory after the restart, before it %d", len(after), len(before))
			}
			for i, was := range before {
				is := after[i]
				if is.Rev != was.Rev || is.Seq != was.Seq || is.SID != was.SID || !bytes.Equal(snapshotOf(is), snapshotOf(was)) {
					t.Errorf("rev %d, seq %d is kept, was rev %d, seq %d", is.Rev, is.Seq, was.Rev, was.Seq)
				}
			}
			for _, rev := range []uint64{0, first.Rev} {
				if v := f.past(PastRead{Rev: rev, UpTo: true}); v.Rev != first.Rev || !bytes.Equal(snapshotOf(v), snapshotOf(&View{Map: first.Map})) {
					t.Errorf("the view up to rev %d is of rev %d, want the first of the session, %d", rev, v.Rev, first.Rev)
				}
			}
			if v := f.past(PastRead{Rev: 200}); v.Rev != 200 {
				t.Errorf("the view of rev 200 is of rev %d", v.Rev)
			}
		})
	}
}

// unreadableJournal fails to load its checkpoint once it is gone.
type unreadableJournal struct {
	store.Journal
	gone atomic.Bool
}

func (j *unreadableJournal) Load(ctx context.Context) (store.State, error) {
	if j.gone.Load() {
		return store.State{}, errors.New("the disk is gone")
	}
	return j.Journal.Load(ctx)
}

// A rev that cannot be replayed is refused, to be asked for again.
func TestUnreadableRevIsRefused(t *testing.T) {
	var journal *unreadableJournal
	f := open(t, func(o *Options) {
		journal = &unreadableJournal{Journal: o.Journal}
		o.Journal = journal
	})
	a := f.agent(f.main("owner"), "a")
	for i := range recentRevs + 10 {
		r := registration(a)
		r.Name = fmt.Sprint("name ", i)
		f.as(a, r)
	}
	journal.gone.Store(true)
	_, err := f.Replay(t.Context(), PastRead{Rev: 2})
	if protocol.CodeOf(err) != protocol.CodeStoreUnavailable {
		t.Errorf("got %v, want store_unavailable", err)
	}
}
