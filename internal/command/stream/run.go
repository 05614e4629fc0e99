package stream

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// tailer shows what happens in a world. One goroutine owns it.
type tailer struct {
	*command.App
	who    *command.Caller
	client *client.Client
	flags  *tailFlags
	pick   *selection
	until  condition
	names  render.Names
	shown  display
	// recording is nil without --record.
	recording *recorder
	// present is the position of the newest event when it began.
	present uint64
	// numbered is false on hosts that give no positions.
	numbered bool
	// reads counts the full reads of the copy.
	reads int
	// state is what was last reported of the copy.
	state sdk.State
	// lag is how long the last live event took.
	lag    time.Duration
	hasLag bool
	// ending is nil until the event that it ends with has come.
	ending *ending
	// quiet ends a reading of the past; nil while it may not end.
	quiet *time.Timer
}

// run follows the world until the flags or the context end it.
func (t *tailer) run(ctx context.Context) (err error) {
	if t.recording != nil {
		defer func() { err = errors.Join(err, t.recording.close()) }()
	}
	t.shown, err = t.newDisplay()
	if err != nil {
		return err
	}
	// Whatever is told to a person comes after this.
	defer func() { err = errors.Join(err, t.shown.close()) }()
	f, err := follow(t.App, ctx, t.who, sdk.SubscribeOptions{
		After: t.flags.since, FromSeq: t.flags.hasSince || t.flags.fromStart, NoVerify: t.flags.noVerify,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	defer t.stopQuiet()
	resized, stop := t.Resizes()
	defer stop()
	var suspended <-chan os.Signal
	if livelyTerminal(t.App) {
		suspended, stop = t.Suspensions()
		defer stop()
	}
	for {
		done, err := t.step(ctx, f, resized, suspended)
		if done || err != nil {
			return err
		}
	}
}

// step waits for one thing and deals with it.
func (t *tailer) step(ctx context.Context, f *following, resized, suspended <-chan os.Signal) (done bool, err error) {
	select {
	case h := <-f.reports:
		return t.take(h)
	case <-t.shown.due():
		return false, t.shown.draw(t.status())
	case <-resized:
		return false, t.shown.draw(t.status())
	case <-suspended:
		return false, t.suspend(ctx)
	case <-t.quietEnds():
		return true, t.quieted()
	case <-f.sub.Done():
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		return false, sdk.ErrClosed
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

func (t *tailer) take(h heard) (done bool, err error) {
	switch {
	case h.event != nil:
		return t.event(h.event)
	case h.checked != nil:
		return t.checked(h.checked)
	case h.update != nil:
		return t.updated(h.update)
	case h.state != nil:
		return t.moved(h.state)
	}
	return false, t.wrong(h.err)
}

// moved takes what is said about connection and verification. A copy that was
// verified need not have the last event yet; one that differs is no proof of it.
func (t *tailer) moved(state *sdk.State) (done bool, err error) {
	t.state = *state
	if state.Connected {
		t.startQuiet()
	} else {
		t.stopQuiet()
	}
	if state.Verification == sdk.Mismatched {
		if done, err = t.proved(sdk.Mismatched); done {
			return done, err
		}
	}
	return false, t.shown.draw(t.status())
}

// updated takes a new state of the copy. A full read has every event before it.
func (t *tailer) updated(update *sdk.Update) (done bool, err error) {
	t.state.Snapshot, t.state.Verification = update.Snapshot, update.Verification
	if update.Event == nil {
		t.reads++
		for o := range update.Snapshot.Occupants() {
			t.names.Learn(occupantName(o))
		}
		if t.recording != nil {
			if err := t.recording.snapshot(update); err != nil {
				return false, err
			}
		}
		if update.Verification != sdk.Mismatched {
			if done, err = t.proved(update.Verification); done {
				return done, err
			}
		}
	}
	t.shown.world(update.Snapshot)
	return false, t.shown.draw(t.status())
}

// event deals with an event, and reports whether tail ends at once.
func (t *tailer) event(event *sdk.Event) (done bool, err error) {
	if t.ending != nil {
		return false, nil // it comes after the last one
	}
	t.startQuiet()
	if t.recording != nil {
		if err := t.recording.event(event); err != nil {
			return false, err
		}
	}
	met := newMatter(event.Kind, event.Seq, event.HasSeq, event.Data)
	line := render.Event{Kind: event.Kind, Data: event.Data}
	if !event.HasSeq || event.Seq > t.present {
		line.Seen = t.Now()
		t.measure(met, line.Seen)
	}
	if t.pick.takes(met, &t.names) {
		result := eventResult{Context: t.who.ContextName(), Event: event.Kind, Data: event.Data}
		if event.HasSeq {
			result.Seq = &event.Seq
		}
		err = t.shown.event(result, line, &t.names, t.status())
	}
	switch {
	case err != nil:
		return false, err
	case t.until != nil && t.until.met(met, t.pick.namesOf(&t.names)):
		return t.endsWith(event, nil)
	case !t.flags.follow && event.Seq >= t.present:
		return t.endsWith(event, t.unseen(" up to the present"))
	}
	return false, nil
}

// measure finds out how long an event took from the host's clock to here.
func (t *tailer) measure(met *matter, now time.Time) {
	if at, err := time.Parse(time.RFC3339, met.at()); err == nil {
		t.lag, t.hasLag = now.Sub(at), true
	}
}

// wrong deals with a problem that the subscription reports. It goes on by itself
// with all but these: credentials that are no good, and a copy that was read
// again and still is not the host's.
func (t *tailer) wrong(err error) error {
	var refused *protocol.Error
	if errors.As(err, &refused) && command.ExitCode(refused) == command.ExitUnauthorized {
		return refused
	}
	if errors.Is(err, sdk.ErrUnmended) && t.reads > 1 {
		return unproved(err)
	}
	if _, differs := errors.AsType[*chain.MismatchError](err); differs {
		t.state.Verification = sdk.Mismatched
	}
	return t.shown.problem(err, t.status())
}

// status is where the copy stands.
func (t *tailer) status() render.Status {
	status := render.Status{
		Connected: t.state.Connected, Tried: t.reads > 0,
		Verified: t.state.Verification == sdk.Verified, Known: t.state.Verification.String(),
		Lag: t.lag, HasLag: t.hasLag,
	}
	if copied := t.state.Snapshot; copied != nil {
		status.Rev, status.Root, status.Occupants = copied.Head().Rev, copied.Root().Hex(), copied.Tree().OccupantCount()
	}
	return status
}

// occupantName is an occupant's id and name.
func occupantName(o protocol.Occupant) (id, name string) {
	switch row := o.(type) {
	case *protocol.Agent:
		return row.AgentID, row.Name
	case *protocol.MCP:
		return row.ID, row.Name
	case *protocol.Human:
		return row.ID, row.Name
	case *protocol.Structure:
		return row.ID, row.Name
	}
	return "", ""
}

// suspend stops the process with the terminal as it was, and draws anew when it is
// continued.
func (t *tailer) suspend(ctx context.Context) error {
	if err := t.shown.away(); err != nil {
		return err
	}
	if err := t.Suspend(ctx); err != nil {
		return err
	}
	if err := t.shown.back(); err != nil {
		return err
	}
	return t.shown.draw(t.status())
}
