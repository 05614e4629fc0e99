package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/suggest"
	"github.com/playctl/playctl/protocol"
)

// These are the exit codes of playctl. Scripts rely on them: "playctl help exit-codes"
// explains them.
const (
	ExitDone         = 0
	ExitFailed       = 1
	ExitUsage        = 2
	ExitUnauthorized = 3
	ExitUnreachable  = 4
	ExitUnverified   = 5
	ExitInterrupted  = 130
)

// mistakeError is the error of invalid input, because of which nothing was done.
type mistakeError struct {
	error
	// usage is set if the mistake is in the command line itself.
	usage bool
}

// Unwrap returns the error itself.
func (e *mistakeError) Unwrap() error { return e.error }

// Usagef returns the error of a mistake in the command line itself.
func Usagef(format string, args ...any) error {
	return &mistakeError{error: fmt.Errorf(format, args...), usage: true}
}

// BadInput returns the error of a mistake elsewhere: in a file, in the environment or at
// a prompt.
func BadInput(err error) error { return &mistakeError{error: err} }

// wantsJSON reports whether errors are printed as JSON: if a flag or a setting requests
// JSON, but not if a command prints JSON by default.
func (a *App) wantsJSON() bool {
	format := render.Format(a.Settings.output)
	return a.Settings.jq == "" && a.Settings.template == "" && (format == render.FormatJSON || format == render.FormatNDJSON)
}

// readOutput reads the format of errors from the environment and the command line, also
// after a wrong flag, which ends the reading of flags before the settings are known.
func (a *App) readOutput() {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	flags.StringVarP(&a.Settings.output, "output", "o", a.Env(VariableOf("output")), "")
	_ = flags.Parse(a.Args) // The wrong flag is reported already.
}

// usageOf returns the usage line of a command, for a group with a placeholder for the
// subcommand.
func usageOf(cmd *cobra.Command) string {
	if !cmd.HasAvailableSubCommands() {
		return cmd.UseLine()
	}
	usage := cmd.CommandPath() + " <command>"
	own := false
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) { own = own || flag.Name != "help" && flag.Name != "version" })
	if own {
		return cmd.UseLine() + "\n  " + usage
	}
	return usage
}

// badFlag words an error in a flag: for an unknown flag it suggests the nearest one, for
// a value it replaces the words of the parser.
func badFlag(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var known []string
		add := func(flag *pflag.Flag) { known = append(known, flag.Name) }
		cmd.LocalFlags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		if near := suggest.Nearest(unknown.GetSpecifiedName(), known); near != "" {
			return Hintf(&mistakeError{error: err, usage: true}, "did you mean --%s?", near)
		}
	}
	return &mistakeError{error: plainly(err), usage: true}
}

// parserWords are the error texts of Go's parsers of numbers and times, with
// replacements.
var parserWords = sync.OnceValue(func() []meaning {
	return []meaning{
		{regexp.MustCompile(`strconv\.ParseBool: parsing ".*": invalid syntax`), "must be true or false"},
		{regexp.MustCompile(`strconv\.ParseUint: parsing ".*": invalid syntax`), "must be a whole number of 0 or more"},
		{regexp.MustCompile(`strconv\.ParseFloat: parsing ".*": invalid syntax`), "must be a number such as 0.04"},
		{regexp.MustCompile(`strconv\.\w+: parsing ".*": invalid syntax`), "must be a whole number"},
		{regexp.MustCompile(`strconv\.\w+: parsing ".*": value out of range`), "too large"},
		// The parser has the same words for a valid time that is too long as for an invalid one.
		{
			regexp.MustCompile(`time: invalid duration "[-+]?((\d+\.?\d*|\.\d+)([num]?s|m|h))+"`),
			"too long: the maximum is " + time.Duration(math.MaxInt64).Truncate(time.Second).String(),
		},
		{regexp.MustCompile(`time: .* duration ".*"`), "must be a number with a unit, such as 30s or 5m"},
	}
})

// meaning is a replacement for a text that matches.
type meaning struct {
	found *regexp.Regexp
	means string
}

