package place

import (
	"errors"
	"fmt"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/store"
)

// HintRestore says what to do about a damaged store.
const HintRestore = "\"playctl store restore\" creates a store from a backup: use the newest one"

// Unverified turns the error of a damaged store into a failed verification. Other errors
// stay as they are.
func Unverified(err error) error {
	if errors.Is(err, store.ErrCorrupt) {
		return command.Hintf(fmt.Errorf("%w: %w", command.ErrUnverified, err), HintRestore)
	}
	return err
}
