package world

import (
	"fmt"
	"testing"

	"github.com/playctl/playctl/chain"
)

// TestPastRevsSurviveARestart asks for every rev that must stay readable, before
// and after a restart that began at a checkpoint.
func TestPastRevsSurviveARestart(t *testing.T) {
	f := open(t, func(o *Options) { o.CheckpointEvery = 100 })
	a := f.agent(f.main("owner"), "a")
	roots := map[uint64]chain.Digest{0: f.View().Tree.Root()}
	for i := range 2*pastRevs + 500 {
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
			t.Errorf("%s: a rev that is gone gives rev %d, want the present one, %d", when, v.Rev, head)
		}
		f.reopen()
	}
	if f.lastCheckpoint == 0 {
		t.Error("the world was recovered without a checkpoint, so the test shows nothing")
	}
}
