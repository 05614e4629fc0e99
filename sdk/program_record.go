package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/playctl/playctl/protocol"
)

// longestRecorded is the greatest length, in bytes, of a text, or of the JSON of arguments
// or of a result, in a recorded journey.
const longestRecorded = 4000

// leftOut replaces arguments and results in a journey that are too long.
const leftOut = `"[too long to be recorded]"`

// Record records each answer of an agent as a journey: the question, the tool that was
// called, the answer. Only the asker and the agent see questions, but everybody in the world
// sees journeys: redact changes each step first, or omits it by returning false. It may be
// nil. A journey that cannot be recorded is reported as [OnError] says, and the question is
// answered.
func Record(redact func(protocol.JourneyStep) (protocol.JourneyStep, bool)) AgentOption {
	return func(p *agentProgram) {
		if redact == nil {
			redact = func(step protocol.JourneyStep) (protocol.JourneyStep, bool) { return step, true }
		}
		p.redact = redact
	}
}

// record records how a question was answered.
func (p *agentProgram) record(ctx context.Context, call *IntercomCall, began time.Time, answer IntercomAnswer, err error) error {
	var kept []protocol.JourneyStep
	for _, step := range stepsOf(&call.Command, answer, err) {
		if step, keep := p.redact(step); keep {
			kept = append(kept, step)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	journey := protocol.Journey{Steps: kept, StartedAt: protocol.FormatTime(began), CompletedAt: protocol.FormatTime(time.Now())}
	if _, err := call.Agent.RecordJourney(ctx, journey); err != nil {
		return fmt.Errorf("record the journey of the command %q: %w", call.Command.RequestID, err)
	}
	return nil
}

// stepsOf returns the question, the tool that was called, and the answer.
func stepsOf(c *protocol.IntercomCommand, answer IntercomAnswer, err error) []protocol.JourneyStep {
	to := answer.Message
	if to == "" {
		to = string(answer.Result)
	}
	if err != nil {
		to = failureOf(err)
	}
	steps := []protocol.JourneyStep{{Type: protocol.StepOrigin, Content: shortened(c.Text), MessageID: c.RequestID + "-in"}}
	if c.Kind == protocol.IntercomAssist {
		step := protocol.JourneyStep{
			Type: protocol.StepStructure, ToolName: c.ToolName, ToolCallID: c.RequestID, Args: c.Args, Result: recordedResult(answer, err),
		}
		switch {
		case len(c.Args) == 0:
			step.Args = json.RawMessage("{}")
		case len(c.Args) > longestRecorded:
			step.Args = json.RawMessage(`{"args":` + leftOut + `}`)
		}
		steps = append(steps, step)
	}
	return append(steps, protocol.JourneyStep{Type: protocol.StepDestination, Content: shortened(to), MessageID: c.RequestID + "-out"})
}

// recordedResult returns a tool's result as JSON.
func recordedResult(answer IntercomAnswer, err error) json.RawMessage {
	var given any = answer.Message
	switch {
	case err != nil:
		given = map[string]string{"error": shortened(failureOf(err))}
	case answer.Result != nil:
		given = answer.Result
	}
	text, err := json.Marshal(given)
	if err != nil || len(text) > longestRecorded {
		return json.RawMessage(leftOut)
	}
	return text
}

// failureOf returns the part of an error that everybody may read.
func failureOf(err error) string {
	if forAsker, ok := errors.AsType[*ToolError](err); ok {
		return forAsker.Error()
	}
	return "failed"
}

// shortened returns a text of at most longestRecorded bytes.
func shortened(text string) string {
	if len(text) <= longestRecorded {
		return text
	}
	return cut(text, longestRecorded-len("…")) + "…"
}
