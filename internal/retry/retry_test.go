package retry_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/retry"
)

func TestWaitsGrowUpToLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := retry.Backoff{
			First: time.Duration(rapid.Int64Range(1, 1<<52).Draw(t, "first")),
			Max:   time.Duration(rapid.Int64Range(1, 1<<52).Draw(t, "max")),
		}
		failures := rapid.IntRange(1, 200).Draw(t, "failures")
		full := b.Max
		if doubled := math.Ldexp(float64(b.First), failures-1); doubled < float64(b.Max) {
			full = b.First << (failures - 1)
		}
		if wait := b.After(failures); wait < full/2 || wait > full {
			t.Fatalf("After(%d) = %v, want %v to %v", failures, wait, full/2, full)
		}
	})
}

// Programs that failed together retry at different times.
func TestWaitsDiffer(t *testing.T) {
	t.Parallel()
	b := retry.Backoff{First: time.Hour, Max: time.Hour}
	for range 100 {
		if first, second := b.After(1), b.After(1); first != second {
			return
		}
	}
	t.Error("100 pairs of waits are equal")
}

func TestNext(t *testing.T) {
	t.Parallel()
	p := retry.Policy{Attempts: 3, Backoff: retry.Backoff{First: time.Second, Max: 10 * time.Second}}
	for _, c := range []struct {
		failed      int
		requested   time.Duration
		least, most time.Duration
		ok          bool
	}{
		{1, 0, time.Second / 2, time.Second, true},
		{2, 0, time.Second, 2 * time.Second, true},
		{3, 0, 2 * time.Second, 4 * time.Second, false},
		{1, 7 * time.Second, 7 * time.Second, 7 * time.Second, true},
		{1, 10 * time.Second, 10 * time.Second, 10 * time.Second, true},
		{1, 11 * time.Second, 11 * time.Second, 11 * time.Second, false},
	} {
		wait, ok := p.Next(c.failed, c.requested)
		if wait < c.least || wait > c.most || ok != c.ok {
			t.Errorf("Next(%d, %v) = %v, %v", c.failed, c.requested, wait, ok)
		}
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := retry.Backoff{First: time.Minute, Max: time.Minute}
		start := time.Now()
		if !b.Wait(t.Context(), 1) || time.Since(start) < time.Minute/2 {
			t.Errorf("the wait took %v", time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		if b.Wait(ctx, 1) || time.Since(start) != time.Second {
			t.Errorf("the wait took %v, want the context's second and false", time.Since(start))
		}
	})
}

func TestJitter(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{-1, 0, 1, time.Second} {
		if d := retry.Jitter(limit); d < 0 || d > max(0, limit-1) {
			t.Errorf("Jitter(%v) = %v", limit, d)
		}
	}
}
