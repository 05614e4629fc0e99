package world

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/protocol"
)

// A host that is behind the store is not ready, and becomes ready as soon as it has
// caught up.
func TestHostBehindStoreIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := openCluster(t, 2)
		defer c.close()
		a := c.agent(0, 45)
		c.agree()
		behind := c.worlds[1]
		if err := behind.Healthy(t.Context()); err != nil {
			t.Fatalf("a host at the head: %v", err)
		}
		c.hosts[1].NoFollow.Store(true)
		c.must(0, a, line(a, "not replicated"))
		healthy := make(chan error, 1)
		go func() { healthy <- behind.Healthy(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-healthy:
			t.Fatalf("a host without the last line returns %v", err)
		default:
		}
		if err := behind.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-healthy; err != nil {
			t.Errorf("a host at the head again: %v", err)
		}

		c.must(0, a, line(a, "nor of this"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		wantCode(t, behind.Healthy(ctx), protocol.CodeStoreUnavailable)
	})
}

// A host that could not follow the others for a long time is ready as soon as the
// store answers again, without waiting for its next attempt.
func TestHostIsReadyAfterStoreRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, again := range map[string]func(*World) error{
			"by a health check": func(*World) error { return nil },
			"by a command":      func(w *World) error { return w.Refresh(t.Context()) },
		} {
			c := openCluster(t, 2)
			a := c.agent(0, 45)
			w := c.worlds[1]
			c.hosts[1].Down.Store(true)
			c.must(0, a, line(a, "it wakes the follower"))
			pause.For(t.Context(), time.Minute)
			if w.Stale() == nil {
				t.Fatalf("%s: the host does not report its failed follower", name)
			}
			c.hosts[1].Down.Store(false)
			elapsed := pause.Stopwatch()
			if err := again(w); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := w.Healthy(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if took := elapsed(); took > 2*followAgain.First {
				t.Errorf("%s: the host was ready after %v", name, took)
			}
			c.close()
		}
	})
}
