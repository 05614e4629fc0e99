package sdk

import (
	"context"
	"time"
)

// Hold keeps a program going while its agents stay on the map.
type Hold struct{ world *RemotePlayWorld }

// Hold gives the world's hold.
func (w *RemotePlayWorld) Hold() Hold { return Hold{world: w} }

// For waits for a time. It returns nil when the time has passed, the context's
// cause when that ends first, and ErrClosed when the world is closed.
func (h Hold) For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	return h.wait(ctx, timer.C)
}

// Forever waits until the context ends, and returns its cause, or until the
// world is closed, and returns ErrClosed.
func (h Hold) Forever(ctx context.Context) error { return h.wait(ctx, nil) }

func (h Hold) wait(ctx context.Context, passed <-chan time.Time) error {
	select {
	case <-passed:
		return nil
	case <-h.world.life.Done():
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
