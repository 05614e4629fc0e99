package world

import (
	"context"
	"errors"

	"github.com/playctl/playctl/internal/store"
)

// Sweep does what time asks for: it removes the agents whose leases have
// lapsed, answers intercom requests that ran out of time, and forgets the ids
// of requests after a day and watch tokens that have ended. The host calls it every second.
func (w *World) Sweep(ctx context.Context) error {
	reply, err := w.Do(ctx, Request{}, listDue{})
	if err != nil {
		return err
	}
	due, _ := reply.Value.([]Command)
	if w.stale.Load() != nil {
		due = append(due, probe{})
	}
	jobs := make([]*job, 0, len(due)+3)
	for _, c := range append(due, forgetRepeats{}, forgetIntercoms{}, forgetWatchTokens{}) {
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
