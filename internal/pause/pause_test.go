package pause_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if !pause.For(t.Context(), time.Minute) || time.Since(start) != time.Minute {
			t.Errorf("the pause took %v, want a minute and true", time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start = time.Now()
		if pause.For(ctx, time.Minute) || time.Since(start) != time.Second {
			t.Errorf("the pause took %v, want the context's second and false", time.Since(start))
		}
	})
}

func TestStopwatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		elapsed := pause.Stopwatch()
		for _, want := range []time.Duration{0, time.Second, 2 * time.Second} {
			if got := elapsed(); got != want {
				t.Errorf("the stopwatch shows %v, want %v", got, want)
			}
			pause.For(t.Context(), time.Second)
		}
	})
}

func TestUnless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{}, 1)
		elapsed := pause.Stopwatch()
		if !pause.Unless(t.Context(), time.Second, wake) || elapsed() != time.Second {
			t.Errorf("the pause took %v, want a second and true", elapsed())
		}
		wake <- struct{}{}
		if !pause.Unless(t.Context(), time.Minute, wake) || elapsed() != time.Second {
			t.Errorf("the pause took until %v, want an immediate end", elapsed())
		}
	})
}

func TestAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rung atomic.Int32
		alarm := pause.NewAlarm(time.Minute, func() { rung.Add(1) })
		pause.For(t.Context(), 2*time.Minute)
		alarm.Set()
		pause.For(t.Context(), 59*time.Second)
		if !alarm.Unset() || rung.Load() != 0 {
			t.Errorf("it rang %d times before its time", rung.Load())
		}
		alarm.Set()
		pause.For(t.Context(), 2*time.Minute)
		if alarm.Unset() || rung.Load() != 1 {
			t.Errorf("it rang %d times, want once", rung.Load())
		}
	})
}
