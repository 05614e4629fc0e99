package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/store"
)

// maxConflicts is how often a batch is replanned because another host committed first.
const maxConflicts = 64

// storeBackoff sets the waits before a failed request to a store is retried.
var storeBackoff = retry.Backoff{First: 5 * time.Millisecond, Max: 320 * time.Millisecond}

// errDefect marks an error that a retry does not change.
var errDefect = errors.New("a plan cannot be applied")

// errCallersGone is the error of a dropped batch: while it waited behind others, its
// callers got the reply that the store does not respond.
var errCallersGone = errors.New("all callers timed out")

// commitLoop is a batch on its way into the journal, with its attempts.
type commitLoop struct {
	batch []*job
	// commit names the present attempt.
	commit store.CommitID
	// read has the records of the store that the present attempt's plans need.
	read lookups
	// attempts are the commits whose outcome is not known yet.
	attempts []*attempt
	// notDue are the deadlines that the store says have not passed.
	notDue map[store.Deadline]bool
	// renewed are the deadlines that the present plans restart.
	renewed map[store.Deadline]bool
	// roomReads are the reads of the present plans to make room.
	roomReads roomReads
	// lostLock is set when the lock was another host's.
	lostLock bool
}

// attempt is one commit, with the replies to its jobs if it turns out to be in the
// journal.
type attempt struct {
	commit store.CommitID
	// end is the position of its last entry.
	end   store.Position
	batch []*job
	plans []*stagedPlan
	// errs are the refusals of the jobs.
	errs    []error
	private map[uint64]privatePart
	events  int
	// size is the size of its largest job with an entry.
	size  int64
	found bool
}

// commit plans a batch, commits it against the tip and publishes it, again until it
// is committed or refused for certain, or the time is up. A batch that changes
// nothing is compared with the tip as well: its replies must hold for the whole
// world and not only for the entries that this host has received. Every job gets a
// reply.
func (w *World) commit(batch []*job) {
	ctx := context.Background()
	if !w.SoleHost() {
		bounded, cancel := context.WithTimeout(ctx, commitPatience)
		defer cancel()
		ctx = bounded
	}
	w.late.begin()
	defer w.late.end()
	l := &commitLoop{batch: batch}
	w.loop = l
	defer func() { w.loop = nil }()
	var err error
	for tries := 0; tries < maxConflicts && awaited(batch); tries++ {
		cause := w.attempt(ctx, l)
		if cause == nil {
			return
		}
		if err = w.settle(ctx, cause, l); err != nil {
			break
		}
		if t := l.committed(); t != nil {
			w.answer(t)
			return
		}
		err = fmt.Errorf("tried %d times: %w", tries+1, cause)
	}
	if err == nil {
		w.fail(batch, errCallersGone)
		return
	}
	if !errors.Is(err, store.ErrConflict) {
		w.failed(err, batch...)
	}
	w.options.Observer.AppendFailed(err)
	w.fail(batch, err)
}

// failed records that the store failed jobs with an error, or a write whose job is not
// known.
func (w *World) failed(err error, jobs ...*job) {
	w.stale.Store(&err)
	largest := max(w.unwritten.Load(), minSize)
	for _, j := range jobs {
		largest = max(largest, j.size())
	}
	w.unwritten.Store(largest)
}

// recovered records that a commit succeeded: the view is up to date again, unless a
// write failed and this commit wrote less than half of it: a full disk may have room for
// a short write only. It is called before the replies, so that a caller with a reply
// finds the host ready.
func (w *World) recovered(wrote int64) {
	w.late.end()
	if wrote >= (min(w.unwritten.Load(), probeSize)+1)/2 {
		w.unwritten.Store(0)
		w.stale.Store(nil)
	}
	w.replica.retryFollowNow()
}

// awaited reports whether any caller still waits for a batch.
func awaited(batch []*job) bool {
	return slices.ContainsFunc(batch, func(j *job) bool { return j.gone() == nil })
}

// attempt plans and commits once. On an error the state is as it was before.
func (w *World) attempt(ctx context.Context, l *commitLoop) error {
	l.renewed, l.roomReads = nil, roomReads{}
	if _, err := io.ReadFull(w.options.Random, l.commit[:]); err != nil {
		return fmt.Errorf("name a commit: %w", err)
	}
	// Each attempt reads the records again: an entry of another host does not show its
	// changes to these tables.
	l.read = nil
	if err := l.readAll(ctx, w.options.Journal, wanted(w.state, l.batch)); err != nil {
		return err
	}
	after := w.state.Tip()
	plans, err := w.planAll(l.batch)
	if err != nil {
		return fmt.Errorf("%w: %w", errDefect, err)
	}
	t, b := newAttempt(l, plans, after)
	w.sendSecrets(ctx, t)
	began := w.options.Now()
	if _, err := w.options.Journal.Commit(ctx, b); err != nil {
		w.state.rollback()
		if unknown(err) {
			for _, j := range t.batch {
				t.errs = append(t.errs, j.err) // the next attempt overwrites them
			}
			l.attempts = append(l.attempts, t)
		}
		return err
	}
	took := w.options.Now().Sub(began)
	w.state.keep()
	w.showState()
	w.publish(plans)
	w.recovered(t.size)
	w.reply(l.batch, plans)
	w.options.Observer.Committed(len(l.batch), len(b.Entries), t.events, took)
	return nil
}