// headerWords are texts of hosts that name the headers of requests, with replacements for
// a shell, where no command shows headers.
var headerWords = []struct{ says, means string }{
	{"the headers x-node-id and x-node-passw are required", "this host requires an account, and you have no credentials for it"},
	{"the headers x-node-id and x-node-passw are needed here", "this host requires an account, and you have no credentials for it"},
	{": send it as x-api-key", ""},
	{": send the right one as x-api-key or none; POST " + protocol.PathNodeAPIKey + " creates a new one", ""},
	{" in the header x-registration-token", ""},
	{": send it as x-registration-token", ""},
}

// Worded rewords an error for a person at a shell. Errors that were joined and say the
// same are one.
func Worded(err error) string {
	text := withoutRepeats(err)
	for _, words := range headerWords {
		text = strings.ReplaceAll(text, words.says, words.means)
	}
	return text
}

// withoutRepeats returns the text of an error, without what errors that were joined repeat.
func withoutRepeats(err error) string {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err.Error()
	}
	var texts []string
	for _, one := range joined.Unwrap() {
		if text := withoutRepeats(one); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if all := errors.Join(joined.Unwrap()...); all == nil || all.Error() != err.Error() {
		return err.Error() // it is more than its parts
	}
	return strings.Join(texts, "\n")
}

// plainError is an error with a simpler text.
type plainError struct {
	error
	text string
}

// Error returns the simpler text.
func (e *plainError) Error() string { return e.text }

// Unwrap returns the error itself.
func (e *plainError) Unwrap() error { return e.error }

// plainly replaces the words of Go's parsers in an error.
func plainly(err error) error {
	text := err.Error()
	for _, words := range parserWords() {
		text = words.found.ReplaceAllString(text, words.means)
	}
	return &plainError{err, text}
}

// hintedError is an error with a hint what to do next.
type hintedError struct {
	error
	hint string
	// takes are the flags of this run that the commands in the hint get.
	takes hintFlags
}

// Unwrap returns the error itself.
func (e *hintedError) Unwrap() error { return e.error }

// Hintf adds a hint what to do next to an error; nil stays nil.
func Hintf(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hintedError{err, fmt.Sprintf(format, args...), flagsOfRun}
}

// errNotAuthenticated means that the run has no credentials for its request.
var errNotAuthenticated = errors.New("there are no credentials")

// ErrUnverified means that a verification failed.
var ErrUnverified = errors.New("verification failed")

// exitError is the failure of another run of this program.
type exitError struct {
	code int
	text string
}

func (e *exitError) Error() string { return e.text }

// Failed returns the failure of another run of this program, for this run to report.
func Failed(code int, text, hint string) error {
	return Hintf(&exitError{code, text}, "%s", hint)
}

// ExitCode returns the exit code of an error. No other function decides it.
func ExitCode(err error) int {
	var mistake *mistakeError
	var other *exitError
	switch {
	case errors.As(err, &other):
		return other.code
	case err == nil, errors.Is(err, errDryRun):
		return ExitDone
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case errors.As(err, &mistake), errors.Is(err, creds.ErrNoHome):
		return ExitUsage
	case errors.Is(err, errNotAuthenticated),
		protocol.HasCode(err, protocol.CodeCredentialsMissing, protocol.CodeCredentialsInvalid, protocol.CodeAPIKeyInvalid):
		return ExitUnauthorized
	case errors.Is(err, client.ErrFingerprint), errors.Is(err, ErrUnverified), errors.Is(err, ErrRootKey):
		return ExitUnverified
	case IsUnreachable(err):
		return ExitUnreachable
	case readerLeft(err):
		return ExitDone
	}
	return ExitFailed
}

// readerLeft reports whether the reader of this program's output closed the pipe. A
// connection that a host closed fails with another type of error.
func readerLeft(err error) bool {
	written, ok := errors.AsType[*fs.PathError](err)
	return ok && errors.Is(written, syscall.EPIPE)
}

// ErrRootKey means that a host has another root key than before, or than an invitation
// names.
var ErrRootKey = errors.New("the host has a different root key")

// These mean that nothing is created, because the context has an account or an agent of
// that label.
var (
	ErrContextTaken = errors.New("already has a main node")
	ErrAgentExists  = errors.New("already exists")
)

