// Package command has the parts that all commands of playctl share: the environment of a
// run, its settings, the identity with which it calls a host, prompts, results, errors
// and exit codes. The commands themselves are in the folders below, grouped by subject.
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
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/playctl/playctl/internal/creds"
)

// Program has everything outside the process that a run uses, so that a test can run the
// whole program in its own process.
type Program struct {
	// Version is set by a release build, "" for any other.
	Version string
	// Name is the name by which the program was called; Args are the arguments after it.
	Name string
	Args []string
	// Stdin, Stdout and Stderr are the standard streams. An *os.File of a terminal is
	// treated as a terminal.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// LookupEnv returns an environment variable, as os.LookupEnv does.
	LookupEnv func(name string) (string, bool)
	// Environ returns all environment variables, as os.Environ does; it may be nil.
	Environ func() []string
	// Home is the user's home folder, "" if there is none; Dir the working
	// folder.
	Home, Dir string
	// Now is the clock, Zone the time zone of times in the output.
	Now  func() time.Time
	Zone *time.Location
	// Derive computes node ids; nil stands for creds.DeriveNodeID.
	Derive creds.DeriveFunc
	// OpenTTY opens the controlling terminal, for prompts.
	OpenTTY func() (TTY, error)
	// Signals and StopSignals deliver signals, as signal.Notify and signal.Stop.
	Signals     func(c chan<- os.Signal, signals ...os.Signal)
	StopSignals func(c chan<- os.Signal)
	// Exit ends the process immediately, for the second Ctrl-C.
	Exit func(code int)
}

// ErrInterrupted is the cause of a context that a signal ended.
var ErrInterrupted = errors.New("interrupted")

// ErrTerminated is the ErrInterrupted of SIGTERM, with which service managers end a
// service.
var ErrTerminated = fmt.Errorf("%w by SIGTERM", ErrInterrupted)

// Run runs the program with the commands of tree, and returns its exit code.
func Run(parent context.Context, p *Program, tree func(*App) *cobra.Command) int {
	if slices.Equal(p.Args, []string{"--version"}) {
		// This needs no tree, which takes longer to build than all else in this run.
		_, err := io.WriteString(p.Stdout, p.versionLine())
		return (&App{Program: p}).report(nil, err)
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	release := p.interruptible(cancel)
	defer release()

	if p.Derive == nil {
		p.Derive = creds.DeriveNodeID
	}
	a := &App{Program: p, interrupted: ctx.Done()}
	root := tree(a)
	if len(p.Args) > 0 && strings.HasPrefix(p.Args[0], cobra.ShellCompRequestCmd) {
		completeNoFiles(root)
	}
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
	again := false
	return p.OnSignals(func(received os.Signal) {
		switch {
		case again:
			p.Exit(ExitInterrupted)
		case received == syscall.SIGTERM:
			cancel(ErrTerminated)
		}
		cancel(ErrInterrupted)
		again = true
	}, os.Interrupt, syscall.SIGTERM)
}

// OnSignals calls handle for each of the signals that arrives, until release.
func (p *Program) OnSignals(handle func(os.Signal), signals ...os.Signal) (release func()) {
	if p.Signals == nil {
		return func() {}
	}
	arrived := make(chan os.Signal, 2)
	p.Signals(arrived, signals...)
	done := make(chan struct{})
	var owned sync.WaitGroup
	owned.Go(func() {
		for {
			select {
			case signal := <-arrived:
				handle(signal)
			case <-done:
				return
			}
		}
	})
	return func() {
		p.StopSignals(arrived)
		close(done)
		owned.Wait()
	}
}

// Env returns an environment variable, "" if it is not set.
func (p *Program) Env(name string) string {
	value, _ := p.Variable(name)
	return value
}

// Variable returns an environment variable, and whether it is set. Stores of secrets and
// files of variables add line ends and spaces, which no variable of playctl has at its
// ends; a password may have spaces.
func (p *Program) Variable(name string) (value string, set bool) {
	value, set = p.LookupEnv(name)
	switch {
	case !strings.HasPrefix(name, variablePrefix):
		return value, set
	case strings.HasSuffix(name, "_PASSWORD"):
		return strings.TrimRight(value, "\r\n"), set
	}
	return strings.TrimSpace(value), set
}

// Absolute returns the absolute path of a path that a person gave.
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

// StateFolder returns playctl's folder for the data of hosts, "" without a home folder.
func (p *Program) StateFolder() string {
	return p.userFolder("XDG_STATE_HOME", "LOCALAPPDATA", filepath.Join(".local", "state"))
}

// userFolder follows the XDG base directory specification, which ignores relative paths
// in the variable; on Windows it also reads the variable of Windows.
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

// Surroundings returns the environment for the credentials package.
func (p *Program) Surroundings() creds.Environment {
	return creds.Environment{LookupEnv: p.Variable, Home: p.Home, Dir: p.Dir}
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

// Version is what "playctl version" prints.
type Version struct {
	Version  string `json:"version"`            // the version, or devel for a build that is no release
	Commit   string `json:"commit,omitempty"`   // the commit that it was built of
	Modified bool   `json:"modified,omitempty"` // whether files were changed after that commit
	Go       string `json:"go"`                 // the version of Go that built it
	Platform string `json:"platform"`           // the operating system and the architecture
}

// versionLine is what --version prints.
func (p *Program) versionLine() string { return "playctl " + p.ThisVersion().Version + "\n" }

// ThisVersion returns the version of the release build, else the one that Go recorded.
func (p *Program) ThisVersion() Version {
	result := Version{Version: p.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return result
	}
	result.Version = cmp.Or(result.Version, info.Main.Version)
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			result.Commit = setting.Value
		case "vcs.modified":
			result.Modified = setting.Value == "true"
		}
	}
	return result
}
