package otel

import (
	"cmp"
	"encoding/json"

	"github.com/playctl/playctl/protocol"
)

// Bounds of the texts in a journey, in bytes, besides those of the protocol. The
// rest of the journey's bytes is for the origin and the destination, each byte of
// which may become six.
const (
	stepsBytes   = protocol.MaxJourneyBytes - 2*6*longestText - 4<<10
	longestText  = 2 << 10
	longestValue = 8 << 10
)

// step returns a call as a step; false if there is no room for it. Arguments and
// result are omitted if only they do not fit.
func (c *call) step(rules *Rules, left *int) (protocol.JourneyStep, bool) {
	step := protocol.JourneyStep{Type: protocol.StepStructure, ToolName: c.Tool, ToolCallID: cmp.Or(c.CallID, c.ID), Args: json.RawMessage("{}"), Usage: c.usage}
	if !c.Start.IsZero() && c.End.After(c.Start) {
		step.StartedAt, step.CompletedAt = protocol.FormatTime(c.Start), protocol.FormatTime(c.End)
	}
	if c.Failed {
		step.Error = protocol.OneLine(text(rules, cmp.Or(c.Failure, "failed")), protocol.MaxStepErrorChars)
		step.Result = encode(map[string]string{"error": text(rules, cmp.Or(c.Failure, "failed"))})
	}
	room := *left - len(encode(step))
	if room < 0 {
		return step, false
	}
	if args := arguments(rules, c.Arguments); len(args) <= room {
		step.Args, room = args, room-len(args)
	}
	if c.Result != "" && !c.Failed {
		if result := value(rules, c.Result); len(result) <= room {
			step.Result, room = result, room-len(result)
		}
	}
	*left = room
	return step, true
}

// arguments returns the arguments of a call, always as an object.
func arguments(rules *Rules, from string) json.RawMessage {
	if from == "" {
		return json.RawMessage("{}")
	}
	made := value(rules, from)
	if len(made) > 0 && made[0] == '{' {
		return made
	}
	return encode(map[string]json.RawMessage{"input": made})
}

// value returns the arguments or the result of a tool as JSON: unchanged if it is
// still JSON after the rules were applied, else as text.
func value(rules *Rules, from string) json.RawMessage {
	from = rules.clean(from)
	if len(from) > longestValue {
		return encode(cut(from, longestValue) + "…")
	}
	if _, refused := protocol.ParseObject([]byte(from)); refused == nil {
		return encode(json.RawMessage(from))
	}
	return encode(from)
}

func encode(value any) json.RawMessage {
	made, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("{}")
	}
	return made
}

// text returns a text after the rules were applied, shortened if it is too long.
func text(rules *Rules, from string) string {
	from = protocol.TrimSpace(rules.clean(from))
	if len(from) > longestText-8 {
		from = cut(from, longestText-8) + "…"
	}
	return from
}

// longestAgentName is the limit of a label in the credentials file, in characters.
const longestAgentName = 64

// agentName turns a name into a valid label for an agent: one that looks like a
// node id would be mistaken for one.
func agentName(name string) string {
	name = cutRunes(clean(name), longestAgentName)
	switch {
	case name == "":
		return unnamed
	case protocol.ValidHex64(protocol.NormalizeNodeID(name)):
		return "agent " + cutRunes(name, 16)
	}
	return name
}

func cutRunes(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return protocol.TrimSpace(string(runes[:most]))
}
