package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/render"
)

// app is one run of the program: its surroundings and what the settings of this
// run made of them. Commands hang on it.
type app struct {
	*program
	settings settings
	layers   *layers
	printer  *render.Printer
	// called is whom this run calls as, nil before it is known.
	called *caller
}

// prepare reads the settings before a command runs: flags, environment, config
// file, in this order of precedence.
func (a *app) prepare(cmd *cobra.Command, _ []string) error {
	loaded, err := a.loadLayers(cmd.Flags())
	if err != nil {
		return err
	}
	a.layers = loaded
	if _, err := render.ParseColorMode(a.settings.color); err != nil {
		return &settingError{loaded.where("color"), err}
	}
	format, err := render.ParseFormat(a.settings.output)
	if err != nil {
		return &settingError{loaded.where("output"), err}
	}
	if a.settings.timeout < 0 {
		return &settingError{loaded.where("timeout"), fmt.Errorf("%s is negative: use 0 for no limit", a.settings.timeout)}
	}
	a.printer = &render.Printer{Out: a.Stdout, Format: format, Look: a.look(a.Stdout)}
	return nil
}

// look is how output to a stream may look.
func (a *app) look(stream io.Writer) render.Look {
	mode, err := render.ParseColorMode(a.settings.color)
	if err != nil {
		mode = render.ColorAuto
	}
	return render.Look{
		Color: render.UseColor(mode, a.env, isTerminal(stream)),
		Width: widthOf(stream),
		Now:   a.Now(),
		Zone:  a.Zone,
	}
}

// errorLook is how messages on standard error look. It works before prepare,
// when the command line itself is what is wrong.
func (a *app) errorLook() render.Look { return a.look(a.Stderr) }

// note tells a person something beside the result, unless --quiet.
func (a *app) note(format string, args ...any) {
	if a.settings.quiet {
		return
	}
	_, _ = fmt.Fprintf(a.Stderr, format+"\n", args...)
}

// warn tells a person about a danger, --quiet or not.
func (a *app) warn(problem, hint string) {
	render.Warning(a.Stderr, a.errorLook(), problem, hint)
}

// waiting shows a spinner while work takes longer than a blink, on a terminal
// only.
func (a *app) waiting(label string, work func() error) error {
	return a.watching(func() string { return label }, work)
}

// watching is waiting for work that says how far it is.
func (a *app) watching(label func() string, work func() error) error {
	if a.settings.quiet || !isTerminal(a.Stderr) || a.env("TERM") == "dumb" {
		return work()
	}
	stop := render.Spin(a.Stderr, a.errorLook(), label)
	defer stop()
	return work()
}

// limited bounds a command by --timeout.
func (a *app) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.settings.timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, a.settings.timeout)
}
