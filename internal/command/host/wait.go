package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/host"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// errStoppedWaiting means that the run was ended while it waited for its store, which is
// not a failure.
var errStoppedWaiting = errors.New("stopped waiting for the store")

// storeBackoff is the wait between two attempts to open a store. Hosts that lost the
// same server retry at different times.
var storeBackoff = retry.Backoff{First: 100 * time.Millisecond, Max: 2 * time.Second}

// awaitWorld opens the world. While the store does not answer it retries, for as long as
// the settings allow; meanwhile the process listens, is live but not ready, and its
// replies state the reason.
func awaitWorld(ctx context.Context, a *command.App, s *serveSettings, options *host.Options, into *served) error {
	err := tryWorld(ctx, a, s, options, into)
	if s.storeWait == 0 || !into.at.Passing(err) {
		return err
	}
	into.standby, err = standBy(ctx, a, s, options, err)
	if err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, s.storeWait)
	defer cancel()
	for failures := 1; ; failures++ {
		again := storeBackoff.Wait(waiting, failures)
		if ctx.Err() != nil {
			return errStoppedWaiting
		}
		switch err = tryWorld(ctx, a, s, options, into); {
		case err == nil, !into.at.Passing(err):
			return err
		case !again:
			return command.Hintf(fmt.Errorf("%w (waited %v)", err, s.storeWait), "%s", a.HintFor(err))
		}
	}
}

// standBy listens, and replies with the reason why the host does not serve yet.
func standBy(ctx context.Context, a *command.App, s *serveSettings, options *host.Options, cause error) (*host.Standby, error) {
	standby, err := host.StandBy(ctx, *options)
	if err != nil {
		return nil, listenProblem(err, s)
	}
	hint := fmt.Sprintf("the host waits up to %v for it; meanwhile %s answers 503, and streams end immediately", s.storeWait, standby.Addr())
	if more := a.HintFor(cause); more != "" {
		hint += "; " + more
	}
	a.Warn(cause.Error(), hint)
	return standby, nil
}

// tryWorld opens the world once, and closes everything again if that fails.
func tryWorld(ctx context.Context, a *command.App, s *serveSettings, options *host.Options, into *served) error {
	err := openWorld(ctx, a, s, options, into)
	if err != nil && into.journal != nil {
		err = errors.Join(err, into.journal.Close())
		into.journal = nil
	}
	return err
}

// openAt opens the store at a place, with the named root key, else with the store's own.
// If there is no world yet, it creates one with the available key, else with a new one:
// hosts that create it at the same time all use the key of the first.
func openAt(ctx context.Context, a *command.App, s *serveSettings, logger *slog.Logger, into *served) error {
	o := store.OpenOptions{Publish: published(s.options.Compat), Retention: s.retention(), Report: reporter(logger)}
	if a.Surroundings().NamesRootFile(s.rootFile) {
		o.RootKey = into.root.Key
	}
	at := into.at
	journal, err := at.Serve(ctx, o)
	if o.RootKey == "" && errors.Is(err, fs.ErrNotExist) {
		if !at.Shared() {
			if err := makeRootKey(a, s, into); err != nil {
				return err
			}
		}
		o.RootKey = cmp.Or(into.root.Key, creds.GenerateRootKey())
		journal, err = at.Serve(ctx, o)
		if errors.Is(err, store.ErrRootKey) {
			o.RootKey = ""
			journal, err = at.Serve(ctx, o)
		}
	}
	if errors.Is(err, store.ErrRootKey) {
		err = command.Hintf(err, "omit --root-file and %s: the host then uses the key in its store", creds.EnvRootFile)
	}
	if err != nil {
		return err
	}
	into.journal, into.path = journal, journal.Path()
	warnOfLog(a, journal)
	takeRootKey(a, into, journal.RootKey())
	return nil
}

// warnOfLog warns about commits in the log of a store that are not in the store.
func warnOfLog(a *command.App, journal store.Journal) {
	file, ok := journal.(interface {
		LeftLog() string
		LeftOut() string
	})
	if !ok {
		return
	}
	if text := file.LeftLog(); text != "" {
		a.Warn(text, "they may be lost: \"playctl store restore\" creates a store from a backup; remove the file if it is the log of an earlier store")
	}
	if text := file.LeftOut(); text != "" {
		a.Warn(text, "no reply was sent for it if the process or the machine ended while it was written; otherwise the file was damaged, and it is lost")
	}
}

// reporter returns what logs that the file of the store cannot be written, and that it can
// be again.
func reporter(logger *slog.Logger) func(error) {
	return func(err error) {
		if err != nil {
			logger.Error("the file of the store cannot be written; it is tried again", "err", err)
		} else {
			logger.Info("the file of the store can be written again")
		}
	}
}

// published returns the messages that a store on a server publishes in the commit of an
// entry: each public event, on the channel of each service that the host answers as.
func published(compat host.Compat) func(hostID string, e *store.Entry) []store.Message {
	services := []protocol.Service{protocol.ServicePlay}
	if compat != "" {
		services = append(services, protocol.Service(compat))
	}
	return func(hostID string, e *store.Entry) []store.Message {
		var messages []store.Message
		for _, envelope := range world.Envelopes(e) {
			for _, service := range services {
				messages = append(messages, store.Message{Channel: service.FanoutChannel(hostID), Payload: envelope})
			}
		}
		return messages
	}
}
