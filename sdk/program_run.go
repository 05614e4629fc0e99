package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/playctl/playctl/protocol"
)

// errNeutral replaces, for the asker, an error that is for the developer.
var errNeutral = errors.New("something went wrong in the agent's program")

// ToolError is an error of an agent's function whose text is for the asker, such as
// that no table is free.
type ToolError struct{ err error }

// ToolErrorf returns a [*ToolError] with a text formatted as by fmt.Errorf.
func ToolErrorf(format string, args ...any) error {
	return &ToolError{fmt.Errorf(format, args...)}
}

// Error returns the text that the asker reads.
func (e *ToolError) Error() string { return e.err.Error() }

// Unwrap returns the error wrapped with %w.
func (e *ToolError) Unwrap() error { return errors.Unwrap(e.err) }

type askedKey struct{}

// asked is the value in the context of an agent's function.
type asked struct {
	call  *IntercomCall
	parts *parts
}

// CallOf returns the question that an agent's function answers, with its asker and the agent of
// the world. It is nil if the context does not belong to a function of [RemotePlayWorld.Agent].
func CallOf(ctx context.Context) *IntercomCall {
	if a, ok := ctx.Value(askedKey{}).(*asked); ok {
		return a.call
	}
	return nil
}

// Stream sends a part of the answer from within an agent's function, whose context it
// takes. Parts arrive in order; Stream does not wait for that, and waiting parts are
// sent together. An error means that a part could not be sent, or that no answer is
// needed any more; after the function has returned it is [ErrAnswered].
func Stream(ctx context.Context, text string) error {
	a, ok := ctx.Value(askedKey{}).(*asked)
	if !ok {
		return errors.New("sdk.Stream: the context is not that of a function of an agent")
	}
	return a.parts.add(text)
}

// carryOut answers one question with the program. Errors of the program are reported.
func (p *agentProgram) carryOut(ctx context.Context, call *IntercomCall, report func(error)) (IntercomAnswer, error) {
	began := time.Now()
	sending := newParts(func(text string) error { return call.Stream(ctx, IntercomAnswer{Message: text}) })
	given, err := p.run(context.WithValue(ctx, askedKey{}, &asked{call, sending}), &call.Command, sending)
	var answer IntercomAnswer
	if err == nil {
		answer, err = answerOf(given)
	}
	if err == nil && answer.Message == "" && answer.Result == nil {
		answer.Message = sending.whole()
	}
	if p.redact != nil && ctx.Err() == nil {
		if failed := p.record(ctx, call, began, answer, err); failed != nil {
			report(failed)
		}
	}
	if err == nil {
		return answer, nil
	}
	if ctx.Err() != nil {
		return answer, err
	}
	if forAsker, ok := errors.AsType[*ToolError](err); ok {
		return answer, forAsker
	}
	report(fmt.Errorf("the agent %s, %s: %w", call.Agent.PlayerID(), what(&call.Command), err))
	return answer, errNeutral
}

// what names the requested chat or tool.
func what(c *protocol.IntercomCommand) string {
	if c.Kind == protocol.IntercomAssist {
		return "the tool " + c.ToolName
	}
	return "chat"
}

// run calls the function of a command, and waits until its parts were sent.
func (p *agentProgram) run(ctx context.Context, c *protocol.IntercomCommand, sending *parts) (given any, err error) {
	defer func() {
		if failed := sending.sent(); err == nil {
			err = failed
		}
	}()
	switch c.Kind {
	case protocol.IntercomChat:
		if p.chat == nil {
			return nil, ToolErrorf("this agent does not chat")
		}
		return p.chat(ctx, c.Text)
	case protocol.IntercomAssist:
		tool := p.tool(c.ToolName)
		if tool == nil {
			return nil, ToolErrorf("this agent has no tool %q", c.ToolName)
		}
		return tool.run(ctx, c.Args)
	}
	return nil, ToolErrorf("this agent does not support realtime conversations")
}

// answerOf converts the result of a function to an answer.
func answerOf(given any) (IntercomAnswer, error) {
	switch v := given.(type) {
	case nil:
		return IntercomAnswer{}, nil
	case string:
		return IntercomAnswer{Message: v}, nil
	case IntercomAnswer:
		return v, nil
	case *IntercomAnswer:
		if v == nil {
			return IntercomAnswer{}, nil
		}
		return *v, nil
	}
	if t := reflect.TypeOf(given); t.Kind() == reflect.Struct && t.NumField() == 0 {
		return IntercomAnswer{}, nil
	}
	text, err := json.Marshal(given)
	switch {
	case err != nil:
		return IntercomAnswer{}, fmt.Errorf("the returned value cannot be encoded as JSON: %w", err)
	case string(text) == "null":
		return IntercomAnswer{}, nil
	case text[0] == '{':
		return IntercomAnswer{Result: text}, nil
	}
	return IntercomAnswer{Message: string(text)}, nil
}
