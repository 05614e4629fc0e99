package world

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// While a disk does not answer, every caller gets a reply after maxCommit, later ones
// at once, and the world is not healthy. When the disk answers again, so does the world,
// and the write that hung is there once.
func TestLateCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, journal := openFaulty(t)
		owner := f.main("owner")
		a := f.agent(owner, "a")
		f.as(a, registration(a))
		disk := make(chan struct{})
		journal.beforeCommit = func() { <-disk }
		elapsed := pause.Stopwatch()
		var asking sync.WaitGroup
		asking.Go(func() {
			_, err := f.try(a, line(a, "in progress"))
			wantCode(t, err, protocol.CodeStoreUnavailable)
		})
		synctest.Wait()
		for range 3 * queueLength {
			asking.Go(func() {
				_, err := f.try(a, line(a, "late"))
				wantCode(t, err, protocol.CodeStoreUnavailable)
			})
		}
		asking.Go(func() { _ = f.Sweep(t.Context()) })
		asking.Wait()
		if took := elapsed(); took != maxCommit {
			t.Errorf("the callers waited %v", took)
		}
		for range 3 {
			if err := f.Healthy(t.Context()); store.Reason(err) == "" {
				t.Errorf("Healthy returns %v while a commit is late", err)
			}
			if err := f.Sweep(t.Context()); store.Reason(err) == "" {
				t.Errorf("Sweep returns %v while a commit is late", err)
			}
			_, err := f.try(a, line(a, "refused"))
			wantCode(t, err, protocol.CodeStoreUnavailable)
		}
		if took := elapsed(); took != maxCommit {
			t.Errorf("the callers during a late commit waited %v", took-maxCommit)
		}
		journal.beforeCommit = nil
		close(disk)
		synctest.Wait()
		if err := f.Healthy(t.Context()); err != nil {
			t.Errorf("Healthy returns %v after the commit", err)
		}
		f.as(a, line(a, "after"))
		lines, err := f.Interactions(t.Context(), protocol.ListRequest{Limit: 10})
		if err != nil || len(lines.Records) != 2 {
			t.Errorf("%d lines (%v), want the one that hung and the one after", len(lines.Records), err)
		}
		f.check()
	})
}

// Many commits that take just less than maxCommit are not late.
func TestSlowCommitsAreNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, journal := openFaulty(t)
		owner := f.main("owner")
		a := f.agent(owner, "a")
		f.as(a, registration(a))
		journal.beforeCommit = func() { pause.For(t.Context(), maxCommit-time.Millisecond) }
		for range 3 {
			f.as(a, line(a, "slow"))
			if err := f.Healthy(t.Context()); err != nil {
				t.Errorf("Healthy returns %v", err)
			}
		}
		journal.beforeCommit = nil
	})
}

// An alarm that rings while its commit ends does not concern the next one.
func TestStrayAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l late
		l.prepare(func(error) { t.Error("a commit that has just begun is reported") })
		l.begin()
		l.mu.Lock()
		pause.For(t.Context(), maxCommit)
		// The alarm waits for the lock.
		l.running, l.stray = false, 1
		l.mu.Unlock()
		l.begin()
		synctest.Wait()
		if l.is() {
			t.Error("the next commit is late at once")
		}
		l.end()
	})
}