// newAttempt creates an attempt from plans that are applied to the state.
func newAttempt(l *commitLoop, plans []*stagedPlan, after store.Tip) (*attempt, *store.Batch) {
	t := &attempt{commit: l.commit, batch: l.batch, plans: plans}
	b := &store.Batch{After: after, Commit: l.commit, Entries: make([]store.Entry, 0, len(plans))}
	for i, plan := range plans {
		if plan == nil {
			continue
		}
		b.Renewals = append(withoutSet(b.Renewals, plan.entry), plan.renewals...)
		b.Expired = append(b.Expired, plan.expired...)
		if plan.fence != nil {
			b.Fence = plan.fence
		}
		if e := plan.entry; e != nil {
			b.Entries = append(b.Entries, *e)
			t.events += len(e.Events)
			t.size = max(t.size, l.batch[i].size())
			t.keepPrivate(e, plan.private)
		}
	}
	t.end = after.Position + store.Position(len(b.Entries))
	return t, b
}

// withoutSet removes the renewals of deadlines that a later entry sets: a store renews
// after it has written all entries, and would replace the new term with the old one.
func withoutSet(renewals []store.Renewal, e *store.Entry) []store.Renewal {
	if e == nil || len(renewals) == 0 {
		return renewals
	}
	return slices.DeleteFunc(renewals, func(r store.Renewal) bool {
		return slices.ContainsFunc(e.Records, func(record store.Record) bool {
			return record.Term > 0 && record.Table == r.Table && string(record.Key) == r.Key
		})
	})
}

func (t *attempt) keepPrivate(e *store.Entry, parts []privatePart) {
	if len(parts) > 0 && t.private == nil {
		t.private = map[uint64]privatePart{}
	}
	for _, part := range parts {
		t.private[e.FirstSeq()+uint64(part.event)] = part
	}
}

// unknown reports whether a commit that failed with err may have been carried out.
func unknown(err error) bool {
	if _, ok := errors.AsType[*store.NotDueError](err); ok {
		return false
	}
	return !journalDiverged(err) && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrFenced) && !errors.Is(err, store.ErrUnfit)
}

// note finds the attempt whose last entry is e. Missed entries come in pieces, so
// the first entries of an attempt may come without the others.
func (l *commitLoop) note(e *store.Entry) {
	if l == nil {
		return
	}
	for _, t := range l.attempts {
		t.found = t.found || t.commit == e.Commit && t.end == e.Position
	}
}

// committed returns the attempt that turned out to be in the journal.
func (l *commitLoop) committed() *attempt {
	for _, t := range l.attempts {
		if t.found {
			return t
		}
	}
	return nil
}

// answer gives the jobs of an attempt that was found in the journal, and whose
// entries are published, their answers.
func (w *World) answer(t *attempt) {
	w.recovered(t.size)
	for i, j := range t.batch {
		j.reply, j.err = Reply{}, t.errs[i]
	}
	w.reply(t.batch, t.plans)
}

// settle prepares another attempt of a batch: it applies missed entries, or finds
// out whether an attempt was committed. An error means that the batch cannot be
// tried again.
func (w *World) settle(ctx context.Context, cause error, l *commitLoop) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if missed, ok := errors.AsType[*store.OvertakenError](cause); ok {
		return w.overtaken(ctx, missed.Entries, l)
	}
	if early, ok := errors.AsType[*store.NotDueError](cause); ok {
		if l.notDue == nil {
			l.notDue = map[store.Deadline]bool{}
		}
		for _, d := range early.Deadlines {
			l.notDue[d] = true
		}
		return nil
	}
	switch {
	case errors.Is(cause, errDefect), errors.Is(cause, store.ErrUnfit):
		return cause
	case errors.Is(cause, store.ErrFenced):
		l.lostLock = true
		return nil
	case journalDiverged(cause):
		return w.reread(ctx, cause, l)
	}
	return w.ask(ctx, cause, l)
}

// ask queries the state of the store until it answers or the time is up. The waits
// also grow for a store that answers but accepts no commit. A store that only one
// host uses fails because of its disk: the next commit would fail as well, so the
// batch is not tried again, whatever its outcome.
func (w *World) ask(ctx context.Context, cause error, l *commitLoop) error {
	if len(l.attempts) > 1 && !storeBackoff.Wait(ctx, len(l.attempts)) {
		return cause
	}
	for failures := 1; ; failures++ {
		entries, err := w.options.Journal.EntriesAfter(ctx, w.state.Tip())
		switch {
		case err == nil:
			if err = w.overtaken(ctx, entries, l); err == nil && w.SoleHost() {
				return cause
			}
			return err
		case journalDiverged(err):
			return w.reread(ctx, err, l)
		case w.SoleHost() || !storeBackoff.Wait(ctx, failures):
			return cause
		}
	}
}

// overtaken applies entries that were missed; if they do not follow on the
// state, the world is reread.
func (w *World) overtaken(ctx context.Context, entries []store.Entry, l *commitLoop) error {
	err := w.applyMissed(entries, l)
	if needsReread(err) {
		return w.reread(ctx, err, l)
	}
	return err
}

// needsReread reports whether an entry does not fit this host's state: the journal
// may be another one, or the state wrong.
func needsReread(err error) bool { return journalDiverged(err) || errors.Is(err, store.ErrCorrupt) }

// journalDiverged reports whether an error says that the journal is not, or may not
// be, the one that this host's state belongs to.
func journalDiverged(err error) bool {
	return errors.Is(err, store.ErrDiverged) || errors.Is(err, store.ErrRestarted) || errors.Is(err, store.ErrTrimmed)
}
