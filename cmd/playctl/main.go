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

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/command/tree"
)

// version is set by the release build; otherwise it comes from the build info.
var version string

//go:generate go run ../../internal/gen/commands
//go:generate go run ../../internal/gen/licenses

func main() {
	os.Exit(run(context.Background(), theProcess()))
}

// run runs the program and returns its exit code.
func run(ctx context.Context, p *command.Program) int { return command.Run(ctx, p, tree.New) }

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
		Environ:   os.Environ,
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
