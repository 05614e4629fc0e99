package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store/redis"
)

// errStoppedWaiting means that the run was ended while its store was awaited,
// which is no failure.
var errStoppedWaiting = errors.New("the store was awaited no longer")

// The waits between two tries to open a store.
const (
	storeAgain    = 100 * time.Millisecond
	storeAgainMax = 2 * time.Second
)

// awaitWorld opens the world. While a Redis does not answer it tries again, for as
// long as the settings say; meanwhile the process listens, lives, is not ready, and
// says so to whoever asks.
func (a *app) awaitWorld(ctx context.Context, s *serveSettings, options *host.Options, into *served) error {
	err := a.tryWorld(ctx, s, options, into)
	if s.storeWait == 0 || s.ephemeral || !s.store.onRedis(a.layers) || !redis.Passing(err) {
		return err
	}
	into.standby, err = a.standBy(ctx, s, options, err)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, s.storeWait)
	defer cancel()
	for wait := storeAgain; ; wait = min(2*wait, storeAgainMax) {
		again := pause.For(waiting, wait)
		if ctx.Err() != nil {
			return errStoppedWaiting
		}
		switch err = a.tryWorld(ctx, s, options, into); {
		case err == nil, !redis.Passing(err):
			return err
		case !again:
			return hintf(fmt.Errorf("%w (it was awaited for %v)", err, s.storeWait), "%s", a.hintFor(err))
		}
	}
}

// standBy listens, and tells why the host does not serve yet.
func (a *app) standBy(ctx context.Context, s *serveSettings, options *host.Options, cause error) (*host.Standby, error) {
	standby, err := host.StandBy(ctx, *options)
	if err != nil {
		return nil, a.listenProblem(err, s)
	}
	hint := fmt.Sprintf("the host waits %v for it and answers 503 at %s meanwhile", s.storeWait, standby.Addr())
	if more := a.hintFor(cause); more != "" {
		hint += "; " + more
	}
	a.warn(cause.Error(), hint)
	return standby, nil
}

// tryWorld opens the world once, and leaves nothing open where that fails.
func (a *app) tryWorld(ctx context.Context, s *serveSettings, options *host.Options, into *served) error {
	err := a.openWorld(ctx, s, options, into)
	if err != nil && into.journal != nil {
		err = errors.Join(err, into.journal.Close())
		into.journal = nil
	}
	return err
}
