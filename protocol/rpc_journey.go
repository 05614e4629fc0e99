package protocol

import (
	"bytes"
	"encoding/json"
)

// RecordJourneyRequest is the payload of recordJourney.
type RecordJourneyRequest struct {
	PlayerID string  `json:"playerId"`
	Journey  Journey `json:"journey"`
}

// ParseRecordJourney reads the payload of recordJourney. Unknown fields of the
// journey and of its steps are dropped.
func ParseRecordJourney(o Object) (RecordJourneyRequest, *Error) {
	f := readFields(o)
	r := RecordJourneyRequest{PlayerID: f.agentID("playerId", false)}
	if f.checkSize("journey", o.Raw("journey"), MaxJourneyBytes) {
		if journey, ok := f.object("journey", false); ok {
			r.Journey = journey.journey()
		}
	}
	return r, f.err()
}

// ParseJourney reads a journey on its own, as a file may hold one.
func ParseJourney(o Object) (Journey, *Error) {
	f := readFields(o)
	j := f.journey()
	return j, f.err()
}

func (f fields) journey() Journey {
	j := Journey{
		StartedAt:   f.rfc3339("startedAt"),
		CompletedAt: f.rfc3339("completedAt"),
	}
	const name = "steps"
	elements, ok := f.array(name, false, MaxJourneySteps)
	if !ok {
		return j
	}
	if len(elements) == 0 {
		f.wrong(name, "must have at least one step")
		return j
	}
	j.Steps = make([]JourneyStep, 0, len(elements))
	for i, e := range elements {
		step, ok := f.element(elementField(f.obj.field(name), i), e)
		if !ok {
			return j
		}
		j.Steps = append(j.Steps, step.journeyStep())
	}
	return j
}

// journeyStep reads a step. Content and ids may be empty: frameworks have
// messages without text and calls without an id.
func (f fields) journeyStep() JourneyStep {
	s := JourneyStep{Type: f.oneOf("type", false, StepOrigin, StepStructure, StepDestination)}
	if s.Type != StepStructure {
		s.Content = f.text("content", textRule{blank: true})
		s.MessageID = f.text("messageId", textRule{blank: true})
		return s
	}
	s.ToolName = f.text("toolName", textRule{chars: MaxToolNameChars})
	s.ToolCallID = f.text("toolCallId", textRule{blank: true})
	s.Args = f.anyValue("args", false)
	s.Result = f.anyValue("result", true)
	return s
}

// anyValue reads a value of any type but null and gives a copy of its text.
func (f fields) anyValue(name string, optional bool) json.RawMessage {
	if f.failed() {
		return nil
	}
	text := f.obj.Raw(name)
	switch kind := kindOf(text); {
	case kind != kindAbsent && kind != kindNull:
		return bytes.Clone(text)
	case optional:
	case kind == kindNull:
		f.wrong(name, "must not be null")
	default:
		f.wrong(name, "is missing")
	}
	return nil
}
