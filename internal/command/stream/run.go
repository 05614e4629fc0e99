package stream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// tailer follows and shows a world. One goroutine owns it.
type tailer struct {
	*command.App
	caller *command.Caller
	client *client.Client
	flags  *tailFlags
	pick   *selection
	until  condition
	wait   *stateWait // nil for other commands than "playctl wait"
	names  render.Names
	shown  display
	// recording is nil without --record.
	recording *recorder
	// printed counts the printed events.
	printed uint64
	// present is the position of the newest event at the start.
	present uint64
	// reads counts the full reads of the copy.
	reads int
	// state is the last reported state of the copy.
	state sdk.State
	// back is the result of a tail whose host went back to an earlier state.
	back error
	// lost is set after the loss of the connection was reported.
	lost bool
	// lag is the time that the last live event took.
	lag    time.Duration
	hasLag bool
	// ending is nil until the last event has arrived.
	ending *ending
	// quiet ends the reading of past events; it is stopped while they must not end.
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
	// Messages for a person are written after the display is closed.
	defer func() { err = errors.Join(err, t.shown.close()) }()
	world, err := sdk.New(t.WorldOptions(t.caller))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close(context.WithoutCancel(ctx))) }()
	following, cancel := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	reports := make(chan report)
	reading.Go(func() { t.read(following, world, reports) })
	defer t.quiet.Stop()
	resized, stop := t.Resizes()
	defer stop()
	var suspended <-chan os.Signal
	if livelyTerminal(t.App) {
		suspended, stop = t.Suspensions()
		defer stop()
	}
	for {
		done, err := t.step(ctx, reports, resized, suspended)
		if done || err != nil {
			return err
		}
	}
}

// report is a change of the followed world, or an error.
type report struct {
	sdk.Report
	err error
}

// read follows the world. tail also waits for its terminal, so reports arrive over a
// channel; read continues after a report was received.
func (t *tailer) read(ctx context.Context, world *sdk.RemotePlayWorld, reports chan<- report) {
	defer close(reports)
	for r, err := range world.Follow(ctx, sdk.SubscribeOptions{
		After: t.flags.since, FromSeq: t.flags.hasSince || t.flags.fromStart, NoVerify: t.flags.noVerify,
	}) {
		select {
		case reports <- report{r, err}:
		case <-ctx.Done():
			return
		}
	}
}

