package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/protocol"
)

const (
	// lastAnswers is how long answers may take after a subscription was closed.
	lastAnswers = 3 * time.Second
	// maxFailureBytes bounds the text of a failure.
	maxFailureBytes = 4 << 10
)

// errPanicked is the error that an asker gets for a panic.
var errPanicked = errors.New("the agent's program crashed while it ran the command")

// IntercomCall is a command that an executor carries out.
type IntercomCall struct {
	// Command is the command. Its ToPlayerID is the agent, its FromPlayerID the asker.
	Command protocol.IntercomCommand
	// Agent is the agent to which the command was sent.
	Agent *Agent

	// ended shows that the agent no longer works on it; nil if it did not begin.
	ended func(err error)

	mu       sync.Mutex
	finished bool
}

// DecodeArgs reads the command's args, a JSON object, into v, such as a pointer to
// a struct. A command without args leaves v unchanged.
func (c *IntercomCall) DecodeArgs(v any) error {
	if len(c.Command.Args) == 0 {
		return nil
	}
	if err := protocol.Decode(c.Command.Args, v); err != nil {
		return fmt.Errorf("the args of the command: %w", err)
	}
	return nil
}

// Stream sends a part of the answer. It restarts the host's limit,
// [protocol.MaxIntercomSilenceSeconds], not the subscription's own. It fails after the executor has returned.
func (c *IntercomCall) Stream(ctx context.Context, part IntercomAnswer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finished {
		return ErrAnswered
	}
	return c.respond(ctx, protocol.IntercomStream, part, "")
}

// finish sends the end of the answer, after all its parts.
func (c *IntercomCall) finish(ctx context.Context, answer IntercomAnswer, failure error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished = true
	if failure == nil && answer.Result != nil {
		if _, refused := protocol.ParseObject(answer.Result); refused != nil {
			failure = errors.New("the agent's answer has a result that is not a JSON object")
		}
	}
	if failure != nil {
		return c.respond(ctx, protocol.IntercomFailed, IntercomAnswer{}, failureText(failure))
	}
	err := c.respond(ctx, protocol.IntercomCompleted, answer, "")
	if refused, ok := asRefusal(err); ok && refused.Status() == http.StatusBadRequest && refused.Code != protocol.CodeRequestUnknown {
		failed := c.respond(ctx, protocol.IntercomFailed, IntercomAnswer{}, "the agent's answer was not accepted: "+refused.Message)
		return errors.Join(err, failed)
	}
	return err
}

// abandon refuses parts from an executor that has not returned yet.
func (c *IntercomCall) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished = true
}

func (c *IntercomCall) respond(ctx context.Context, status string, answer IntercomAnswer, failure string) error {
	_, err := c.Agent.client.IntercomResponse(ctx, &protocol.IntercomResponse{
		RequestID: c.Command.RequestID, MainNodeID: c.Command.MainNodeID,
		ToPlayerID: c.Command.FromPlayerID, FromPlayerID: c.Command.ToPlayerID,
		Kind: c.Command.Kind, Status: status, ToolName: c.Command.ToolName,
		Message: answer.Message, Result: answer.Result, Error: failure, TS: protocol.FormatTime(time.Now()),
	})
	return err
}

// carryOut runs the executor and answers, unless the command was answered elsewhere.
func (l *intercomListener) carryOut(ctx context.Context, call *IntercomCall) {
	answer, err := l.execute(ctx, call)
	if errors.Is(context.Cause(ctx), ErrAnswered) {
		call.abandon()
		err = ErrAnswered
	} else {
		sending, done := lingering(ctx, lastAnswers)
		defer done()
		if unsent := call.finish(sending, answer, err); unsent != nil {
			err = fmt.Errorf("the answer to the command %q: %w", call.Command.RequestID, unsent)
			l.reportOf(call, err)
		}
	}
	if call.ended != nil {
		call.ended(err)
	}
}

// outcome is the result of an executor.
type outcome struct {
	answer IntercomAnswer
	err    error
}

// execute runs the executor once there is a slot, and stops waiting for it when
// the time is over. The slot stays taken for as long as the executor runs.
func (l *intercomListener) execute(ctx context.Context, call *IntercomCall) (IntercomAnswer, error) {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return IntercomAnswer{}, l.whyEnded(ctx)
	}
	limited, cancel := context.WithTimeoutCause(ctx, l.options.Timeout, ErrTookTooLong)
	defer cancel()
	call.ended = call.Agent.activity.answers(call.Command.ToolName)
	outcomes := make(chan outcome, 1)
	l.running.Go(func() {
		defer func() { <-l.slots }()
		outcomes <- l.protected(limited, call)
	})
	var o outcome
	select {
	case o = <-outcomes:
	case <-limited.Done():
		select {
		case o = <-outcomes:
		default:
			o.err = limited.Err()
		}
	}
	if o.err != nil && limited.Err() != nil {
		return IntercomAnswer{}, l.whyEnded(limited)
	}
	return o.answer, o.err
}

// protected calls the executor; a panic becomes a failure, and its stack goes to
// OnError only.
func (l *intercomListener) protected(ctx context.Context, call *IntercomCall) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{err: errPanicked}
			l.reportOf(call, fmt.Errorf("the executor of the command %q: panic: %v\n%s", call.Command.RequestID, p, debug.Stack()))
		}
	}()
	if l.ofPrograms() {
		o.answer, o.err = call.Agent.program.carryOut(ctx, call, func(err error) { l.reportOf(call, err) })
		return o
	}
	o.answer, o.err = l.options.Execute(ctx, call)
	return o
}

// whyEnded returns, for the asker, why a command was not finished.
func (l *intercomListener) whyEnded(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), ErrTookTooLong) {
		return fmt.Errorf("the agent did not finish within %v", l.options.Timeout)
	}
	return errLeaving
}

// failureText returns an error's text in the form that a host accepts: not blank and not
// too long.
func failureText(err error) string {
	text := strings.ToValidUTF8(err.Error(), "\uFFFD")
	if len(text) > maxFailureBytes {
		text = cut(text, maxFailureBytes) + "…"
	}
	if protocol.TrimSpace(text) == "" {
		return "the agent failed and gave no reason"
	}
	return text
}

// lingering returns a context that ends some time after another one.
func lingering(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		pause.For(own, d)
		cancel()
	})
	return own, func() { stop(); cancel() }
}
