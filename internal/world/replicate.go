package world

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/store"
)

// replica is the data that a world needs besides its state because other hosts may
// commit to the journal. Its fields belong to the writer unless they say otherwise.
type replica struct {
	// holder is this host's name where it takes a lock.
	holder string
	// seenRev and seenSeq are the greatest numbers that this host ever showed.
	seenRev, seenSeq uint64
	// updates are the entries that the follower received.
	updates chan followUpdate
	// followErr is why the follower does not receive entries; nil while it does.
	followErr atomic.Pointer[error]
	// retryFollow has a token when the store was found to answer, which ends the
	// follower's wait before it tries again.
	retryFollow chan struct{}

	// secrets are the secrets that other hosts sent, which must not be in the journal.
	secrets secrets
	// registered returns the time since this host last registered at the store; nil
	// while the store is unreachable. Any goroutine may read it.
	registered atomic.Pointer[func() time.Duration]
	// waits are the waits for other hosts to apply entries.
	waits waits

	// stop ends the follower for good.
	stop context.CancelFunc

	mu sync.Mutex
	// used is the state's used amounts, and restart ends the follower's present walk.
	used Amounts
	// occupantCount is the number of rows of agents and MCP placements, and personCount that of people.
	occupantCount, personCount int
	restart                    context.CancelFunc
}

// followUpdate is an update of the follower for the writer: entries, or the error that
// says that the journal diverged.
type followUpdate struct {
	entries []store.Entry
	err     error
	// done gets the outcome when the writer has applied it.
	done chan error
}

// followAgain sets the waits between failed walks of the follower.
var followAgain = retry.Backoff{First: 20 * time.Millisecond, Max: time.Second}

// startReplica starts the goroutines that follow other hosts.
func (w *World) startReplica() {
	w.showState()
	ctx, cancel := context.WithCancel(context.Background())
	w.replica.stop = cancel
	for _, run := range [...]func(context.Context){w.follow, w.listen, w.answerHosts} {
		w.writer.Go(func() { run(ctx) })
	}
}

// showState publishes the parts of the state besides the view that other goroutines may
// read.
func (w *World) showState() {
	w.replica.seenRev = max(w.replica.seenRev, w.state.Rev)
	w.replica.seenSeq = max(w.replica.seenSeq, w.state.Seq)
	w.replica.mu.Lock()
	defer w.replica.mu.Unlock()
	w.replica.used = w.state.used
	w.replica.occupantCount, w.replica.personCount = w.state.occupants, w.state.people
}

// retryFollowNow makes the follower try at once if it waits because the store did
// not answer.
func (r *replica) retryFollowNow() {
	if r.followErr.Load() == nil {
		return
	}
	select {
	case r.retryFollow <- struct{}{}:
	default:
	}
}

// restartFollow ends the follower's present walk, because the state was replaced.
func (r *replica) restartFollow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.restart != nil {
		r.restart()
	}
}

// follow is the follower's goroutine: it passes the entries of other hosts to the
// writer.
func (w *World) follow(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		err := w.walk(ctx, &failures)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if journalDiverged(err) {
			err = w.submit(ctx, followUpdate{err: err})
		}
		if err == nil {
			failures = 0
		} else {
			w.replica.followErr.Store(&err)
		}
		failures++
		pause.For(ctx, followAgain.First)
		pause.Unless(ctx, followAgain.After(failures), w.replica.retryFollow)
	}
}

// walk follows the journal from the view's tip until it fails, or the writer
// wants it to restart.
func (w *World) walk(ctx context.Context, failures *int) error {
	walk, cancel := context.WithCancel(ctx)
	defer cancel()
	w.replica.mu.Lock()
	w.replica.restart = cancel
	w.replica.mu.Unlock()
	// The first entry of a walk may take long to come; this read shows at once that
	// the store answers.
	missed, err := w.options.Journal.EntriesAfter(walk, w.View().Tip())
	if walk.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if err := w.submit(walk, followUpdate{entries: missed}); err != nil {
		return err
	}
	for entries, err := range w.options.Journal.Follow(walk, w.View().Tip()) {
		if walk.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		*failures = 0
		if err := w.submit(walk, followUpdate{entries: entries}); err != nil {
			return err
		}
	}
	return nil
}

// submit hands an update to the writer and waits until it is applied. Where the
// writer could not, the walk has to restart.
func (w *World) submit(ctx context.Context, u followUpdate) error {
	u.done = make(chan error, 1)
	select {
	case w.replica.updates <- u:
	case <-ctx.Done():
		return nil
	}
	select {
	case err := <-u.done:
		return err
	case <-ctx.Done():
		return nil
	}
}

// applyUpdate is the writer's part of an update.
func (w *World) applyUpdate(u followUpdate) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if u.err != nil {
		err = w.reread(ctx, u.err, nil)
	} else {
		err = w.overtaken(ctx, u.entries, nil)
	}
	if err == nil && w.replica.followErr.Swap(nil) != nil {
		w.wake()
	}
	u.done <- err
}

// applyMissed applies and publishes the entries that this host has not seen.
// Events before a jump of the seq are shown before it.
func (w *World) applyMissed(entries []store.Entry, l *commitLoop) error {
	s := w.state
	s.begin()
	view := w.View()
	var events []*Event
	for i := range entries {
		e := &entries[i]
		l.note(e)
		if e.Position <= s.Position {
			if s.isOther(e) {
				s.rollback()
				return fmt.Errorf("%w: entry %d is another", store.ErrDiverged, e.Position)
			}
			continue
		}
		jumps := e.FirstSeq() != s.Seq+1
		if err := s.applyNext(e); err != nil {
			s.rollback()
			return err
		}
		view = w.publishEntry(view, e, &s.Map)
		if jumps {
			w.show(view, events)
			w.log.restart(e.FirstSeq()-1, e.FirstSeq()-1)
			events = nil
		}
		made := eventsOf(e)
		attach(made, w.secretsOf(e, l))
		events = append(events, made...)
	}
	s.keep()
	w.showState()
	if view != w.View() || len(events) > 0 {
		w.show(view, events)
	}
	return nil
}

// isOther reports whether an entry up to the state's position is not one of those that
// led to the state. The follower may be behind the state, and the store may have lost
// what came in between: the entries that replace it begin with a jump past its numbers.
func (s *state) isOther(e *store.Entry) bool {
	if e.Position == s.Position {
		return e.Commit != s.Commit
	}
	return e.Seq > s.Seq || e.Rev > s.Rev
}
