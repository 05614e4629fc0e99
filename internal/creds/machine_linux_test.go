package creds

import (
	"testing"

	"golang.org/x/sys/unix"
)

// threadPriority is that of the thread it runs on: 20 less the niceness.
func threadPriority(t *testing.T) int {
	t.Helper()
	priority, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		t.Error(err)
	}
	return priority
}

func TestDeriverRunsAtLowerPriority(t *testing.T) {
	before := threadPriority(t)
	var during int
	d := NewDeriver(DeriverOptions{Derive: func(PasswHash, string) (string, error) {
		during = threadPriority(t)
		return "id", nil
	}})
	defer d.Close()
	if id, err := d.NodeID(t.Context(), Origin{}, PasswHash{}, ""); err != nil || id != "id" {
		t.Fatal(id, err)
	}
	if want := max(before-niceness, 1); during != want {
		t.Errorf("a derivation runs at priority %d, not %d", during, want)
	}
	if after := threadPriority(t); after != before {
		t.Errorf("the caller has priority %d after it, not %d", after, before)
	}
}
