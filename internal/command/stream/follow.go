package stream

import (
	"context"
	"errors"
	"log/slog"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/sdk"
)

// heard is one thing that a subscription reports; exactly one field is set.
type heard struct {
	event   *sdk.Event
	update  *sdk.Update
	checked *checked
	state   *sdk.State
	err     error
}

// following is a subscription whose reports are taken one by one by whoever
// reads them; meanwhile it waits.
type following struct {
	world   *sdk.RemotePlayWorld
	sub     *sdk.Subscription
	reports chan heard
	cancel  context.CancelFunc
}

// follow begins to follow the world that a caller means. options say where to
// begin; what they report goes to the reports.
func follow(a *command.App, ctx context.Context, who *command.Caller, options sdk.SubscribeOptions) (*following, error) {
	world, err := sdk.New(worldOptions(a, who))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	f := &following{world: world, reports: make(chan heard), cancel: cancel}
	tell := func(h heard) {
		select {
		case f.reports <- h:
		case <-ctx.Done():
		}
	}
	options.OnEvent = func(event sdk.Event) { tell(heard{event: &event}) }
	options.OnSnapshot = func(update sdk.Update) { tell(heard{update: &update}) }
	options.OnChecked = func(event sdk.Event, known sdk.Verification) { tell(heard{checked: &checked{event, known}}) }
	options.OnState = func(state sdk.State) { tell(heard{state: &state}) }
	options.OnError = func(err error) { tell(heard{err: err}) }
	f.sub, err = world.SubscribeWorldState(ctx, options)
	if err != nil {
		cancel()
		return nil, errors.Join(err, world.Close(ctx))
	}
	return f, nil
}

// close ends it and waits for it.
func (f *following) close() error {
	f.cancel()
	return f.world.Close(context.Background())
}

// worldOptions are those of a world that a caller only looks at.
func worldOptions(a *command.App, who *command.Caller) sdk.Options {
	options := sdk.Options{
		BaseURL: who.Server, Service: who.Service, Timeout: a.Settings.Timeout,
		APIKey: who.APIKey, NoAPIKey: true,
		// What a person should know is reported by the subscription.
		Logger: slog.New(slog.DiscardHandler),
	}
	if !who.Main.IsZero() {
		options.MainNodeCredentials = &sdk.NodeCredentials{
			NodeID: who.Main.NodeID, PasswHash: who.Main.Hash.Secret,
		}
	}
	return options
}
