package creds

import (
	"context"
	"errors"
	"math"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// gate is a DeriveFunc that reports when it starts and ends on request.
type gate struct {
	started chan string
	finish  chan struct{}
}

func newGate() *gate {
	return &gate{started: make(chan string, 100), finish: make(chan struct{})}
}

func (g *gate) derive(_ PasswHash, rootKey string) (string, error) {
	g.started <- rootKey
	<-g.finish
	return "id of " + rootKey, nil
}

type outcome struct {
	id  string
	err error
}

// ask starts a derivation in a goroutine.
func ask(ctx context.Context, d *Deriver, rootKey string) <-chan outcome {
	out := make(chan outcome, 1)
	go func() {
		id, err := d.NodeID(ctx, netip.Addr{}, HashPhrase("amber"), rootKey)
		out <- outcome{id, err}
	}()
	return out
}

func TestDeriverLimitsRunningAndWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 2, Waiting: 1, Derive: g.derive})
		first, second, third := ask(t.Context(), d, "1"), ask(t.Context(), d, "2"), ask(t.Context(), d, "3")
		synctest.Wait()
		if running, waiting := d.Load(); running != 2 || waiting != 1 {
			t.Fatalf("%d run and %d wait", running, waiting)
		}
		if _, err := d.NodeID(t.Context(), netip.Addr{}, HashPhrase("amber"), "4"); !errors.Is(err, ErrBusy) {
			t.Fatalf("a fourth caller got %v", err)
		}
		close(g.finish)
		for i, got := range []outcome{<-first, <-second, <-third} {
			if got.err != nil || got.id != "id of "+string(rune('1'+i)) {
				t.Errorf("caller %d got %q, %v", i+1, got.id, got.err)
			}
		}
	})
}

func TestDeriverCancelsWaitingCallersOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 1, Waiting: 1, Derive: g.derive})
		why := errors.New("the client hung up")
		runCtx, stopRunning := context.WithCancelCause(t.Context())
		waitCtx, stopWaiting := context.WithCancelCause(t.Context())
		running := ask(runCtx, d, "running")
		synctest.Wait()
		waiting := ask(waitCtx, d, "waiting")
		synctest.Wait()
		stopWaiting(why)
		if got := <-waiting; !errors.Is(got.err, why) {
			t.Errorf("the waiting caller got %v", got.err)
		}
		if _, n := d.Load(); n != 0 {
			t.Errorf("%d still wait", n)
		}
		stopRunning(why)
		close(g.finish)
		if got := <-running; got.err != nil || got.id != "id of running" {
			t.Errorf("the running caller got %q, %v", got.id, got.err)
		}
		if _, err := d.NodeID(waitCtx, netip.Addr{}, HashPhrase("amber"), "late"); !errors.Is(err, why) {
			t.Errorf("a canceled caller got %v", err)
		}
		if n := len(g.started); n != 1 {
			t.Errorf("%d derivations ran", n)
		}
	})
}

// Callers wait in the order of their arrival.
func TestDeriverServesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 1, Waiting: 3, Derive: g.derive})
		var order []string
		var all []<-chan outcome
		for _, name := range []string{"1", "2", "3", "4"} {
			all = append(all, ask(t.Context(), d, name))
			synctest.Wait()
		}
		close(g.finish)
		for _, out := range all {
			if got := <-out; got.err != nil {
				t.Error(got.err)
			}
			order = append(order, <-g.started)
		}
		if want := []string{"1", "2", "3", "4"}; !slices.Equal(order, want) {
			t.Errorf("the turns are %v, want %v", order, want)
		}
	})
}

