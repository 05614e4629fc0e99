// Package retry says how often to retry a failing operation, and how long to wait
// in between. Half of every wait is random, so that programs that failed together
// do not retry together. Recorded or replayed data never depends on it.
package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/playctl/playctl/internal/pause"
)

// Backoff is a series of waits: First after the first failure, twice as long
// after each further one, at most Max. Waits are never longer than that and
// never shorter than half of it.
type Backoff struct {
	First, Max time.Duration
}

// After returns the wait after a number of failures in a row, from 1.
func (b Backoff) After(failures int) time.Duration {
	d := min(b.First, b.Max)
	for range failures - 1 {
		// Max - d cannot overflow where 2*d could.
		if d <= 0 || d >= b.Max-d {
			d = b.Max
			break
		}
		d *= 2
	}
	return d/2 + Jitter(d-d/2)
}

// Wait waits for After(failures) and reports whether the context did not end
// before.
func (b Backoff) Wait(ctx context.Context, failures int) bool {
	return pause.For(ctx, b.After(failures))
}

// Policy says how often to try an operation and how long to wait in between.
type Policy struct {
	// Attempts is the total number of attempts; 1 never repeats.
	Attempts int
	Backoff
}

// Default is for a command: about two seconds before it gives up.
func Default() Policy {
	return Policy{Attempts: 5, Backoff: Backoff{First: 200 * time.Millisecond, Max: 10 * time.Second}}
}

// Patient is for a program that should outlast a host's restart: about a minute
// before it gives up.
func Patient() Policy {
	return Policy{Attempts: 16, Backoff: Backoff{First: 100 * time.Millisecond, Max: 6 * time.Second}}
}

// Next returns the wait before the attempt after a number of failed ones, at least
// the time that the other side requested with `Retry-After`. ok is false if there
// is no further attempt: they are used up, or the requested time is longer than
// Max.
func (p Policy) Next(failed int, asked time.Duration) (wait time.Duration, ok bool) {
	wait = max(p.After(failed), asked)
	return wait, failed < p.Attempts && asked <= p.Max
}

// Jitter returns a random part of a duration, 0 of one that is not positive.
func Jitter(limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	return rand.N(limit) //nolint:gosec // G404: it spreads load and protects nothing
}
