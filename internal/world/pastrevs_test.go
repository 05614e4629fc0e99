package world

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/playctl/playctl/chain"
)

// TestPastRevsSurviveRestart reads every rev that must stay readable, before and
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
		for rev := head - pastRevs + 1; rev <= head; rev++ {
			v := f.ViewAt(rev)
			if v.Rev != rev || v.Tree.Root() != roots[rev] {
				t.Fatalf("%s: ViewAt(%d) is rev %d", when, rev, v.Rev)
			}
		}
		if v := f.ViewAt(head - pastRevs); v.Rev != head {
			t.Errorf("%s: a dropped rev returns rev %d, want the current one, %d", when, v.Rev, head)
		}
		f.reopen()
	}
	if f.lastCheckpoint == 0 {
		t.Error("the world was recovered without a checkpoint, so the test is void")
	}
}

// Inserts among many occupants fill the budget with few revs: after a restart the
// host keeps the same revs, even if the session was reset in between.
func TestRestartKeepsRevsWithinBudget(t *testing.T) {
	for name, reset := range map[string]bool{"one session": false, "with a reset": true} {
		t.Run(name, func(t *testing.T) {
			f := open(t, func(o *Options) {
				o.MemoryBudget, o.Limits.Occupants, o.NoRepository, o.CheckpointEvery = 2<<20, 10_000, true, 100
			})
			for i := range 500 {
				f.as("", registration(id(fmt.Sprint(i))))
				if i == 400 && reset {
					if _, err := f.Do(t.Context(), Request{Caller: Caller{Admin: true}}, ResetSession{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := f.views.keptViews
			f.reopen()
			after := f.views.keptViews
			if len(before.kept) > 400 || len(after.kept) != len(before.kept) || len(after.keys) != len(before.keys) {
				t.Errorf("%d revs and %d before them are kept after the restart, before it %d and %d",
					len(after.kept), len(after.keys), len(before.kept), len(before.keys))
			}
			if after.bytes > f.views.budget || after.bytes < before.bytes*99/100 || after.bytes > before.bytes*101/100 {
				t.Errorf("the revs are counted as %d bytes, before the restart %d, budget %d", after.bytes, before.bytes, f.views.budget)
			}
			for i := range min(len(before.kept), len(after.kept)) {
				was, is := before.kept[i], after.kept[i]
				if is.Rev != was.Rev || is.Seq != was.Seq || is.SID != was.SID || is.Tree.Root() != was.Tree.Root() {
					t.Errorf("rev %d, seq %d is kept with the root %s, was rev %d, seq %d with %s", is.Rev, is.Seq, is.Tree.Root(), was.Rev, was.Seq, was.Tree.Root())
				}
				if !bytes.Equal(snapshotOf(is.View), snapshotOf(was.View)) {
					t.Errorf("the snapshot of rev %d differs", is.Rev)
				}
			}
		})
	}
}
