// Command playctl hosts a world of AI agents and drives it.
//
//	playctl serve --demo                       a world to look at, with agents in it
//	playctl create-main-node                   an account on a host
//	playctl create-agent-node Ada              an agent of that account
//	playctl add-agent Ada --hold               the agent on the map, kept alive
//	playctl record-interaction Ada "Hello"     a line of its chat
//	playctl tail                               everything that happens, live
//
// Results go to standard output, and nothing else: notes, warnings, prompts and errors go
// to standard error. Without a terminal there are no prompts. "playctl help exit-codes"
// lists the exit codes for scripts.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
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
	"github.com/playctl/playctl/internal/command/space"
	"github.com/playctl/playctl/internal/command/store"
	"github.com/playctl/playctl/internal/command/stream"
	"github.com/playctl/playctl/internal/command/world"
)

// version is set by the release build; otherwise it comes from the build info.
var version string

func main() {
	os.Exit(run(context.Background(), theProcess()))
}

// run runs the program and returns its exit code.
func run(ctx context.Context, p *command.Program) int { return command.Run(ctx, p, newRootCommand) }

// The command reference in docs/cli and the manual pages in docs/man are generated from
// this tree, and a test compares them.
//
//go:generate go test -count=1 -run ^TestCommandReference$ . -update

// newRootCommand joins the commands to one tree. It must be fast, because every run calls
// it, even "playctl --help".
func newRootCommand(a *command.App) *cobra.Command {
	a.HostFlags = func(flags *pflag.FlagSet) { host.RegisterFlags(flags, a) }
	root := command.NewRoot(a)
	for _, commands := range []func(*command.App) []*cobra.Command{
		node.Commands, agent.Commands, world.Commands, space.Commands, stream.Commands, aql.Commands, mcp.Commands, otel.Commands,
		host.Commands, store.Commands, doctor.Commands, about.Commands,
	} {
		root.AddCommand(commands(a)...)
	}
	return root
}

// theProcess returns the environment of the real program.
func theProcess() *command.Program {
	// A write to a pipe that its reader has closed is then an error, which run handles,
	// instead of a signal that ends the process.
	signal.Ignore(syscall.SIGPIPE)
	// Without a home folder or a working folder, only commands that need one fail, with an
	// error.
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	return &command.Program{
		Version:   version,
		Name:      os.Args[0],
		Args:      os.Args[1:],
		Stdin:     os.Stdin,
		Stdout:    os.Stdout,
		Stderr:    os.Stderr,
		LookupEnv: os.LookupEnv,
		Home:      home,
		Dir:       dir,
		Now:       time.Now,
		Zone:      time.Local,
		OpenTTY:   command.OpenTTY,
		Signals:   signal.Notify,
		StopSignals: func(c chan<- os.Signal) {
			signal.Stop(c)
		},
		Exit: os.Exit,
	}
}
