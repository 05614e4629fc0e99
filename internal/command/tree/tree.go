// Package tree joins the commands of all packages to the program's tree.
package tree

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/about"
	"github.com/playctl/playctl/internal/command/agent"
	"github.com/playctl/playctl/internal/command/aql"
	"github.com/playctl/playctl/internal/command/doctor"
	"github.com/playctl/playctl/internal/command/host"
	"github.com/playctl/playctl/internal/command/mcp"
	"github.com/playctl/playctl/internal/command/node"
	"github.com/playctl/playctl/internal/command/otel"
	"github.com/playctl/playctl/internal/command/place"
	"github.com/playctl/playctl/internal/command/space"
	"github.com/playctl/playctl/internal/command/store"
	"github.com/playctl/playctl/internal/command/stream"
	"github.com/playctl/playctl/internal/command/world"
)

// New returns the root command with all commands. It must be fast, because every run calls
// it, even "playctl --help".
func New(a *command.App) *cobra.Command {
	a.HostFlags = func(flags *pflag.FlagSet) { host.RegisterFlags(flags, a) }
	a.StoreVariables = place.Variables
	root := command.NewRoot(a)
	for _, commands := range []func(*command.App) []*cobra.Command{
		node.Commands, agent.Commands, world.Commands, space.Commands, stream.Commands, aql.Commands, mcp.Commands, otel.Commands,
		host.Commands, store.Commands, doctor.Commands, about.Commands,
	} {
		root.AddCommand(commands(a)...)
	}
	return root
}

// Results returns, for every package of commands, a value of each type that its commands
// print as JSON. The key is the commands, separated by commas, with the flags with which
// they print it, and after a semicolon what part of the output it is.
func Results() []map[string]any {
	return []map[string]any{
		command.Results(), node.Results(), agent.Results(), world.Results(), space.Results(), stream.Results(), aql.Results(),
		mcp.Results(), otel.Results(), host.Results(), store.Results(), doctor.Results(), about.Results(),
	}
}

// Documented returns the root command as the documentation shows it: without an
// environment, so that it is the same on every machine.
func Documented() *cobra.Command {
	return New(&command.App{Program: &command.Program{
		LookupEnv: func(string) (string, bool) { return "", false },
		Home:      "~", Now: func() time.Time { return time.Time{} },
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard,
	}})
}

// Each visits a command and all documented commands below it.
func Each(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		if sub.Name() != "help" && !sub.Hidden {
			Each(sub, visit)
		}
	}
}
