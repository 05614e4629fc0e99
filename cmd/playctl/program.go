package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/playctl/playctl/internal/creds"
)

// program is everything that a run touches outside itself, so that a test can
// run the whole program inside its own process.
type program struct {
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
	// OpenTTY opens the terminal that the person sits at, for prompts.
	OpenTTY func() (tty, error)
	// Signals and StopSignals deliver signals, as signal.Notify and signal.Stop.
	Signals     func(c chan<- os.Signal, signals ...os.Signal)
	StopSignals func(c chan<- os.Signal)
	// Exit ends the process at once, for the second Ctrl-C.
	Exit func(code int)
}

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// run runs the program and returns its exit code.
func run(parent context.Context, p *program) int {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	release := p.interruptible(cancel)
	defer release()

	a := &app{program: p}
	root := newRootCommand(a)
	root.SetArgs(p.Args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errInterrupted) && errors.Is(err, context.Canceled) {
		err = errInterrupted
	}
	return a.report(cmd, err)
}

// interruptible makes the first Ctrl-C or SIGTERM cancel the run and the second
// one end the process at once. The returned function undoes it.
func (p *program) interruptible(cancel context.CancelCauseFunc) (release func()) {
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
			case <-signals:
				if seen > 0 {
					p.Exit(exitInterrupted)
				}
				cancel(errInterrupted)
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

// env returns an environment variable; one that is not set is "".
func (p *program) env(name string) string {
	value, _ := p.LookupEnv(name)
	return value
}

// absolute makes a path that a person gave absolute.
func (p *program) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(p.Dir, path)
}

// surroundings is what the credentials package wants to know.
func (p *program) surroundings() creds.Environment {
	return creds.Environment{LookupEnv: p.LookupEnv, Home: p.Home, Dir: p.Dir}
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// widthOf returns the columns of a terminal, 0 for anything else.
func widthOf(stream any) int {
	file, ok := stream.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}
