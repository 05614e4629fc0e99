package client

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry says how often a call is tried and how long to wait in between.
type Retry struct {
	// Attempts is how often a call is tried in all; 1 never repeats.
	Attempts int
	// Base is the first wait; each further one is twice as long, up to Max.
	// Half of every wait is random, so that clients which failed together do
	// not come back together.
	Base time.Duration
	// Max bounds a wait. A host that asks for a longer one with `Retry-After`
	// gets no repeat: the caller has the time in the error.
	Max time.Duration
}

// DefaultRetry suits a command: about two seconds before it gives up.
func DefaultRetry() Retry {
	return Retry{Attempts: 5, Base: 200 * time.Millisecond, Max: 10 * time.Second}
}

// PatientRetry suits a program that should outlast a host's restart: about a
// minute before it gives up.
func PatientRetry() Retry {
	return Retry{Attempts: 16, Base: 100 * time.Millisecond, Max: 6 * time.Second}
}

// wait is the time before the repeat that follows a number of failed attempts.
// A longer one that the host asked for is kept to, and ok is false where that
// is longer than Max.
func (r Retry) wait(failed int, asked time.Duration) (d time.Duration, ok bool) {
	d = jittered(r.Base, r.Max, failed-1)
	if asked <= d {
		return d, true
	}
	return asked, asked <= r.Max
}

// jittered doubles base a number of times, bounds it by limit and makes half of
// it random.
func jittered(base, limit time.Duration, doublings int) time.Duration {
	d := base
	for range doublings {
		if d >= limit {
			break
		}
		d *= 2
	}
	d = min(d, limit)
	if d <= 1 {
		return d
	}
	half := d / 2
	return half + rand.N(d-half) //nolint:gosec // G404: spreads load, hides nothing
}

// Backoff is the wait after a number of failures past the first: base, doubled
// for each, at most limit, half of it random.
func Backoff(base, limit time.Duration, failures int) time.Duration {
	return jittered(base, limit, failures)
}

// outlasts reports whether a wait would go past the context's deadline.
func outlasts(ctx context.Context, d time.Duration) bool {
	deadline, has := ctx.Deadline()
	return has && time.Until(deadline) < d
}
