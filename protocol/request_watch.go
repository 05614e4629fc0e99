package protocol

import "encoding/json"

// AssistToolRequest calls an `assist_*` tool of an agent for a person.
type AssistToolRequest struct {
	TargetPlayerID string `json:"targetPlayerId"`
	ToolName       string `json:"toolName"`
	// Args is a JSON object.
	Args json.RawMessage `json:"args"`
}

// ParseAssistTool reads the body of `POST /api/play/assist-tool`.
func ParseAssistTool(o Object) (AssistToolRequest, *Error) {
	f := readFields(o)
	r := AssistToolRequest{
		TargetPlayerID: f.agentID("targetPlayerId", false),
		ToolName:       f.text("toolName", textRule{chars: MaxToolNameChars}),
		Args:           f.rawObject("args", false, MaxIntercomArgsBytes),
	}
	return r, f.err()
}

// The actions of a proximity signal, which are its event's kinds as well.
const (
	ProximityAssist = "assist"
	ProximityChat   = "chat"
	ProximityZone   = "zone"
	ProximityYield  = "yield"
)

// ProximityActionRequest signals that someone met an agent on the map.
type ProximityActionRequest struct {
	// FromPlayerID is an agent that the caller is or owns, or a person's label.
	FromPlayerID string `json:"fromPlayerId"`
	ToPlayerID   string `json:"toPlayerId"`
	Action       string `json:"action"`
}

// ParseProximityAction reads the body of `POST /api/play/proximity-action`.
func ParseProximityAction(o Object) (ProximityActionRequest, *Error) {
	f := readFields(o)
	r := ProximityActionRequest{
		FromPlayerID: f.agentID("fromPlayerId", false),
		ToPlayerID:   f.agentID("toPlayerId", false),
		Action:       f.oneOf("action", false, ProximityAssist, ProximityChat, ProximityZone, ProximityYield),
	}
	return r, f.err()
}

// WatchSessionRequest asks for the watch page's cookie.
type WatchSessionRequest struct {
	// Token proves the right to act; empty to watch only.
	Token Secret `json:"token,omitzero"`
}

// ParseWatchSession reads the body of `POST /play/watch/session`.
func ParseWatchSession(o Object) (WatchSessionRequest, *Error) {
	f := readFields(o)
	r := WatchSessionRequest{Token: f.secret("token")}
	return r, f.err()
}
