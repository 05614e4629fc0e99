// Package world is the engine: commands in, events out. One goroutine owns a
// world's state; it plans each command into an effect, applies it in memory,
// commits what is waiting as one batch to the journal, then publishes an immutable
// View and the events, and replies. It does not depend on HTTP, files or clocks:
// time and randomness are passed in, so a run can be replayed.
package world

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// World is a running engine. Open creates one.
type World struct {
	keyUses  keyUses
	options  Options
	registry *Registry
	// listeners are the open streams through which programs answer for agents.
	listeners *listeners
	log       *EventLog
	views     *pastViews
	view      atomic.Pointer[View]
	changed   atomic.Pointer[chan struct{}]
	resetSeq  atomic.Uint64
	// stale is the error of the last failed commit or read of the journal; nil once a
	// commit has succeeded again.
	stale atomic.Pointer[error]
	// unwritten is the size of the largest write that failed, in bytes as of job.size; 0
	// once one of about that size has succeeded. The writer changes it.
	unwritten atomic.Int64
	late      late
	damage    damage
	// stopReading ends the reading of the whole store, nil if there is none.
	stopReading context.CancelFunc

	// forgot is when a sweep last forgot old records, in nanoseconds since the Unix
	// epoch; 0 for never.
	forgot atomic.Int64
	// remembered are how many ids of each kind the store had at the last sweep.
	remembered [len(rememberedKinds)]atomic.Int64

	queue *queue
	// reads has a place for each piece of the journal that is being read for streams.
	reads chan struct{}

	checkpoints chan *View
	// journal is the size of the journal, as far as this host knows.
	journal journalWeight
	writer  sync.WaitGroup

	// state belongs to the writer, as do the fields below it.
	state          *state
	replica        replica
	loop           *commitLoop
	lastCheckpoint store.Position
	// grown is how many bytes of entries came since the last checkpoint.
	grown uint64
}

// job is a command on its way through the writer.
type job struct {
	ctx     context.Context //nolint:containedctx // the caller's, carried through the queue to the writer
	req     Request
	command Command
	// late is closed when the callers do not wait any longer because a commit is late.
	late  <-chan struct{}
	done  chan struct{}
	reply Reply
	err   error
	next  *job // of the same account, in the queue
}

// gone returns why the caller stopped waiting, nil if it waits.
func (j *job) gone() error {
	select {
	case <-j.late:
		return errLate
	default:
		return j.ctx.Err()
	}
}

