// Package pause waits between two tries of something. What is recorded or replayed
// never depends on it: time that means anything is passed in by the caller.
package pause

import (
	"context"
	"time"
)

// For waits for a time, and reports whether the context lasted that long.
func For(ctx context.Context, d time.Duration) bool { return Unless(ctx, d, nil) }

// Unless waits for a time, or until something comes over a channel, and reports whether
// the context lasted that long.
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

// Stopwatch returns a function that says how long ago it was made, on a clock that
// nobody sets.
func Stopwatch() (elapsed func() time.Duration) {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}
