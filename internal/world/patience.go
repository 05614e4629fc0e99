package world

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/pause"
)

// patience is how long a request may wait for a shared journal: a caller hears
// within a second that the store does not answer.
const patience = 900 * time.Millisecond

// budget is what is left of a request's patience, in nanoseconds.
type budget struct{ left atomic.Int64 }

type budgetKey struct{}

// Patient returns a context for one request: all that the world asks its store
// with it waits no longer, together, than one command may. Where no other host
// appends to the journal nothing waits for long, and it has no effect.
func (w *World) Patient(ctx context.Context) context.Context {
	b := &budget{}
	b.left.Store(int64(patience))
	return context.WithValue(ctx, budgetKey{}, b)
}

// bounded is a context for one wait for the store, which where hosts share one
// may be long: until the request's patience is over, if it is one, else for the
// whole of it. The function that ends it counts what it took.
func (w *World) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.shared == nil {
		return ctx, func() {}
	}
	b, _ := ctx.Value(budgetKey{}).(*budget)
	if b == nil {
		return context.WithTimeout(ctx, patience)
	}
	// What is asked within this wait has its end already, and is not counted twice.
	inner, cancel := context.WithTimeout(context.WithValue(ctx, budgetKey{}, (*budget)(nil)), time.Duration(b.left.Load()))
	elapsed := pause.Stopwatch()
	return inner, func() {
		cancel()
		b.left.Add(-int64(elapsed()))
	}
}
