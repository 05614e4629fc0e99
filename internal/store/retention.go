package store

import (
	"cmp"
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
	// Tail is how many of the newest entries are always kept, for hosts that follow.
	Tail uint64
	// Bytes is how much the entries may take after a checkpoint, in addition to the
	// changes of the map since then; 0 for no limit. Fewer events and revs are kept if
	// they take more.
	Bytes uint64
}

// DefaultRetention is what the protocol asks for: 10,000 events and 1,024 revs, fewer
// where they take more than 256 MiB. 10,000 events of 26 KiB, each with its changes of
// the map, fit on a small disk.
func DefaultRetention() Retention { return Retention{Events: 10_000, Revs: 1_024, Bytes: 256 << 20} }

// RetentionInMemory returns the default retention of a journal in memory, with a
// quarter of the bytes.
func RetentionInMemory() Retention {
	r := DefaultRetention()
	r.Bytes = 64 << 20
	return r
}

// Mark holds the data of a checkpoint that the retention needs.
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
	// With the same map, a later position leaves fewer entries to replay.
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
	// Checkpoints are the positions of the checkpoints to remove. They are removed
	// first: a kept checkpoint must have every change of the map after it.
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
		trim          Trim
		events, bytes uint64
		// full is set at the first entry for which bytes leave no room, whose rev is
		// fullAt.
		full   bool
		fullAt uint64
		// others are those that stay only if they changed the map after the base.
		others []Place
	)
	for m, err := range newestFirst {
		if err != nil {
			return Trim{}, err
		}
		trim.Kept.UpTo = cmp.Or(trim.Kept.UpTo, m.Position)
		behind := uint64(trim.Kept.UpTo - m.Position)
		// A recent entry stays whatever the base.
		recent := behind == 0 || m.Events > 0 && events < r.Events || behind < r.Tail
		if recent || m.changedAfter(marks[base]) {
			bytes += m.Bytes
		}
		if !full && behind > 0 && r.crowded(bytes) {
			full, fullAt = true, m.Rev
		}
		if recent && !full {
			trim.Kept.add(m)
		} else {
			others = append(others, m)
		}
		events += m.Events
	}
	if full {
		base = oldestFrom(marks, base, fullAt)
	}
	trim.Checkpoints = r.superfluous(marks, base)
	slices.Reverse(others)
	trim.Entries = slices.DeleteFunc(others, func(m Place) bool {
		stays := m.changedAfter(marks[base])
		if stays {
			trim.Kept.add(m)
		}
		return stays
	})
	return trim, nil
}

// crowded reports whether entries take more than they may.
func (r Retention) crowded(bytes uint64) bool { return r.Bytes > 0 && bytes > r.Bytes }

// add counts an entry that stays.
func (k *Kept) add(m Place) {
	k.Entries++
	k.Bytes += m.Bytes
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

// Count counts entries.
func Count(newestFirst iter.Seq2[Place, error]) (Kept, error) {
	var all Kept
	for m, err := range newestFirst {
		if err != nil {
			return Kept{}, err
		}
		all.UpTo = max(all.UpTo, m.Position)
		all.add(m)
	}
	return all, nil
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
