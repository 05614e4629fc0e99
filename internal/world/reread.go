package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
)

// A jump may be lost as well, with the events shown after it, before another host has
// received it. That host jumps from the same entry, later by the server's time, and has
// to reach numbers above all of those. So the target of a jump grows with the time since
// that entry, by jumpRate for each millisecond: faster than hosts create events. The
// second of two jumps in a row leads to the same target as a single one from the first
// jump's entry, if servers do not restart within 2*leastWait. Numbers stay below 2^53
// for 17 years of time between an entry and a jump.
const (
	jumpRate  = 1 << 14
	leastWait = replay.MinJump / jumpRate
)

// jumpTime bounds the milliseconds that count, a week, so that a server with
// a wrong clock cannot use up the numbers.
const jumpTime = 7 * 24 * 60 * 60 * 1000

// jumpSpread bounds the random addition to a jump, for servers whose clocks
// disagree.
const jumpSpread = jumpRate

// rereadTerm bounds one reading of a whole world. It is longer than the second
// that callers wait: they get the reply that the store does not respond while the
// writer reads, and a world that takes longer to read would otherwise never be
// read.
const rereadTerm = 30 * time.Second

// reread rebuilds the state, retrying until that works or the time is up.
func (w *World) reread(ctx context.Context, cause error, l *commitLoop) error {
	for failures := 1; ; failures++ {
		reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), rereadTerm)
		err := w.rereadOnce(reading, cause, l)
		cancel()
		switch {
		case err == nil:
			return nil
		case errors.Is(err, store.ErrTrimmed):
			// A checkpoint was replaced meanwhile, which does not change the cause.
		case journalDiverged(err):
			cause = err
		case errors.Is(err, store.ErrCorrupt):
			return err
		}
		if !storeBackoff.Wait(ctx, failures) {
			return err
		}
	}
}

// rereadOnce rebuilds the state from the journal because the present state does not
// belong to it. If the journal may have lost entries that clients have seen, its
// first new entry moves rev and seq ahead of them. Readers of the events have to
// read the snapshot again, once.
func (w *World) rereadOnce(ctx context.Context, cause error, l *commitLoop) error {
	// The cause may be out of date: then the journal still continues from the state.
	missed, err := w.options.Journal.EntriesAfter(ctx, w.state.Tip())
	if err == nil {
		if err = w.applyMissed(missed, l); err == nil || !needsReread(err) {
			return err
		}
	} else if !journalDiverged(err) {
		return err
	}
	if l != nil {
		for e, err := range w.options.Journal.Read(ctx, w.state.Position) {
			if err != nil {
				return err
			}
			l.note(&e)
		}
	}
	old, oldCheckpoint, oldGrown, shown := w.state, w.lastCheckpoint, w.grown, w.replica.seenSeq
	w.state = newState(&w.options)
	past := w.views.swap(keptViews{})
	view, err := w.load(ctx)
	if err == nil {
		view, err = w.jump(ctx, view, cause)
	}
	if err != nil {
		w.state, w.lastCheckpoint, w.grown = old, oldCheckpoint, oldGrown
		w.views.swap(past)
		return err
	}
	w.showState()
	w.registry.replace(w.state)
	w.resetSeq.Store(w.state.resetSeq)
	w.show(view, nil)
	w.log.restart(w.state.Seq, w.began(cause, shown))
	w.replica.restartFollow()
	return nil
}

// began returns the seq before which a cursor may point to a lost event. Numbers
// after a jump past all that this host has shown belong to no other event.
func (w *World) began(cause error, shown uint64) uint64 {
	switch {
	case errors.Is(cause, store.ErrTrimmed):
		// This host was disconnected for long, and nothing is lost.
		return 0
	case w.state.jumped > shown:
		return w.state.jumped
	}
	return w.state.Seq
}

