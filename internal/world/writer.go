package world

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// write is the writer's goroutine.
func (w *World) write() {
	defer close(w.checkpoints)
	defer w.replica.stop()
	batch := make([]*job, 0, maxBatch)
	for {
		select {
		case <-w.queue.ready:
			var open bool
			if batch, open = w.queue.take(batch[:0]); !open {
				if w.lastCheckpoint != w.state.Position {
					w.checkpoints <- w.View()
				}
				w.leave()
				return
			}
			if len(batch) > 0 {
				w.commit(batch)
				clear(batch)
			}
		case u := <-w.replica.updates:
			w.applyUpdate(u)
		}
	}
}

// planAll plans each job on top of those before it and applies its effect to
// the state, which attempt keeps or rolls back.
func (w *World) planAll(batch []*job) ([]*stagedPlan, error) {
	w.state.begin()
	plans := make([]*stagedPlan, len(batch))
	now := w.options.Now()
	for i, j := range batch {
		j.reply, j.err = Reply{}, j.gone()
		if j.err != nil {
			continue
		}
		p := &planner{st: w.state, options: &w.options, ctx: j.ctx, req: &j.req, now: now, loop: w.loop}
		plan, err := p.run(j.command)
		if err != nil {
			if cause := unreadFor(err); cause != nil {
				w.failed(cause, j)
			}
			j.err = err
			continue
		}
		if err := w.applyPlan(p, plan); err != nil {
			w.state.rollback()
			return nil, err
		}
		plans[i] = plan
	}
	return plans, nil
}

// run plans a command. It changes nothing, so a defect in a command affects that
// command only.
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
	if err := p.charge(); err != nil {
		return nil, err
	}
	if plan, err = p.finish(); err != nil {
		return nil, refusal(err)
	}
	plan.reply.Value = value
	return plan, nil
}

// unreadFor returns why the store could not be read for a plan, nil for other errors and
// for a damaged record, which concerns no other command.
func unreadFor(err error) error {
	refused, _ := errors.AsType[*protocol.Error](err)
	if refused == nil || refused.Code != protocol.CodeStoreUnavailable || errors.Is(err, store.ErrCorrupt) {
		return nil
	}
	return refused.Cause
}

// applyPlan makes a plan part of the state that the next job is planned on.
func (w *World) applyPlan(p *planner, plan *stagedPlan) error {
	if p.staged != nil {
		w.state.repeats[p.req.Idempotency.Key] = p.staged
	}
	if err := w.loop.deadlines(p, plan); err != nil {
		return err
	}
	if plan.entry == nil {
		return nil
	}
	if len(plan.entry.Events) > 0 {
		plan.reply.Seq = plan.entry.Seq
	}
	err := w.state.apply(plan.entry, plan.tree, plan.typed)
	plan.after = w.state.Map
	return err
}

// refusal converts any error into one that a caller may see. An error that is not
// the protocol's is a defect of this program.
func refusal(err error) error {
	if _, ok := errors.AsType[*protocol.Error](err); ok {
		return err
	}
	return protocol.WrapError(protocol.CodeInternal, err, "internal error; the host's log has the details under the request id")
}

// reply answers every job of a batch that was committed.
func (w *World) reply(batch []*job, plans []*stagedPlan) {
	rev := w.View().Rev
	for i, j := range batch {
		if plans[i] != nil {
			j.reply = plans[i].reply
		}
		j.reply.Rev = rev
		if c, ok := j.command.(RecordActivity); ok {
			w.observeActivity(&c, plans[i], j.err)
		}
		close(j.done)
	}
}

// fail answers every job of a batch whose outcome is unknown, including refused
// ones: they may have been refused because of a job that is now lost.
func (w *World) fail(batch []*job, cause error) {
	err := unavailable(cause)
	for _, j := range batch {
		j.reply, j.err = Reply{}, err
		close(j.done)
	}
}
