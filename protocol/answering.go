package protocol

import (
	"slices"
	"strings"
)

// answersConnection is the prefix of an item that stands for all agents held by
// connections whose ids begin with the rest of the item.
const answersConnection = "connection:"

// Answers are the agents for which the reader of an event stream answers; the zero
// value is for a stream that does not declare any.
type Answers struct {
	Declared bool
	items    []string
}

// AnswersFor returns the Answers of a reader that answers for exactly these agents.
func AnswersFor(agentIDs ...string) Answers { return Answers{Declared: true, items: agentIDs} }

// AnswersHeld returns the Answers of a reader that answers for all agents held by
// connections whose ids begin with connection, and may answer for agents that no
// connection holds.
func AnswersHeld(connection string) Answers { return AnswersFor(answersConnection + connection) }

// ParseAnswers reads what Query returns; a text that is longer than MaxAnswersBytes, or
// has more than MaxAnswers items, counts as absent.
func ParseAnswers(text string) Answers {
	if len(text) > MaxAnswersBytes || strings.Count(text, ",") >= MaxAnswers {
		return Answers{}
	}
	if text == "" {
		return AnswersFor()
	}
	items := strings.Split(text, ",")
	slices.Sort(items)
	return AnswersFor(slices.Compact(items)...)
}

// Query returns the value of QueryAnswers.
func (a Answers) Query() string { return strings.Join(a.items, ",") }

// Key returns a text that is equal for equal Answers.
func (a Answers) Key() string {
	if !a.Declared {
		return ""
	}
	return "=" + a.Query()
}

// For reports whether the reader answers for an agent, which a connection holds or,
// if it is "", none does.
func (a Answers) For(agentID, connection string) string {
	found := AnsweringNo
	if !a.Declared {
		found = AnsweringUnknown
	}
	for _, item := range a.items {
		held, byConnection := strings.CutPrefix(item, answersConnection)
		switch {
		case !byConnection && item == agentID, byConnection && connection != "" && strings.HasPrefix(connection, held):
			return AnsweringYes
		case byConnection && connection == "":
			found = AnsweringUnknown
		}
	}
	return found
}

// ListAnsweringRequest is the payload of listAnswering.
type ListAnsweringRequest struct {
	// PlayerIDs are the agents to report; absent for all that are on the map.
	PlayerIDs List[string] `json:"playerIds,omitzero" rule:"items=..MaxAnswers,chars=MaxIDChars"`
}

// ListAnsweringReply is the reply of listAnswering: the agents of the request that
// are on the map.
type ListAnsweringReply struct {
	Agents List[AnsweringAgent] `json:"agents"`
}

// AnsweringAgent says whether a program answers for an agent.
type AnsweringAgent struct {
	PlayerID string `json:"playerId" rule:"form=id"`
	// Answering is yes if a stream that declares the agent is open, or was within 10
	// s; no if all streams of the agent and of its owner declare their agents, and
	// none declares this one.
	Answering string `json:"answering" rule:"enum=Answering"`
	// LeaseTTLSeconds is the term of the agent's lease, absent if it stays on the
	// map without one. Only the agent, its owner and the administrator see it.
	LeaseTTLSeconds int `json:"leaseTtlSeconds,omitzero"`
	// AskedAt is when the agent was last asked since the host started, for the same callers.
	AskedAt string `json:"askedAt,omitzero" rule:"form=time"`
}
