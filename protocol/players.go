package protocol

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// ChatTool is the tool that every agent must have.
const ChatTool = "chat_tool"

// AssistToolPrefix is the prefix of the names of the tools that people may call.
const AssistToolPrefix = "assist_"

// RegisterRequest puts an agent on the map, or changes its row. A
// `realtimeWebrtc` in the body is ignored.
type RegisterRequest struct {
	// Name is the agent's name, with at least one visible character.
	Name string `json:"name" rule:"form=name,chars=MaxNameChars"`
	// Type is the type of the registration; it becomes the row's platform.
	Type string `json:"type" rule:"chars=MaxTypeChars"`
	// Agent is the agent's type and tools.
	Agent AgentSpec `json:"agent" rule:"last"`
	// AgentID is the agent's node id; it becomes its playerId.
	AgentID string `json:"agentId" rule:"form=agent"`
	// MainNodeID must be the owner if it is sent; any other is 403.
	MainNodeID string `json:"mainNodeId,omitzero" rule:"form=account"`
	// PasswHash must be the agent's if it is sent, or the owner's if the owner acts;
	// any other is 401.
	PasswHash WireSecret `json:"passwHash,omitzero" rule:"form=hash"`
	// APIKey is used if the header x-api-key is absent.
	APIKey WireSecret `json:"apiKey,omitzero"`
	// ConnectionID asks for a lease; without one the agent stays until it is
	// removed.
	ConnectionID string `json:"connectionId,omitzero" rule:"form=id"`
	// LeaseTTLSeconds is the term of the lease.
	LeaseTTLSeconds int `json:"leaseTtlSeconds,omitzero" rule:"clamp=MinLeaseTTLSeconds..MaxLeaseTTLSeconds,default=DefaultLeaseTTLSeconds"`
	// EnableP2A says whether people may talk to the agent.
	EnableP2A string `json:"enableP2a,omitzero" rule:"enum=Switch,default=off"`
	// RealtimeInstructions is free text for realtime talk.
	RealtimeInstructions string `json:"realtimeInstructions,omitzero" rule:"bytes=MaxRealtimeInstructionsBytes,blank"`
	// ParentID is the playerId of the agent that started this one, on the map or not.
	ParentID string `json:"parentId,omitzero" rule:"form=agent"`
	// Group is what people sort agents by, such as a project.
	Group string `json:"group,omitzero" rule:"chars=MaxGroupChars"`
}

// AgentSpec describes an agent's type and tools.
type AgentSpec struct {
	// Type is the agent's own type.
	Type string `json:"type" rule:"chars=MaxTypeChars"`
	// ToolNames must hold chat_tool, else `chat_tool_missing`.
	ToolNames List[string] `json:"toolNames" rule:"items=..MaxToolNames,chars=MaxToolNameChars,contains=chat_tool"`
	// AssistTools describe the tools among toolNames that people may call; the name of
	// each starts with `assist_`.
	AssistTools List[AssistTool] `json:"assistTools,omitzero" rule:"bytes=MaxAssistToolsBytes"`
}

// AssistToolNames returns the names of the tools that people may call, in their
// order; never nil.
func (a *AgentSpec) AssistToolNames() []string {
	names := []string{}
	for _, n := range a.ToolNames {
		if strings.HasPrefix(n, AssistToolPrefix) {
			names = append(names, n)
		}
	}
	return names
}

func (r *RegisterRequest) check(*fields) *Error {
	if slices.Contains(r.Agent.ToolNames, ChatTool) {
		return nil
	}
	return &Error{
		Code:    CodeChatToolMissing,
		Message: "the field agent.toolNames lacks " + ChatTool + ", which every agent must have",
		Field:   "agent.toolNames",
	}
}

// check runs after the other fields of the tool; the list of names is its
// agent's, which comes before the tools.
func (t *AssistTool) check(f *fields) *Error {
	switch agent, _ := f.parent.(*AgentSpec); {
	case !strings.HasPrefix(t.Name, AssistToolPrefix):
		return FieldError(f.obj.field("name"), "must start with %s", AssistToolPrefix)
	case agent != nil && !slices.Contains(agent.ToolNames, t.Name):
		return FieldError(f.obj.field("name"), "must be one of the agent's toolNames")
	}
	return nil
}

