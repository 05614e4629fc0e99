package protocol

// The states of an agent's activity.
const (
	// ActivityWorking: the agent is at work.
	ActivityWorking = "working"
	// ActivityWaiting: the agent waits for a person.
	ActivityWaiting = "waiting"
	// ActivityIdle: the agent has nothing to do.
	ActivityIdle = "idle"
	// ActivityDone: the agent finished what it was asked.
	ActivityDone = "done"
	// ActivityFailed: the agent could not do what it was asked.
	ActivityFailed = "failed"
)

// ActivityStates lists the states of an agent's activity.
func ActivityStates() []string {
	return []string{ActivityWorking, ActivityWaiting, ActivityIdle, ActivityDone, ActivityFailed}
}

// Activity is what an agent does now. It is as public as the map. A row without one says
// nothing about its agent, not even that it is idle.
type Activity struct {
	// State is what the agent does.
	State string `json:"state" rule:"enum=ActivityState,must,filled"`
	// Text is one line for people.
	Text string `json:"text,omitempty"`
	// ToolName is the tool in use.
	ToolName string `json:"toolName,omitempty"`
	// Since is when the state began, by the host's clock; it stays while only the other
	// fields change.
	Since string `json:"since" rule:"form=stamp,must"`
	// Usage is what the agent's present run has used so far.
	Usage *Usage `json:"usage,omitempty"`
}

// Usage are the totals of an agent's run, or of one step of a journey, as its integration
// counts them. A nil number is not known.
type Usage struct {
	// InputTokens are the tokens that models read.
	InputTokens *float64 `json:"inputTokens,omitempty" rule:"range=0.."`
	// OutputTokens are the tokens that models wrote.
	OutputTokens *float64 `json:"outputTokens,omitempty" rule:"range=0.."`
	// CostUSD is the cost in US dollars.
	CostUSD *float64 `json:"costUsd,omitempty" rule:"range=0.."`
	// ToolCalls are the calls of tools.
	ToolCalls *float64 `json:"toolCalls,omitempty" rule:"range=0.."`
	// Errors are the calls that failed.
	Errors *float64 `json:"errors,omitempty" rule:"range=0.."`
}

// RecordActivityRequest is the payload of recordActivity. It replaces the whole activity of
// the agent's row.
type RecordActivityRequest struct {
	PlayerID string `json:"playerId" rule:"form=agent"`
	// ConnectionID, if it is sent, must be the current one, else `lease_unknown`.
	ConnectionID string `json:"connectionId,omitzero" rule:"form=id"`
	// State is what the agent does.
	State string `json:"state" rule:"enum=ActivityState"`
	// Text is one line for people. White space is collapsed, and a longer text is cut.
	Text string `json:"text,omitzero" rule:"form=oneLine,chars=MaxActivityTextChars,blank"`
	// ToolName is the tool in use.
	ToolName string `json:"toolName,omitzero" rule:"chars=MaxToolNameChars"`
	// Usage is what the agent's present run has used so far.
	Usage *Usage `json:"usage,omitzero"`
}

// RecordActivityReply is the reply of recordActivity.
type RecordActivityReply struct {
	OK bool `json:"ok" rule:"const=true"`
	// Rev is absent on hosts that give none.
	Rev *uint64 `json:"rev,omitzero" rule:"sent"`
}

// ActivityData are the own fields of EventActivity.
type ActivityData struct {
	PlayerID string `json:"playerId" rule:"form=id"`
	// Activity is the whole activity.
	Activity Activity `json:"activity"`
}
