// Command playctl hosts a world of AI agents and drives it.
//
//	playctl serve --demo                       a world to look at, with agents in it
//	playctl create-main-node                   an account on a host
//	playctl create-agent-node Ada              an agent of that account
//	playctl add-agent Ada --hold               the agent on the map, kept alive
//	playctl record-interaction Ada "Hello"     a line of its chat
//	playctl tail                               everything that happens, live
//
// Results go to standard output and nothing else does: notes, warnings, prompts
// and errors go to standard error. Without a terminal nothing is ever asked.
// "playctl help exit-codes" lists what a script can rely on.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// version is set by the release build; otherwise it comes from the build info.
var version string

func main() {
	os.Exit(run(context.Background(), theProcess()))
}

// theProcess is the surroundings of the real program.
func theProcess() *program {
	// Writing into a pipe that nobody reads any more is then an error that run
	// knows, not the end of the process by a signal.
	signal.Ignore(syscall.SIGPIPE)
	// Without a home folder or a working folder everything still works that
	// needs none; what needs one says so.
	home, _ := os.UserHomeDir()
	dir, _ := os.Getwd()
	return &program{
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
		OpenTTY:   openTTY,
		Signals:   signal.Notify,
		StopSignals: func(c chan<- os.Signal) {
			signal.Stop(c)
		},
		Exit: os.Exit,
	}
}
