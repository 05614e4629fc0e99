package host

import (
	"context"
	"sync"
	"time"
)

// refreshEvery is the least time between two accesses to the store for callers that are
// refused: however many there are, and whatever credentials they show, they cause no more.
const refreshEvery = 10 * time.Millisecond

// freshness reads the store for callers that wait. Each of them gets the result of a read
// that began after its call.
type freshness struct {
	mu   sync.Mutex
	next *freshRead // nil if nobody waits for the next read to begin
	last time.Time  // when the last one began
}

// refreshForRefusal makes the view as new as the store was at its call, before a caller is
// refused.
func (h *Host) refreshForRefusal(ctx context.Context) error {
	if h.world.SoleHost() {
		return nil
	}
	return h.fresh.read(ctx, func(ctx context.Context) error {
		// The wait of the first caller is not that of the others.
		return h.world.Refresh(h.world.WithStoreWait(ctx))
	})
}

// freshRead is one access to the store. err is set before done is closed.
type freshRead struct {
	done chan struct{}
	err  error
}

// read returns the result of the next access, or the context's error. The first caller of
// an access carries it out for all, also after its own context has ended.
func (f *freshness) read(ctx context.Context, access func(context.Context) error) error {
	f.mu.Lock()
	r, first := f.next, f.next == nil
	if first {
		r = &freshRead{done: make(chan struct{})}
		f.next = r
	}
	wait := refreshEvery - time.Since(f.last)
	f.mu.Unlock()
	if !first {
		select {
		case <-r.done:
			return r.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer close(r.done)
	if wait > 0 {
		<-time.After(wait)
	}
	f.mu.Lock()
	f.next, f.last = nil, time.Now()
	f.mu.Unlock()
	r.err = access(context.WithoutCancel(ctx))
	return r.err
}
