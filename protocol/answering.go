package protocol

import (
	"slices"
	"strings"
)

// maxAnswersBytes bounds what a stream says with QueryAnswers; what is longer, or has
// more than MaxAnswers items, counts as not said.
const maxAnswersBytes = 8 << 10

// answersConnection begins an item that stands for all agents that are held by
// connections whose ids begin with the rest of it.
const answersConnection = "connection:"

// Answers are the agents for which the reader of an event stream answers; the zero
// value is that of a stream that does not say.
type Answers struct {
	Said  bool
	items []string
}

// AnswersFor returns the Answers of a reader that answers for these agents and no others.
func AnswersFor(agentIDs ...string) Answers { return Answers{Said: true, items: agentIDs} }

// AnswersHeld returns the Answers of a reader that answers for all agents that are held by
// connections whose ids begin so, and may for those that none holds.
func AnswersHeld(connection string) Answers { return AnswersFor(answersConnection + connection) }

// ParseAnswers reads what Query returns; a text that is too long counts as not said.
func ParseAnswers(text string) Answers {
	if len(text) > maxAnswersBytes || strings.Count(text, ",") >= MaxAnswers {
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

// Key returns a text that is the same for answers that say the same.
func (a Answers) Key() string {
	if !a.Said {
		return ""
	}
	return "=" + a.Query()
}

// For reports whether the reader answers for an agent, which a connection holds or,
// if it is "", none does.
func (a Answers) For(agentID, connection string) string {
	found := AnsweringNo
	if !a.Said {
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
	// Answering is yes if a stream that says so is open, or was within 10 s; no
	// if all streams of the agent and of its owner say for which agents they are,
	// and none is for this one.
	Answering string `json:"answering" rule:"enum=Answering"`
	// LeaseTTLSeconds is the term of the agent's lease, absent if it stays on the
	// map without one. Only the agent, its owner and the administrator see it.
	LeaseTTLSeconds int `json:"leaseTtlSeconds,omitzero"`
	// AskedAt is when the agent was last asked since the host started; the same see it.
	AskedAt string `json:"askedAt,omitzero" rule:"form=time"`
}
