package world

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// ahead is how far rev and seq jump when the store may have lost what it
// acknowledged (protocol reference, "Identity and numbers"): more than any host
// can have shown of what was lost.
const ahead = 1 << 20

// detour bounds how much further a jump goes, by chance: where a jump is lost as
// well, before another host heard of it, that host's own jump from the same place
// must not come to the same numbers again.
const detour = ahead / 2

// rereadTerm bounds one reading of a whole world. It is not the callers' second:
// they are told that the store does not answer while the writer reads, and a world
// that takes longer to read than they wait would else never be read.
const rereadTerm = 30 * time.Second

// reread makes the state anew until that works or the time is up.
func (w *World) reread(ctx context.Context, cause error, r *round) error {
	for wait := askAgain; ; wait *= 2 {
		reading, cancel := context.WithTimeout(context.WithoutCancel(ctx), rereadTerm)
		err := w.rereadOnce(reading, cause, r)
		cancel()
		switch {
		case err == nil:
			return nil
		case lost(err):
			cause = err
		case errors.Is(err, store.ErrCorrupt):
			return err
		}
		if !pause.For(ctx, wait) {
			return err
		}
	}
}

// rereadOnce makes the state anew from the journal because it is not the one that
// the state goes on from. Where the journal may have lost what somebody was
// shown, its first new entry moves rev and seq ahead of that. Whoever follows
// the events is told to read everything anew, once.
func (w *World) rereadOnce(ctx context.Context, cause error, r *round) error {
	// The news may be old: then the state still is one that the journal goes on
	// from.
	missed, err := w.shared.journal.Missed(ctx, w.state.tip())
	if err == nil {
		if err = w.takeOver(missed, r); err == nil || !astray(err) {
			return err
		}
	} else if !lost(err) {
		return err
	}
	if r != nil {
		for e, err := range w.shared.journal.Read(ctx, w.state.at) {
			if err != nil {
				return err
			}
			r.note(&e)
		}
	}
	old, oldCheckpoint, shown := w.state, w.lastCheckpoint, w.shared.seenSeq
	w.state = newState(w.options.RootKey)
	past := w.views.clear()
	view, err := w.load(ctx)
	if err == nil {
		view, err = w.jump(ctx, view, cause)
	}
	if err != nil {
		w.state, w.lastCheckpoint = old, oldCheckpoint
		w.views.restore(past)
		return err
	}
	w.showTip()
	w.registry.replace(w.state)
	w.resetSeq.Store(w.state.resetSeq)
	w.show(view, nil)
	w.log.restart(w.state.seq, w.began(cause, shown))
	w.shared.mu.Lock()
	if w.shared.restart != nil {
		w.shared.restart()
	}
	w.shared.mu.Unlock()
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
	return w.state.seq
}

// jump commits the entry that moves rev and seq ahead, if one is needed.
func (w *World) jump(ctx context.Context, view *View, cause error) (*View, error) {
	restarted := errors.Is(cause, store.ErrRestarted)
	if restarted {
		// The news may be old: another host may have dealt with it.
		_, err := w.shared.journal.Commit(ctx, &store.Batch{After: w.state.tip()})
		restarted = errors.Is(err, store.ErrRestarted)
		if err != nil && !restarted && !errors.Is(err, store.ErrConflict) {
			return nil, err
		}
	}
	for range maxConflicts {
		s := w.state
		behind := s.seq < w.shared.seenSeq || s.rev < w.shared.seenRev
		if errors.Is(cause, store.ErrDiverged) {
			behind = s.seq <= w.shared.seenSeq || s.rev <= w.shared.seenRev
		}
		if !restarted && !behind {
			return view, nil
		}
		e := store.Entry{
			Position: s.at + 1, At: w.options.Now().UnixMilli(), Prev: s.commit,
			Root: s.tree.Root(), LeafCount: uint32(s.tree.Len()),
		}
		if _, err := io.ReadFull(w.options.Random, e.Commit[:]); err != nil {
			return nil, fmt.Errorf("name a commit: %w", err)
		}
		step := ahead + binary.BigEndian.Uint64(e.Commit[:])%detour
		e.Rev, e.Seq = max(s.rev, w.shared.seenRev)+step, max(s.seq, w.shared.seenSeq)+step
		b := &store.Batch{After: s.tip(), Commit: e.Commit, Entries: []store.Entry{e}, Resumed: true}
		_, err := w.shared.journal.Commit(ctx, b)
		taken := []store.Entry{e}
		if missed, ok := errors.AsType[*store.OvertakenError](err); ok {
			// Another host was first, and jumped.
			taken, restarted = missed.Entries, false
		} else if err != nil {
			return nil, err
		} else {
			restarted = false
		}
		if view, err = w.reapply(view, taken); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%w %d times in a row", store.ErrConflict, maxConflicts)
}

// reapply applies entries to a state that nobody sees yet.
func (w *World) reapply(view *View, entries []store.Entry) (*View, error) {
	w.state.begin()
	for i := range entries {
		tree, err := w.takeEntry(&entries[i])
		if err != nil {
			return nil, err
		}
		view = w.nextView(view, &entries[i], tree)
	}
	w.state.keep()
	return view, nil
}
