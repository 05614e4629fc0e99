package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/fanout"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/protocol"
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
// says so in its replies.
func awaitWorld(ctx context.Context, a *command.App, s *serveSettings, options *host.Options, into *served) error {
	err := tryWorld(ctx, a, s, options, into)
	if s.storeWait == 0 || s.ephemeral || !s.store.OnRedis(a.Sources) || !redis.Passing(err) {
		return err
	}
	into.standby, err = standBy(ctx, a, s, options, err)
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
		switch err = tryWorld(ctx, a, s, options, into); {
		case err == nil, !redis.Passing(err):
			return err
		case !again:
			return command.Hintf(fmt.Errorf("%w (it was awaited for %v)", err, s.storeWait), "%s", a.HintFor(err))
		}
	}
}

// standBy listens, and tells why the host does not serve yet.
func standBy(ctx context.Context, a *command.App, s *serveSettings, options *host.Options, cause error) (*host.Standby, error) {
	standby, err := host.StandBy(ctx, *options)
	if err != nil {
		return nil, listenProblem(err, s)
	}
	hint := fmt.Sprintf("the host waits %v for it and answers 503 at %s meanwhile, but for streams, which end at once", s.storeWait, standby.Addr())
	if more := a.HintFor(cause); more != "" {
		hint += "; " + more
	}
	a.Warn(cause.Error(), hint)
	return standby, nil
}

// tryWorld opens the world once, and leaves nothing open where that fails.
func tryWorld(ctx context.Context, a *command.App, s *serveSettings, options *host.Options, into *served) error {
	err := openWorld(ctx, a, s, options, into)
	if err != nil && into.journal != nil {
		err = errors.Join(err, into.journal.Close())
		into.journal = nil
	}
	return err
}

// openRedis opens the world on the Redis, and founds it if there is none.
func openRedis(ctx context.Context, a *command.App, s *serveSettings, into *served) error {
	address, err := place.RedisAddress(a, "store", s.store.Address.Text)
	if err != nil {
		return err
	}
	o, err := place.RedisOptions(a, &s.store, address)
	if err != nil {
		return err
	}
	o.Publish = published(o.HostID, s.compat)
	if into.root, err = findRootKey(a, s); err != nil {
		return err
	}
	if a.Surroundings().NamesRootFile(s.rootFile) {
		o.RootKey = into.root.Key
	}
	journal, err := openShared(ctx, o, into.root.Key)
	if err != nil {
		return ownRootKey(place.RedisProblem(err))
	}
	into.journal, into.path = journal, journal.Path()
	takeRootKey(a, into, journal.RootKey())
	return nil
}

// openShared opens a world with the root key of the options, with the world's own
// where they have none, or where there is no world yet with the key at hand, else a new
// one. Of hosts that found one at the same time, all take the key of the first.
func openShared(ctx context.Context, o redis.Options, atHand string) (*redis.Journal, error) {
	given := o.RootKey
	journal, err := redis.Open(ctx, o)
	if given == "" && errors.Is(err, fs.ErrNotExist) {
		o.RootKey = cmp.Or(atHand, creds.GenerateRootKey())
		journal, err = redis.Open(ctx, o)
		if errors.Is(err, store.ErrRootKey) {
			o.RootKey = ""
			journal, err = redis.Open(ctx, o)
		}
	}
	return journal, err
}

// published says what is published of an entry within its commit: each event that
// everybody may see, on the channel of each service that the host answers as.
func published(hostID, compat string) func(*store.Entry) []redis.Message {
	channels := []string{protocol.ServicePlay.FanoutChannel(hostID)}
	if compat != "" {
		channels = append(channels, protocol.Service(compat).FanoutChannel(hostID))
	}
	return func(e *store.Entry) []redis.Message {
		var messages []redis.Message
		for _, envelope := range fanout.Envelopes(e) {
			for _, channel := range channels {
				messages = append(messages, redis.Message{Channel: channel, Payload: envelope})
			}
		}
		return messages
	}
}
