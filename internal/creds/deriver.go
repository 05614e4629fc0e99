package creds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/creds/romix"
)

// Defaults of DeriverOptions.
const (
	// maxDefaultRunning keeps the default peak at 4 * 64 MiB on a big machine.
	maxDefaultRunning = 4
	defaultWaiting    = 32
	defaultIdle       = 5 * time.Second
)

// ErrBusy is returned when the limits of a Deriver for running and waiting
// derivations are reached. The caller should try again later (429 on the wire).
var ErrBusy = errors.New("too many node ids are being derived at once: try again in a few seconds")

// ErrClosed is returned by a Deriver that has been closed.
var ErrClosed = errors.New("node ids are not derived any more: the host is shutting down")

// DeriverOptions are the limits of a Deriver. A zero field takes its default.
type DeriverOptions struct {
	// Running is how many derivations run at once, each with 64 MiB and one
	// core. Default: DefaultRunning.
	Running int
	// Waiting is how many more may wait for their turn; one site may have a quarter of
	// it. Default 32; negative: none.
	Waiting int
	// Derive computes an id. Default DeriveNodeID.
	Derive DeriveFunc
	// Idle is how long after the last derivation the memory is released. Default 5 s.
	Idle time.Duration
	// Release releases the memory. By default it also returns garbage to the system:
	// the runtime alone would do so minutes later.
	Release func()
}

// DefaultRunning is the default number of concurrent derivations on this number of
// cores: half of them, at most 4, and fewer if their memory would be more than an
// eighth of the memory limit.
func DefaultRunning(cores int) int {
	room := debug.SetMemoryLimit(-1) / (8 * scryptN * romix.Block)
	return max(1, min(cores/2, maxDefaultRunning, int(min(room, maxDefaultRunning))))
}

// freeMemory releases the memory that derivations keep for the next one.
func freeMemory() {
	derivations.release()
	debug.FreeOSMemory()
}

// Deriver computes node ids for a host: it bounds the number of running and waiting
// derivations, runs them at a lower priority if the system has one for threads
// (Linux), and returns their memory to the system when they have ended. Turns are
// shared among origins, so that an origin with many requests does not keep out the
// others. Its methods may be called by several goroutines.
type Deriver struct {
	opts  DeriverOptions
	queue queue
	owned sync.WaitGroup // admitted callers and the armed or running release

	mu       sync.Mutex
	admitted int
	running  int
	dirty    bool // a derivation has run since the last release
	closed   bool
	timer    *time.Timer
}

// NewDeriver returns a Deriver with the given limits. Close ends it.
func NewDeriver(opts DeriverOptions) *Deriver {
	if opts.Running <= 0 {
		opts.Running = DefaultRunning(runtime.GOMAXPROCS(0))
	}
	opts.Waiting = cmp.Or(opts.Waiting, defaultWaiting)
	opts.Waiting = max(opts.Waiting, 0)
	if opts.Derive == nil {
		opts.Derive = DeriveNodeID
	}
	if opts.Idle <= 0 {
		opts.Idle = defaultIdle
	}
	if opts.Release == nil {
		opts.Release = freeMemory
	}
	derivations.keepMore(opts.Running)
	return &Deriver{opts: opts}
}

// NodeID returns the node id of hash under rootKey, for a caller from an origin. It
// returns ErrBusy when the limits are reached, at once or when its place is given
// to an origin with fewer, the context's error when that ends while waiting,
// ErrClosed after Close, else the result of the DeriveFunc. A derivation that has
// started runs to its end.
func (d *Deriver) NodeID(ctx context.Context, from Origin, hash PasswHash, rootKey string) (string, error) {
	w, err := d.enter(from)
	if err != nil {
		return "", err
	}
	defer d.leave(w)
	select {
	case err = <-w.turn:
	case <-ctx.Done():
		return "", fmt.Errorf("wait to derive a node id: %w", context.Cause(ctx))
	}
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("wait to derive a node id: %w", context.Cause(ctx))
	}
	if err != nil {
		return "", err
	}
	d.started()
	var id string
	inBackground(func() { id, err = d.opts.Derive(hash, rootKey) })
	return id, err
}

// Load returns the number of running and of waiting derivations.
func (d *Deriver) Load() (running, waiting int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running, len(d.queue.waiting)
}

// Close refuses new and waiting callers with ErrClosed and returns when the running
// derivations and the release of memory have ended. It may be called more than
// once.
func (d *Deriver) Close() {
	d.mu.Lock()
	if !d.closed {
		d.closed = true
		d.queue.turnAway(ErrClosed)
		d.disarm()
		derivations.keepMore(-d.opts.Running)
	}
	d.mu.Unlock()
	d.owned.Wait()
}

// enter gives a caller its turn or a place in the queue.
func (d *Deriver) enter(from Origin) (*waiter, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	w := &waiter{from: from, turn: make(chan error, 1)}
	if d.running >= d.opts.Running && !d.queue.add(w, d.opts.Waiting) {
		return nil, ErrBusy
	}
	d.disarm()
	d.admitted++
	d.owned.Add(1)
	if d.running < d.opts.Running {
		d.run(w)
	}
	return w, nil
}

// run gives a caller its turn; d.mu is held.
func (d *Deriver) run(w *waiter) {
	d.running++
	d.queue.served(w)
	w.runs = true
	w.turn <- nil
}

// leave passes the turn on, or frees the place.
func (d *Deriver) leave(w *waiter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue.remove(w)
	if w.runs {
		d.running--
	}
	if d.running < d.opts.Running {
		if next := d.queue.next(); next != nil {
			d.run(next)
		}
	}
	d.admitted--
	if d.admitted == 0 && d.dirty && !d.closed {
		d.arm()
	}
	d.owned.Done()
}

func (d *Deriver) started() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dirty = true
}

// arm starts the wait for the release; d.mu is held.
func (d *Deriver) arm() {
	d.owned.Add(1)
	d.timer = time.AfterFunc(d.opts.Idle, func() {
		defer d.owned.Done()
		d.release()
	})
}

// disarm stops a release that has not started; d.mu is held.
func (d *Deriver) disarm() {
	if d.timer != nil && d.timer.Stop() {
		d.owned.Done()
	}
	d.timer = nil
}

func (d *Deriver) release() {
	d.mu.Lock()
	idle := d.admitted == 0 && d.dirty && !d.closed
	if idle {
		d.dirty = false
	}
	d.mu.Unlock()
	if idle {
		d.opts.Release()
	}
}
