package creds

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Defaults of DeriverOptions.
const (
	// maxDefaultRunning keeps the default peak at 4 * 64 MiB on a big machine.
	maxDefaultRunning = 4
	defaultWaiting    = 32
	defaultIdle       = 5 * time.Second
)

// ErrBusy is returned when as many derivations run and wait as a Deriver
// allows. The caller should try again later (429 on the wire).
var ErrBusy = errors.New("too many node ids are being derived at once: try again in a few seconds")

// ErrClosed is returned by a Deriver that has been closed.
var ErrClosed = errors.New("node ids are not derived any more: the host is shutting down")

// DeriverOptions are the limits of a Deriver. A zero field takes its default.
type DeriverOptions struct {
	// Running is how many derivations run at once, each with 64 MiB and one
	// core. Default: half the cores, at least 1 and at most 4.
	Running int
	// Waiting is how many more may wait for their turn. Default 32; negative:
	// none.
	Waiting int
	// Derive computes an id. Default DeriveNodeID.
	Derive DeriveFunc
	// Idle is how long after the last derivation the memory is given back.
	// Default 5 s.
	Idle time.Duration
	// Release gives the memory back. Default debug.FreeOSMemory: scrypt's
	// buffer is garbage by then, but the runtime alone would keep it until its
	// next forced collection, minutes later.
	Release func()
}

// Deriver computes node ids for a host: it bounds how many derivations run and
// wait, and returns their memory to the system when they are over. Its methods
// may be called from several goroutines.
type Deriver struct {
	opts    DeriverOptions
	slots   chan struct{}
	closing chan struct{}
	owned   sync.WaitGroup // admitted callers and the armed or running release

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
		opts.Running = min(max(runtime.GOMAXPROCS(0)/2, 1), maxDefaultRunning)
	}
	if opts.Waiting == 0 {
		opts.Waiting = defaultWaiting
	}
	opts.Waiting = max(opts.Waiting, 0)
	if opts.Derive == nil {
		opts.Derive = DeriveNodeID
	}
	if opts.Idle <= 0 {
		opts.Idle = defaultIdle
	}
	if opts.Release == nil {
		opts.Release = debug.FreeOSMemory
	}
	return &Deriver{
		opts:    opts,
		slots:   make(chan struct{}, opts.Running),
		closing: make(chan struct{}),
	}
}

// NodeID returns the node id of hash under rootKey. It returns ErrBusy at once
// when the limits are reached, the context's error when it ends while waiting,
// ErrClosed after Close, else what the DeriveFunc returns. A derivation that
// has begun runs to its end.
func (d *Deriver) NodeID(ctx context.Context, hash PasswHash, rootKey string) (string, error) {
	if err := d.enter(); err != nil {
		return "", err
	}
	defer d.leave()
	select {
	case d.slots <- struct{}{}:
	case <-ctx.Done():
		return "", fmt.Errorf("wait to derive a node id: %w", context.Cause(ctx))
	case <-d.closing:
		return "", ErrClosed
	}
	defer func() { <-d.slots }()
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("wait to derive a node id: %w", context.Cause(ctx))
	}
	d.started()
	defer d.stopped()
	return d.opts.Derive(hash, rootKey)
}

// Load returns how many derivations run and how many wait now.
func (d *Deriver) Load() (running, waiting int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running, d.admitted - d.running
}

// Close turns new and waiting callers away with ErrClosed and returns when the
// running derivations and the release of memory have ended. It may be called
// more than once.
func (d *Deriver) Close() {
	d.mu.Lock()
	if !d.closed {
		d.closed = true
		close(d.closing)
		d.disarm()
	}
	d.mu.Unlock()
	d.owned.Wait()
}

func (d *Deriver) enter() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return ErrClosed
	case d.admitted >= d.opts.Running+d.opts.Waiting:
		return ErrBusy
	}
	d.disarm()
	d.admitted++
	d.owned.Add(1)
	return nil
}

func (d *Deriver) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.admitted--
	if d.admitted == 0 && d.dirty && !d.closed {
		d.arm()
	}
	d.owned.Done()
}

func (d *Deriver) started() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running++
	d.dirty = true
}

func (d *Deriver) stopped() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
}

// arm starts the wait for the release; d.mu is held.
func (d *Deriver) arm() {
	d.owned.Add(1)
	d.timer = time.AfterFunc(d.opts.Idle, func() {
		defer d.owned.Done()
		d.release()
	})
}

// disarm stops a release that has not begun; d.mu is held.
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
