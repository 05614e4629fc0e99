// Package doctor has the command that checks this machine, a host and the connection
// between them for problems.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/retry"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command { return []*cobra.Command{newDoctorCommand(a)} }

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"doctor":                 doctorResult{},
		"doctor --output ndjson": finding{},
	}
}

// These are the states of a finding. Only stateWrong makes the command fail.
const (
	stateGood    = "ok"
	stateDoubt   = "warning"
	stateWrong   = "wrong"
	stateUnknown = "unknown"
)

// finding is the result of one check.
type finding struct {
	Check   string `json:"check"`   // the name of the check
	State   string `json:"state"`   // ok, warning, wrong, or unknown if it could not be checked
	Message string `json:"message"` // what was found
	// Fix is the command, or the step, that fixes it.
	Fix string `json:"fix,omitempty"`
}

// doctorResult is what "playctl doctor" prints.
type doctorResult struct {
	Context string `json:"context,omitempty"`
	Server  string `json:"server"`
	// OK is false if something is wrong; warnings are not.
	OK       bool      `json:"ok"`
	Findings []finding `json:"findings"` // the findings, in the order of the checks
}

func newDoctorCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		GroupID: command.GroupOther,
		Short:   "Find problems between this machine and the host",
		Long: `Find problems between this machine and the host of the context: whether it can be reached,
its version, TLS, clocks, the root key, the account and its API key, the event stream, modes of
files, the terminal, and agents on the map for which no program answers. Each finding comes with the
command that fixes it. It changes nothing.

The exit code is 0 if nothing is wrong, even with warnings; otherwise that of the first problem, such
as 4 if the host cannot be reached, and 3 if it refuses the credentials: see "playctl help exit-codes".`,
		Example: command.Example("playctl doctor", "playctl doctor --server http://127.0.0.1:7420 --output json"),
		Args:    command.Takes(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return examine(cmd.Context(), a) },
	}
}

// examination is the run of all checks on this machine and a host.
type examination struct {
	*command.App
	caller *command.Caller
	host   *client.Client
	result doctorResult
	// first is the first problem.
	first error
}

func examine(ctx context.Context, a *command.App) error {
	p := &examination{App: a}
	p.terminal()
	p.files()
	caller, err := a.Caller()
	if err != nil {
		p.wrong("credentials", err, a.HintFor(err))
		return p.report()
	}
	p.caller, p.result.Context, p.result.Server = caller, caller.ContextName(), caller.Server
	host, err := a.Client(caller, caller.Reader())
	if err != nil {
		return err
	}
	defer host.Close()
	p.host = host.WithRetry(retry.Policy{Attempts: 1})
	ctx, cancel := a.Limited(ctx)
	defer cancel()
	err = a.Waiting("Asking the host", func() error {
		if p.reach(ctx) {
			p.ready(ctx)
			p.version(ctx)
			if p.account(ctx) {
				p.stream(ctx)
				p.agents(ctx)
			}
			if !errors.Is(p.first, client.ErrNotHost) {
				p.rootKey(ctx)
			}
		}
		return ctx.Err()
	})
	if err != nil && p.first == nil {
		return context.Cause(ctx)
	}
	return p.report()
}

func (p *examination) add(check, state, fix, format string, args ...any) {
	p.result.Findings = append(p.result.Findings, finding{check, state, fmt.Sprintf(format, args...), fix})
}

// wrong adds a problem, which makes the command fail.
func (p *examination) wrong(check string, err error, fix string) {
	if p.first == nil {
		p.first = err
	}
	p.add(check, stateWrong, fix, "%s", command.Worded(err))
}

// report prints the findings; the error is the first problem.
func (p *examination) report() error {
	p.result.OK = p.first == nil
	if err := p.Printer.Print(p.document()); err != nil || p.first == nil {
		return err
	}
	var wrong []string
	for _, f := range p.result.Findings {
		if f.State == stateWrong && !slices.Contains(wrong, f.Check) {
			wrong = append(wrong, f.Check)
		}
	}
	if len(wrong) == 1 {
		return command.Hintf(fmt.Errorf("1 problem: %w", p.first), "the lines above say how to fix it")
	}
	return command.Hintf(fmt.Errorf("%d problems (%s), the first: %w", len(wrong), strings.Join(wrong, ", "), p.first), "the lines above say how to fix them")
}

