package host

import (
	"errors"
	"slices"
	"syscall"
	"time"
)

// closedListener are the errors of a listener that accepts no more connections. Any other
// error of the system, such as a lack of memory, may pass.
var closedListener = []error{syscall.EBADF, syscall.EINVAL, syscall.ENOTSOCK}

// acceptError is an error after which the server waits a moment, a second at most, and
// accepts connections again.
type acceptError struct{ error }

// Unwrap returns the cause.
func (e acceptError) Unwrap() error { return e.error }

// Timeout implements net.Error.
func (acceptError) Timeout() bool { return false }

// Temporary implements net.Error: it makes the server go on.
func (acceptError) Temporary() bool { return true }

// accepting returns the outcome of an Accept for the server. It logs one after which the
// server goes on, at most one a second.
func (g *gate) accepting(err error) error {
	_, ofSystem := errors.AsType[syscall.Errno](err)
	if !ofSystem || slices.ContainsFunc(closedListener, func(closed error) bool { return errors.Is(err, closed) }) {
		return err
	}
	if time.Since(g.failed) >= failurePause {
		g.failed = time.Now()
		g.options.Logger.Error("a connection cannot be accepted; trying again", "address", g.Addr().String(), "error", err)
	}
	return acceptError{err}
}
