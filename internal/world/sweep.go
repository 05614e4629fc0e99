package world

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// Sweep does what time asks for: it removes the agents whose leases have
// lapsed, answers intercom requests that ran out of time, and forgets the ids
// of requests after a day and watch tokens that have ended. The host calls it every second.
func (w *World) Sweep(ctx context.Context) error {
	due, err := w.due(ctx)
	if err != nil {
		return err
	}
	switch {
	case w.stale.Load() == nil:
	case w.shared == nil:
		due = append(due, probe{})
	default:
		due = append(due, refresh{})
	}
	if w.forgets() {
		due = append(due, forgetRepeats{}, forgetIntercoms{}, forgetWatchTokens{})
	}
	jobs := make([]*job, 0, len(due))
	for _, c := range due {
		j := &job{ctx: ctx, command: c, done: make(chan struct{})}
		if err = w.send(ctx, j); err != nil {
			break
		}
		jobs = append(jobs, j)
	}
	errs := []error{err}
	for _, j := range jobs {
		<-j.done
		errs = append(errs, j.err)
	}
	return errors.Join(errs...)
}

// forgetEvery is how often a host of a shared journal looks for what is to be
// forgotten: every look takes round trips, and nothing is urgent.
const forgetEvery = time.Minute

// forgets tells whether this sweep forgets what is a day old.
func (w *World) forgets() bool {
	if w.shared == nil {
		return true
	}
	now := w.monotonic(w.options.Now())
	last := w.shared.forgot.Load()
	return (last == 0 || now-last >= int64(forgetEvery)) && w.shared.forgot.CompareAndSwap(last, max(now, 1))
}

// due lists the removals that time asks for.
func (w *World) due(ctx context.Context) ([]Command, error) {
	if w.shared == nil {
		reply, err := w.Do(ctx, Request{}, listDue{})
		if err != nil {
			return nil, err
		}
		due, _ := reply.Value.([]Command)
		return due, nil
	}
	w.shared.secrets.expire(w.options.Now())
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	agents, err := w.shared.journal.Due(ctx, store.Leases, maxDue)
	if err != nil {
		return nil, unavailable(err)
	}
	requests, err := w.shared.journal.Due(ctx, store.Intercom, maxDue)
	if err != nil {
		return nil, unavailable(err)
	}
	due := make([]Command, 0, len(agents)+len(requests))
	for _, id := range agents {
		due = append(due, lapse{id})
	}
	for _, key := range requests {
		due = append(due, expireIntercom{strings.TrimPrefix(key, openIntercom)})
	}
	return due, nil
}

// maxDue is how many removals of a kind one sweep of a shared journal takes.
const maxDue = 256

// listDue asks the writer, who alone knows the deadlines, what is due.
type listDue struct{}

func (listDue) plan(p *planner) (any, error) {
	var due []Command
	for _, id := range p.st.lapsed(p.mono) {
		due = append(due, lapse{id})
	}
	for _, id := range p.st.expired(p.mono) {
		due = append(due, expireIntercom{id})
	}
	return due, nil
}

// probe is a write without meaning, to find out whether a store that failed
// takes writes again.
type probe struct{}

func (probe) plan(p *planner) (any, error) {
	p.putBytes(store.Meta, []byte("probe"), seqKey(uint64(p.now.UnixMilli())))
	return nil, nil //nolint:nilnil // Nobody waits for a reply.
}

func isTrimmed(err error) bool { return errors.Is(err, store.ErrTrimmed) }
