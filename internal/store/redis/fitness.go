package redis

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

const (
	// fitEvery is how often a host checks that its server is still fit for a world, besides
	// after each new connection.
	fitEvery = 30 * time.Second
	// fitAgain is the least time between two checks, and how often a server that is not fit
	// is checked.
	fitAgain = time.Second
	// fitTerm bounds one check.
	fitTerm = 5 * time.Second
)

// fitness is what a host knows of its server's settings, which may change while it runs.
type fitness struct {
	// dialed has a value after the client connected again.
	dialed chan struct{}
	// unfit is why the server must not be used; nil if it may.
	unfit atomic.Pointer[store.FaultError]

	once   sync.Once
	cancel context.CancelFunc
	done   chan struct{}
}

// fault returns why the server must not be used, nil if it may.
func (f *fitness) fault() error {
	if fault := f.unfit.Load(); fault != nil {
		return fault //nolint:wrapcheck // It is this package's own.
	}
	return nil
}

// begin starts the checks, once.
func (f *fitness) begin(check func(context.Context)) {
	f.once.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		f.cancel, f.done = cancel, make(chan struct{})
		go f.run(ctx, check)
	})
}

// end ends the checks and waits for the one in progress.
func (f *fitness) end() {
	f.once.Do(func() {})
	if f.cancel != nil {
		f.cancel()
		<-f.done
	}
}

func (f *fitness) run(ctx context.Context, check func(context.Context)) {
	defer close(f.done)
	for pause.For(ctx, fitAgain) {
		if f.unfit.Load() == nil && !pause.Unless(ctx, fitEvery-fitAgain, f.dialed) {
			return
		}
		limited, cancel := context.WithTimeout(ctx, fitTerm)
		check(limited)
		cancel()
	}
}

// recheck finds out whether the server is still fit. If it does not answer, what was
// known of it stays.
func (j *Journal) recheck(ctx context.Context) {
	info, err := j.info(ctx)
	if err != nil {
		return
	}
	fault := j.evicts(info)
	if fault == nil {
		fault = j.isReplica(info)
	}
	if fault == nil && j.recordDurability(ctx, info) != nil {
		return
	}
	j.fitness.unfit.Store(fault)
}

// evicts returns a fault if the server evicts keys when its memory is full, or would if
// somebody limited its memory.
func (j *Journal) evicts(info map[string]string) *store.FaultError {
	policy := info["maxmemory_policy"]
	if !strings.HasPrefix(policy, "allkeys-") {
		return nil
	}
	return &store.FaultError{
		Reason: "the Redis server evicts keys: maxmemory-policy " + policy,
		Err: fmt.Errorf("%w: %s evicts keys when its memory is full (maxmemory-policy %s), and with them parts of the world; set maxmemory-policy noeviction",
			store.ErrUnfit, j.Path(), policy),
	}
}

const replicaReason = "the Redis server is a replica"

// isReplica returns a fault if the server is not a master.
func (j *Journal) isReplica(info map[string]string) *store.FaultError {
	if info["role"] == "master" {
		return nil
	}
	return &store.FaultError{
		Reason: replicaReason,
		Err:    fmt.Errorf("%w: %s is a replica; the address must lead to the master", store.ErrUnfit, j.Path()),
	}
}

// missing describes a reply that keys of the world are missing, in which 0 is the journal.
func missing(said parts) string {
	switch n := text(said.at(0)); n {
	case "0":
		return "the journal of the world is missing on the Redis server"
	case "1":
		return "a key of the world's tables is missing on the Redis server"
	default:
		return n + " keys of the world's tables are missing on the Redis server"
	}
}

// missingAdvice is what to do about missing keys.
const missingAdvice = "evicted or deleted; bring its data back, or delete the world's keys and restore a backup"
