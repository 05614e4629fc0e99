package command

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/render"
)

const (
	yesFlag           = "yes"
	dryRunFlag        = "dry-run"
	ignoreMissingFlag = "ignore-missing"
)

// needsConfirmation is the annotation of --yes of a command that is refused without a
// terminal unless --yes is set.
const needsConfirmation = "playctl_confirmation"

// RegisterConfirmation makes a command one that has to be confirmed, because it removes
// or replaces something: it adds --yes, which confirms it, and --dry-run. Without a
// terminal and without --yes the command does not run at all. The command asks with
// Confirm.
func RegisterConfirmation(cmd *cobra.Command) {
	cmd.Flags().BoolP(yesFlag, "y", false, "do it without asking; required without a terminal")
	// SetAnnotation fails for an unknown flag only.
	_ = cmd.Flags().SetAnnotation(yesFlag, needsConfirmation, nil)
	RegisterDryRun(cmd)
}

// RegisterDryRun adds --dry-run to a command. A command that has no confirmation calls
// DryRun.
func RegisterDryRun(cmd *cobra.Command) {
	cmd.Flags().Bool(dryRunFlag, false, "show what would be done, and change nothing")
}

// IsConfirmed reports whether a command has to be confirmed.
func IsConfirmed(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup(yesFlag)
	if flag == nil {
		return false
	}
	_, needs := flag.Annotations[needsConfirmation]
	return needs
}

// isSet reports whether a command has a flag that is set to true.
func isSet(cmd *cobra.Command, name string) bool {
	flag := cmd.Flags().Lookup(name)
	return flag != nil && flag.Value.String() == "true"
}

// errUnconfirmed means that a command was not confirmed and could not ask.
var errUnconfirmed = errors.New("confirmation required: pass --yes")

// unconfirmable returns the error of a command that has to be confirmed where no question
// can be asked.
func (a *App) unconfirmable() error {
	why := "there is no terminal for a prompt"
	if a.Settings.noInput {
		why = "--no-input does not allow prompts"
	}
	return Hintf(Usagef("%w", errUnconfirmed), "%s; --dry-run shows what would be done", why)
}

// errDryRun ends a dry run. It is not a failure.
var errDryRun = errors.New("nothing was done")

// Change is one thing that a command would add, remove or replace.
type Change struct {
	Action string `json:"action"`         // add, remove or replace
	Kind   string `json:"kind"`           // what it is, such as agent, space, context, api_key or file
	ID     string `json:"id,omitempty"`   // its id, if it has one
	Name   string `json:"name,omitempty"` // its name, label or path
}

// Changes returns a function for Confirm that knows the changes without a request.
func Changes(changes ...Change) func() ([]Change, error) {
	return func() ([]Change, error) { return changes, nil }
}

// Removes returns a function for Confirm for a command that removes one thing, and needs
// no request to know it.
func Removes(kind, id, name string) func() ([]Change, error) {
	return Changes(Change{Action: "remove", Kind: kind, ID: id, Name: name})
}

// If returns a function for Confirm that returns the changes of another one unless check
// fails.
func (c Change) If(check func() error) func() ([]Change, error) {
	return func() ([]Change, error) { return []Change{c}, check() }
}

// dryRunResult is what a command prints with --dry-run.
type dryRunResult struct {
	DryRun bool `json:"dryRun"` // always true: nothing was changed
	// Question is what a person would be asked.
	Question string   `json:"question"`
	Changes  []Change `json:"changes"` // what the command would add, remove or replace
}

// Confirm asks before something is removed or replaced. find returns what that is; its
// error says that the command would be refused, so that nobody answers the question in
// vain. With --yes it is not called.
func (a *App) Confirm(ctx context.Context, question string, find func() ([]Change, error)) error {
	if a.yes && !a.dryRun {
		return nil
	}
	if err := a.DryRun(question, find); err != nil {
		return err
	}
	if _, err := find(); err != nil {
		return err
	}
	err := a.AskYes(ctx, question)
	if errors.Is(err, ErrNoTerminal) {
		return a.unconfirmable()
	}
	return err
}

// AskYes asks a question at the terminal whose answer is yes or no. It fails unless the
// answer is yes, with ErrNoTerminal if nobody can be asked.
func (a *App) AskYes(ctx context.Context, question string) error {
	answer, err := a.Ask(ctx, question+" [y/N]", false)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return errors.New("canceled")
	}
	return nil
}

// DryRun ends a run with --dry-run, after it printed what it would do. Otherwise it does
// nothing.
func (a *App) DryRun(question string, find func() ([]Change, error)) error {
	if !a.dryRun {
		return nil
	}
	changes, err := find()
	if err != nil {
		return err
	}
	result := dryRunResult{DryRun: true, Question: question, Changes: append([]Change{}, changes...)}
	document := SentenceDocument(result, "Nothing was changed. Without --dry-run: %s", question)
	if len(changes) > 1 {
		table := render.Table{Columns: []render.Column{{Title: "action"}, {Title: "kind"}, {Title: "name"}, {Title: "ID"}}}
		for _, c := range changes {
			table.Rows = append(table.Rows, []string{c.Action, c.Kind, c.Name, render.ShortID(c.ID)})
		}
		document.Views = append(document.Views, render.Line(""), table)
	}
	if err := a.Printer.Print(*document); err != nil {
		return err
	}
	return errDryRun
}

// RegisterIfMissing adds --if-missing to a command that creates something. The command
// then succeeds without a change if it exists.
func RegisterIfMissing(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "if-missing", false, "succeed without a change if it exists already")
}

// missingError is the error of a thing that a command was to remove, and that does not
// exist.
type missingError struct{ error }

// Unwrap returns the error itself.
func (e *missingError) Unwrap() error { return e.error }

// Missing marks the error of a thing that does not exist, for IgnoreMissing.
func Missing(err error) error {
	if err == nil {
		return nil
	}
	return &missingError{err}
}

// missingResult is what a command prints with --ignore-missing if there is nothing to
// remove.
type missingResult struct {
	Missing bool   `json:"missing"` // always true: it does not exist
	Name    string `json:"name"`    // what was to be removed, as the command line names it
}

// IgnoreMissing adds --ignore-missing to a command that removes what its last argument
// names: with it, an error that Missing has marked is no failure.
func IgnoreMissing(a *App, cmd *cobra.Command) {
	ignore := cmd.Flags().Bool(ignoreMissingFlag, false, "succeed if it does not exist")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := run(cmd, args)
		if _, missing := errors.AsType[*missingError](err); !missing || !*ignore {
			return err
		}
		name := args[len(args)-1]
		return a.PrintSentence(missingResult{Missing: true, Name: name}, "There is nothing to remove: %s", Worded(err))
	}
}