func (p *examination) document() render.Document {
	look := p.Printer.Look
	marks := map[string]func(string) string{stateGood: look.Good, stateDoubt: look.Warn, stateWrong: look.Bad, stateUnknown: look.Faint}
	doc := render.Document{Data: p.result, Items: []any{}}
	const states, checks = 9, 12
	line := func(state, check, text string, paint func(string) string) {
		if look.Width > states+checks {
			text = command.Wrap(text, look.Width-states-checks)
		}
		for text := range strings.SplitSeq(text, "\n") {
			doc.Views = append(doc.Views, render.Line(state+fmt.Sprintf("%-*s", checks, check)+paint(text)))
			state, check = strings.Repeat(" ", states), ""
		}
	}
	for _, f := range p.result.Findings {
		doc.Items = append(doc.Items, f)
		line(marks[f.State](fmt.Sprintf("%-*s", states, f.State)), f.Check, render.Clean(f.Message), func(text string) string { return text })
		if f.Fix != "" {
			line(strings.Repeat(" ", states), "", "fix: "+render.Clean(f.Fix), look.Accent)
		}
	}
	return doc
}

// terminal checks the terminal.
func (p *examination) terminal() {
	const check = "terminal"
	locale := cmp.Or(p.Env("LC_ALL"), p.Env("LC_CTYPE"), p.Env("LANG"))
	utf8 := runtime.GOOS == "windows" || strings.Contains(strings.ToLower(strings.ReplaceAll(locale, "-", "")), "utf8")
	switch term := p.Env("TERM"); {
	case !command.IsTerminal(p.Stdout):
		p.add(check, stateGood, "", "standard output is not a terminal: results have no color, and \"playctl tail\" prints JSON lines")
	case term == "dumb" || term == "" && runtime.GOOS != "windows":
		p.add(check, stateDoubt, "export TERM=xterm-256color", "TERM is %q, so there are no colors and no maps", term)
	case !utf8:
		p.add(check, stateDoubt, "export LANG=C.UTF-8", "the locale %q is not UTF-8, so names and maps may look wrong", locale)
	case p.Printer.Look.Width > 0 && p.Printer.Look.Width < narrow:
		p.add(check, stateDoubt, "make the window wider", "the window has %d columns: tables need %d", p.Printer.Look.Width, narrow)
	default:
		p.add(check, stateGood, "", "%s, %d columns", term, p.Printer.Look.Width)
	}
}

// narrow is the width for which tables are designed.
const narrow = 80

// ownerOnly reports whether only its owner can access a file.
func ownerOnly(info fs.FileInfo) bool {
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0
}

// files checks who can read the files with secrets.
func (p *examination) files() {
	const check = "files"
	token := p.Absolute(p.Env("PLAYCTL_ADMIN_TOKEN_FILE"))
	paths := []string{token}
	store, err := p.CredentialsStore()
	if err != nil {
		p.add(check, stateUnknown, "", "%s", err)
		return
	}
	paths = append(paths, store.Path())
	if folder := p.StateFolder(); folder != "" {
		for _, name := range []string{"world.playstore", "host.log", "aql_history"} {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	good := 0
	for _, path := range paths {
		switch info, err := os.Stat(path); {
		case path == "" || errors.Is(err, fs.ErrNotExist):
		case err != nil:
			p.wrong(check, fmt.Errorf("cannot read it: %w", err), "")
		case ownerOnly(info):
			good++
		case path != token || command.CheckReaders(path) != nil:
			p.wrong(check, fmt.Errorf("others on this machine can read %s: its mode is %04o", path, info.Mode().Perm()), "chmod 600 "+command.ShellWord(path))
		}
	}
	if found, err := p.Surroundings().FindRootFile(""); err != nil && !errors.Is(err, creds.ErrNoRootFile) {
		p.wrong(check, err, "")
	} else if err == nil {
		p.add(check, stateGood, "", "the root key file is %s", found.Path)
	}
	if good > 0 {
		p.add(check, stateGood, "", "%s readable only by you", command.Plural(good, "file with secrets is", "files with secrets are"))
	}
}
