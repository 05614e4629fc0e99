package store

import (
	"iter"
	"slices"
)

// Retention says how much history a journal keeps: events and revs at least, as far
// as bytes allow.
type Retention struct {
	// Events is the number of events that a stream can resume over.
	Events uint64
	// Revs is the number of past revs that stay readable.
	Revs uint64
	// Tail is how many of the newest entries stay whatever they are, for hosts that
	// follow.
	Tail uint64
	// Bytes is how much the entries may take after a checkpoint, beside the changes of
	// the map since then; 0 for no limit. Fewer events and revs are kept where they take
	// more.
	Bytes uint64
}

// The budgets in bytes of DefaultRetention: 10,000 events of 26 KiB, each with its
// changes of the map, have room on a small disk. In memory it is a quarter.
const (
	DefaultBytes         = 256 << 20
	DefaultBytesInMemory = 64 << 20
)

// DefaultRetention is what the protocol asks for: 10,000 events and 1,024 revs, fewer
// where they take more than DefaultBytes.
func DefaultRetention() Retention { return Retention{Events: 10_000, Revs: 1_024, Bytes: DefaultBytes} }

// RetentionInMemory is the DefaultRetention of a journal that is in memory.
func RetentionInMemory() Retention {
	r := DefaultRetention()
	r.Bytes = DefaultBytesInMemory
	return r
}

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

// superfluous returns the positions of the checkpoints, of those kept, oldest
// first, that need not be kept: those older than the base, and those whose
// neighbors are close enough without them. The newest always stays.
func (r Retention) superfluous(marks []Mark, base int) []Position {
	var drop []Position
	for i := range base {
		drop = append(drop, marks[i].Position)
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

// Trim is what a journal need not keep, both oldest first.
type Trim struct {
	// Checkpoints are the positions of those that go. They go first: one that stays
	// has every change of the map after it.
	Checkpoints []Position
	Entries     []Place
	// Kept are the entries that stay.
	Kept Kept
}

// Kept says how much of a journal is kept up to an entry: how many entries, and how many
// bytes they take.
type Kept struct {
	UpTo           Position
	Entries, Bytes uint64
}

// Trim returns what need not be kept of a journal with those checkpoints, oldest
// first and at least one, whose last entry has the rev headRev. An entry stays while
// one of its events is among the last r.Events ones, if it changed the map after the
// base, and if it is among the last r.Tail; past r.Bytes only if it changed the map
// after the newest checkpoint; the head always stays. Events are counted, not
// subtracted: seq jumps.
func (r Retention) Trim(marks []Mark, headRev uint64, newestFirst iter.Seq2[Place, error]) (Trim, error) {
	base := r.Base(marks, headRev)
	var (
		places        []Place
		events, bytes uint64
		// recent are those of places that stay as far as bytes allow, whatever the base,
		// and fit is for how many of places bytes allow it.
		recent []bool
		fit    int
	)
	for m, err := range newestFirst {
		if err != nil {
			return Trim{}, err
		}
		places = append(places, m)
		isRecent := r.isRecent(places, events)
		recent = append(recent, isRecent)
		if isRecent || m.changedAfter(marks[base]) {
			bytes += m.Bytes
		}
		if len(places) == 1 || r.Bytes == 0 || bytes <= r.Bytes {
			fit = len(places)
		}
		events += m.Events
	}
	if fit < len(places) {
		base = oldestFrom(marks, base, places[fit].Rev)
	}
	trim := Trim{Checkpoints: r.superfluous(marks, base)}
	if len(places) > 0 {
		trim.Kept.UpTo = places[0].Position
	}
	for i, m := range slices.Backward(places) {
		if keep := recent[i] && i < fit || m.changedAfter(marks[base]); keep {
			trim.Kept.Entries++
			trim.Kept.Bytes += m.Bytes
		} else {
			trim.Entries = append(trim.Entries, m)
		}
	}
	return trim, nil
}

// isRecent reports whether the last of places, of which the first is the head, stays
// whatever the base, when so many events are newer.
func (r Retention) isRecent(places []Place, newer uint64) bool {
	m := places[len(places)-1]
	return len(places) == 1 || m.Events > 0 && newer < r.Events || uint64(places[0].Position-m.Position) < r.Tail
}

// changedAfter reports whether an entry changed the map after a checkpoint.
func (p *Place) changedAfter(m Mark) bool { return p.MapChanged && p.Rev > m.Rev }

// oldestFrom is the index of the oldest checkpoint from base on that has at least a
// rev; the newest if none has.
func oldestFrom(marks []Mark, base int, rev uint64) int {
	for base < len(marks)-1 && marks[base].Rev < rev {
		base++
	}
	return base
}

// Weigh adds up what entries take.
func Weigh(places iter.Seq2[Place, error]) (uint64, error) {
	bytes := uint64(0)
	for m, err := range places {
		if err != nil {
			return 0, err
		}
		bytes += m.Bytes
	}
	return bytes, nil
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
