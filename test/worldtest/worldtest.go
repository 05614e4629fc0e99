// Package worldtest contains helpers for the tests of worlds and hosts: a root key,
// a clock, node ids that are cheap to derive, and a wait for conditions that no
// channel reports.
package worldtest

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
)

// RootKey is the root key of worlds in tests.
const RootKey = "87b6637b010478e48a83a8d445041ae4df5d607df7932153cdfee5c601e8e39e"

// CheapID is a creds.DeriveFunc that takes no time, for tests whose subject is not
// the derivation: the real one takes a fifth of a second and 64 MiB.
func CheapID(hash creds.PasswHash, rootKey string) (string, error) {
	return NodeID("cheap:" + hash.Reveal() + ":" + rootKey), nil
}

// NodeID derives a node id from a name.
func NodeID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])
}

// Clock is a clock that a test sets.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a stopped clock at 2026-01-02T03:04:05.678Z.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)} }

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Eventually waits until holds returns true, and fails the test after a minute. It
// is for conditions that no channel and no event reports.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(time.Minute); !holds(); {
		select {
		case <-deadline:
			t.Fatalf("not reached within a minute: %s", what)
		case <-tick.C:
		}
	}
}
