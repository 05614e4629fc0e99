// Package storetest holds the contract that every backend of a store.Journal
// passes, as tests that a backend runs on itself, and a journal that fails on
// demand for the tests of those who use one.
package storetest

import (
	"context"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
)

// Backend is what the contract is run on.
type Backend struct {
	// New makes one new, empty store with a retention and returns how to open it.
	New func(t *testing.T, retention store.Retention) Opener
	// Durable tells whether what was appended is still there when the store is
	// opened again after Close.
	Durable bool
}

// Opener opens one store, the same at every call. Its user closes what it
// returned before calling it again.
type Opener func() store.Journal

// wide keeps everything that a test appends.
var wide = store.Retention{Events: 1_000_000, Revs: 1_000_000}

// Run runs the contract as subtests.
func Run(t *testing.T, b Backend) {
	t.Helper()
	for _, group := range []struct {
		name string
		run  func(*testing.T, Backend)
	}{
		{"Append", testAppend},
		{"Read", testRead},
		{"Seek", testSeek},
		{"Records", testRecords},
		{"Scan", testScan},
		{"Checkpoint", testCheckpoint},
		{"Retention", testRetention},
		{"Model", testModel},
		{"Closed", testClosed},
		{"Cancelled", testCancelled},
		{"Concurrent", testConcurrent},
	} {
		t.Run(group.name, func(t *testing.T) { group.run(t, b) })
	}
	if b.Durable {
		t.Run("Reopen", func(t *testing.T) { testReopen(t, b) })
	}
}

// open opens a new store that is closed with the test.
func (b Backend) open(t *testing.T, retention store.Retention) store.Journal {
	t.Helper()
	j := b.New(t, retention)()
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return j
}

// must appends and fails the test when that fails.
func must(t *testing.T, j store.Journal, entries ...store.Entry) {
	t.Helper()
	if len(entries) == 0 {
		return
	}
	head, err := j.Append(context.Background(), entries[0].Position-1, entries)
	if err != nil {
		t.Fatalf("Append of %d entries from %d: %v", len(entries), entries[0].Position, err)
	}
	if last := entries[len(entries)-1].Position; head != last {
		t.Fatalf("Append returned the head %d, want %d", head, last)
	}
}

// all reads every entry after a position.
func all(t *testing.T, j store.Journal, after store.Position) []store.Entry {
	t.Helper()
	var got []store.Entry
	for e, err := range j.Read(context.Background(), after) {
		if err != nil {
			t.Fatalf("Read after %d: %v", after, err)
		}
		got = append(got, e)
	}
	return got
}

// difference describes how two values differ, and is empty where they do not. To
// describe costs far more than to compare, above all under the race detector.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}
