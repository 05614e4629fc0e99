package stream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/sdk"
)

// ending is the last event of tail. tail ends when that event is verified, so that a
// script can rely on the exit code.
type ending struct {
	event *sdk.Event
	// result is the result of tail after the event is verified.
	result error
	// taken is set after the copy has merged the event, so that the verification of the copy
	// includes it.
	taken bool
}

// endsWith makes an event the last one. It reports whether tail ends immediately, which
// it does without verification.
func (t *tailer) endsWith(event *sdk.Event, result error) (done bool, err error) {
	if t.flags.noVerify {
		return true, result
	}
	t.ending = &ending{event: event, result: result}
	t.quiet.Stop()
	return false, nil
}

// proved handles the current verification of the copy, and reports whether tail ends with
// it. It waits for a copy that is catching up or about to be read.
func (t *tailer) proved(known sdk.Verification) (done bool, err error) {
	if t.ending == nil || !t.ending.taken {
		return false, nil
	}
	switch known {
	case sdk.Verified, sdk.Unverifiable:
		if t.back != nil {
			return true, t.back
		}
		return true, t.ending.result
	case sdk.Mismatched:
		return true, unproved(fmt.Errorf("the copy of the world does not match the host as of %s", t.ending.name()))
	}
	return false, nil
}

// checked handles the verification of the copy at an event.
func (t *tailer) checked(event *sdk.Event, known sdk.Verification) (done bool, err error) {
	if t.ending != nil && !t.ending.taken && event.Seq == t.ending.event.Seq {
		t.ending.taken = true
	}
	return t.proved(known)
}

// unproved returns the error of a world that differs from what its host states.
func unproved(err error) error {
	return command.Hintf(fmt.Errorf("%w: %w", command.ErrUnverified, err),
		"do not rely on what this host says; \"playctl chain verify\" compares its snapshot with its root")
}

// wentBack handles a host that went back to an earlier state. What was verified before no
// longer holds, so a tail that ends by itself ends with that.
func (t *tailer) wentBack(err *sdk.WentBackError) error {
	t.back = command.Hintf(fmt.Errorf("%w: %w", command.ErrUnverified, err),
		"an older copy of its store was probably put in place: ask its operator; docs/backup.md says how to restore a backup")
	return t.shown.problem(err, t.status())
}

// name identifies the event in an error.
func (e *ending) name() string {
	if !e.event.HasSeq {
		return "the event " + string(e.event.Kind)
	}
	return fmt.Sprintf("event %d", e.event.Seq)
}

// errTimedOut is the cause of a context whose time limit of --until has passed.
var errTimedOut = errors.New("the wait timed out")

// limitedUntil limits the wait for a condition to --timeout.
func (t *tailer) limitedUntil(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.flags.until == "" && t.wait == nil || t.Settings.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, t.Settings.Timeout, errTimedOut)
}

// tooLate returns the error that states what did not happen within --timeout.
func (t *tailer) tooLate() error {
	if t.back != nil {
		return t.back
	}
	within := " within " + t.Settings.Timeout.String()
	if t.ending != nil {
		return command.Hintf(fmt.Errorf("%s could not be verified%s: %w", t.ending.name(), within, errTimedOut), "allow more time with --timeout")
	}
	hint := "allow more time with --timeout"
	if t.wait == nil && !t.flags.fromStart && !t.flags.hasSince {
		hint += ", or include earlier events with --from-start"
	}
	return command.Hintf(t.unseen(within), "%s", hint)
}

// unseen returns the error of a condition that was not met; nil if there is no condition.
func (t *tailer) unseen(when string) error {
	switch {
	case t.wait != nil:
		return t.wait.unmet(when)
	case t.flags.until == "":
		return nil
	}
	return fmt.Errorf("no event matched %q%s", t.flags.until, when)
}

// quietTime is how long a host may be silent while it sends past events. If the newest
// events are for other callers only, no event shows that the end is reached.
const quietTime = 3 * time.Second

func (t *tailer) startQuiet() {
	if !t.flags.follow && t.ending == nil {
		t.quiet.Reset(quietTime)
	}
}

// stoppedTimer returns a timer that does not fire before it is reset.
func stoppedTimer() *time.Timer {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return timer
}

// quieted ends the reading of past events if the last ones are not for this caller.
func (t *tailer) quieted() error {
	if t.state.Verification == sdk.Mismatched {
		return unproved(errors.New("the copy of the world is not what the host says it is"))
	}
	t.Note("%s", t.ErrorLook().Faint("Reached the present; later events are not visible to you."))
	if t.back != nil {
		return t.back
	}
	return t.unseen(" up to the present")
}

// recordPresent records the world if there are no events to read: the recording is then
// the snapshot alone.
func (t *tailer) recordPresent(ctx context.Context) (err error) {
	if t.recording == nil {
		return nil
	}
	ctx, cancel := t.Limited(ctx)
	defer cancel()
	world, stated, err := t.client.World(ctx)
	if err != nil {
		return err
	}
	var present chain.Copy
	if err := present.Replace(world, stated); err != nil {
		return unproved(err)
	}
	defer func() { err = errors.Join(err, t.recording.close()) }()
	return t.recording.snapshot(&sdk.State{Snapshot: present.Snapshot(), Verification: present.Verification()})
}
