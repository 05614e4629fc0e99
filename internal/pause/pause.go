// Package pause waits between two attempts. Recorded or replayed data never depends
// on it: a caller passes in any time that has a meaning.
package pause

import (
	"context"
	"math"
	"time"
)

// For waits for a time, and reports whether the context did not end before.
func For(ctx context.Context, d time.Duration) bool { return Unless(ctx, d, nil) }

// Unless waits for a time, or until the channel wakes it, and reports whether the
// context did not end before.
func Unless(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-wake:
		return true
	case <-ctx.Done():
		return false
	}
}

// Alarm calls a function at the end of a time for which it was set.
type Alarm struct {
	after time.Duration
	timer *time.Timer
}

// NewAlarm returns an alarm that is not set.
func NewAlarm(after time.Duration, ring func()) *Alarm {
	timer := time.AfterFunc(math.MaxInt64, ring)
	timer.Stop()
	return &Alarm{after, timer}
}

// Set makes the alarm ring once, after its time.
func (a *Alarm) Set() { a.timer.Reset(a.after) }

// Unset reports whether it kept the alarm from ringing: it may have rung, or be about to.
func (a *Alarm) Unset() bool { return a.timer.Stop() }

// Stopwatch returns a function that returns the time since its creation, on a
// monotonic clock.
func Stopwatch() (elapsed func() time.Duration) {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
