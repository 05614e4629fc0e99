package command

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/render"
)

// App is one run of the program: its surroundings and what the settings of this
// run made from them. Commands hang on it.
type App struct {
	*Program
	Settings Settings
	// Sources are nil before the settings are read.
	Sources *Sources
	// HostFlags registers the flags of a host, which the config file can set too.
	HostFlags func(*pflag.FlagSet)
	Printer   *render.Printer
	// MakeMainNode and MakeAgentNode make nodes as their commands do, and MakeNamedAgent
	// makes one whose credentials follow from its name, for commands that need one. The
	// package of those commands sets them.
	MakeMainNode   func(ctx context.Context, phrase *PhraseFlags) error
	MakeAgentNode  func(ctx context.Context, label string, phrase *PhraseFlags) error
	MakeNamedAgent func(ctx context.Context, who *Caller, name string) (AgentRef, error)
	// interrupted is closed when the run is interrupted.
	interrupted <-chan struct{}
	// unwritten is why the help could not be written.
	unwritten error
	// exposed is set once the person was warned that the host does not encrypt.
	exposed bool
	// dryRun ends the run where a confirmation would be asked for.
	dryRun bool
	// unconfirmed is how many hosts may still accept what this run deleted or replaced.
	unconfirmed int
	// called is the identity of this run, nil before it is known.
	called *Caller
}

// prepare reads the settings before a command runs: flags, environment, config
// file, in this order of precedence.
func (a *App) prepare(cmd *cobra.Command, _ []string) error {
	loaded, err := a.readSettings(cmd.Flags())
	if err != nil {
		return err
	}
	a.Sources = loaded
	if _, err := render.ParseColorMode(a.Settings.color); err != nil {
		return BadSetting(loaded.Where("color"), err)
	}
	format, err := render.ParseFormat(a.Settings.output)
	if err != nil {
		return BadSetting(loaded.Where("output"), err)
	}
	if flag := cmd.Flags().Lookup(dryRunFlag); flag != nil {
		a.dryRun = flag.Value.String() == "true"
	}
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
	return nil
}

// Look returns how output to a stream may look.
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

// ErrorLook returns how messages on standard error look. It works before prepare,
// when the command line itself is what is wrong.
func (a *App) ErrorLook() render.Look { return a.Look(a.Stderr) }

// Note says something to a person in addition to the result, unless --quiet. A terminal gets it
// broken between words.
func (a *App) Note(format string, args ...any) {
	if a.Settings.Quiet {
		return
	}
	_, _ = io.WriteString(a.Stderr, render.Wrap(render.Shielded(fmt.Sprintf(format, args...)), 0, a.ErrorLook().Width)+"\n")
}

// Warn warns a person of a danger, --quiet or not.
func (a *App) Warn(problem, hint string) {
	render.Warning(a.Stderr, a.ErrorLook(), problem, a.LikeThis(hint))
}

// Unconfirmed returns how many hosts of the world had not confirmed what this run deleted or
// replaced when it was answered.
func (a *App) Unconfirmed() int { return a.unconfirmed }

// warnUnconfirmed warns that hosts may still accept what was deleted or replaced.
func (a *App) warnUnconfirmed(server string, hosts int) {
	a.unconfirmed = hosts
	late := "1 host of this world has not confirmed the deletion or replacement: until it does, it may accept old credentials"
	if hosts > 1 {
		late = fmt.Sprintf("%d hosts of this world have not confirmed the deletion or replacement: until they do, they may accept old credentials", hosts)
	}
	a.Warn(late, "the log at "+server+" names them: check that they are running and can reach the store")
}

// Waiting shows a spinner while work takes longer than a blink, on a terminal
// only.
func (a *App) Waiting(label string, work func() error) error {
	return a.Watching(func() string { return label }, work)
}

// Watching is Waiting for work that says how far it is.
func (a *App) Watching(label func() string, work func() error) error {
	if a.Settings.Quiet || !IsTerminal(a.Stderr) || a.Env("TERM") == "dumb" {
		return work()
	}
	stop := render.Spin(a.Stderr, a.ErrorLook(), label)
	defer stop()
	return work()
}

// Limited bounds a command by --timeout.
func (a *App) Limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.Settings.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, a.Settings.Timeout)
}

// filter returns what --jq or --template makes of the JSON of a result; nil for neither.
func (a *App) filter(ctx context.Context) (render.Filter, error) {
	var filter render.Filter
	var err error
	switch expression, layout := a.Settings.jq, a.Settings.template; {
	case expression != "" && layout != "":
		return nil, Usagef("--jq and --template both say what is printed of a result: use one of them")
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
