package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
)

// App is one run of the program, with its settings. All commands belong to it.
type App struct {
	*Program
	Settings Settings
	// Sources are nil before the settings are read.
	Sources *Sources
	// HostFlags registers the flags of a host, which the config file can set too.
	HostFlags func(*pflag.FlagSet)
	// StoreVariables returns the environment variables of the stores.
	StoreVariables func() []string
	Printer        *render.Printer
	// MakeMainNode and MakeAgentNode create nodes as their commands do, and MakeNamedAgent
	// creates an agent node whose credentials are derived from its name, which NamedAgent
	// returns, for commands that need one. The package of those commands sets these functions.
	MakeMainNode   func(ctx context.Context, caller *Caller, phrase *PhraseFlags) error
	MakeAgentNode  func(ctx context.Context, label string, phrase *PhraseFlags) error
	MakeNamedAgent func(ctx context.Context, caller *Caller, name string) (AgentRef, error)
	NamedAgent     func(ctx context.Context, caller *Caller, name string) (client.Credentials, error)
	// Settle finishes what interrupted commands left in the credentials file. The package of
	// the commands that create nodes sets it.
	Settle func(ctx context.Context) error
	// interrupted is closed when the run is interrupted.
	interrupted <-chan struct{}
	// unwritten is the error of writing the help.
	unwritten error
	// exposed is set after the warning that the connection to the host is not encrypted.
	exposed bool
	// yes confirms the run in advance, and dryRun ends it where it would be confirmed.
	yes, dryRun bool
	// unconfirmed is the number of hosts that may still accept credentials which this run
	// deleted or replaced.
	unconfirmed int
	// identity is the caller of this run, nil before it is known.
	identity *Caller
}

// begin prepares a run, and refuses a command that nobody can confirm before it begins.
func (a *App) begin(cmd *cobra.Command, args []string) error {
	if err := a.prepare(cmd, args); err != nil {
		return err
	}
	a.warnOfVariables(cmd)
	if IsConfirmed(cmd) && !a.yes && !a.dryRun && !a.MayAsk() {
		return a.unconfirmable()
	}
	return nil
}

// prepare reads the settings before a command runs: flags, environment, config
// file, in this order of precedence.
func (a *App) prepare(cmd *cobra.Command, _ []string) error {
	loaded, err := a.readSettings(cmd.Flags())
	if err != nil {
		return err
	}
	a.Sources = loaded
	if err := checkTexts(cmd.Flags(), loaded); err != nil {
		return err
	}
	if err := checkChoices(cmd.Flags()); err != nil {
		return err
	}
	if _, err := render.ParseColorMode(a.Settings.color); err != nil {
		return BadSetting(loaded.Where("color"), err)
	}
	format, err := render.ParseFormat(a.Settings.output)
	if err != nil {
		return BadSetting(loaded.Where("output"), err)
	}
	a.yes, a.dryRun = isSet(cmd, yesFlag), isSet(cmd, dryRunFlag)
	if a.Settings.Server == "" && loaded.ByFlag("server") {
		return Usagef("--server is empty")
	}
	if a.Settings.Timeout < 0 {
		return BadSetting(loaded.Where("timeout"), fmt.Errorf("%s is negative: use 0 for no limit", a.Settings.Timeout))
	}
	filter, err := a.filter(cmd.Context())
	if err != nil {
		return err
	}
	if filter != nil && format == render.FormatTable {
		format = render.FormatJSON
	}
	a.Printer = &render.Printer{Out: a.Stdout, Format: format, Look: a.Look(a.Stdout), Filter: filter, Terminal: IsTerminal(a.Stdout)}
	if a.Settle == nil || !callsHost(cmd) {
		return nil
	}
	return a.Settle(cmd.Context())
}

// Look returns the colors and the width of output to a stream.
func (a *App) Look(stream io.Writer) render.Look {
	mode, err := render.ParseColorMode(a.Settings.color)
	if err != nil {
		mode = render.ColorAuto
	}
	width, _ := SizeOf(stream)
	return render.Look{
		Color: render.UseColor(mode, a.Env, IsTerminal(stream)),
		Width: width,
		Now:   a.Now(),
		Zone:  a.Zone,
	}
}

// ErrorLook is Look for messages on standard error. It also works before prepare, for
// errors in the command line itself.
func (a *App) ErrorLook() render.Look { return a.Look(a.Stderr) }

// Note prints a message for a person besides the result, unless --quiet is set. On a
// terminal it is wrapped between words.
func (a *App) Note(format string, args ...any) {
	if a.Settings.Quiet {
		return
	}
	_, _ = io.WriteString(a.Stderr, render.Wrap(render.Shielded(fmt.Sprintf(format, args...)), 0, a.ErrorLook().Width)+"\n")
}

// Warn warns a person of a danger, even with --quiet.
func (a *App) Warn(problem, hint string) {
	render.Warning(a.Stderr, a.ErrorLook(), problem, a.LikeThis(hint))
}

// Unconfirmed returns the number of hosts of the world that had not confirmed a deletion
// or replacement of this run when it was answered.
func (a *App) Unconfirmed() int { return a.unconfirmed }

// warnUnconfirmed warns that hosts may still accept deleted or replaced credentials.
func (a *App) warnUnconfirmed(server string, hosts int) {
	a.unconfirmed = hosts
	late := "1 host of this world has not confirmed the deletion or replacement: until it does, it may accept old credentials"
	if hosts > 1 {
		late = fmt.Sprintf("%d hosts of this world have not confirmed the deletion or replacement: until they do, they may accept old credentials", hosts)
	}
	a.Warn(late, "the log at "+server+" names them: check that they are running and can reach the store")
}

// Waiting shows a spinner during work that is not done at once, on a terminal only.
func (a *App) Waiting(label string, work func() error) error {
	return a.Watching(func() string { return label }, work)
}

// Await is Waiting for work that has a result.
func Await[T any](a *App, label string, work func() (T, error)) (result T, err error) {
	return AwaitWith(a, func() string { return label }, work)
}

// Interruptible is Await for a computation that cannot be interrupted. When ctx ends it
// returns at once; the computation goes on until the program ends, which is next.
func Interruptible[T any](ctx context.Context, a *App, label string, compute func() (T, error)) (T, error) {
	return Await(a, label, func() (T, error) {
		type outcome struct {
			result T
			err    error
		}
		computed := make(chan outcome, 1)
		go func() {
			result, err := compute()
			computed <- outcome{result, err}
		}()
		select {
		case o := <-computed:
			return o.result, o.err
		case <-ctx.Done():
			var none T
			return none, context.Cause(ctx)
		}
	})
}

// Watching is Waiting with a label that can show progress.
func (a *App) Watching(label func() string, work func() error) error {
	if a.Settings.Quiet || !IsTerminal(a.Stderr) || a.Env("TERM") == "dumb" {
		return work()
	}
	stop := render.Spin(a.Stderr, a.ErrorLook(), label)
	defer stop()
	return work()
}

// Limited limits the time of a command to --timeout.
func (a *App) Limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.Settings.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, a.Settings.Timeout)
}

// filter returns the filter of --jq or --template; nil if neither is set.
func (a *App) filter(ctx context.Context) (render.Filter, error) {
	var filter render.Filter
	var err error
	switch expression, layout := a.Settings.jq, a.Settings.template; {
	case expression != "" && layout != "":
		return nil, Usagef("--jq and --template cannot be used together")
	case expression != "":
		filter, err = render.JQ(ctx, expression)
	case layout != "":
		filter, err = render.Template(layout)
	}
	if err != nil {
		return nil, Usagef("%w", err)
	}
	return filter, nil
}
