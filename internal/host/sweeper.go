package host

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// sweepInterval is how often expired leases are looked for; the protocol requires that
// an agent whose lease expired leaves the map within 5 s.
const sweepInterval = time.Second

// sweeper is the goroutine that removes expired agents and records, and returns the
// memory of derivations. It starts at most once, and stop waits for it.
type sweeper struct {
	world   *world.World
	deriver *creds.Deriver // nil at a host without a repository
	log     *slog.Logger

	once    sync.Once
	cancel  context.CancelFunc
	running sync.WaitGroup
}

func newSweeper(w *world.World, deriver *creds.Deriver, log *slog.Logger) *sweeper {
	return &sweeper{world: w, deriver: deriver, log: log}
}

func (s *sweeper) start() {
	s.once.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		s.cancel = cancel
		s.running.Go(func() { s.run(ctx) })
	})
}

// stop also keeps a sweeper that was not started from starting.
func (s *sweeper) stop() {
	s.once.Do(func() {})
	if s.cancel != nil {
		s.cancel()
	}
	s.running.Wait()
}

func (s *sweeper) run(ctx context.Context) {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if s.deriver != nil {
			s.deriver.FreeMemory()
		}
		err := s.world.Sweep(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			// The log gets one line when sweeping starts to fail, and one when it works again.
			// The store's own error, once, and not what callers get.
			if refused, ok := errors.AsType[*protocol.Error](err); ok && refused.Cause != nil {
				err = refused.Cause
			}
			if stale := s.world.Stale(); stale != nil {
				err = stale
			}
			s.log.Error("the store does not accept writes: reads and streams continue, writes get 503, agents with expired leases stay; retrying every second", "error", err)
		case err == nil && failing:
			s.log.Info("the store accepts writes again")
		}
		failing = err != nil
	}
}
