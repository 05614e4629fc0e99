package protocol

import "encoding/json"

// The types of a journey's steps.
const (
	StepOrigin      = "origin"
	StepStructure   = "structure"
	StepDestination = "destination"
)

// Journey is the record of how an agent answered one message: where it started,
// which tools it called, where it ended. StartedAt and CompletedAt are RFC 3339.
type Journey struct {
	// Steps are its steps, in order.
	Steps []JourneyStep `json:"steps" rule:"items=1..MaxJourneySteps,last"`
	// StartedAt is when the agent got the message.
	StartedAt string `json:"startedAt" rule:"form=time"`
	// CompletedAt is when the agent had answered it.
	CompletedAt string `json:"completedAt" rule:"form=time"`
}

// JourneyStep is one step. An origin or a destination has Content and
// MessageID; a structure has ToolName, ToolCallID, Args and, once the tool
// answered, Result.
type JourneyStep struct {
	// Type is the kind of step.
	Type string `json:"type" rule:"enum=StepType,must,filled"`
	// Content is the text of the message, or of the answer.
	Content string `json:"content" rule:"blank,when=type:origin|destination"`
	// MessageID is the agent's id of that text.
	MessageID string `json:"messageId" rule:"blank,when=type:origin|destination"`
	// ToolName is the tool that was called.
	ToolName string `json:"toolName" rule:"chars=MaxToolNameChars,when=type:structure"`
	// ToolCallID is the agent's id of the call.
	ToolCallID string `json:"toolCallId" rule:"blank,when=type:structure"`
	// Args are the arguments of the call.
	Args json.RawMessage `json:"args" rule:"when=type:structure"`
	// Result is what the tool returned.
	Result json.RawMessage `json:"result,omitempty" rule:"when=type:structure"`
	// StartedAt is when the step began.
	StartedAt string `json:"startedAt,omitempty" rule:"form=time"`
	// CompletedAt is when it ended.
	CompletedAt string `json:"completedAt,omitempty" rule:"form=time"`
	// Error is one line that says why the step failed. A longer one is cut.
	Error string `json:"error,omitempty" rule:"form=oneLine,chars=MaxStepErrorChars,blank"`
	// Usage is what the step used.
	Usage *Usage `json:"usage,omitempty"`
}

// PathStep is a journey's step with the place that the host assigned to it.
type PathStep struct {
	JourneyStep
	// X is the column of its place.
	X float64 `json:"x" rule:"form=cell,must"`
	// Y is the row of its place.
	Y float64 `json:"y" rule:"form=cell,must"`
	// StructureID is the id of the structure of its tool, else `agent:` and the playerId.
	StructureID string `json:"structureId"`
}

type stepJSON struct {
	Type        string          `json:"type"`
	Content     *string         `json:"content,omitempty"`
	MessageID   *string         `json:"messageId,omitempty"`
	ToolName    *string         `json:"toolName,omitempty"`
	ToolCallID  *string         `json:"toolCallId,omitempty"`
	Args        json.RawMessage `json:"args,omitempty"`
	Result      json.RawMessage `json:"result,omitempty"`
	StartedAt   string          `json:"startedAt,omitempty"`
	CompletedAt string          `json:"completedAt,omitempty"`
	Error       string          `json:"error,omitempty"`
	Usage       *Usage          `json:"usage,omitempty"`
	X           *float64        `json:"x,omitempty"`
	Y           *float64        `json:"y,omitempty"`
	StructureID *string         `json:"structureId,omitempty"`
}

func (s *JourneyStep) wire() stepJSON {
	w := stepJSON{Type: s.Type, StartedAt: s.StartedAt, CompletedAt: s.CompletedAt, Error: s.Error, Usage: s.Usage}
	if s.Type == StepStructure {
		w.ToolName, w.ToolCallID = &s.ToolName, &s.ToolCallID
		w.Args, w.Result = s.Args, s.Result
		return w
	}
	w.Content, w.MessageID = &s.Content, &s.MessageID
	return w
}

// MarshalJSON writes the fields of the step's type and no others.
func (s JourneyStep) MarshalJSON() ([]byte, error) { return json.Marshal(s.wire()) }

// UnmarshalJSON reads a step; unknown fields are dropped.
func (s *JourneyStep) UnmarshalJSON(b []byte) error {
	type plain JourneyStep
	var w plain
	if err := unmarshalExact(b, &w); err != nil {
		return err
	}
	*s = JourneyStep(w)
	return nil
}

// MarshalJSON writes the step with its place.
func (p PathStep) MarshalJSON() ([]byte, error) {
	w := p.wire()
	w.X, w.Y, w.StructureID = &p.X, &p.Y, &p.StructureID
	return json.Marshal(w)
}

// UnmarshalJSON reads a step with its place; unknown fields are dropped.
func (p *PathStep) UnmarshalJSON(b []byte) error {
	type plain JourneyStep
	var w struct {
		plain
		X           float64 `json:"x"`
		Y           float64 `json:"y"`
		StructureID string  `json:"structureId"`
	}
	if err := unmarshalExact(b, &w); err != nil {
		return err
	}
	*p = PathStep{JourneyStep(w.plain), w.X, w.Y, w.StructureID}
	return nil
}
