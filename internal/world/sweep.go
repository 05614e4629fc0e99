package world

import (
	"context"
	"errors"

	"github.com/playctl/playctl/internal/store"
)

// Sweep removes the agents whose leases have lapsed and the idempotency records
// that have expired. The host calls it every second.
func (w *World) Sweep(ctx context.Context) error {
	reply, err := w.Do(ctx, Request{Caller: Caller{Admin: true}}, listLapsed{})
	if err != nil {
		return err
	}
	ids, _ := reply.Value.([]string)
	errs := make([]error, 0, 1)
	jobs := make([]*job, 0, len(ids)+1)
	for _, id := range ids {
		jobs = append(jobs, &job{ctx: ctx, command: lapse{id}, done: make(chan struct{})})
	}
	jobs = append(jobs, &job{ctx: ctx, command: forgetRepeats{}, done: make(chan struct{})})
	for _, j := range jobs {
		if err := w.send(ctx, j); err != nil {
			return errors.Join(append(errs, err)...)
		}
	}
	for _, j := range jobs {
		<-j.done
		errs = append(errs, j.err)
	}
	return errors.Join(errs...)
}

// listLapsed asks the writer, who alone knows the leases, which have lapsed.
type listLapsed struct{}

func (listLapsed) plan(p *planner) (any, error) { return p.st.lapsed(p.mono), nil }

func isTrimmed(err error) bool { return errors.Is(err, store.ErrTrimmed) }