// RegisterReply is the reply of a registration.
type RegisterReply struct {
	PlayerID string `json:"playerId" rule:"form=id"`
	// PreviewURL is the watch page.
	PreviewURL      string          `json:"previewUrl"`
	RegisteredAgent RegisteredAgent `json:"registeredAgent"`
	// ConnectionID is null if the registration had no connection.
	ConnectionID *string `json:"connectionId" rule:"null"`
	// LeaseTTLSeconds is null if the registration had no connection.
	LeaseTTLSeconds *int   `json:"leaseTtlSeconds" rule:"null,range=MinLeaseTTLSeconds..MaxLeaseTTLSeconds"`
	EnableP2A       string `json:"enableP2a" rule:"enum=Switch"`
}

// RegisteredAgent is the data of an agent that the host keeps across its registrations.
type RegisteredAgent struct {
	AgentID    string       `json:"agentId" rule:"form=id"`
	Name       string       `json:"name"`
	ToolNames  List[string] `json:"toolNames"`
	ZoneCount  int64        `json:"zoneCount"`
	YieldCount int64        `json:"yieldCount"`
	Flagged    bool         `json:"flagged"`
}

// HeartbeatRequest renews an agent's lease.
type HeartbeatRequest struct {
	PlayerID     string `json:"playerId" rule:"form=agent"`
	ConnectionID string `json:"connectionId" rule:"form=id"`
	// LeaseTTLSeconds is the new term of the lease; absent to keep the term.
	LeaseTTLSeconds int `json:"leaseTtlSeconds,omitzero" rule:"clamp=MinLeaseTTLSeconds..MaxLeaseTTLSeconds"`
}

// HeartbeatReply is the reply of a heartbeat.
type HeartbeatReply struct {
	OK bool `json:"ok" rule:"const=true"`
	// LeaseTTLSeconds is the granted term.
	LeaseTTLSeconds int `json:"leaseTtlSeconds" rule:"range=MinLeaseTTLSeconds..MaxLeaseTTLSeconds"`
}

// DisconnectRequest removes an agent from the map.
type DisconnectRequest struct {
	PlayerID string `json:"playerId" rule:"form=agent"`
	// ConnectionID, if it is sent, must be the current one, else nothing is
	// removed.
	ConnectionID string `json:"connectionId,omitzero" rule:"form=id"`
}

// MCPRegisterRequest puts an MCP placement on the map, or changes its row.
type MCPRegisterRequest struct {
	Name string `json:"name" rule:"form=name,chars=MaxNameChars"`
	// URL is absolute, http or https, without user name and password, because
	// everybody can read it.
	URL string `json:"url,omitzero" rule:"form=url,chars=MaxURLChars"`
}

// urlFault returns why a text cannot be the URL of an MCP placement. The row is
// public, so a user name or password in it is refused.
func urlFault(path, text string) *Error {
	u, err := url.Parse(text)
	switch {
	case err != nil || strings.ContainsFunc(text, func(r rune) bool { return IsWhiteSpace(r) || unicode.IsControl(r) }):
		return FieldError(path, "must be a URL")
	case !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https"):
		return FieldError(path, "must start with http:// or https://")
	case u.Hostname() == "":
		return FieldError(path, "must name a host")
	case u.User != nil:
		return FieldError(path, "must not hold a user name or password: everyone can read it")
	}
	return nil
}

// MCPUnregisterRequest removes an MCP placement from the map.
type MCPUnregisterRequest struct {
	ID string `json:"id" rule:"form=id"`
}

// RemoveOccupantRequest removes any occupant from the map, for an administrator. A
// text that is not a stable key is `stable_key_unknown`, a key of something that
// is not an occupant `body_invalid`.
type RemoveOccupantRequest struct {
	StableKey string `json:"stableKey" rule:"form=occupantKey,chars=MaxStableKeyChars"`
}

// ProximityActionRequest signals that an agent or a person met another one on the map.
type ProximityActionRequest struct {
	// FromPlayerID is an agent that the caller is or owns, the caller's own person on
	// the map, or a label that starts with __.
	FromPlayerID string `json:"fromPlayerId" rule:"form=agent"`
	// ToPlayerID is the agent that was met, or the person: then the action is chat.
	ToPlayerID string `json:"toPlayerId" rule:"form=agent"`
	Action     string `json:"action" rule:"enum=ProximityAction"`
}

// OKReply is the reply of an action that may have nothing to do; OK is then false.
type OKReply struct {
	OK bool `json:"ok"`
}

// DoneReply is the reply of an action without a result.
type DoneReply struct {
	OK bool `json:"ok" rule:"const=true"`
}

// IDReply is the reply of an action that returns the id of its object.
type IDReply struct {
	ID string `json:"id" rule:"form=id"`
}
