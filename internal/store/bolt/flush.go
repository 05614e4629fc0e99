package bolt

import (
	"context"
	"sync"
	"time"
)

// Commits are moved into the database when they are a second old, or flushBytes
// wait.
const (
	flushAfter = time.Second
	flushBytes = 1 << 20
)

// flusher is the goroutine that moves commits from the write-ahead log into the
// database.
type flusher struct {
	// flushing serializes flushes.
	flushing sync.Mutex
	// some has a value while any commits wait, enough while many do.
	some, enough chan struct{}
	stop         context.CancelFunc
	done         chan struct{}
}

// end stops the goroutine and waits for it.
func (f *flusher) end() {
	if f.stop != nil {
		f.stop()
		<-f.done
		f.stop = nil
	}
}

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// run flushes until the context ends. After an error it tries again after a second.
func (f *flusher) run(ctx context.Context, flush func(context.Context) error) {
	defer close(f.done)
	enough := f.enough
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.some:
		}
		timer := time.NewTimer(flushAfter)
		select {
		case <-ctx.Done():
		case <-enough:
		case <-timer.C:
		}
		timer.Stop()
		enough = f.enough
		if flush(ctx) != nil {
			enough = nil
			signal(f.some)
		}
	}
}

// flush moves the waiting commits into the database.
func (w *writer) flush(ctx context.Context) error {
	w.flusher.flushing.Lock()
	defer w.flusher.flushing.Unlock()
	waiting := w.pending.all()
	if len(waiting) == 0 {
		return nil
	}
	err := w.database.extend(ctx, waiting, nil)
	if err == nil {
		w.pending.flushed(waiting)
	}
	return err
}
