package chain

import (
	"errors"
	"fmt"
)

// Errors to check for with errors.Is.
var (
	// ErrJSON means that a text is not JSON as the protocol allows it: bad syntax, a
	// duplicate key, invalid UTF-8, a lone surrogate, a number outside the double
	// range, data after the value, or too deep nesting.
	ErrJSON = errors.New("not valid JSON")

	// ErrDigest means that a text is not a digest.
	ErrDigest = errors.New("not a digest")

	// ErrRow means that a row of the map or an entry of `spaces` cannot be read:
	// an unknown kind, or a field that is missing or of the wrong type.
	ErrRow = errors.New("row cannot be read")

	// ErrNode means that a chain node or the reply that holds it is malformed.
	ErrNode = errors.New("chain node cannot be read")

	// ErrNotify means that a `playerChainNotify` is malformed. A subscriber that gets
	// one no longer knows what changed and reads the whole snapshot.
	ErrNotify = errors.New("playerChainNotify cannot be read")

	// ErrSnapshot means that a snapshot is malformed.
	ErrSnapshot = errors.New("snapshot cannot be read")

	// ErrProof means that an inclusion proof does not prove its leaf.
	ErrProof = errors.New("proof does not hold")

	// ErrStableKey means that a text is not a stable key: neither a constant nor
	// one with a known prefix.
	ErrStableKey = errors.New("not a stable key")

	// errNoCopy means that a Copy got events before its first snapshot.
	errNoCopy = errors.New("there is no copy yet: read a snapshot first")

	// errNoObject is about a value that should be an object.
	errNoObject = errors.New("it is not an object")

	// ErrTooMany means that a message has more entries than this package accepts.
	ErrTooMany = errors.New("too many entries")
)

// MismatchError says that a copy's root or leaf count differs from the one that
// a host stated. A subscriber repairs it with one full read.
type MismatchError struct {
	WantRoot, GotRoot   string
	WantCount, GotCount int
}

// Error implements error.
func (e *MismatchError) Error() string {
	if e.WantRoot == e.GotRoot {
		return fmt.Sprintf("the copy has %d leaves, the host has %d, with the same root %s",
			e.GotCount, e.WantCount, e.WantRoot)
	}
	return fmt.Sprintf("the copy's root is %s over %d leaves, the host's is %s over %d",
		e.GotRoot, e.GotCount, e.WantRoot, e.WantCount)
}
