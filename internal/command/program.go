// Package command is what every command of playctl stands on: the surroundings of a
// run, its settings, the identity that it calls a host with, prompts, results, errors
// and exit codes. The commands themselves are in the folders below, by what they work
// on.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/playctl/playctl/internal/creds"
)

// Program is everything that a run touches outside itself, so that a test can
// run the whole program inside its own process.
type Program struct {
	// Version is what a release build stamped, "" for any other.
	Version string
	// Name is how the program was called; Args are the arguments after it.
	Name string
	Args []string
	// Stdin, Stdout and Stderr are the standard streams. Those that are an
	// *os.File of a terminal are treated as one.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// LookupEnv gives an environment variable, as os.LookupEnv does.
	LookupEnv func(name string) (string, bool)
	// Home is the user's home folder, "" if there is none; Dir the working
	// folder.
	Home, Dir string
	// Now is the clock, Zone the time zone that a person reads.
	Now  func() time.Time
	Zone *time.Location
	// Derive computes node ids, as creds.DeriveNodeID does, which is taken where it
	// is nil.
	Derive creds.DeriveFunc
	// OpenTTY opens the terminal that the person sits at, for prompts.
	OpenTTY func() (TTY, error)
	// Signals and StopSignals deliver signals, as signal.Notify and signal.Stop.
	Signals     func(c chan<- os.Signal, signals ...os.Signal)
	StopSignals func(c chan<- os.Signal)
	// Exit ends the process immediately, for the second Ctrl-C.
	Exit func(code int)
}

// ErrInterrupted is the cause of a context that a signal ended.
var ErrInterrupted = errors.New("interrupted")

// ErrTerminated is the ErrInterrupted of SIGTERM, by which service managers end
// what runs until it is stopped.
var ErrTerminated = fmt.Errorf("%w by SIGTERM", ErrInterrupted)

// Run runs the program whose commands tree makes, and returns its exit code.
func Run(parent context.Context, p *Program, tree func(*App) *cobra.Command) int {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	release := p.interruptible(cancel)
	defer release()

	if p.Derive == nil {
		p.Derive = creds.DeriveNodeID
	}
	a := &App{Program: p, interrupted: ctx.Done()}
	root := tree(a)
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	err = cmp.Or(err, a.unwritten)
	if err != nil && errors.Is(context.Cause(ctx), ErrInterrupted) && errors.Is(err, context.Canceled) {
		err = ErrInterrupted
	}
	return a.report(cmd, err)
}

// interruptible makes the first Ctrl-C or SIGTERM cancel the run and the second
// one end the process immediately. The returned function undoes it.
func (p *Program) interruptible(cancel context.CancelCauseFunc) (release func()) {
	if p.Signals == nil {
		return func() {}
	}
	signals := make(chan os.Signal, 2)
	p.Signals(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	var owned sync.WaitGroup
	owned.Go(func() {
		for seen := 0; ; seen++ {
			select {
			case received := <-signals:
				switch {
				case seen > 0:
					p.Exit(ExitInterrupted)
				case received == syscall.SIGTERM:
					cancel(ErrTerminated)
				}
				cancel(ErrInterrupted)
			case <-done:
				return
			}
		}
	})
	return func() {
		p.StopSignals(signals)
		close(done)
		owned.Wait()
	}
}

// Env returns an environment variable; one that is not set is "".
func (p *Program) Env(name string) string {
	value, _ := p.LookupEnv(name)
	return value
}

// Absolute makes a path that a person gave absolute.
func (p *Program) Absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.Dir, path)
}

// configFolder returns playctl's folder for settings, "" without a home folder.
func (p *Program) configFolder() string {
	return p.userFolder("XDG_CONFIG_HOME", "APPDATA", ".config")
}

// StateFolder returns playctl's folder for data that a host keeps, "" without a home
// folder.
func (p *Program) StateFolder() string {
	return p.userFolder("XDG_STATE_HOME", "LOCALAPPDATA", filepath.Join(".local", "state"))
}

// userFolder follows the XDG base directory specification, by which a relative
// path in the variable is ignored; on Windows its own variable counts as well.
func (p *Program) userFolder(variable, windows, below string) string {
	if folder := p.Env(variable); filepath.IsAbs(folder) {
		return filepath.Join(folder, "playctl")
	}
	if folder := p.Env(windows); runtime.GOOS == "windows" && filepath.IsAbs(folder) {
		return filepath.Join(folder, "playctl")
	}
	if p.Home == "" {
		return ""
	}
	return filepath.Join(p.Home, below, "playctl")
}

// Surroundings is what the credentials package wants to know.
func (p *Program) Surroundings() creds.Environment {
	return creds.Environment{LookupEnv: p.LookupEnv, Home: p.Home, Dir: p.Dir}
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// SizeOf returns the columns and rows of a terminal, 0 for anything else.
func SizeOf(stream any) (width, height int) {
	file, ok := stream.(*os.File)
	if !ok {
		return 0, 0
	}
	width, height, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}
