package creds

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// threadPriority returns the priority of the current thread: 20 minus the niceness.
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
	if id, err := d.NodeID(t.Context(), netip.Addr{}, PasswHash{}, ""); err != nil || id != "id" {
		t.Fatal(id, err)
	}
	if want := max(before-niceness, 1); during != want {
		t.Errorf("a derivation runs at priority %d, want %d", during, want)
	}
	if after := threadPriority(t); after != before {
		t.Errorf("the caller has priority %d afterward, want %d", after, before)
	}
}