// existsError is the error of a file that is not replaced.
type existsError struct{ name string }

// Error implements error.
func (e *existsError) Error() string { return e.name + " already exists" }

// Is makes it match fs.ErrExist.
func (e *existsError) Is(target error) bool { return target == fs.ErrExist }

// FileExists returns the error of a file that is replaced only with --force. It matches
// fs.ErrExist.
func FileExists(name string) error {
	return Hintf(&existsError{name}, "use another file, or add --force")
}

// codes are the codes of errors that are not the answer of a host, the specific ones
// first. docs/scripting.md has the same list.
var codes = []struct {
	err  error
	code string
}{
	{client.ErrFingerprint, "fingerprint_mismatch"},
	{client.ErrNotHost, "not_a_host"},
	{ErrRootKey, "root_key_mismatch"},
	{creds.ErrInvitation, "invitation_invalid"},
	{errUnconfirmed, "confirmation_required"},
	{creds.ErrContextExists, "context_exists"},
	{ErrContextTaken, "context_exists"},
	{creds.ErrContextUnknown, "context_unknown"},
	{ErrAgentExists, "agent_exists"},
	{creds.ErrAgentExists, "agent_exists"},
	{creds.ErrLabelTaken, "agent_exists"},
	{ErrNoAgent, "agent_unknown"},
	{creds.ErrAgentUnknown, "agent_unknown"},
	{fs.ErrExist, "file_exists"},
	{errNotAuthenticated, "credentials_missing"},
	{ErrUnverified, "verification_failed"},
	{client.ErrUnreachable, "host_unreachable"},
}

// codeOf returns the code of an error: one of codes, else the host's.
func codeOf(err error) string {
	for _, own := range codes {
		if errors.Is(err, own.err) {
			return own.code
		}
	}
	refused, _ := errors.AsType[*protocol.Error](err)
	if refused == nil {
		return ""
	}
	return string(refused.Code)
}

// failure is an error as JSON.
type failure struct {
	Error     string `json:"error"`               // what happened, and to what
	Hint      string `json:"hint,omitempty"`      // what to do next
	Code      string `json:"code,omitempty"`      // the host's code of the refusal, or one of the command's own
	RequestID string `json:"requestId,omitempty"` // the host's id of the request, for its operator
	ExitCode  int    `json:"exitCode"`            // the exit code
}

// contextOf returns the context of a command, which is nil for an error before it.
func contextOf(cmd *cobra.Command) context.Context {
	if cmd == nil || cmd.Context() == nil {
		return context.Background()
	}
	return cmd.Context()
}

// report prints an error and returns the exit code. It prints nothing for Ctrl-C and for
// a reader that closed the pipe.
func (a *App) report(cmd *cobra.Command, err error) int {
	code := ExitCode(err)
	if code == ExitDone || code == ExitInterrupted {
		return code
	}
	err = a.Explain(contextOf(cmd), err)
	hint, text := a.HintFor(err), a.blotted(Worded(err))
	if errors.Is(err, context.DeadlineExceeded) {
		text = strings.ReplaceAll(text, context.DeadlineExceeded.Error(), "it took longer than "+a.Settings.Timeout.String())
	}
	if a.wantsJSON() {
		printed := failure{Error: text, Hint: a.blotted(hint), Code: codeOf(err), ExitCode: code}
		if refused, ok := errors.AsType[*protocol.Error](err); ok {
			printed.RequestID = refused.RequestID
		}
		// An error of the writer is ignored: there is no other place to report it.
		_ = (&render.Printer{Out: a.Stderr, Format: render.FormatNDJSON}).Print(render.Document{Data: printed})
		return code
	}
	if mistake, ok := errors.AsType[*mistakeError](err); ok && mistake.usage && cmd != nil {
		if hint == "" {
			hint = fmt.Sprintf("see \"%s --help\"", cmd.CommandPath())
		}
		text += "\nusage: " + usageOf(cmd)
	}
	render.Failure(a.Stderr, a.ErrorLook(), text, a.blotted(hint))
	return code
}
