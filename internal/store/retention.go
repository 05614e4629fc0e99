package store

import (
	"iter"
	"slices"
)

// Retention says how much history a journal keeps at least.
type Retention struct {
	// Events is the number of events that a stream can resume over.
	Events uint64
	// Revs is the number of past revs that stay readable.
	Revs uint64
}

// DefaultRetention is the protocol's minimum: 10,000 events and 1,024 revs.
func DefaultRetention() Retention { return Retention{Events: 10_000, Revs: 1_024} }

// Mark is what the retention needs to know of a checkpoint.
type Mark struct {
	Position Position
	Rev      uint64
}

// Base returns the index of the checkpoint to start from, of those kept, oldest
// first: the newest that leaves the retained revs up to headRev to be replayed,
// else the oldest; -1 if there are none.
func (r Retention) Base(marks []Mark, headRev uint64) int {
	for i := len(marks) - 1; i > 0; i-- {
		if headRev >= r.Revs && marks[i].Rev <= headRev-r.Revs {
			return i
		}
	}
	return min(len(marks)-1, 0)
}

// marksPerRevs is how many checkpoints are kept, about, for the retained revs. A
// start replays at most 1/marksPerRevs more of them than it has to.
const marksPerRevs = 4

// Superfluous returns the positions of the checkpoints, of those kept, oldest
// first, that need not be kept: those older than the base, and those whose
// neighbors are close enough without them. The newest always stays.
func (r Retention) Superfluous(marks []Mark, headRev uint64) []Position {
	base := r.Base(marks, headRev)
	var drop []Position
	for i := range max(base, 0) {
		drop = append(drop, marks[i].Position)
	}
	if base < 0 {
		return drop
	}
	// The same map at a later position leaves less to replay.
	kept := marks[base]
	for i := base + 1; i < len(marks); i++ {
		if marks[i].Rev == kept.Rev {
			drop = append(drop, kept.Position)
			kept = marks[i]
			continue
		}
		last := i == len(marks)-1
		if !last && marks[i+1].Rev-kept.Rev <= r.Revs/marksPerRevs {
			drop = append(drop, marks[i].Position)
			continue
		}
		kept = marks[i]
	}
	return drop
}

// Trimmable returns the entries that need not be kept, oldest first, when
// baseRev is the rev of the checkpoint to start from. An entry stays while one of
// its events is among the last r.Events ones, or if it changed the map after the
// base; the head always stays. Events are counted, not subtracted: seq jumps.
func (r Retention) Trimmable(baseRev uint64, newestFirst iter.Seq2[Place, error]) ([]Place, error) {
	var (
		trim   []Place
		events uint64
		head   = true
	)
	for m, err := range newestFirst {
		if err != nil {
			return nil, err
		}
		keep := head || m.Events > 0 && events < r.Events || m.MapChanged && m.Rev > baseRev
		if !keep {
			trim = append(trim, m)
		}
		events += m.Events
		head = false
	}
	slices.Reverse(trim)
	return trim, nil
}

// LastTrimmed returns the greatest seq of an event that is trimmed with the
// entries trim, or before when that is greater.
func LastTrimmed(before uint64, trim []Place) uint64 {
	for _, m := range trim {
		if m.Events > 0 {
			before = max(before, m.Seq)
		}
	}
	return before
}
