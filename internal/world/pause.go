package world

import (
	"context"
	"time"
)

// pause waits for a time, and tells whether the context lasted that long. It is
// for when a store is asked again, and decides nothing of the world, whose time
// is passed in.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d) //nolint:forbidigo // See above: nothing that is replayed depends on it.
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
