// Package storetest has the contract of every backend of a store.Journal, as tests
// that a backend runs on itself, and a journal that fails on demand for tests of
// its users.
package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
)

// Backend is the backend under test.
type Backend struct {
	// New creates one new, empty store with a retention and returns how to open it.
	New func(t *testing.T, retention store.Retention) Opener
	// Durable reports whether committed data is still there when the store is opened
	// again after Close.
	Durable bool
	// Hosts reports whether several handles of a store may be open at the same time,
	// each for another host.
	Hosts bool
}

// Opener opens one store, the same at every call. Unless the backend is for several
// hosts, the returned journal is closed before the next call.
type Opener func() store.Journal

// wide keeps everything that a test commits.
var wide = store.Retention{Events: 1_000_000, Revs: 1_000_000}

// Run runs the contract as subtests.
func Run(t *testing.T, b Backend) {
	t.Helper()
	type group struct {
		name string
		run  func(*testing.T, Backend)
	}
	groups := []group{
		{"Append", testAppend},
		{"Commit", testCommit},
		{"Diverged", testDiverged},
		{"Mirror", testMirror},
		{"Read", testRead},
		{"Seek", testSeek},
		{"Records", testRecords},
		{"GetAll", testGetAll},
		{"Scan", testScan},
		{"Checkpoint", testCheckpoint},
		{"Retention", testRetention},
		{"Trimmed", testTrimmed},
		{"Deadlines", testDeadlines},
		{"Renewals", testRenewals},
		{"Model", testModel},
		{"Closed", testClosed},
		{"Canceled", testCanceled},
		{"Concurrent", testConcurrent},
	}
	if b.Durable {
		groups = append(groups, group{"Reopen", testReopen})
	}
	if b.Hosts {
		groups = append(groups,
			group{"Follow", testFollow}, group{"Race", testRace}, group{"Grace", testGrace}, group{"HostStarted", testHostStarted},
			group{"Fences", testFences}, group{"Present", testPresent}, group{"Messages", testMessages}, group{"Checkpoints", testCheckpoints})
	} else {
		groups = append(groups, group{"OneHost", testOneHost})
	}
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) { g.run(t, b) })
	}
}

// open opens a new store that is closed with the test.
func (b Backend) open(t *testing.T, retention store.Retention) store.Journal {
	t.Helper()
	return b.handles(t, retention, 1)[0]
}

// handles opens n handles of one new store, which are closed with the test. For a
// store of one host all of them are the same.
func (b Backend) handles(t *testing.T, retention store.Retention, n int) []store.Journal {
	t.Helper()
	open := b.New(t, retention)
	list := make([]store.Journal, n)
	for i := range list {
		if i > 0 && !b.Hosts {
			list[i] = list[0]
			continue
		}
		list[i] = open()
		t.Cleanup(func() {
			if err := list[i].Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	return list
}

// NewBatch returns a batch of entries with a commit id of its own, which the entries
// get as well.
func NewBatch(after store.Tip, entries ...store.Entry) *store.Batch {
	batch := &store.Batch{After: after, Entries: entries}
	// crypto/rand.Read never fails.
	_, _ = rand.Read(batch.Commit[:])
	prev := after.Commit
	for i := range entries {
		entries[i].Commit, entries[i].Prev = batch.Commit, prev
		prev = batch.Commit
	}
	return batch
}

// Append commits copies of entries after a position, whichever commit wrote its
// entry.
func Append(ctx context.Context, j store.Journal, after store.Position, entries ...store.Entry) error {
	tip, err := tipAt(ctx, j, after)
	if err != nil {
		return err
	}
	batch := NewBatch(tip, slices.Clone(entries)...)
	next, err := j.Commit(ctx, batch)
	if batch.Resumed = RunOf(err); batch.Resumed != "" {
		next, err = j.Commit(ctx, batch)
	}
	if err != nil {
		return err
	}
	if want := after + store.Position(len(entries)); next.Position != want {
		return fmt.Errorf("after a commit of %d entries the tip is %d, want %d", len(entries), next.Position, want)
	}
	return nil
}

// RunOf returns the server's run in a *store.RestartedError; empty for other
// errors.
func RunOf(err error) string {
	if restart, ok := errors.AsType[*store.RestartedError](err); ok {
		return restart.Run
	}
	return ""
}

// tipAt returns the tip of a journal that ends at a position.
func tipAt(ctx context.Context, j store.Journal, position store.Position) (store.Tip, error) {
	tip := store.Tip{Position: position}
	for e, err := range j.Read(ctx, max(position, 1)-1) {
		if err != nil {
			return tip, err
		}
		if e.Position == position {
			tip.Commit = e.Commit
		}
		break
	}
	return tip, nil
}

// Checkpoint stores a checkpoint, whichever commit wrote its entry.
func Checkpoint(ctx context.Context, j store.Journal, state store.State) error {
	tip, err := tipAt(ctx, j, state.Position)
	if err != nil {
		return err
	}
	state.Commit = tip.Commit
	_, err = j.Checkpoint(ctx, state)
	return err
}

// must appends and fails the test when that fails.
func must(t *testing.T, j store.Journal, entries ...store.Entry) {
	t.Helper()
	if len(entries) == 0 {
		return
	}
	if err := Append(context.Background(), j, entries[0].Position-1, entries...); err != nil {
		t.Fatalf("commit of %d entries from %d: %v", len(entries), entries[0].Position, err)
	}
}

// all reads every entry after a position, without the commits.
func all(t *testing.T, j store.Source, after store.Position) []store.Entry {
	t.Helper()
	var got []store.Entry
	for e, err := range j.Read(context.Background(), after) {
		if err != nil {
			t.Fatalf("Read after %d: %v", after, err)
		}
		e.Commit, e.Prev = store.CommitID{}, store.CommitID{}
		got = append(got, e)
	}
	return got
}

// difference describes how two values differ, "" if they do not. Describing costs
// far more than comparing, above all under the race detector.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}
