package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
)

// round is a batch on its way into a shared journal, with what was tried.
type round struct {
	batch []*job
	// read is what the present attempt's plans read of the store.
	read lookups
	// attempts are the commits whose outcome is not known yet.
	attempts []*attempt
	// spared are the deadlines that the store says have not passed.
	spared map[store.Deadline]bool
	// fresh are the deadlines that the present plans start anew.
	fresh map[store.Deadline]bool
	// fenced tells that the lock was another host's.
	fenced bool
}

// attempt is one commit: what its jobs are answered if it turns out to be in the
// journal.
type attempt struct {
	commit store.CommitID
	// end is the position of its last entry.
	end     store.Position
	batch   []*job
	replies []Reply
	errs    []error
	private map[uint64]privatePart
	events  int
	found   bool
}

// newAttempt makes a batch of plans that are applied to the state.
func (w *World) newAttempt(r *round, plans []*stagedPlan) (*attempt, *store.Batch, error) {
	t := &attempt{batch: r.batch, private: map[uint64]privatePart{}}
	if _, err := io.ReadFull(w.options.Random, t.commit[:]); err != nil {
		return nil, nil, fmt.Errorf("name a commit: %w", err)
	}
	b := &store.Batch{After: *w.shared.tip.Load(), Commit: t.commit}
	prev := b.After.Commit
	for i, plan := range plans {
		t.errs = append(t.errs, r.batch[i].err)
		t.replies = append(t.replies, Reply{})
		if plan == nil {
			continue
		}
		t.replies[i] = plan.reply
		b.Renewals = append(b.Renewals, plan.renewals...)
		b.Lapsed = append(b.Lapsed, plan.lapsed...)
		if plan.fence != nil {
			b.Fence = plan.fence
		}
		if e := plan.entry; e != nil {
			e.Commit, e.Prev = t.commit, prev
			prev = t.commit
			b.Entries = append(b.Entries, *e)
			t.events += len(e.Events)
			for _, part := range plan.private {
				t.private[e.FirstSeq()+uint64(part.event)] = part
			}
		}
	}
	t.end = b.After.Position + store.Position(len(b.Entries))
	return t, b, nil
}

// deadlines notes what a plan does to deadlines. It is called after the plan is
// applied.
func (r *round) deadlines(p *planner, plan *stagedPlan) error {
	plan.lapsed, plan.fence = p.lapsed, p.fence
	if p.renewed != nil {
		plan.renewals = append(plan.renewals, renewalOf(store.Leases, p.renewed.playerID, time.Duration(p.renewed.lease.term())))
	}
	if p.answered != nil {
		plan.renewals = append(plan.renewals, renewalOf(store.Intercom, openIntercomKey(p.answered.RequestID), intercomTerm))
	}
	for _, n := range plan.renewals {
		r.fresh[n.Deadline] = true
	}
	if plan.entry == nil {
		return nil
	}
	for i := range plan.entry.Records {
		record := &plan.entry.Records[i]
		if err := SetTerm(record); err != nil {
			return err
		}
		if record.Term > 0 {
			r.fresh[store.Deadline{Table: record.Table, Key: string(record.Key)}] = true
		}
	}
	return nil
}

func renewalOf(table store.Table, key string, term time.Duration) store.Renewal {
	return store.Renewal{Deadline: store.Deadline{Table: table, Key: key}, Term: term}
}

// SetTerm gives a record of a lease or of an open intercom request the term of
// its deadline, which a shared journal keeps, and leaves every other as it is. It
// fails on a lease that cannot be read.
func SetTerm(r *store.Record) error {
	switch {
	case r.Value == nil:
	case r.Table == store.Leases:
		var l lease
		if err := json.Unmarshal(r.Value, &l); err != nil {
			return fmt.Errorf("record %s/%s: %w: %w", r.Table, r.Key, store.ErrCorrupt, err)
		}
		r.Term = time.Duration(l.term())
	case r.Table == store.Intercom && strings.HasPrefix(string(r.Key), openIntercom):
		r.Term = intercomTerm
	}
	return nil
}

// passed tells whether the plan may assume that a deadline has passed, which
// the commit checks again by the store's time.
func (p *planner) passed(d store.Deadline) bool {
	if p.round.spared[d] || p.round.fresh[d] {
		return false
	}
	p.lapsed = append(p.lapsed, d)
	return true
}

