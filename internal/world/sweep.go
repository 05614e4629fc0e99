package world

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/store"
)

// Sweep does the periodic work: it removes agents and people whose leases expired,
// fails intercom requests that timed out, and deletes request ids after a day, expired
// watch tokens and old invitations. It also renews this host's registration at the
// store. The host calls it every second.
func (w *World) Sweep(ctx context.Context) error {
	w.replica.secrets.expire(w.options.Now())
	if w.stale.Load() != nil || w.late.is() {
		// Nothing else is written until a probe succeeds.
		for _, c := range []probe{{}, {remove: true}} {
			if err := w.runAll(ctx, c); err != nil {
				return err
			}
		}
	}
	due, err := w.due(ctx)
	if err != nil {
		return err
	}
	if last := w.keyUses.take(w.options.Now()); len(last) > 0 {
		due = append(due, writeKeyUses{last})
	}
	var counted error
	if w.forgets() {
		counted = w.countRemembered(ctx)
		for _, of := range rememberedKinds {
			due = append(due, forgetExpired{of})
		}
		due = append(due, forgetWatchTokens{}, forgetInvitations{})
	}
	return errors.Join(counted, w.runAll(ctx, due...))
}

// runAll runs commands of the world itself.
func (w *World) runAll(ctx context.Context, commands ...Command) error {
	var errs []error
	jobs := make([]*job, 0, len(commands))
	for _, c := range commands {
		j := &job{ctx: ctx, command: c, late: w.late.sign(), done: make(chan struct{})}
		if err := w.queue.send(noAccount, j); err != nil {
			errs = append(errs, err)
			break
		}
		jobs = append(jobs, j)
	}
	for _, j := range jobs {
		err := j.wait()
		errs = append(errs, err)
		if err == nil && j.reply.Value == moreExpired {
			w.forgot.Store(0)
		}
	}
	return errors.Join(errs...)
}

// moreExpired is the reply of a command that forgot as much as it may at once: the next
// sweep continues.
const moreExpired = forgotten(true)

type forgotten bool

// forgetEvery is how often a host that shares its store looks for records to
// forget: each check takes round trips, and none is urgent.
const forgetEvery = time.Minute

// forgets reports whether this sweep forgets records that are a day old.
func (w *World) forgets() bool {
	if w.SoleHost() {
		return true
	}
	now, last := w.options.Now().UnixNano(), w.forgot.Load()
	return (last == 0 || now-last >= int64(forgetEvery)) && w.forgot.CompareAndSwap(last, now)
}

// maxDue is how many removals of a kind one sweep takes.
const maxDue = 4096

// due lists the removals that are due, and registers this host at the store.
func (w *World) due(ctx context.Context) ([]Command, error) {
	ctx, cancel := w.bounded(ctx)
	defer cancel()
	if err := w.register(ctx); err != nil {
		return nil, unavailable(err)
	}
	leases, err := w.options.Journal.Expired(ctx, store.Leases, maxDue)
	if err != nil {
		return nil, unavailable(err)
	}
	requests, err := w.options.Journal.Expired(ctx, store.Intercom, maxDue)
	if err != nil {
		return nil, unavailable(err)
	}
	due := make([]Command, 0, len(leases)+len(requests))
	for _, key := range leases {
		due = append(due, expireLease{key})
	}
	for _, key := range requests {
		due = append(due, expireIntercom{strings.TrimPrefix(key, openIntercom)})
	}
	return due, nil
}

// probe is a write without effect, to find out whether a store that failed accepts
// writes again, or the removal of its record. Like other writes it needs a record that
// no host has in memory.
type probe struct{ remove bool }

// minSize is the size of a write of which more is not known, and probeSize that of a
// probe: a file needs far more room than a write is long, for a copy of some pages of
// each table that changes.
const (
	minSize   = 1 << 10
	probeSize = 128 << 10
)

func (probe) lookups(*state) []store.Lookup {
	return []store.Lookup{{Table: store.Meta, Key: []byte("never written")}}
}

func (c probe) plan(p *planner) (any, error) {
	if c.remove {
		p.erase(store.Meta, "probe")
	} else {
		p.putBytes(store.Meta, []byte("probe"), make([]byte, probeSize))
	}
	return nil, nil //nolint:nilnil // Nobody waits for a reply.
}
