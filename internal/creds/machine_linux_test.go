package creds

import (
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/playctl/playctl/internal/creds/romix"
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
	defer d.Close()
	if id, err := d.NodeID(t.Context(), Origin{}, PasswHash{}, ""); err != nil || id != "id" {
		t.Fatal(id, err)
	}
	if want := max(before-niceness, 1); during != want {
		t.Errorf("a derivation runs at priority %d, want %d", during, want)
	}
	if after := threadPriority(t); after != before {
		t.Errorf("the caller has priority %d afterward, want %d", after, before)
	}
}

// resident returns the resident memory of the process, without files.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nAnonymous:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// heapObjects returns how many bytes of the heap are in use.
func heapObjects() int {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

// An idle host must be small again soon after a node was created. During the
// derivation its memory is not part of the heap, whose limit is lowered by that
// amount.
func TestDeriverReturnsMemoryToSystem(t *testing.T) {
	const limit, needed = 1 << 30, scryptN * romix.Block
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	freeMemory()
	before, heapBefore := resident(t), heapObjects()
	var during, heap int
	var lowered int64
	d := NewDeriver(DeriverOptions{Idle: time.Millisecond, Derive: func(hash PasswHash, rootKey string) (string, error) {
		defer func() { during, heap, lowered = resident(t), heapObjects(), debug.SetMemoryLimit(-1) }()
		return DeriveNodeID(hash, rootKey)
	}})
	defer d.Close()
	// The runtime must not collect garbage by itself.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	if _, err := d.NodeID(t.Context(), Origin{}, HashPhrase("amber"), "n1"); err != nil {
		t.Fatal(err)
	}
	d.owned.Wait() // for the release
	if during < before+needed*3/4 {
		t.Errorf("%d bytes are in use after the derivation, %d before: the test does not measure its memory", during, before)
	}
	if heap > heapBefore+needed/4 || lowered != limit-needed {
		t.Errorf("the heap grew from %d to %d bytes with a limit of %d", heapBefore, heap, lowered)
	}
	if held := resident(t); held > before+needed/4 || debug.SetMemoryLimit(-1) != limit {
		t.Errorf("%d bytes are still in use, %d before, and the limit is %d", held, before, debug.SetMemoryLimit(-1))
	}
}