// note finds the attempt that an entry is the last one of. What is missed comes
// in pieces, so the first of its entries may come without the others.
func (r *round) note(e *store.Entry) {
	if r == nil {
		return
	}
	for _, t := range r.attempts {
		t.found = t.found || t.commit == e.Commit && t.end == e.Position
	}
}

// secretsOf are what an entry's events have for their askers alone: this host's
// own attempt has them, or the host that made it sent them ahead.
func (w *World) secretsOf(e *store.Entry, r *round) []privatePart {
	if len(e.Events) == 0 {
		return nil
	}
	sent := w.shared.secrets.take(e)
	if r == nil {
		return sent
	}
	for _, t := range r.attempts {
		if t.commit == e.Commit {
			return t.secrets(e)
		}
	}
	return sent
}

// secrets are those of one entry's events.
func (t *attempt) secrets(e *store.Entry) []privatePart {
	var parts []privatePart
	for i := range e.Events {
		if part, has := t.private[e.FirstSeq()+uint64(i)]; has {
			part.event = i
			parts = append(parts, part)
		}
	}
	return parts
}

// committed is the attempt that the journal turned out to have.
func (r *round) committed() *attempt {
	for _, t := range r.attempts {
		if t.found {
			return t
		}
	}
	return nil
}

// answer gives the jobs of an attempt that was found in the journal, and whose
// entries are published, their answers.
func (w *World) answer(t *attempt) {
	rev := w.View().Rev
	for i, j := range t.batch {
		j.reply, j.err = t.replies[i], t.errs[i]
		j.reply.Rev = rev
		close(j.done)
	}
	w.stale.Store(nil)
}

// unknown tells whether a commit that failed so may have been carried out.
func unknown(err error) bool {
	if _, ok := errors.AsType[*store.NotDueError](err); ok {
		return false
	}
	for _, certain := range []error{store.ErrConflict, store.ErrDiverged, store.ErrRestarted, store.ErrFenced} {
		if errors.Is(err, certain) {
			return false
		}
	}
	return true
}

// settle does what lets a batch be tried again: it takes over what was missed,
// or finds out what became of an attempt. Its error is that the batch cannot be
// tried again.
func (w *World) settle(ctx context.Context, cause error, r *round) error {
	if missed, ok := errors.AsType[*store.OvertakenError](cause); ok {
		return w.overtaken(ctx, missed.Entries, r)
	}
	if early, ok := errors.AsType[*store.NotDueError](cause); ok {
		for _, d := range early.Deadlines {
			r.spared[d] = true
		}
		return nil
	}
	switch {
	case errors.Is(cause, errDefect):
		return cause
	case errors.Is(cause, store.ErrFenced):
		r.fenced = true
		return nil
	case lost(cause):
		return w.reread(ctx, cause, r)
	}
	return w.ask(ctx, cause, r)
}

// ask asks the store what it has, until it answers or the time is up. A store
// that answers and takes no commit is not asked faster and faster.
func (w *World) ask(ctx context.Context, cause error, r *round) error {
	if r != nil && len(r.attempts) > 1 && !pause.For(ctx, askAgain<<min(len(r.attempts), 6)) {
		return cause
	}
	for wait := askAgain; ; wait *= 2 {
		entries, err := w.shared.journal.Missed(ctx, w.state.tip())
		switch {
		case err == nil:
			return w.overtaken(ctx, entries, r)
		case lost(err):
			return w.reread(ctx, err, r)
		}
		if !pause.For(ctx, wait) {
			return cause
		}
	}
}

// askAgain is the first wait before the store is asked again.
const askAgain = 5 * time.Millisecond

// overtaken takes over entries that were missed; where they do not follow on
// the state, the world is read anew.
func (w *World) overtaken(ctx context.Context, entries []store.Entry, r *round) error {
	err := w.takeOver(entries, r)
	if astray(err) {
		return w.reread(ctx, err, r)
	}
	return err
}

// astray tells whether an entry does not go with this host's state: the journal
// may be another one, or the state wrong.
func astray(err error) bool { return lost(err) || errors.Is(err, store.ErrCorrupt) }

// lost tells whether an error says that the journal is not, or may not be, the
// one that this host's state goes on from.
func lost(err error) bool {
	return errors.Is(err, store.ErrDiverged) || errors.Is(err, store.ErrRestarted) || errors.Is(err, store.ErrTrimmed)
}
