package creds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Limits of a Deriver.
const (
	// maxDefaultRunning keeps the default peak below 512 MiB on a big machine: besides the
	// running derivations, the memory of finished ones waits for the garbage collector.
	maxDefaultRunning = 2
	defaultWaiting    = 32
	// idleTime is how long after the last derivation its memory is returned.
	idleTime = 5 * time.Second
)

// ErrBusy is returned when the limits of a Deriver for running and waiting
// derivations are reached. The caller should try again later (429 on the wire).
var ErrBusy = errors.New("too many node ids are being derived at once: try again in a few seconds")

// DeriverOptions are the limits of a Deriver. A zero field takes its default.
type DeriverOptions struct {
	// Running is how many derivations run at once, each with 64 MiB and one
	// core. Default: DefaultRunning.
	Running int
	// Waiting is how many more may wait for their turn. Default 32; negative: none.
	Waiting int
	// Derive computes an id. Default DeriveNodeID.
	Derive DeriveFunc
}

// DefaultRunning is the default number of concurrent derivations on this number of
// cores: half of them, at most 2, and fewer if their memory would be more than an
// eighth of the memory limit.
func DefaultRunning(cores int) int {
	room := debug.SetMemoryLimit(-1) / (8 * derivationMemory)
	return max(1, min(cores/2, maxDefaultRunning, int(min(room, maxDefaultRunning))))
}

// Deriver computes node ids for a host: it bounds the number of running and waiting
// derivations, and runs them at a lower priority if the system has one for threads
// (Linux). Its methods may be called by several goroutines.
type Deriver struct {
	derive DeriveFunc
	limit  int           // of waiting callers
	turns  chan struct{} // contains an item for each running derivation
	free   func()        // returns garbage to the system

	mu      sync.Mutex
	waiting int
	sites   map[netip.Addr]int // waiting callers of each site
	ended   time.Time          // end of the last derivation; zero after FreeMemory
}

// NewDeriver returns a Deriver with the given limits.
func NewDeriver(opts DeriverOptions) *Deriver {
	if opts.Running <= 0 {
		opts.Running = DefaultRunning(runtime.GOMAXPROCS(0))
	}
	if opts.Derive == nil {
		opts.Derive = DeriveNodeID
	}
	return &Deriver{
		derive: opts.Derive, limit: max(cmp.Or(opts.Waiting, defaultWaiting), 0),
		turns: make(chan struct{}, opts.Running), free: debug.FreeOSMemory, sites: map[netip.Addr]int{},
	}
}

// NodeID returns the node id of hash under rootKey. Callers wait in the order of
// their arrival. Those of one site, which is an IPv4 address or an IPv6 /48, may
// take a quarter of the places; the zero site has no limit of its own. It returns
// ErrBusy when the limits are reached, the context's error when that ends while
// waiting, else the result of the DeriveFunc. A derivation that has started runs to
// its end.
func (d *Deriver) NodeID(ctx context.Context, site netip.Addr, hash PasswHash, rootKey string) (string, error) {
	select {
	case d.turns <- struct{}{}:
	default:
		if err := d.wait(ctx, site); err != nil {
			return "", err
		}
	}
	defer func() { <-d.turns }()
	if ctx.Err() != nil {
		return "", givenUp(ctx)
	}
	var id string
	var err error
	inBackground(func() { id, err = d.derive(hash, rootKey) })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = time.Now()
	return id, err
}

// wait returns when it is the caller's turn. Senders on a channel are served in order.
func (d *Deriver) wait(ctx context.Context, site netip.Addr) error {
	if !d.takePlace(site) {
		return ErrBusy
	}
	defer d.leavePlace(site)
	select {
	case d.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return givenUp(ctx)
	}
}

func givenUp(ctx context.Context) error {
	return fmt.Errorf("wait to derive a node id: %w", context.Cause(ctx))
}

func (d *Deriver) takePlace(site netip.Addr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting >= d.limit || site.IsValid() && d.sites[site] >= max(d.limit/4, 1) {
		return false
	}
	d.waiting++
	d.sites[site]++
	return true
}

func (d *Deriver) leavePlace(site netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting--
	if d.sites[site]--; d.sites[site] == 0 {
		delete(d.sites, site)
	}
}

// FreeMemory returns the memory of derivations to the system once none has run for 5 s:
// the runtime alone would do so minutes later. A host calls it every second or so.
func (d *Deriver) FreeMemory() {
	d.mu.Lock()
	idle := len(d.turns) == 0 && !d.ended.IsZero() && time.Since(d.ended) >= idleTime
	if idle {
		d.ended = time.Time{}
	}
	d.mu.Unlock()
	if idle {
		d.free()
	}
}

// Load returns the number of running and of waiting derivations.
func (d *Deriver) Load() (running, waiting int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.turns), d.waiting
}
