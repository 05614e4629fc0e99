package world

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/playctl/playctl/protocol"
)

// TestSharedWorldsAgree runs random commands at random worlds with random faults.
// In every case each acknowledged line is stored exactly once, no refused one is
// stored, and all worlds have the same events.
func TestSharedWorldsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := openCluster(t, 3)
		defer c.close()
		h := &trial{c: c, rt: rt, acked: map[string]bool{}, refused: map[string]bool{}}
		a := c.agent(0, 45)
		for n := range rapid.IntRange(5, 40).Draw(rt, "steps") {
			h.step(n, a)
		}
		for _, host := range c.hosts {
			host.Before.Store(0)
			host.After.Store(0)
			host.NoFollow.Store(false)
		}
		c.agree()
		h.check()
	})
}

// TestJumpExceedsAllShownNumbers restarts the store repeatedly, which loses
// the last commits, including jumps, and lets one world after another continue with
// it. Whichever world continues, and whatever it has missed, its first number is
// greater than any that any world has shown.
func TestJumpExceedsAllShownNumbers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := openCluster(t, 3)
		defer c.close()
		const restarts, most = 12, 5
		a := c.agent(0, 45)
		times := rapid.IntRange(2, restarts).Draw(rt, "restarts")
		for n := range times * most {
			c.must(0, a, line(a, fmt.Sprint("kept ", n)))
		}
		c.agree()
		shown := *c.worlds[0].View()
		setDown := func(down bool) {
			for _, host := range c.hosts {
				host.Down.Store(down)
			}
		}
		for range times {
			setDown(true)
			c.server.Restart(rapid.IntRange(0, most).Draw(rt, "lost"))
			c.clock.Advance(time.Duration(rapid.IntRange(150, 2000).Draw(rt, "ms")) * time.Millisecond)
			i := rapid.IntRange(0, 2).Draw(rt, "host")
			c.hosts[i].Down.Store(false)
			eventually(t, "the world continues", func() bool { return c.worlds[i].Refresh(context.Background()) == nil })
			if v := c.worlds[i].View(); v.Seq <= shown.Seq || v.Rev <= shown.Rev {
				rt.Fatalf("world %d jumped to rev %d, seq %d, and rev %d, seq %d was shown", i, v.Rev, v.Seq, shown.Rev, shown.Seq)
			}
			for n := range rapid.IntRange(0, 3).Draw(rt, "lines") {
				c.must(i, a, line(a, fmt.Sprint("line ", n)))
			}
			shown = *c.worlds[i].View()
		}
		setDown(false)
		for i, w := range c.worlds {
			// A world that is waiting for the store may report that it is unavailable.
			eventually(t, fmt.Sprintf("world %d continues", i), func() bool { return w.Refresh(context.Background()) == nil })
		}
		c.agree()
	})
}

type trial struct {
	c              *cluster
	rt             *rapid.T
	acked, refused map[string]bool
	restarts       int
}

func (h *trial) step(n int, a string) {
	i := rapid.IntRange(0, 2).Draw(h.rt, "host")
	host := h.c.hosts[i]
	switch rapid.IntRange(0, 13).Draw(h.rt, "step") {
	case 7:
		_, _ = h.c.do(i, a, acting(a, rapid.SampledFrom(protocol.ActivityStates()).Draw(h.rt, "state"), fmt.Sprint("text ", n)))
	case 0:
		host.After.Store(int64(rapid.IntRange(1, 3).Draw(h.rt, "after")))
	case 1:
		host.Before.Store(int64(rapid.IntRange(1, 3).Draw(h.rt, "before")))
	case 2:
		host.NoFollow.Store(!host.NoFollow.Load())
	case 3:
		h.c.clock.Advance(time.Duration(rapid.IntRange(0, 20).Draw(h.rt, "seconds")) * time.Second)
		if err := h.c.worlds[i].Sweep(context.Background()); err != nil {
			h.rt.Fatalf("sweep at %d: %v", i, err)
		}
	case 4:
		h.c.server.Restart(0)
		h.restarts++
	case 5:
		_, _ = h.c.do(i, a, leasedRegistration(a, fmt.Sprint("c", n), 20))
	case 6:
		_, _ = h.c.do(i, a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	default:
		text := fmt.Sprint("line ", n)
		_, err := h.c.do(i, a, line(a, text))
		switch {
		case err == nil:
			h.acked[text] = true
		case protocol.CodeOf(err) == protocol.CodePlayerUnknown:
			h.refused[text] = true
		default:
			h.rt.Fatalf("line at %d: %v", i, err)
		}
	}
}

func (h *trial) check() {
	var first []string
	for i, w := range h.c.worlds {
		texts := h.c.texts(i)
		for text := range h.acked {
			if texts[text] != 1 {
				h.rt.Fatalf("world %d has the acknowledged %q %d times", i, text, texts[text])
			}
		}
		for text := range h.refused {
			if texts[text] != 0 {
				h.rt.Fatalf("world %d has the refused %q", i, text)
			}
		}
		var frames []string
		for e, err := range w.History(context.Background(), 0, 1<<62) {
			if err != nil {
				h.rt.Fatalf("history of world %d: %v", i, err)
			}
			frames = append(frames, string(e.frame))
		}
		if i == 0 {
			first = frames
		}
		if diff := cmp.Diff(first, frames); diff != "" {
			h.rt.Fatalf("the events of world %d differ from those of world 0:\n%s", i, diff)
		}
		h.checkRing(w, frames)
	}
}

// checkRing compares the frames of live streams with the journal.
func (h *trial) checkRing(w *World, frames []string) {
	events, _, err := w.Events().Since(w.Events().oldest(), make([]*Event, 0, 1000))
	if err != nil {
		h.rt.Fatalf("the ring: %v", err)
	}
	var live []string
	for _, e := range events {
		live = append(live, string(e.frame))
	}
	if len(live) > len(frames) || !slices.Equal(live, frames[len(frames)-len(live):]) {
		h.rt.Fatalf("the events of the ring differ from those of the journal")
	}
}
