package world

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// World is a running engine. Make one with Open.
type World struct {
	options  Options
	registry *Registry
	// shared is nil where no other host appends to the journal.
	shared   *sharing
	log      *EventLog
	views    *viewRing
	view     atomic.Pointer[View]
	changed  atomic.Pointer[chan struct{}]
	resetSeq atomic.Uint64
	// stale is why the last commit or read of the journal failed; nil once a
	// commit worked again.
	stale atomic.Pointer[error]

	// start is where the monotonic clock of leases began.
	start time.Time

	// intake guards queue against being closed while somebody sends.
	intake sync.RWMutex
	closed bool
	queue  chan *job

	checkpoints chan *View
	writer      sync.WaitGroup
	closing     sync.Once
	closeErr    error

	// state is the writer's, as are the fields below it.
	state          *state
	uncertain      bool
	round          *round
	lastCheckpoint store.Position
}

// job is a command on its way through the writer.
type job struct {
	ctx     context.Context //nolint:containedctx // the caller's, carried through the queue to the writer
	req     Request
	command Command
	done    chan struct{}
	reply   Reply
	err     error
}

// queueLength bounds how many commands wait; past it callers block.
const queueLength = 1024

// Do runs a command. When it returns nil the command is on stable storage and
// in the world's View. A *protocol.Error other than store_unavailable means that
// nothing was changed; store_unavailable, or the context's error, leaves the
// outcome unknown.
func (w *World) Do(ctx context.Context, req Request, command Command) (Reply, error) {
	if w.shared != nil {
		return w.doShared(ctx, req, command)
	}
	j := &job{ctx: ctx, req: req, command: command, done: make(chan struct{})}
	if err := w.send(ctx, j); err != nil {
		return Reply{}, err
	}
	select {
	case <-j.done:
		return j.reply, j.err
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	}
}

func (w *World) send(ctx context.Context, j *job) error {
	w.intake.RLock()
	defer w.intake.RUnlock()
	if w.closed {
		return protocol.Errorf(protocol.CodeShuttingDown, "the host is shutting down: nothing was changed; repeat the request in a moment")
	}
	select {
	case w.queue <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// View is the newest committed view.
func (w *World) View() *View { return w.view.Load() }

// ViewAt is the view of a rev where it is still kept, else the newest.
func (w *World) ViewAt(rev uint64) *View {
	if v := w.views.at(rev); v != nil {
		return v
	}
	return w.View()
}

// WaitRev waits until the view has at least a rev.
func (w *World) WaitRev(ctx context.Context, rev uint64) error {
	return w.waitFor(ctx, func(v *View) bool { return v.Rev >= rev })
}

// waitFor waits until the view is one that holds.
func (w *World) waitFor(ctx context.Context, holds func(*View) bool) error {
	for {
		wake := *w.changed.Load()
		if holds(w.View()) {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Events is the ring of the newest events.
func (w *World) Events() *EventLog { return w.log }

// Registry is the committed nodes.
func (w *World) Registry() *Registry { return w.registry }

// Healthy tells whether the store answers and, where hosts share it, whether this
// one hears of the others and has all that the store had when it was asked: it waits
// for that.
func (w *World) Healthy(ctx context.Context) error {
	head, err := w.options.Journal.Head(ctx)
	if err == nil && w.shared != nil {
		w.shared.rouse()
		err = w.waitFor(ctx, func(v *View) bool { return w.shared.deaf.Load() == nil && v.at >= head })
	}
	if err == nil {
		err = w.Stale()
	}
	if err != nil {
		return unavailable(err)
	}
	return nil
}

// Now is the world's time: the store's where several hosts share one, so that
// they agree on what has ended.
func (w *World) Now() time.Time { return w.options.Now() }

// Stale is why the view may be behind the store: the last commit failed, or
// nothing is heard of other hosts. It is nil while all is well.
func (w *World) Stale() error {
	if err := w.stale.Load(); err != nil {
		return *err
	}
	if w.shared != nil {
		if err := w.shared.deaf.Load(); err != nil {
			return *err
		}
	}
	return nil
}

// Close stops taking commands, finishes those that wait, writes a checkpoint
// and stops the writer. It may be called twice. The journal stays open.
func (w *World) Close(ctx context.Context) error {
	w.closing.Do(func() {
		w.intake.Lock()
		w.closed = true
		close(w.queue)
		w.intake.Unlock()
	})
	done := make(chan struct{})
	go func() {
		w.writer.Wait()
		close(done)
	}()
	select {
	case <-done:
		return w.closeErr
	case <-ctx.Done():
		return errors.Join(errors.New("world: the writer has not finished"), ctx.Err())
	}
}

// monotonic is the time since the world was opened, in nanoseconds.
func (w *World) monotonic(now time.Time) int64 { return int64(now.Sub(w.start)) }
