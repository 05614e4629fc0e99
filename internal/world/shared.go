package world

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/playctl/playctl/internal/store"
)

// sharing is what a world needs beside its state where several hosts append to
// the journal. Its fields are the writer's, but for those that say otherwise.
type sharing struct {
	journal store.Shared
	// holder is what this host is called where it takes a lock.
	holder string
	// seen are the greatest rev and seq that this host ever showed.
	seenRev, seenSeq uint64
	// tip is the state's, for the follower.
	tip atomic.Pointer[store.Tip]
	// news is what the follower heard.
	news chan news
	// deaf is why the follower does not hear from the store; nil while it does.
	deaf atomic.Pointer[error]
	// answers has a token when the store was found to answer, which ends the
	// follower's wait before it tries again.
	answers chan struct{}

	// secrets are what other hosts said that the journal must not have.
	secrets secrets

	// forgot is when a sweep last forgot what is old, in monotonic nanoseconds; 0
	// for never.
	forgot atomic.Int64

	// stop ends the follower for good; restart ends its present walk.
	stop    context.CancelFunc
	mu      sync.Mutex
	restart context.CancelFunc
}

// share prepares a world for a journal that others append to.
func (w *World) share() error {
	journal, shared := w.options.Journal.(store.Shared)
	if !shared {
		return nil
	}
	holder, err := newUUID(w.options.Random)
	if err != nil {
		return err
	}
	w.shared = &sharing{journal: journal, holder: holder, news: make(chan news), answers: make(chan struct{}, 1)}
	// One clock for all hosts, so that times agree.
	w.options.Now = journal.Now
	w.start = journal.Now()
	return nil
}

// tip is the end of the journal as the state knows it.
func (s *state) tip() store.Tip { return store.Tip{Position: s.at, Commit: s.commit} }

// writeShared is the writer's goroutine where the journal is shared.
func (w *World) writeShared() {
	defer w.writer.Done()
	defer close(w.checkpoints)
	defer w.shared.stop()
	batch := make([]*job, 0, maxBatch)
	for {
		select {
		case first, open := <-w.queue:
			if !open {
				if w.lastCheckpoint != w.state.at {
					w.checkpoints <- w.View()
				}
				return
			}
			batch = w.fill(batch, first)
			w.commitShared(batch)
			clear(batch)
		case n := <-w.shared.news:
			w.hear(n)
		}
	}
}

// commitShared plans a batch, commits it against the tip and publishes it, anew
// until it is committed or refused for certain, or the time is up. Also a batch
// that changes nothing is compared with the tip: what it was answered holds for
// the whole world and not for what this host had heard of it.
func (w *World) commitShared(batch []*job) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r := &round{batch: batch, spared: map[store.Deadline]bool{}}
	w.round = r
	defer func() { w.round = nil }()
	var err error
	for tries := 0; awaited(batch) && tries < maxConflicts; tries++ {
		cause := w.attempt(ctx, r)
		if cause == nil {
			w.stale.Store(nil)
			w.shared.rouse()
			return
		}
		err = w.settle(ctx, cause, r)
		if t := r.committed(); t != nil {
			w.answer(t)
			return
		}
		if err != nil {
			break
		}
		err = fmt.Errorf("tried %d times: %w", tries+1, cause)
	}
	if err == nil {
		err = errNobodyWaits
	} else if !errors.Is(err, store.ErrConflict) {
		w.stale.Store(&err)
	}
	w.options.Observer.AppendFailed(err)
	w.fail(batch, err)
}

// rouse lets the follower try at once where it waits because the store did not
// answer.
func (s *sharing) rouse() {
	if s.deaf.Load() == nil {
		return
	}
	select {
	case s.answers <- struct{}{}:
	default:
	}
}

// errNobodyWaits is why a batch is left: its callers were told that the store
// does not answer while it waited behind others.
var errNobodyWaits = errors.New("its callers wait no longer")

// awaited tells whether anybody waits for a batch.
func awaited(batch []*job) bool {
	return slices.ContainsFunc(batch, func(j *job) bool { return j.ctx.Err() == nil })
}

// attempt plans and commits once. On an error the state is as it was before.
func (w *World) attempt(ctx context.Context, r *round) error {
	r.fresh = map[store.Deadline]bool{}
	if err := w.lookUp(ctx, r); err != nil {
		return err
	}
	plans, err := w.planAll(r.batch)
	if err != nil {
		return fmt.Errorf("%w: %w", errDefect, err)
	}
	t, b, err := w.newAttempt(r, plans)
	if err != nil {
		w.state.rollback()
		return err
	}
	w.sendSecrets(ctx, t)
	began := w.options.Now()
	tip, err := w.shared.journal.Commit(ctx, b)
	if err != nil {
		w.state.rollback()
		if unknown(err) {
			r.attempts = append(r.attempts, t)
		}
		return err
	}
	w.state.at, w.state.commit = tip.Position, tip.Commit
	w.state.keep()
	w.showTip()
	w.publish(plans)
	w.reply(r.batch, plans)
	w.options.Observer.Committed(len(r.batch), len(b.Entries), t.events, w.options.Now().Sub(began))
	return nil
}

// errDefect marks what repeating cannot mend.
var errDefect = errors.New("a plan cannot be applied")

// showTip tells the follower where the state is.
func (w *World) showTip() {
	tip := w.state.tip()
	w.shared.tip.Store(&tip)
	w.shared.seenRev = max(w.shared.seenRev, w.state.rev)
	w.shared.seenSeq = max(w.shared.seenSeq, w.state.seq)
}

// doShared is Do with a bound on the time: the commands that wait behind one
// that the store does not answer are told in time too.
func (w *World) doShared(ctx context.Context, req Request, command Command) (Reply, error) {
	bound, cancel := w.bounded(ctx)
	defer cancel()
	j := &job{ctx: bound, req: req, command: command, done: make(chan struct{})}
	err := w.send(bound, j)
	if err == nil {
		select {
		case <-j.done:
			err = j.err
		case <-bound.Done():
			err = bound.Err()
			j = nil
		}
	}
	switch {
	case err == nil:
		return j.reply, nil
	case ctx.Err() != nil:
		return Reply{}, ctx.Err()
	case bound.Err() != nil && errors.Is(err, bound.Err()):
		return Reply{}, unavailable(fmt.Errorf("%w: no answer within %v", store.ErrUnavailable, patience))
	}
	return Reply{}, err
}

// refresh is a command without effect: it is answered from the journal's end.
type refresh struct{}

func (refresh) plan(*planner) (any, error) { return nil, nil } //nolint:nilnil // Nobody looks at the reply.

// Alone tells whether no other host appends to the journal.
func (w *World) Alone() bool { return w.shared == nil }

// Refresh makes the view as new as the journal was when it was called. Where no
// other host appends to the journal it always is.
func (w *World) Refresh(ctx context.Context) error {
	if w.shared == nil {
		return nil
	}
	_, err := w.Do(ctx, Request{}, refresh{})
	return err
}
