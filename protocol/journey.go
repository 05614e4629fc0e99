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
	Steps       []JourneyStep `json:"steps" rule:"items=1..MaxJourneySteps,last"`
	StartedAt   string        `json:"startedAt" rule:"form=time"`
	CompletedAt string        `json:"completedAt" rule:"form=time"`
}

// JourneyStep is one step. An origin or a destination has Content and
// MessageID; a structure has ToolName, ToolCallID, Args and, once the tool
// answered, Result.
type JourneyStep struct {
	Type       string          `json:"type" rule:"enum=StepType,must,filled"`
	Content    string          `json:"content" rule:"blank,when=type:origin|destination"`
	MessageID  string          `json:"messageId" rule:"blank,when=type:origin|destination"`
	ToolName   string          `json:"toolName" rule:"chars=MaxToolNameChars,when=type:structure"`
	ToolCallID string          `json:"toolCallId" rule:"blank,when=type:structure"`
	Args       json.RawMessage `json:"args" rule:"when=type:structure"`
	Result     json.RawMessage `json:"result,omitempty" rule:"when=type:structure"`
}

// PathStep is a journey's step with the place that the host assigned to it.
type PathStep struct {
	JourneyStep
	X           float64 `json:"x" rule:"form=cell,must"`
	Y           float64 `json:"y" rule:"form=cell,must"`
	StructureID string  `json:"structureId"`
}

type stepJSON struct {
	Type        string          `json:"type"`
	Content     *string         `json:"content,omitempty"`
	MessageID   *string         `json:"messageId,omitempty"`
	ToolName    *string         `json:"toolName,omitempty"`
	ToolCallID  *string         `json:"toolCallId,omitempty"`
	Args        json.RawMessage `json:"args,omitempty"`
	Result      json.RawMessage `json:"result,omitempty"`
	X           *float64        `json:"x,omitempty"`
	Y           *float64        `json:"y,omitempty"`
	StructureID *string         `json:"structureId,omitempty"`
}

func (s *JourneyStep) wire() stepJSON {
	w := stepJSON{Type: s.Type}
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
