package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// leaveTimeout bounds how long taking an agent off the map may take after
// Ctrl-C; a host that is away ends its lease by itself.
const leaveTimeout = 3 * time.Second

// noAPIKey is shown where no key is known: the host decides whether it needs one.
const noAPIKey = "none"

// holdAgent puts an agent on the map and keeps it there until ctx ends or the
// time is over.
func (a *app) holdAgent(ctx context.Context, name string, flags *agentFlags) (err error) {
	who, err := a.caller()
	if err != nil {
		return err
	}
	ref, err := who.agent(name)
	if err != nil {
		return err
	}
	options, err := a.heldAgent(who, ref, flags)
	if err != nil {
		return err
	}
	world, err := a.remoteWorld(who)
	if err != nil {
		return err
	}
	defer func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
		defer cancel()
		err = errors.Join(err, world.Close(limited))
	}()
	lost := make(chan error, 1)
	options.OnLost = func(err error) { lost <- err }
	var agent *sdk.Agent
	err = a.waiting("Putting the agent on the map", func() error {
		limited, cancel := a.limited(ctx)
		defer cancel()
		agent, err = world.AddAgent(limited, *options)
		return err
	})
	if err != nil {
		return err
	}
	if err := a.printer.Print(*who.playerDocument(ref, agent.Registration())); err != nil {
		return err
	}
	return a.hold(ctx, world, flags, lost)
}

// hold waits for the first of Ctrl-C, the time and the loss of the agent.
func (a *app) hold(ctx context.Context, world *sdk.RemotePlayWorld, flags *agentFlags, lost <-chan error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() {
		select {
		case err := <-lost:
			cancel(err)
		case <-ctx.Done():
		}
	})
	defer cancel(nil)
	a.note("The agent is kept on the map. Ctrl-C takes it off.")
	if flags.holdFor > 0 {
		return world.Hold().For(ctx, flags.holdFor)
	}
	return world.Hold().Forever(ctx)
}

// remoteWorld is the host as the SDK sees it.
func (a *app) remoteWorld(who *caller) (*sdk.RemotePlayWorld, error) {
	options := sdk.Options{
		BaseURL: who.server, Service: who.service, APIKey: protocol.NewSecret(who.apiKey.Reveal()),
		Timeout: a.settings.timeout, Logger: slog.New(slog.DiscardHandler),
	}
	if options.APIKey.IsZero() {
		options.APIKey = protocol.NewSecret(noAPIKey)
	}
	if !who.main.IsZero() {
		options.MainNodeCredentials = nodeCredentials(who.main.NodeID, who.main.Hash)
		options.OnWarning = func(text string) { a.warn(text, "") }
	}
	return sdk.New(options)
}

func nodeCredentials(id string, hash creds.PasswHash) *sdk.NodeCredentials {
	return &sdk.NodeCredentials{NodeID: id, PasswHash: protocol.NewSecret(hash.Reveal())}
}

// heldAgent makes the SDK's options of the same flags that make a registration.
func (a *app) heldAgent(who *caller, ref agentRef, flags *agentFlags) (*sdk.AgentOptions, error) {
	request, err := a.registration(who, ref, flags)
	if err != nil {
		return nil, err
	}
	described := map[string]protocol.AssistTool{}
	for _, tool := range request.Agent.AssistTools {
		described[tool.Name] = tool
	}
	tools := make([]sdk.Tool, len(request.Agent.ToolNames))
	for i, name := range request.Agent.ToolNames {
		tools[i] = sdk.Tool{Name: name, Description: described[name].Description, Schema: described[name].Parameters}
	}
	registration, err := sdk.NewFrameworkRegistration(request.Type, tools...)
	if err != nil {
		return nil, usagef("%w", err)
	}
	options := &sdk.AgentOptions{
		AgentID: ref.id, Name: request.Name, Type: request.Type, Tools: registration,
		EnableP2A: request.EnableP2A == protocol.P2AOn, RealtimeInstructions: request.RealtimeInstructions, LeaseTTL: flags.lease,
	}
	if ref.own {
		options.Credentials = nodeCredentials(ref.node.NodeID, ref.node.Hash)
	}
	return options, nil
}