// wait waits until the job is done or its caller has to leave, and returns its error.
func (j *job) wait() error {
	select {
	case <-j.done:
		return j.err
	case <-j.late:
		return errLate
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

// size is about the number of bytes that the job writes, 0 for one that only reads.
func (j *job) size() int64 {
	switch c := j.command.(type) {
	case refresh:
		return 0
	case probe:
		if !c.remove {
			return probeSize
		}
	}
	return int64(max(minSize, j.req.BodyBytes))
}

// Do runs a command. When it returns nil the command is on stable storage and
// in the world's View. A *protocol.Error other than store_unavailable means that
// nothing was changed; store_unavailable, or the context's error, leaves the
// outcome unknown.
func (w *World) Do(ctx context.Context, req Request, command Command) (Reply, error) {
	bound, cancel := w.bounded(ctx)
	defer cancel()
	j := &job{ctx: bound, req: req, command: command, late: w.late.sign(), done: make(chan struct{})}
	err := w.queue.send(w.registry.queueAccount(&req.Caller), j)
	if err == nil {
		if err = j.wait(); err == nil {
			return j.reply, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return Reply{}, ctx.Err()
	case errors.Is(err, errLate):
		return Reply{}, unavailable(err)
	case bound.Err() != nil && errors.Is(err, bound.Err()):
		err = fmt.Errorf("%w: no answer within %v", store.ErrUnavailable, patience)
		if why := w.Stale(); why != nil {
			err = fmt.Errorf("%w: %w", err, why)
		}
		return Reply{}, unavailable(err)
	}
	return Reply{}, err
}

// patience is how long a request may wait for a store that several hosts use:
// within a second a caller gets the reply that the store does not respond.
const patience = 900 * time.Millisecond

// commitPatience is how long a commit may wait for such a store: its callers still wait
// then, and get the reason.
const commitPatience = patience - 50*time.Millisecond

// budget is the rest of a request's patience, in nanoseconds.
type budget struct{ left atomic.Int64 }

type budgetKey struct{}

// WithStoreWait returns a context for one request: all accesses to the store with it
// together wait no longer than one command may. It has no effect on a store that
// only this host uses, which answers or fails without waiting.
func (w *World) WithStoreWait(ctx context.Context) context.Context {
	b := &budget{}
	b.left.Store(int64(patience))
	return context.WithValue(ctx, budgetKey{}, b)
}

// bounded returns a context for one wait for a store that may take long to answer.
// It ends with the request's budget, if the request has one, else after patience.
// The cancel function deducts the time of the wait from the budget.
func (w *World) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if w.SoleHost() {
		return ctx, func() {}
	}
	b, _ := ctx.Value(budgetKey{}).(*budget)
	if b == nil {
		return context.WithTimeout(ctx, patience)
	}
	// An access within this wait has its deadline already, and is not counted twice.
	inner, cancel := context.WithTimeout(context.WithValue(ctx, budgetKey{}, (*budget)(nil)), time.Duration(b.left.Load()))
	elapsed := pause.Stopwatch()
	return inner, func() {
		cancel()
		b.left.Add(-int64(elapsed()))
	}
}

// get reads a record in one wait for the store.
func (w *World) get(ctx context.Context, table store.Table, key []byte) ([]byte, error) {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	return w.options.Journal.Get(ctx, table, key)
}

// SoleHost reports whether no other host can use the journal: the last commit of
// this world is then the journal's end.
func (w *World) SoleHost() bool { return w.options.Journal.SoleHost() }

// refresh is a command without effect: it is answered from the journal's end.
type refresh struct{}

func (refresh) plan(*planner) (any, error) { return nil, nil } //nolint:nilnil // The reply is not used.

// Refresh makes the view as new as the journal was when it was called.
func (w *World) Refresh(ctx context.Context) error {
	if w.SoleHost() {
		return nil
	}
	_, err := w.Do(ctx, Request{}, refresh{})
	return err
}

// View returns the newest committed view.
func (w *World) View() *View { return w.view.Load() }

// WaitRev waits until the view has at least a rev.
func (w *World) WaitRev(ctx context.Context, rev uint64) error {
	return w.waitFor(ctx, func(v *View) bool { return v.Rev >= rev })
}

// waitFor waits until holds returns true for the view.
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

// Events returns the ring of the newest events.
func (w *World) Events() *EventLog { return w.log }

// Registry returns the registry of the committed nodes.
func (w *World) Registry() *Registry { return w.registry }

// Healthy returns an error if the world cannot be used: the store does not answer,
// or this host does not receive the entries of others. It waits until the view has
// everything that the store had at the time of the call. Where the world can be used,
// but a part of the store is damaged, the error is record_damaged.
func (w *World) Healthy(ctx context.Context) error {
	head, err := w.options.Journal.Head(ctx)
	if err == nil {
		w.replica.retryFollowNow()
		err = w.waitFor(ctx, func(v *View) bool { return w.replica.followErr.Load() == nil && v.Position >= head })
	}
	if err == nil {
		err = w.Stale()
	}
	if err != nil {
		return unavailable(err)
	}
	return w.damaged(ctx)
}

// Now returns the world's time: the store's where several hosts share one, so that
// they agree on expiry.
func (w *World) Now() time.Time { return w.options.Now() }

// Stale returns the reason why the view may be behind the store: the last commit
// failed or is late, or nothing is received from other hosts. It is nil while the view
// is up to date.
func (w *World) Stale() error {
	if w.late.is() {
		return errLate
	}
	for _, why := range []*error{w.stale.Load(), w.replica.followErr.Load()} {
		if why != nil {
			return *why
		}
	}
	return nil
}

// Close refuses further commands, finishes the queued ones, writes a checkpoint
// and stops the writer. It may be called twice. The journal stays open.
func (w *World) Close(ctx context.Context) error {
	w.queue.close()
	if w.stopReading != nil {
		w.stopReading()
	}
	done := make(chan struct{})
	go func() {
		w.writer.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("world: wait for the writer to finish: %w", context.Cause(ctx))
	}
}

// BeginBackup returns a snapshot of the world as of its last commit, for backup.Write.
// The world continues meanwhile. The caller must close the snapshot to free its space in
// the store.
func (w *World) BeginBackup(ctx context.Context) (store.Snapshot, error) {
	taken, err := w.options.Journal.Snapshot(ctx)
	if err != nil {
		return nil, unavailable(err)
	}
	return taken, nil
}
