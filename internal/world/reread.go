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

// minJump is how far rev and seq jump at least when the store may have lost what it
// acknowledged (protocol reference, "Ground rules"): more than any host can
// have shown of what was lost.
const minJump = 1 << 20

// A jump may be lost as well, with what was shown after it, before another host has
// received it. That host jumps from the same entry, later by the server's time, and has
// to come to numbers above all of those. So where a jump leads goes up with the time
// since that entry, by jumpRate for each millisecond: faster than hosts make events. Of
// two jumps in a row the second comes to where one would have that began at the first
// one's entry, if servers do not restart within 2*leastWait. Numbers stay below 2^53 for
// 17 years of time between an entry and a jump.
const (
	jumpRate  = 1 << 14
	leastWait = minJump / jumpRate
)

// jumpTime bounds the milliseconds that count, a week, so that a server with
// a wrong clock cannot use up the numbers.
const jumpTime = 7 * 24 * 60 * 60 * 1000

// jumpSpread bounds how much further a jump goes by chance, for servers whose clocks
// disagree.
const jumpSpread = jumpRate

// rereadTerm bounds one reading of a whole world. It is not the callers' second:
// they are answered that the store does not respond while the writer reads, and a
// world that takes longer to read than they wait would otherwise never be read.
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

// rereadOnce rebuilds the state from the journal because it is not the one that the
// state continues from. If the journal may have lost what somebody was shown, its
// first new entry moves rev and seq ahead of that. Readers of the events have to
// reread everything, once.
func (w *World) rereadOnce(ctx context.Context, cause error, l *commitLoop) error {
	// The cause may be out of date: then the state still is one that the journal goes
	// on from.
	missed, err := w.options.Journal.Missed(ctx, w.state.Tip())
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
	w.state = newState(w.options.RootKey)
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

// began is the seq before which a cursor may be of something that is lost.
// Numbers after a jump past all that this host has shown are nobody else's.
func (w *World) began(cause error, shown uint64) uint64 {
	switch {
	case errors.Is(cause, store.ErrTrimmed):
		// This host was away for long, and nothing is lost.
		return 0
	case w.state.jumped > shown:
		return w.state.jumped
	}
	return w.state.Seq
}

// jump commits the entry that moves rev and seq ahead, if one is needed.
func (w *World) jump(ctx context.Context, view *View, cause error) (*View, error) {
	restart, err := w.restarted(ctx, cause)
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
		b, err := w.ahead(restart)
		if err != nil {
			return nil, err
		}
		_, err = w.options.Journal.Commit(ctx, b)
		restart = nil
		taken := b.Entries
		if missed, ok := errors.AsType[*store.OvertakenError](err); ok {
			// Another host was first, and jumped.
			taken = missed.Entries
		} else if errors.As(err, &restart) {
			continue
		} else if err != nil {
			return nil, err
		}
		if view, err = w.reapply(view, taken); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w %d times in a row", store.ErrConflict, maxConflicts)
}

// restarted asks the store about a restart that is the cause: it may be out of date, for
// another host may have jumped. It is nil for none.
func (w *World) restarted(ctx context.Context, cause error) (restart *store.RestartedError, err error) {
	if !errors.Is(cause, store.ErrRestarted) {
		return nil, nil //nolint:nilnil // No restart.
	}
	_, err = w.options.Journal.Commit(ctx, &store.Batch{After: w.state.Tip()})
	if errors.As(err, &restart) || errors.Is(err, store.ErrConflict) {
		err = nil
	}
	return restart, err
}

// ahead is the batch that moves rev and seq ahead. The time is that of the server's
// answer, which is before any later restart of it, and not what this host makes of it.
func (w *World) ahead(restart *store.RestartedError) (*store.Batch, error) {
	s, now, run := w.state, w.options.Now(), ""
	if restart != nil {
		now, run = restart.At, restart.Run
	}
	e := store.Entry{
		Position: s.Position + 1, At: now.UnixMilli(), Prev: s.Commit, Root: s.Tree.Root(), LeafCount: replay.LeafCount(s.Tree),
	}
	if _, err := io.ReadFull(w.options.Random, e.Commit[:]); err != nil {
		return nil, fmt.Errorf("name a commit: %w", err)
	}
	since := uint64(min(max(e.At-s.At, 0), jumpTime))
	step, chance := max(since, leastWait+since/2)*jumpRate, binary.BigEndian.Uint64(e.Commit[:])%jumpSpread
	e.Rev = max(s.Rev+step, w.replica.seenRev+minJump) + chance
	e.Seq = max(s.Seq+step, w.replica.seenSeq+minJump) + chance
	return &store.Batch{After: s.Tip(), Commit: e.Commit, Entries: []store.Entry{e}, Resumed: run}, nil
}

// reapply applies entries to a state that nobody sees yet.
func (w *World) reapply(view *View, entries []store.Entry) (*View, error) {
	w.state.begin()
	for i := range entries {
		if err := w.state.applyNext(&entries[i]); err != nil {
			return nil, err
		}
		view = w.nextView(view, &entries[i], &w.state.Map)
	}
	w.state.keep()
	return view, nil
}
