package chain

import "github.com/playctl/playctl/protocol"

func (e *encoder) lastUpdate(u *protocol.LastUpdate) {
	e.key("lastUpdate")
	e.open('{')
	e.key("journey")
	e.journey(&u.Journey)
	e.key("path")
	e.open('[')
	for i := range u.Path {
		e.item()
		e.step(&u.Path[i].JourneyStep, &u.Path[i])
	}
	e.close(']')
	e.textMember("playerId", u.PlayerID)
	e.close('}')
}

func (e *encoder) journey(j *protocol.Journey) {
	e.open('{')
	e.textMember("completedAt", j.CompletedAt)
	e.textMember("startedAt", j.StartedAt)
	e.key("steps")
	e.open('[')
	for i := range j.Steps {
		e.item()
		e.step(&j.Steps[i], nil)
	}
	e.close(']')
	e.close('}')
}

// step writes the fields of the step's type and, on a path, its place.
func (e *encoder) step(s *protocol.JourneyStep, at *protocol.PathStep) {
	e.open('{')
	structure := s.Type == protocol.StepStructure
	if structure {
		e.optionalJSON("args", s.Args)
		e.optionalJSON("result", s.Result)
	} else {
		e.textMember("content", s.Content)
		e.textMember("messageId", s.MessageID)
	}
	if at != nil {
		e.textMember("structureId", at.StructureID)
	}
	if structure {
		e.textMember("toolCallId", s.ToolCallID)
		e.textMember("toolName", s.ToolName)
	}
	e.textMember("type", s.Type)
	if at != nil {
		e.numberMember("x", at.X)
		e.numberMember("y", at.Y)
	}
	e.close('}')
}

func (e *encoder) optionalJSON(name string, text []byte) {
	if len(text) > 0 {
		e.key(name)
		e.json(text)
	}
}
