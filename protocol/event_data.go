package protocol

import "encoding/json"

// WorldPlayerID stands for the world in signals that are about no one agent.
const WorldPlayerID = "__world__"

// The reasons why an occupant went.
const (
	RemovedDisconnect = "disconnect"
	RemovedLease      = "lease"
	RemovedDeleted    = "deleted"
	RemovedAdmin      = "admin"
)

// ReasonNodeDeleted is the reason in the signal of a deleted main node.
const ReasonNodeDeleted = "node_deleted"

// PlayerAddedData are the own fields of EventPlayerAdded: the whole row.
type PlayerAddedData struct {
	Player json.RawMessage `json:"player"`
}

// PlayerRemovedData are the own fields of EventPlayerRemoved.
type PlayerRemovedData struct {
	PlayerID string `json:"playerId"`
	Reason   string `json:"reason"`
}

// MCPRegisteredData are the own fields of EventMCPRegistered: the whole row.
type MCPRegisteredData struct {
	MCP json.RawMessage `json:"mcp"`
}

// MCPUnregisteredData are the own fields of EventMCPUnregistered.
type MCPUnregisteredData struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// The kinds of EventAgentSignal beside the actions of proximity.
const (
	SignalMetadata = "metadata"
	SignalJourney  = "journey"
)

// AgentSignalData are the own fields of EventAgentSignal. Data is one of the
// Signal types, by Kind.
type AgentSignalData struct {
	PlayerID string          `json:"playerId"`
	Kind     string          `json:"kind"`
	Data     json.RawMessage `json:"data"`
}

// SignalReason is the data of a signal of kind SignalMetadata.
type SignalReason struct {
	Reason string `json:"reason"`
}

// SignalSteps is the data of a signal of kind SignalJourney.
type SignalSteps struct {
	StepCount int `json:"stepCount"`
}

// SignalZone is the data of a signal of kind ProximityZone.
type SignalZone struct {
	ZoneCount int64 `json:"zoneCount"`
	Flagged   bool  `json:"flagged"`
}

// SignalYield is the data of a signal of kind ProximityYield.
type SignalYield struct {
	YieldCount int64 `json:"yieldCount"`
}

// SignalFrom is the data of a signal of kind ProximityAssist or ProximityChat.
type SignalFrom struct {
	FromPlayerID string `json:"fromPlayerId"`
}

// InteractionData are the own fields of EventInteraction.
type InteractionData = Interaction

// JourneyData are the own fields of EventJourney.
type JourneyData struct {
	PlayerID string         `json:"playerId"`
	Journey  Journey        `json:"journey"`
	Path     List[PathStep] `json:"path"`
}

// What happened to a space.
const (
	SpaceCreated = "created"
	SpaceChanged = "changed"
	SpaceRemoved = "removed"
)

// SpaceChangedData are the own fields of EventSpaceChanged.
type SpaceChangedData struct {
	SpaceID string `json:"spaceId"`
	Action  string `json:"action"`
}

// SessionResetData are the own fields of EventSessionReset; SID is the new
// session.
type SessionResetData struct {
	Reason string `json:"reason"`
	SID    string `json:"sid"`
}

// SessionResyncData are the own fields of EventSessionResync beside `rev`, which
// the head has.
type SessionResyncData struct {
	Reason string `json:"reason"`
}
