package store

import (
	"errors"
	"syscall"
)

// FaultError is an ErrUnavailable with a cause that somebody can remove.
type FaultError struct {
	// Reason names the cause, for any caller: it has no address, path or name of a user.
	Reason string
	// Err is the error with all details, for the log; nil if there are no more.
	Err error
}

// Error implements error.
func (e *FaultError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return ErrUnavailable.Error() + ": " + e.Reason
}

// Unwrap returns the causes.
func (e *FaultError) Unwrap() []error { return []error{ErrUnavailable, e.Err} }

// Reason returns the cause of a store's error for any caller, such as "no space left on
// device"; "" if the error does not name one.
func Reason(err error) string {
	if fault, ok := errors.AsType[*FaultError](err); ok {
		return fault.Reason
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return ""
}
