package world

import (
	"context"
	"fmt"
	"math/rand/v2" //nolint:depguard // It spreads load; nothing that is replayed depends on it.
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// news is what the follower has for the writer: entries, or why there are none.
type news struct {
	entries []store.Entry
	err     error
	// done gets what came of it when the writer has dealt with it.
	done chan error
}

// The waits between two walks of the follower that failed.
const (
	followAgain    = 20 * time.Millisecond
	followAgainMax = time.Second
)

// follow is the follower's goroutine: it hands what other hosts commit to the
// writer.
func (w *World) follow(ctx context.Context) {
	defer w.writer.Done()
	for wait := followAgain; ctx.Err() == nil; {
		err := w.walk(ctx, &wait)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if lost(err) {
			err = w.tell(ctx, news{err: err})
		}
		if err == nil {
			wait = followAgain
		} else {
			w.shared.deaf.Store(&err)
		}
		pause.For(ctx, followAgain)
		pause.Unless(ctx, spread(wait), w.shared.answers)
		wait = min(2*wait, followAgainMax)
	}
}

// spread is a random time around another one, so that hosts that lost the store
// together do not come back together.
func spread(d time.Duration) time.Duration {
	return d/2 + rand.N(d) //nolint:gosec // G404: it only spreads load
}

// walk follows the journal from the state's tip until it fails, or the writer
// wants it to start anew.
func (w *World) walk(ctx context.Context, wait *time.Duration) error {
	walk, cancel := context.WithCancel(ctx)
	defer cancel()
	w.shared.mu.Lock()
	w.shared.restart = cancel
	w.shared.mu.Unlock()
	// What a walk yields first may be long in coming; this tells at once that the
	// store answers.
	missed, err := w.shared.journal.Missed(walk, *w.shared.tip.Load())
	if walk.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if err := w.tell(walk, news{entries: missed}); err != nil {
		return err
	}
	for entries, err := range w.shared.journal.Follow(walk, *w.shared.tip.Load()) {
		if walk.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		*wait = followAgain
		if err := w.tell(walk, news{entries: entries}); err != nil {
			return err
		}
	}
	return nil
}

// tell hands news to the writer and waits until it has dealt with them. Where the
// writer could not, the walk has to begin anew.
func (w *World) tell(ctx context.Context, n news) error {
	n.done = make(chan error, 1)
	select {
	case w.shared.news <- n:
	case <-ctx.Done():
		return nil
	}
	select {
	case err := <-n.done:
		return err
	case <-ctx.Done():
		return nil
	}
}

// hear is the writer's part of the follower's news.
func (w *World) hear(n news) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if n.err != nil {
		err = w.settle(ctx, n.err, nil)
	} else {
		err = w.overtaken(ctx, n.entries, nil)
	}
	if err == nil && w.shared.deaf.Swap(nil) != nil {
		w.wake()
	}
	n.done <- err
}

// takeOver applies and publishes the entries that this host has not seen.
// Events before a jump of the seq are shown before it.
func (w *World) takeOver(entries []store.Entry, r *round) error {
	s := w.state
	s.begin()
	view := w.View()
	var events []*Event
	for i := range entries {
		e := &entries[i]
		r.note(e)
		if e.Position <= s.at {
			if e.Position == s.at && e.Commit != s.commit {
				s.rollback()
				return fmt.Errorf("%w: entry %d is another", store.ErrDiverged, e.Position)
			}
			continue
		}
		jumps := e.FirstSeq() != s.seq+1
		tree, err := w.takeEntry(e)
		if err != nil {
			s.rollback()
			return err
		}
		view = w.publishEntry(view, e, tree)
		if jumps {
			w.show(view, events)
			w.log.restart(e.FirstSeq()-1, e.FirstSeq()-1)
			events = nil
		}
		made := eventsOf(e)
		attach(made, w.secretsOf(e, r))
		events = append(events, made...)
	}
	s.keep()
	w.showTip()
	if view != w.View() || len(events) > 0 {
		w.show(view, events)
	}
	return nil
}

// takeEntry applies one entry of another host, if it follows on the state.
func (w *World) takeEntry(e *store.Entry) (*chain.Tree, error) {
	s := w.state
	if e.Position != s.at+1 || e.Prev != s.commit {
		return nil, fmt.Errorf("%w: entry %d does not follow entry %d", store.ErrDiverged, e.Position, s.at)
	}
	tree := s.nextTree(e)
	if err := checkRoot(e, tree); err != nil {
		return nil, err
	}
	if err := s.apply(e, tree, nil); err != nil {
		return nil, err
	}
	return tree, s.applyRecords(e.Records, w.monotonic(w.options.Now()))
}
