package host

import "fmt"

// OptionError says what is wrong with the value of an option.
type OptionError struct {
	// Option is the name of the field of Options.
	Option string
	Err    error
}

// Error implements error.
func (e *OptionError) Error() string { return "host: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *OptionError) Unwrap() error { return e.Err }

func badOption(option, format string, args ...any) error {
	return &OptionError{option, fmt.Errorf(format, args...)}
}
