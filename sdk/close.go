package sdk

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// disconnectTimeout bounds the disconnects of a world that is closed, where no
// deadline does: agents whose host is away are left to their leases.
const disconnectTimeout = 3 * time.Second

// OnClose adds a function that Close calls once, after the functions that were
// added before. On a world that is closed it is called at once.
func (w *RemotePlayWorld) OnClose(f func()) {
	w.mu.Lock()
	if !w.closed {
		w.onClose = append(w.onClose, f)
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	f()
}

// Close takes the world's agents off the map, ends its heartbeats and
// subscriptions and waits for them. Calls under way end with ErrClosed. An
// agent that could not be disconnected is in the error; its lease ends it. Close
// may be called again: it then waits for the first call's end and returns its
// error.
func (w *RemotePlayWorld) Close(ctx context.Context) error {
	w.closing.Do(func() { w.closeErr = w.shutdown(ctx) })
	return w.closeErr
}

func (w *RemotePlayWorld) shutdown(ctx context.Context) error {
	w.mu.Lock()
	w.closed = true
	agents, onClose := w.agents, w.onClose
	w.agents = map[string]*Agent{}
	w.mu.Unlock()
	w.end(ErrClosed)
	w.tasks.Wait()
	err := disconnectAll(ctx, agents)
	for _, f := range onClose {
		f()
	}
	w.client.Close()
	return err
}

// disconnectAll takes agents off the map, all at once.
func disconnectAll(ctx context.Context, agents map[string]*Agent) error {
	if _, has := ctx.Deadline(); !has {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, disconnectTimeout)
		defer cancel()
	}
	var (
		running sync.WaitGroup
		mu      sync.Mutex
		failed  error
	)
	for _, a := range agents {
		running.Go(func() {
			if err := a.leave(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, fmt.Errorf("disconnect the agent %s: %w", a.PlayerID(), err))
			}
		})
	}
	running.Wait()
	return failed
}
