package protocol

import "encoding/json"

// The kinds of an intercom command and its events.
const (
	IntercomAssist   = "assist"
	IntercomChat     = "chat"
	IntercomRealtime = "realtime"
)

// The statuses of intercom events. The last three are those of a response.
const (
	IntercomStarted   = "started"
	IntercomForwarded = "forwarded"
	IntercomStream    = "stream"
	IntercomCompleted = "completed"
	IntercomFailed    = "failed"
)

// IntercomCommand is the payload of intercomCommand: someone asks an agent. It
// is also the `command` of the event that forwards it.
type IntercomCommand struct {
	RequestID string `json:"requestId"`
	// MainNodeID is the main node of the agent that is asked.
	MainNodeID string `json:"mainNodeId"`
	// FromPlayerID is an agent that the caller is or owns, or a person's label.
	FromPlayerID string `json:"fromPlayerId"`
	// ToPlayerID is the agent that is asked.
	ToPlayerID string `json:"toPlayerId"`
	Kind       string `json:"kind"`
	// ToolName is the tool to call where Kind is IntercomAssist.
	ToolName string `json:"toolName,omitzero"`
	// Args is a JSON object; nil for none.
	Args json.RawMessage `json:"args,omitzero"`
	// Text is what to say where Kind is IntercomChat.
	Text string `json:"text,omitzero"`
}

// ParseIntercomCommand reads the payload of intercomCommand.
func ParseIntercomCommand(o Object) (IntercomCommand, *Error) {
	f := readFields(o)
	c := IntercomCommand{
		RequestID:    f.id("requestId", false),
		MainNodeID:   f.accountID("mainNodeId", false),
		FromPlayerID: f.agentID("fromPlayerId", false),
		ToPlayerID:   f.agentID("toPlayerId", false),
		Kind:         f.intercomKind(),
	}
	c.ToolName = f.text("toolName", textRule{chars: MaxToolNameChars, optional: c.Kind != IntercomAssist})
	c.Args = f.rawObject("args", true, MaxIntercomArgsBytes)
	c.Text = f.text("text", textRule{
		bytes: MaxIntercomTextBytes, optional: c.Kind != IntercomChat, blank: c.Kind != IntercomChat,
	})
	return c, f.err()
}

// IntercomResponse is the payload of intercomResponse: an agent answers.
type IntercomResponse struct {
	RequestID  string `json:"requestId"`
	MainNodeID string `json:"mainNodeId"`
	// ToPlayerID is the asker.
	ToPlayerID string `json:"toPlayerId"`
	// FromPlayerID is the agent that answers.
	FromPlayerID string `json:"fromPlayerId"`
	Kind         string `json:"kind"`
	// Status is IntercomStream, IntercomCompleted or IntercomFailed.
	Status   string `json:"status"`
	ToolName string `json:"toolName,omitzero"`
	Message  string `json:"message,omitzero"`
	// Result is a JSON object as it was sent; see NormalizeResult.
	Result json.RawMessage `json:"result,omitzero"`
	// Error says why, where Status is IntercomFailed.
	Error string `json:"error,omitzero"`
	// TS is when the agent answered, RFC 3339.
	TS string `json:"ts"`
}

// ParseIntercomResponse reads the payload of intercomResponse. The result is
// left as it was sent.
func ParseIntercomResponse(o Object) (IntercomResponse, *Error) {
	f := readFields(o)
	r := IntercomResponse{
		RequestID:    f.id("requestId", false),
		MainNodeID:   f.accountID("mainNodeId", false),
		ToPlayerID:   f.agentID("toPlayerId", false),
		FromPlayerID: f.agentID("fromPlayerId", false),
		Kind:         f.intercomKind(),
		Status:       f.oneOf("status", false, IntercomStream, IntercomCompleted, IntercomFailed),
		ToolName:     f.text("toolName", textRule{chars: MaxToolNameChars, optional: true}),
		Message:      f.text("message", textRule{bytes: MaxIntercomTextBytes, optional: true, blank: true}),
		Result:       f.rawObject("result", true, MaxIntercomResultBytes),
		TS:           f.rfc3339("ts"),
	}
	failed := r.Status == IntercomFailed
	r.Error = f.text("error", textRule{bytes: MaxIntercomTextBytes, optional: !failed, blank: !failed})
	return r, f.err()
}

func (f fields) intercomKind() string {
	return f.oneOf("kind", false, IntercomAssist, IntercomChat, IntercomRealtime)
}
