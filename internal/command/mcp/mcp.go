// Package mcp has the commands that give a world to clients of the Model Context
// Protocol: "playctl mcp" serves it, "playctl mcp install" writes their
// configuration.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{newMCPCommand(a)}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"mcp":         listening{},
		"mcp install": installed{},
	}
}

// serveFlags select the parts of the world that are served, and the clients.
type serveFlags struct {
	readOnly   bool
	agent      string
	http       string
	tokenFile  string
	allowHosts []string
}

func (f *serveFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "serve only tools that change nothing and ask nobody")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the `agent` of yours that may speak, record journeys and say what it does")
}

func newMCPCommand(a *command.App) *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:     "mcp",
		Short:   "Serve the world to clients of the Model Context Protocol",
		GroupID: command.GroupWorld,
		Long: `Serve the world as an MCP server over standard input and output, as desktop clients start one, or
with --http over streamable HTTP. Its tools list agents, read the snapshot and the events, wait for
an event, ask an agent and register MCP placements; with --agent they also speak, record journeys
and say what it does now as that agent, which is put on the map if it is not there. A missing
account or agent is created, unless --read-only is set. The server also starts without an account or
a host: each call then says what is missing, and tries again. Resources are the world and its
agents, whose subscriptions follow the stream. What comes from the world is marked as data, since
anybody may have written it.

Over HTTP every request needs the bearer token in --token-file, which is created with mode 0600 if
it is missing. Requests under other names than this machine's are refused unless --allow-host allows
the name, and so are requests from pages of other origins.`,
		Example: command.Example("playctl mcp --read-only", "playctl mcp --http 127.0.0.1:7430 --token-file mcp.token --agent Ada"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), a, &flags)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.http, "http", "", "serve streamable HTTP at this `address` and /mcp; :7430 is on loopback")
	cmd.Flags().StringVar(&flags.tokenFile, "token-file", "", "the `file` with the bearer token that HTTP clients send")
	cmd.Flags().StringSliceVar(&flags.allowHosts, "allow-host", nil, "a `name` that is accepted in the Host header besides this machine's")
	a.CompleteFlag(cmd, "agent", command.Agents(command.SeekOwn))
	cmd.AddCommand(newInstallCommand(a))
	return cmd
}

// view is the world in the server of one run.
type view struct {
	app   *command.App
	flags *serveFlags
	// mutex guards there, and the fields below it until there is true. Calls use them after
	// ready.
	mutex sync.Mutex
	// there is set after the host answered and the agent is on the map.
	there  bool
	caller *command.Caller
	client *client.Client
	world  *sdk.RemotePlayWorld
	// agent is zero without --agent; held is nil if another program put it on the map.
	agent command.AgentRef
	held  *sdk.Agent
}

func (f *serveFlags) check(ctx context.Context) error {
	switch {
	case f.http == "" && f.tokenFile != "":
		return command.Usagef("--token-file requires --http: standard input has one client")
	case f.http != "" && f.tokenFile == "":
		return command.Usagef("--http needs --token-file, which is created if it is missing")
	case f.agent != "" && f.readOnly:
		return command.Usagef("--agent lets the client speak, which --read-only forbids")
	}
	if err := command.CheckListenAddress(ctx, f.http); err != nil {
		return command.Usagef("--http: %w", err)
	}
	return nil
}

func serve(ctx context.Context, a *command.App, flags *serveFlags) (err error) {
	if err := flags.check(ctx); err != nil {
		return err
	}
	if flags.http == "" {
		// Standard output belongs to the client.
		aside := *a.Printer
		aside.Out = a.Stderr
		a.Printer = &aside
	}
	v := &view{app: a, flags: flags}
	following, stop := context.WithCancel(ctx)
	server, done := v.server(following)
	var starting sync.WaitGroup
	// Clients start their servers once, perhaps before there is a host or an account, and
	// do not wait long for the first answer.
	starting.Go(func() {
		if err := v.ready(following); err != nil && following.Err() == nil {
			a.Warn(v.explained(ctx, err), "each call of the client tries again")
		}
	})
	defer func() {
		stop()
		starting.Wait()
		done()
		err = errors.Join(err, v.close(context.WithoutCancel(ctx)))
	}()
	if flags.http != "" {
		return serveHTTP(ctx, a, server, flags)
	}
	if command.IsTerminal(a.Stdin) {
		a.Note("Waiting for an MCP client on standard input; \"playctl mcp install\" sets one up to start this.")
	}
	err = server.Run(ctx, &stdio{in: a.Stdin, out: a.Stdout})
	// A client that ends closes its side, even during a write to it.
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, sdkmcp.ErrConnectionClosed) {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("serve the client: %w", err)
}

// ready ensures, once, that the world is open, that the host answers and that the agent is
// on the map.
func (v *view) ready(ctx context.Context) error {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.there {
		return nil
	}
	err := v.open(ctx)
	if err == nil {
		err = v.appear(ctx)
	}
	if v.there = err == nil; v.there {
		return nil
	}
	// The next call may find other credentials.
	return errors.Join(err, v.close(context.WithoutCancel(ctx)))
}

// explained returns the text of an error, with what to do about it.
func (v *view) explained(ctx context.Context, err error) string {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.app.Advised(ctx, err)
}

// open prepares the connection to the world. It creates the account and the agent if they
// are missing, unless the server is read-only.
func (v *view) open(ctx context.Context) (err error) {
	find := v.app.CallerWithAccount
	if v.flags.readOnly {
		find = func(context.Context) (*command.Caller, error) { return v.app.Caller() }
	}
	if v.caller, err = find(ctx); err != nil {
		return err
	}
	if v.flags.agent != "" {
		if v.agent, v.caller, err = v.app.OwnAgent(ctx, v.caller, v.flags.agent); err != nil {
			return err
		}
	}
	reader, err := v.app.Client(v.caller, v.caller.Reader())
	if err != nil {
		return err
	}
	world, err := sdk.New(v.app.WorldOptions(v.caller))
	if err != nil {
		reader.Close()
		return err
	}
	v.client, v.world = reader, world
	return nil
}

// close ends what open began.
func (v *view) close(ctx context.Context) error {
	if v.world == nil {
		return nil
	}
	v.client.Close()
	world := v.world
	v.client, v.world, v.held = nil, nil, nil
	return world.Close(ctx)
}

// appear checks that the host answers and puts the agent on the map, unless another
// program has put it there.
func (v *view) appear(ctx context.Context) error {
	ctx, cancel := v.app.Limited(ctx)
	defer cancel()
	if _, err := v.client.Session(ctx); err != nil || v.agent.ID == "" {
		return err
	}
	if row, err := command.AgentOnMap(ctx, v.client, v.agent.ID); err != nil || row != nil {
		return err
	}
	tools, err := sdk.NewFrameworkRegistration("mcp", sdk.Tool{Name: protocol.ChatTool})
	if err != nil {
		return err
	}
	held, err := v.world.AddAgent(ctx, sdk.AgentOptions{Credentials: v.agent.Credentials(), AgentID: v.agent.ID, Name: v.agent.Name(), Tools: tools})
	if err != nil {
		return fmt.Errorf("put %s on the map: %w", v.agent.Name(), err)
	}
	v.held = held
	return nil
}
