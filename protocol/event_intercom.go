package protocol

import "encoding/json"

// IntercomEvent are the own fields of EventIntercom. In started and forwarded
// the ids are swapped against the command, as they are in every answer:
// FromPlayerID is the agent, ToPlayerID the asker.
type IntercomEvent struct {
	RequestID    string `json:"requestId"`
	MainNodeID   string `json:"mainNodeId"`
	ToPlayerID   string `json:"toPlayerId"`
	FromPlayerID string `json:"fromPlayerId"`
	Kind         string `json:"kind"`
	Status       string `json:"status"`
	// TS is RFC 3339.
	TS       string `json:"ts"`
	ToolName string `json:"toolName,omitzero"`
	Message  string `json:"message,omitzero"`
	// Result is a JSON object as NormalizeResult gives it.
	Result json.RawMessage `json:"result,omitzero"`
	Error  string          `json:"error,omitzero"`
	// ChannelKey is IntercomChannelKey's.
	ChannelKey string `json:"channelKey,omitzero"`
	// Command is the original payload, where Status is IntercomForwarded.
	Command json.RawMessage `json:"command,omitzero"`
}

// IntercomChannelKey names the channel between an asker, which is a node id or a
// person's label, and an agent.
func IntercomChannelKey(asker, agentID string) string {
	return "intercom:human:" + asker + ":agent:" + agentID
}
