package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// read decodes an event's data.
func read[T any](data []byte) (value T, err error) {
	err = protocol.Decode(data, &value)
	return value, err
}

// cellOf returns the cell of a row, if it has one.
func cellOf(row []byte) string {
	cell, err := read[struct {
		X *float64 `json:"x"`
		Y *float64 `json:"y"`
	}](row)
	if err != nil || cell.X == nil || cell.Y == nil {
		return ""
	}
	return fmt.Sprintf(" is at (%v, %v)", *cell.X, *cell.Y)
}

func (n *Names) joined(data []byte) (sentence, error) {
	event, err := read[protocol.PlayerAddedData](data)
	if err != nil {
		return sentence{}, err
	}
	agent, err := read[protocol.Agent](event.Player)
	if err != nil {
		return sentence{}, err
	}
	n.Learn(agent.AgentID, agent.Name)
	text := fmt.Sprintf("%s%s, %s, with %s", n.Of(agent.AgentID), cellOf(event.Player), agent.Platform, strings.Join(agent.ToolNames, ", "))
	return sentence{verb: "joins", tone: good, text: text}, nil
}

func (n *Names) playerRemoved(data []byte) (sentence, error) {
	event, err := read[protocol.PlayerRemovedData](data)
	if err != nil {
		return sentence{}, err
	}
	return sentence{verb: "leaves", tone: warn, text: n.Of(event.PlayerID) + " " + reasonOf(event.Reason)}, nil
}

// reasonOf returns why an occupant left.
func reasonOf(word string) string {
	reasons := map[string]string{
		protocol.RemovedDisconnect: "disconnected",
		protocol.RemovedLease:      "lease expired",
		protocol.RemovedDeleted:    "was deleted",
		protocol.RemovedAdmin:      "was removed by the administrator",
	}
	if reason, known := reasons[word]; known {
		return reason
	}
	return word
}

// walked describes a person who joined, moved or changed their name.
func (n *Names) walked(data []byte) (sentence, error) {
	event, err := read[protocol.PersonAddedData](data)
	if err != nil {
		return sentence{}, err
	}
	person, err := read[protocol.Human](event.Person)
	if err != nil {
		return sentence{}, err
	}
	n.Learn(person.ID, person.Name)
	return sentence{verb: "person", tone: good, text: n.Of(person.ID) + cellOf(event.Person)}, nil
}

func (n *Names) personLeft(data []byte) (sentence, error) {
	event, err := read[protocol.PersonRemovedData](data)
	return sentence{verb: "person", tone: warn, text: fmt.Sprintf("%s left (%s)", n.Of(event.PersonID), reasonOf(event.Reason))}, err
}

func (n *Names) placed(data []byte) (sentence, error) {
	event, err := read[protocol.MCPRegisteredData](data)
	if err != nil {
		return sentence{}, err
	}
	row, err := read[protocol.MCP](event.MCP)
	if err != nil {
		return sentence{}, err
	}
	n.Learn(row.ID, row.Name)
	text := row.Name + cellOf(event.MCP)
	if row.URL != "" {
		text += ", " + row.URL
	}
	return sentence{verb: "mcp", tone: accent, text: text}, nil
}

func (n *Names) mcpUnregistered(data []byte) (sentence, error) {
	event, err := read[protocol.MCPUnregisteredData](data)
	return sentence{verb: "mcp", tone: warn, text: fmt.Sprintf("%s was removed (%s)", n.Of(event.ID), event.Reason)}, err
}

func (n *Names) interaction(data []byte) (sentence, error) {
	event, err := read[protocol.InteractionData](data)
	verbs := map[string]string{protocol.RoleUser: "asked", protocol.RoleAssistant: "says", protocol.RoleTool: "tool"}
	verb, known := verbs[event.Role]
	if !known {
		verb = "speaks"
	}
	return sentence{verb: verb, tone: speech, text: n.Of(event.PlayerID) + ": " + event.Text}, err
}

func (n *Names) journeyed(data []byte) (sentence, error) {
	event, err := read[protocol.JourneyData](data)
	return sentence{verb: "travels", tone: accent, text: n.Of(event.PlayerID) + ": " + Route(event.Journey)}, err
}

// longestStep bounds the part of a text that a step shows.
const longestStep = 60

