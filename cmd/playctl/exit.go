package main

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// The exit codes of playctl. They are a promise to scripts: "playctl help
// exit-codes" explains them.
const (
	exitDone         = 0
	exitFailed       = 1
	exitUsage        = 2
	exitUnauthorised = 3
	exitUnreachable  = 4
	exitUnverified   = 5
	exitInterrupted  = 130
)

// usageError is a mistake in the command line itself.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// usagef makes a usageError.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// hintedError is an error that knows what to do next.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

// hintf adds what to do next to an error; nil stays nil.
func hintf(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &hintedError{err, fmt.Sprintf(format, args...)}
}

// errNotAuthenticated says that the run has no credentials for what it should do.
var errNotAuthenticated = errors.New("there are no credentials")

// errUnverified says that something was checked and is not what it should be.
var errUnverified = errors.New("verification failed")

// exitCode maps an error to the exit code. It is the only place that does.
func exitCode(err error) int {
	var usage *usageError
	var setting *settingError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitDone
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &setting), isProgramMistake(err):
		return exitUsage
	case errors.Is(err, errNotAuthenticated),
		protocol.HasCode(err, protocol.CodeCredentialsMissing, protocol.CodeCredentialsInvalid, protocol.CodeAPIKeyInvalid):
		return exitUnauthorised
	case isUnreachable(err):
		return exitUnreachable
	case errors.Is(err, errUnverified):
		return exitUnverified
	}
	return exitFailed
}

// report tells a person what went wrong and returns the exit code. Ctrl-C and
// a reader that left are nothing to tell.
func (a *app) report(cmd *cobra.Command, err error) int {
	code := exitCode(err)
	if code == exitDone || code == exitInterrupted {
		return code
	}
	hint := a.hintFor(err)
	var usage *usageError
	if errors.As(err, &usage) && cmd != nil {
		if hint == "" {
			hint = fmt.Sprintf("see \"%s --help\"", cmd.CommandPath())
		}
		render.Failure(a.Stderr, a.errorLook(), a.blotted(err.Error())+"\nusage: "+cmd.UseLine(), a.blotted(hint))
		return code
	}
	render.Failure(a.Stderr, a.errorLook(), a.blotted(err.Error()), a.blotted(hint))
	return code
}