// step waits for one report, key, signal or timer and handles it.
func (t *tailer) step(ctx context.Context, reports <-chan report, resized, suspended <-chan os.Signal) (done bool, err error) {
	select {
	case r, open := <-reports:
		if !open {
			if err := context.Cause(ctx); err != nil {
				return false, err
			}
			return false, sdk.ErrClosed
		}
		return t.take(&r)
	case <-t.shown.due():
		return false, t.shown.draw(t.status())
	case <-resized:
		return false, t.shown.draw(t.status())
	case <-suspended:
		return false, t.suspend(ctx)
	case key := <-t.shown.keys():
		return t.press(ctx, key)
	case <-t.quiet.C:
		return true, t.quieted()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

func (t *tailer) take(r *report) (done bool, err error) {
	t.state = r.State
	t.lost = t.lost && !t.state.Connected
	switch {
	case r.err != nil:
		return false, t.wrong(r.err)
	case r.Type == sdk.ReportEvent:
		return t.event(r.Event)
	case r.Type == sdk.ReportChecked:
		return t.checked(r.Event, r.Checked)
	case r.Type == sdk.ReportUpdate:
		return t.updated(r.Event)
	}
	return t.moved()
}

// moved handles a change of the connection or the verification. A verified copy may not
// have the last event yet, and a copy that differs does not show it.
func (t *tailer) moved() (done bool, err error) {
	if t.state.Connected {
		t.startQuiet()
	} else {
		t.quiet.Stop()
	}
	if t.state.Verification == sdk.Mismatched {
		if done, err = t.proved(sdk.Mismatched); done {
			return done, err
		}
	}
	return false, t.shown.draw(t.status())
}

// updated handles a new state of the copy and its event, nil for a full read, which
// includes every event before it.
func (t *tailer) updated(event *sdk.Event) (done bool, err error) {
	if event == nil {
		t.reads++
		t.noteUnknownPlayer()
		for o := range t.state.Snapshot.Occupants() {
			t.names.Learn(occupantName(o))
		}
		if t.recording != nil {
			if err := t.recording.snapshot(&t.state); err != nil {
				return false, err
			}
		}
		if t.state.Verification != sdk.Mismatched {
			if done, err = t.proved(t.state.Verification); done {
				return done, err
			}
		}
		if done, err = t.metAtOnce(); done {
			return done, err
		}
	}
	t.shown.world(t.state.Snapshot)
	return false, t.shown.draw(t.status())
}

// noteUnknownPlayer prints once that --player names no known player: after a typing error
// tail would wait in vain.
func (t *tailer) noteUnknownPlayer() {
	player := t.flags.player
	if player == "" || t.reads > 1 {
		return
	}
	if _, known := t.caller.Known(player); known {
		return
	}
	for o := range t.state.Snapshot.Occupants() {
		id, name := occupantName(o)
		if name == player || isID(id, player) {
			return
		}
	}
	t.Note("%s", t.ErrorLook().Faint(render.Clean(fmt.Sprintf("Nobody on the map is called %q; \"playctl snapshot\" shows who is there.", player))))
}

// event handles an event, and reports whether tail ends immediately.
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
	fields := &eventFields{event: event}
	line := render.Event{Kind: event.Kind, Data: event.Data}
	if !event.HasSeq || event.Seq > t.present {
		line.Seen = t.Now()
		t.measure(&line)
	}
	t.names.LearnFrom(line)
	if t.wait != nil {
		if done, err := t.wait.event(t, fields); done {
			return t.endsWith(event, err)
		}
		return false, nil
	}
	if t.pick.takes(fields, &t.names) {
		err = t.print(event, line)
	}
	switch {
	case err != nil:
		return false, err
	case t.until != nil && t.until.met(fields, t.pick.namesOf(&t.names)):
		return t.endsWith(event, nil)
	case t.full():
		return t.endsWith(event, t.unseen(" among the events up to --limit"))
	case !t.flags.follow && event.Seq >= t.present:
		return t.endsWith(event, t.unseen(" up to the present"))
	}
	return false, nil
}

// full reports whether as many events are printed as --limit says.
func (t *tailer) full() bool { return t.flags.limit > 0 && t.printed >= t.flags.limit }

// print shows an event, and counts it if it has a line or is data.
func (t *tailer) print(event *sdk.Event, line render.Event) error {
	result := eventResult{Context: t.caller.ContextName(), Event: event.Kind, Data: event.Data}
	if event.HasSeq {
		result.Seq = &event.Seq
	}
	if t.flags.short {
		result.At, result.Data = render.EventTime(event.Data), shortened(event.Data)
	}
	if t.flags.limit > 0 && (t.Printer.Format != render.FormatTable || t.names.HasLine(line)) {
		t.printed++
	}
	return t.shown.event(result, line, &t.names, t.status())
}

// measure measures the time of an event from the host's clock to this one, if the display
// shows it.
func (t *tailer) measure(line *render.Event) {
	if _, plain := t.shown.(*eventLines); plain {
		return
	}
	if at, err := time.Parse(time.RFC3339, render.EventTime(line.Data)); err == nil {
		t.lag, t.hasLag = line.Seen.Sub(at), true
	}
}

// wrong handles an error while following the world. The SDK recovers from all of them
// except refused credentials, and a copy that was read again and still differs from the
// host's.
func (t *tailer) wrong(err error) error {
	if refused, ok := errors.AsType[*protocol.Error](err); ok && command.ExitCode(refused) == command.ExitUnauthorized {
		return refused
	}
	if errors.Is(err, sdk.ErrUnmended) && t.reads > 1 {
		return unproved(err)
	}
	if back, ok := errors.AsType[*sdk.WentBackError](err); ok {
		return t.wentBack(back)
	}
	if _, differs := errors.AsType[*chain.MismatchError](err); differs {
		t.state.Verification = sdk.Mismatched
	}
	if t.lost {
		return t.shown.draw(t.status()) // the next attempt failed as well
	}
	t.lost = !t.state.Connected && t.reads > 0
	return t.shown.problem(err, t.status())
}

// status returns the state of the copy.
func (t *tailer) status() render.Status {
	status := render.Status{
		Connected: t.state.Connected, Tried: t.reads > 0,
		Verified: t.state.Verification == sdk.Verified, Known: t.state.Verification.String(),
		WentBack: t.state.Stats.Rollbacks > 0,
		Lag:      t.lag, HasLag: t.hasLag,
	}
	if copied := t.state.Snapshot; copied != nil {
		status.Rev, status.Root, status.Occupants = copied.Head().Rev, copied.Root().Hex(), copied.Tree().OccupantCount()
	}
	return status
}

// occupantName returns an occupant's id and name.
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

// press handles a key. Other keys do nothing.
func (t *tailer) press(ctx context.Context, key byte) (done bool, err error) {
	switch key {
	case keyQuit:
		return true, nil
	case keyInterrupt:
		return false, command.ErrInterrupted
	case keySuspend:
		return false, t.suspend(ctx)
	}
	return false, t.shown.press(key, t.status())
}

// suspend restores the terminal and stops the process, and draws again when it is
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
