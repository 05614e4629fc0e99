package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/store"
)

// A world that hosts write to, or have open, is backed up through a host.
func TestHintsForBusyWorld(t *testing.T) {
	const through = "playctl store backup"
	for _, cause := range []error{store.ErrLocked, store.ErrConflict, store.ErrTrimmed} {
		cause = fmt.Errorf("read it: %w", cause)
		for name, err := range map[string]error{"backup": orFromHost(cause, "world.backup"), "check": orFromBackup(cause)} {
			if hint := (&command.App{}).HintFor(err); !strings.Contains(hint, through) || !strings.Contains(hint, "--server URL") {
				t.Errorf("%s, %v: the hint is %q", name, cause, hint)
			}
		}
	}
	if err := orFromHost(store.ErrCorrupt, "world.backup"); err != store.ErrCorrupt { //nolint:errorlint // It is unchanged.
		t.Errorf("a damaged store got the hint: %v", err)
	}
}