// jump commits the entry that moves rev and seq ahead, if one is needed.
func (w *World) jump(ctx context.Context, view *View, cause error) (*View, error) {
	view, restart, err := w.restarted(ctx, view, cause)
	if err != nil {
		return nil, err
	}
	for range maxConflicts {
		s := w.state
		behind := s.Seq < w.replica.seenSeq || s.Rev < w.replica.seenRev
		if errors.Is(cause, store.ErrDiverged) {
			behind = s.Seq <= w.replica.seenSeq || s.Rev <= w.replica.seenRev
		}
		if restart == nil && !behind {
			return view, nil
		}
		e, err := w.ahead(restart)
		if err != nil {
			return nil, err
		}
		// Another host may have jumped already.
		next, err := w.extend(ctx, view, e, restart)
		if err == nil {
			view, restart = next, nil
		} else if !errors.As(err, &restart) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w %d times in a row", store.ErrConflict, maxConflicts)
}

// restarted asks the store whether the restart in the cause still needs a jump; restart is nil if
// not. Another host may have jumped since the world was read: then its entries are applied, because
// readers would otherwise read the snapshot twice, for this state and for the jump after it.
func (w *World) restarted(ctx context.Context, view *View, cause error) (_ *View, restart *store.RestartedError, err error) {
	if !errors.Is(cause, store.ErrRestarted) {
		return view, nil, nil
	}
	for range maxConflicts {
		missed, err := w.options.Journal.EntriesAfter(ctx, w.state.Tip())
		if errors.As(err, &restart) {
			return view, restart, nil
		}
		if err != nil || len(missed) == 0 {
			return view, nil, err
		}
		if view, err = w.reapply(view, missed); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("%w %d times in a row", store.ErrConflict, maxConflicts)
}

// ahead returns the entry that moves rev and seq ahead. Its time is the time of the
// server's answer, which is before any later restart, and not an estimate of this
// host.
func (w *World) ahead(restart *store.RestartedError) (*store.Entry, error) {
	s, now := w.state, w.options.Now()
	if restart != nil {
		now = restart.At
	}
	e, err := w.ownEntry(now)
	if err != nil {
		return nil, err
	}
	since := uint64(min(max(e.At-s.At, 0), jumpTime))
	step, chance := max(since, leastWait+since/2)*jumpRate, binary.BigEndian.Uint64(e.Commit[:])%jumpSpread
	e.Rev = max(s.Rev+step, w.replica.seenRev+replay.MinJump) + chance
	e.Seq = max(s.Seq+step, w.replica.seenSeq+replay.MinJump) + chance
	return e, nil
}

// ownEntry returns an entry of the host itself, not of a command, that follows on the
// state and changes nothing yet.
func (w *World) ownEntry(now time.Time) (*store.Entry, error) {
	s := w.state
	e := &store.Entry{Position: s.Position + 1, At: now.UnixMilli(), Prev: s.Commit, Rev: s.Rev, Seq: s.Seq}
	if _, err := io.ReadFull(w.options.Random, e.Commit[:]); err != nil {
		return nil, fmt.Errorf("name a commit: %w", err)
	}
	return e, nil
}

// extend commits an entry of the host itself to the journal of a state that is not
// published yet, and applies it; if other hosts committed first, it applies their
// entries instead. restart is the restart of the server that the entry takes note of,
// nil for none.
func (w *World) extend(ctx context.Context, view *View, e *store.Entry, restart *store.RestartedError) (*View, error) {
	if _, err := w.state.SetRoot(e); err != nil {
		return nil, err
	}
	b := &store.Batch{After: w.state.Tip(), Commit: e.Commit, Entries: []store.Entry{*e}}
	if restart != nil {
		b.Resumed = restart.Run
	}
	_, err := w.options.Journal.Commit(ctx, b)
	if missed, ok := errors.AsType[*store.OvertakenError](err); ok {
		return w.reapply(view, missed.Entries)
	}
	if err != nil {
		return nil, err
	}
	return w.reapply(view, b.Entries)
}

// reapply applies entries to a state that is not published yet.
func (w *World) reapply(view *View, entries []store.Entry) (*View, error) {
	w.state.begin()
	for i := range entries {
		if err := w.state.applyNext(&entries[i]); err != nil {
			return nil, err
		}
		view = w.nextView(&entries[i], &w.state.Map)
	}
	w.state.keep()
	return view, nil
}
