package bridge

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
)

// run delivers events whenever it is this host's turn, until the context ends.
func (b *Bridge) run(ctx context.Context) {
	for failed := 0; ctx.Err() == nil; {
		held, err := b.take(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			b.unreadable(&failed, err)
			pause.For(ctx, min(backoff.After(failed), turnTerm))
		case !held:
			failed = 0
			pause.For(ctx, turnAsk/2+retry.Jitter(turnAsk/2))
		default:
			failed = 0
			b.deliverInTurn(ctx)
		}
	}
}

// deliverInTurn delivers event after event until the context or the turn ends.
func (b *Bridge) deliverInTurn(ctx context.Context) {
	t := b.turn
	b.state.leads(true)
	var holding sync.WaitGroup
	if !b.world.SoleHost() {
		b.log.Info("this host delivers to the bridge", "after", b.kept.Seq)
		holding.Go(func() { b.hold(t) })
	}
	for failed := 0; t.running.Err() == nil; {
		err := b.deliverSome(t.running)
		if err == nil || t.running.Err() != nil {
			failed = 0
			continue
		}
		b.unreadable(&failed, err)
		backoff.Wait(t.running, failed)
	}
	holding.Wait()
	if ctx.Err() == nil {
		b.turn = nil
		b.state.passedOn()
		b.log.Info("another host may deliver to the bridge now", "after", b.events.Cursor().Seq)
	}
}

// deliverSome delivers the next events.
func (b *Bridge) deliverSome(ctx context.Context) error {
	events, err := b.next(ctx)
	switch {
	case err == nil:
		b.deliverAll(ctx, events)
	case errors.Is(err, errKeepNow):
		b.keep(ctx)
		return nil
	case errors.Is(err, store.ErrTrimmed):
		return b.skip(ctx)
	case store.IsDamaged(err):
		from := b.events.Cursor().Seq
		b.skipped(from, b.events.SkipDamage(), "an event is damaged in the store: it and those up to the oldest one in memory are dropped")
		return nil
	}
	return err
}

// unreadable counts a failure to read the journal. Only the first of consecutive
// failures is logged.
func (b *Bridge) unreadable(failed *int, err error) {
	if *failed++; *failed == 1 {
		b.log.Error("the bridge cannot read the journal; retrying", "error", err)
	}
	b.state.failed(FailedStore)
}

// errKeepNow says that it is time to store the position, and no event came before.
var errKeepNow = errors.New("time to store the position")

// next waits for events, no longer than until the position has to be stored.
func (b *Bridge) next(ctx context.Context) ([]*world.Event, error) {
	if b.events.Cursor() == b.kept {
		return b.events.Next(ctx)
	}
	due, cancel := context.WithDeadlineCause(ctx, b.keptAt.Add(keepEvery), errKeepNow)
	defer cancel()
	events, err := b.events.Next(due)
	if err != nil && errors.Is(context.Cause(due), errKeepNow) {
		return nil, errKeepNow
	}
	return events, err
}

// keep stores the position. If that fails it tries again a second later.
func (b *Bridge) keep(ctx context.Context) {
	at := b.events.Cursor()
	b.keptAt = time.Now()
	if err := b.store(ctx, at); errors.Is(err, store.ErrFenced) {
		b.turn.end()
		return
	} else if err != nil {
		b.state.failed(FailedStore)
		return
	}
	b.kept = at
}

// skip continues from the oldest event that is kept.
func (b *Bridge) skip(ctx context.Context) error {
	from := b.events.Cursor().Seq
	by, err := b.events.Skip(ctx)
	if err != nil || by == 0 {
		return err
	}
	b.skipped(from, by, "the bridge was unavailable for too long: some events were dropped before they were delivered")
	return nil
}

// skipped notes that events after a seq are not delivered, and why.
func (b *Bridge) skipped(from, by uint64, why string) {
	b.state.skipped(by)
	b.state.moved(from + by)
	b.log.Warn("some events are not delivered", "reason", why, "after", from, "upTo", from+by)
}

// deliverAll posts events one after the other.
func (b *Bridge) deliverAll(ctx context.Context, events []*world.Event) {
	for _, e := range events {
		at := b.events.After(e)
		switch {
		case !e.IsPublic():
		case at.SID == "":
			b.state.skipped(1)
		case !b.deliver(ctx, e, at.SID):
			return
		}
		b.events.Advance(at)
		b.state.moved(at.Seq)
		if ctx.Err() != nil {
			return
		}
		if time.Since(b.keptAt) >= keepEvery {
			b.keep(ctx)
		}
	}
}

// deliver posts an event until the bridge accepts or refuses it; false means that
// the context ended before.
func (b *Bridge) deliver(ctx context.Context, e *world.Event, sid string) bool {
	body := appendBody(nil, e, sid)
	for failed := 0; ; {
		result := b.post(b.turn.attempts, e.Seq, body)
		if ctx.Err() != nil && result.outcome == again {
			return false
		}
		if result.outcome != again {
			b.answered(e, result, failed)
			return true
		}
		if failed++; failed == 1 {
			b.log.Warn("the bridge does not accept events; they wait in the journal and delivery is retried",
				"seq", e.Seq, "failure", string(result.failure), "status", result.status, "error", result.reason())
			if b.events.Cursor() != b.kept {
				b.keep(ctx)
			}
		}
		b.state.retried(result.failure)
		if !pause.For(ctx, max(backoff.After(failed), result.after)) {
			return false
		}
	}
}

// answered records that an event is done. Only the first of consecutive refusals is
// logged.
func (b *Bridge) answered(e *world.Event, result result, failed int) {
	if result.outcome == refused {
		b.state.refused()
		if !b.refusal {
			b.log.Warn("the bridge refuses events; each is posted once and then skipped", "seq", e.Seq, "status", result.status)
		}
		b.refusal = true
		return
	}
	b.state.delivered()
	if failed > 0 || b.refusal {
		b.log.Info("the bridge accepts events again", "seq", e.Seq, "attempts", failed+1)
	}
	b.refusal = false
}
