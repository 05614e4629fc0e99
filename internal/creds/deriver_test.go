package creds

import (
	"context"
	"errors"
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
		id, err := d.NodeID(ctx, Origin{}, HashPhrase("amber"), rootKey)
		out <- outcome{id, err}
	}()
	return out
}

func TestDeriverLimitsRunningAndWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 2, Waiting: 1, Derive: g.derive, Release: func() {}})
		defer d.Close()
		first, second, third := ask(t.Context(), d, "1"), ask(t.Context(), d, "2"), ask(t.Context(), d, "3")
		synctest.Wait()
		if running, waiting := d.Load(); running != 2 || waiting != 1 {
			t.Fatalf("%d run and %d wait", running, waiting)
		}
		if _, err := d.NodeID(t.Context(), Origin{}, HashPhrase("amber"), "4"); !errors.Is(err, ErrBusy) {
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
		d := NewDeriver(DeriverOptions{Running: 1, Waiting: 1, Derive: g.derive, Release: func() {}})
		defer d.Close()
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
		if _, err := d.NodeID(waitCtx, Origin{}, HashPhrase("amber"), "late"); !errors.Is(err, why) {
			t.Errorf("a canceled caller got %v", err)
		}
		if n := len(g.started); n != 1 {
			t.Errorf("%d derivations ran", n)
		}
	})
}

func TestDeriverClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		d := NewDeriver(DeriverOptions{Running: 1, Waiting: 1, Derive: g.derive, Release: func() { t.Error("released after Close") }})
		running := ask(t.Context(), d, "running")
		synctest.Wait()
		waiting := ask(t.Context(), d, "waiting")
		synctest.Wait()
		closed := make(chan struct{})
		go func() {
			d.Close()
			d.Close()
			close(closed)
		}()
		if got := <-waiting; !errors.Is(got.err, ErrClosed) {
			t.Errorf("the waiting caller got %v", got.err)
		}
		synctest.Wait()
		select {
		case <-closed:
			t.Error("Close did not wait for the running derivation")
		default:
		}
		close(g.finish)
		if got := <-running; got.err != nil {
			t.Errorf("the running caller got %v", got.err)
		}
		<-closed
		if _, err := d.NodeID(t.Context(), Origin{}, HashPhrase("amber"), "late"); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestDeriverReleasesOnceAfterTheLastDerivation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var releases []time.Duration
		d := NewDeriver(DeriverOptions{
			Running: 1, Idle: 5 * time.Second,
			Derive: func(PasswHash, string) (string, error) {
				<-time.After(time.Second)
				return "", errors.New("a failed derivation used memory too")
			},
			Release: func() { releases = append(releases, time.Since(start)) },
		})
		derive := func() {
			if _, err := d.NodeID(t.Context(), Origin{}, HashPhrase("amber"), ""); err == nil {
				t.Error("the error was lost")
			}
		}
		derive()                      // ends at 1 s
		<-time.After(3 * time.Second) // not idle for long enough
		derive()                      // ends at 5 s
		<-time.After(time.Minute)     // released at 10 s, once
		derive()                      // ends at 66 s
		d.Close()                     // before it is released
		<-time.After(time.Minute)
		if len(releases) != 1 || releases[0] != 10*time.Second {
			t.Errorf("released at %v", releases)
		}
	})
}

func TestDeriverRefusedCallersDoNotRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := NewDeriver(DeriverOptions{Release: func() { t.Error("released without a derivation") }})
		defer d.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.NodeID(ctx, Origin{}, HashPhrase("amber"), ""); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		<-time.After(time.Hour)
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
			}, Release: func() {
				if now.Load() != 0 {
					t.Error("released while deriving")
				}
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
					switch _, err := d.NodeID(ctx, Origin{}, HashPhrase("amber"), ""); {
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
			d.Close()
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
