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
	Token WireSecret `json:"token,omitzero"`
}

// ParseWatchSession reads the body of `POST /play/watch/session`.
func ParseWatchSession(o Object) (WatchSessionRequest, *Error) {
	f := readFields(o)
	r := WatchSessionRequest{Token: f.secret("token")}
	return r, f.err()
}

// WatchScope is what a watch cookie is good for.
type WatchScope string

// The scopes of watch cookies.
const (
	// WatchScopeWatch reads: session, snapshot, chain, events and listings.
	WatchScopeWatch WatchScope = "watch"
	// WatchScopeAct also sends assist-tool, proximity-action and intercomCommand.
	WatchScopeAct WatchScope = "act"
)

// WatchSessionReply is the reply of `POST /play/watch/session`. The cookie
// itself is in a header that scripts do not see.
type WatchSessionReply struct {
	Scope WatchScope `json:"scope"`
	// ExpiresAt is when the cookie ends; the page then asks again.
	ExpiresAt string `json:"expiresAt"`
}

// WatchTokenReply is the reply of `POST /play/watch/token`. A link for a person is
// URL, "#token=" and Token: a fragment is sent to nobody.
type WatchTokenReply struct {
	// Token is shown once: the host keeps only a hash of it.
	Token WireSecret `json:"token"`
	// URL is the watch page.
	URL string `json:"url"`
	// ExpiresAt is when the token ends, and the cookies made from it.
	ExpiresAt string `json:"expiresAt"`
	// AllAddresses tells that the host listens at every address of its machine,
	// not only at that of URL.
	AllAddresses bool `json:"allAddresses,omitempty"`
}
