package world

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Bounds of one batch. A batch is what waits while the previous one is being
// made durable, so there is no idle delay.
const (
	maxBatch = 512
	// maxConflicts is how often a batch is planned anew because another host
	// committed first.
	maxConflicts = 64
)

// write is the writer's goroutine.
func (w *World) write() {
	defer w.writer.Done()
	defer close(w.checkpoints)
	batch := make([]*job, 0, maxBatch)
	for first := range w.queue {
		batch = w.fill(batch, first)
		w.commit(batch)
		clear(batch)
	}
	if w.lastCheckpoint != w.state.at {
		w.checkpoints <- w.View()
	}
}

// fill takes what waits into a batch.
func (w *World) fill(batch []*job, first *job) []*job {
	batch = append(batch[:0], first)
	for len(batch) < maxBatch {
		more := w.waiting()
		if more == nil {
			break
		}
		batch = append(batch, more)
	}
	return batch
}

// waiting takes one more command if there is one.
func (w *World) waiting() *job {
	select {
	case j := <-w.queue:
		return j
	default:
		return nil
	}
}

// commit plans a batch, appends it and publishes it. Every job gets its answer.
func (w *World) commit(batch []*job) {
	ctx := context.Background()
	for range maxConflicts {
		if w.uncertain {
			if err := w.catchUp(ctx); err != nil {
				w.stale.Store(&err)
				w.fail(batch, err)
				return
			}
		}
		plans, err := w.planAll(batch)
		if err == nil {
			err = w.append(ctx, batch, plans)
		}
		switch {
		case err == nil:
			return
		case errors.Is(err, store.ErrConflict):
			w.uncertain = true
		default:
			w.uncertain = true
			w.options.Observer.AppendFailed(err)
			w.stale.Store(&err)
			// Resolve the outcome now if the store answers again, so that readers
			// see a write that did get through. If it does not, the next batch asks.
			_ = w.catchUp(ctx)
			w.fail(batch, err)
			return
		}
	}
	w.fail(batch, fmt.Errorf("%w %d times in a row", store.ErrConflict, maxConflicts))
}

// planAll plans each job on top of those before it and applies its effect to
// the state, which append keeps or rolls back.
func (w *World) planAll(batch []*job) ([]*stagedPlan, error) {
	w.state.begin()
	plans := make([]*stagedPlan, len(batch))
	now := w.options.Now()
	for i, j := range batch {
		j.reply, j.err = Reply{}, j.ctx.Err()
		if j.err != nil {
			continue
		}
		p := &planner{st: w.state, options: &w.options, ctx: j.ctx, req: &j.req, now: now, mono: w.monotonic(now), round: w.round}
		plan, err := p.run(j.command)
		if err != nil {
			j.err = err
			continue
		}
		if err := w.applyPlan(p, plan); err != nil {
			w.state.rollback()
			return nil, err
		}
		if w.round != nil {
			if err := w.round.deadlines(p, plan); err != nil {
				w.state.rollback()
				return nil, err
			}
		}
		plans[i] = plan
	}
	return plans, nil
}

// run plans a command. It changes nothing, so a defect in a command costs that
// command and no other.
func (p *planner) run(command Command) (plan *stagedPlan, err error) {
	defer func() {
		if r := recover(); r != nil {
			plan, err = nil, refusal(fmt.Errorf("panic in %T: %v\n%s", command, r, debug.Stack()))
		}
	}()
	first, err := p.repeated()
	if err != nil {
		return nil, err
	}
	if first != nil {
		return &stagedPlan{reply: Reply{Stored: first.Reply, Sealed: first.Sealed}}, nil
	}
	if err := p.checkCaller(); err != nil {
		return nil, err
	}
	if err := p.checkSession(); err != nil {
		return nil, err
	}
	if err := p.checkAPIKey(); err != nil {
		return nil, err
	}
	value, err := command.plan(p)
	if err != nil {
		return nil, refusal(err)
	}
	if err := p.recordRepeat(value); err != nil {
		return nil, refusal(err)
	}
	if plan, err = p.finish(); err != nil {
		return nil, refusal(err)
	}
	plan.reply.Value = value
	return plan, nil
}

// applyPlan makes a plan part of the state that the next job is planned on.
func (w *World) applyPlan(p *planner, plan *stagedPlan) error {
	if p.renewed != nil {
		w.state.renew(p.renewed, p.mono)
	}
	if p.answered != nil {
		w.state.prolong(p.answered, p.mono)
	}
	if p.staged != nil {
		w.state.repeats[p.req.Idempotency.Key] = p.staged
	}
	if plan.entry == nil {
		return nil
	}
	if len(plan.entry.Events) > 0 {
		plan.reply.Seq = plan.entry.Seq
	}
	return errors.Join(
		w.state.apply(plan.entry, plan.tree, plan.typed),
		w.state.applyRecords(plan.entry.Records, p.mono),
	)
}

// refusal makes an error that a caller may see of any error. An error that is
// not the protocol's is a defect of this program.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*protocol.Error](err); ok {
		return err
	}
	return protocol.WrapError(protocol.CodeInternal, err, "the host has a defect; its log has the details under the request id")
}

// append commits the plans as one batch. On an error the state is as it was
// before.
func (w *World) append(ctx context.Context, batch []*job, plans []*stagedPlan) error {
	entries := make([]store.Entry, 0, len(plans))
	events := 0
	for _, plan := range plans {
		if plan != nil && plan.entry != nil {
			entries = append(entries, *plan.entry)
			events += len(plan.entry.Events)
		}
	}
	var took time.Duration
	if len(entries) > 0 {
		began := w.options.Now()
		if _, err := w.options.Journal.Append(ctx, entries[0].Position-1, entries); err != nil {
			w.state.rollback()
			return err
		}
		took = w.options.Now().Sub(began)
	}
	w.state.keep()
	if len(entries) > 0 {
		w.stale.Store(nil)
	}
	w.publish(plans)
	w.reply(batch, plans)
	w.options.Observer.Committed(len(batch), len(entries), events, took)
	return nil
}

// reply answers every job of a batch that was committed.
func (w *World) reply(batch []*job, plans []*stagedPlan) {
	rev := w.View().Rev
	for i, j := range batch {
		if plans[i] != nil {
			j.reply = plans[i].reply
		}
		j.reply.Rev = rev
		close(j.done)
	}
}

// fail answers every job of a batch whose outcome is unknown. Also those that
// were refused: they may have been refused because of a job that is now lost.
func (w *World) fail(batch []*job, cause error) {
	err := unavailable(cause)
	for _, j := range batch {
		j.reply, j.err = Reply{}, err
		close(j.done)
	}
}