// Route returns a journey as the names of its stations.
func Route(journey protocol.Journey) string {
	stations := make([]string, len(journey.Steps))
	for i, step := range journey.Steps {
		stations[i] = step.ToolName
		if step.Type != protocol.StepStructure {
			stations[i] = fmt.Sprintf("%q", shorten(step.Content, longestStep))
		}
	}
	return strings.Join(stations, " → ")
}

// shorten cuts text after limit characters, and at the first line break.
func shorten(text string, limit int) string {
	text, _, broken := strings.Cut(text, "\n")
	characters := []rune(text)
	if len(characters) <= limit && !broken {
		return text
	}
	return string(characters[:min(limit, len(characters))]) + "…"
}

func (n *Names) signaled(data []byte) (sentence, error) {
	event, err := read[protocol.AgentSignalData](data)
	if err != nil {
		return sentence{}, err
	}
	detail, err := read[struct {
		protocol.SignalSteps
		protocol.SignalFrom
		protocol.SignalReason
		Flagged    bool  `json:"flagged"`
		ZoneCount  int64 `json:"zoneCount"`
		YieldCount int64 `json:"yieldCount"`
	}](event.Data)
	if err != nil {
		return sentence{}, err
	}
	text, from := event.Kind, ""
	if detail.FromPlayerID != "" {
		from = " from " + n.Of(detail.FromPlayerID)
	}
	switch event.Kind {
	case protocol.SignalJourney:
		text = fmt.Sprintf("went %d steps", detail.StepCount)
	case protocol.SignalMetadata:
		text = strings.ReplaceAll(detail.Reason, "_", " ")
	case protocol.ProximityZone:
		text = fmt.Sprintf("zone %d", detail.ZoneCount) + from
		if detail.Flagged {
			text += ", flagged"
		}
	case protocol.ProximityYield:
		text = fmt.Sprintf("yield %d", detail.YieldCount) + from
	case protocol.ProximityAssist, protocol.ProximityChat:
		text += from
	}
	who := "the world"
	if event.PlayerID != protocol.WorldPlayerID {
		who = n.Of(event.PlayerID)
	}
	return sentence{verb: "signal", tone: faint, text: who + ": " + text}, nil
}

func (n *Names) spaceChanged(data []byte) (sentence, error) {
	event, err := read[protocol.SpaceChangedData](data)
	return sentence{verb: "space", tone: accent, text: n.Of(event.SpaceID) + " was " + event.Action}, err
}

// intercom describes a question and the end of its answer, as chat lines are. The states
// in between, and parts of an answer, which its end repeats, have no line.
func (n *Names) intercom(data []byte) (sentence, error) {
	event, err := read[protocol.IntercomEvent](data)
	if err != nil {
		return sentence{}, err
	}
	agent := n.Of(event.FromPlayerID)
	switch event.Status {
	case protocol.IntercomStarted, protocol.IntercomStream:
		return sentence{}, nil
	case protocol.IntercomForwarded:
		if !protocol.IsPersonLabel(event.ToPlayerID) {
			agent += " by " + n.Of(event.ToPlayerID)
		}
		command, err := read[protocol.IntercomCommand](event.Command)
		if len(event.Command) > 0 && err != nil {
			return sentence{}, err
		}
		asked := cmp.Or(strings.TrimSpace(event.ToolName+" "+shorten(string(command.Args), longestStep)), command.Text, event.Message, event.Kind)
		return sentence{verb: "asked", tone: speech, text: agent + ": " + asked}, nil
	case protocol.IntercomFailed:
		return sentence{verb: "fails", tone: bad, text: agent + ": " + event.Error}, nil
	}
	said := cmp.Or(event.Message, string(event.Result), strings.TrimSpace(event.ToolName+" "+event.Status))
	return sentence{verb: "says", tone: speech, text: agent + ": " + said}, nil
}

func (*Names) reset(data []byte) (sentence, error) {
	event, err := read[protocol.SessionResetData](data)
	return sentence{verb: "reset", tone: bad, text: fmt.Sprintf("the world was reset (%s), session %s", event.Reason, event.SID)}, err
}

func (*Names) resynced(data []byte) (sentence, error) {
	event, err := read[protocol.SessionResyncData](data)
	return sentence{verb: "gap", tone: bad, text: fmt.Sprintf("events are missing here (%s)", strings.ReplaceAll(event.Reason, "_", " "))}, err
}