// A site may take a quarter of the places, callers without one all of them.
func TestDeriverPlacesOfSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 1, Waiting: 8, Derive: g.derive})
		first, second := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::")
		var all sync.WaitGroup
		asks := func(site netip.Addr, n int) (refused int) {
			var busy atomic.Int64
			for range n {
				all.Go(func() {
					switch _, err := d.NodeID(t.Context(), site, HashPhrase("amber"), ""); {
					case errors.Is(err, ErrBusy):
						busy.Add(1)
					case err != nil:
						t.Error(err)
					}
				})
				synctest.Wait()
			}
			return int(busy.Load())
		}
		if got := asks(first, 5); got != 2 { // One runs and two wait.
			t.Errorf("%d of 5 callers of a site were refused, want 2", got)
		}
		if got := asks(second, 3); got != 1 {
			t.Errorf("%d of 3 callers of another site were refused, want 1", got)
		}
		if got := asks(netip.Addr{}, 5); got != 1 {
			t.Errorf("%d of 5 callers without a site were refused, want 1", got)
		}
		close(g.finish)
		all.Wait()
		if got := asks(first, 1); got != 0 {
			t.Error("a place was not freed")
		}
		if running, waiting := d.Load(); running != 0 || waiting != 0 || len(d.sites) != 0 {
			t.Errorf("%d run, %d wait, of %d sites", running, waiting, len(d.sites))
		}
	})
}

func TestDeriverFreesMemoryWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDeriver(DeriverOptions{Derive: func(PasswHash, string) (string, error) { return "id", nil }})
		freed := 0
		d.free = func() { freed++ }
		wait := func(after time.Duration, want int) {
			<-time.After(after)
			d.FreeMemory()
			if freed != want {
				t.Errorf("memory was returned %d times, want %d", freed, want)
			}
		}
		wait(time.Minute, 0)
		for range 2 {
			if _, err := d.NodeID(t.Context(), netip.Addr{}, HashPhrase("amber"), ""); err != nil {
				t.Fatal(err)
			}
			wait(4*time.Second, 0)
		}
		wait(time.Second, 1)
		wait(time.Minute, 1)
	})
}

// Whatever callers do, no more than Running derivations run at once, and every
// caller gets one of the documented replies.
func TestDeriverUnderRandomCallers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		running := rapid.IntRange(1, 4).Draw(rt, "running")
		waiting := rapid.IntRange(1, 4).Draw(rt, "waiting")
		callers := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(rt, "callers that give up")
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int64
			d := NewDeriver(DeriverOptions{Running: running, Waiting: waiting, Derive: func(PasswHash, string) (string, error) {
				most.Store(max(most.Load(), now.Add(1)))
				<-time.After(time.Second)
				now.Add(-1)
				return "id", nil
			}})
			var group sync.WaitGroup
			var served, busy, gone atomic.Int64
			for _, impatient := range callers {
				group.Go(func() {
					ctx, cancel := t.Context(), context.CancelFunc(func() {})
					if impatient {
						ctx, cancel = context.WithTimeout(ctx, 500*time.Millisecond)
					}
					defer cancel()
					switch _, err := d.NodeID(ctx, netip.Addr{}, HashPhrase("amber"), ""); {
					case err == nil:
						served.Add(1)
					case errors.Is(err, ErrBusy):
						busy.Add(1)
					case errors.Is(err, context.DeadlineExceeded):
						gone.Add(1)
					default:
						t.Errorf("got %v", err)
					}
				})
			}
			group.Wait()
			if most.Load() > int64(running) {
				t.Errorf("%d ran at once, want at most %d", most.Load(), running)
			}
			if admitted := int64(min(len(callers), running+waiting)); served.Load()+gone.Load() != admitted || busy.Load() != int64(len(callers))-admitted {
				t.Errorf("of %d callers %d were served, %d gave up and %d were refused", len(callers), served.Load(), gone.Load(), busy.Load())
			}
			if served.Load() < int64(min(len(callers), running)) {
				t.Error("an admitted caller was not served")
			}
		})
	})
}

func TestDerivationsRespectMemoryLimit(t *testing.T) {
	was := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
	for _, c := range []struct {
		limit       int64
		cores, want int
	}{
		{math.MaxInt64, 1, 1}, {math.MaxInt64, 2, 1}, {math.MaxInt64, 4, 2}, {math.MaxInt64, 64, 2},
		{256 << 20, 8, 1}, {1 << 30, 8, 2}, {8 << 30, 8, 2},
	} {
		debug.SetMemoryLimit(c.limit)
		if got := DefaultRunning(c.cores); got != c.want {
			t.Errorf("%d cores and %d bytes: %d at once, want %d", c.cores, c.limit, got, c.want)
		}
	}
}
