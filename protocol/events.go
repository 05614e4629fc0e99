package protocol

import (
	"encoding/json"
	"fmt"
	"slices"
)

// EventKind is the `event` of a frame.
type EventKind string

// The kinds of events.
const (
	EventPlayerAdded     EventKind = "world:player_added"
	EventPlayerRemoved   EventKind = "world:player_removed"
	EventPersonAdded     EventKind = "world:person_added"
	EventPersonRemoved   EventKind = "world:person_removed"
	EventMCPRegistered   EventKind = "world:mcp_registered"
	EventMCPUnregistered EventKind = "world:mcp_unregistered"
	EventAgentSignal     EventKind = "world:agent_signal"
	EventInteraction     EventKind = "world:interaction"
	EventJourney         EventKind = "world:journey"
	EventActivity        EventKind = "world:activity"
	EventSpaceChanged    EventKind = "world:space_changed"
	EventIntercom        EventKind = "world:intercom"
	EventSessionReset    EventKind = "session:reset"
	EventSessionResync   EventKind = "session:resync"
)

// Notifies says whether events of a kind change the map and thus carry a notify.
// Of several events of one command only the first carries it.
type Notifies string

// Whether events of a kind change the map.
const (
	NotifiesAlways    Notifies = "yes"
	NotifiesSometimes Notifies = "sometimes"
	NotifiesNever     Notifies = "no"
)

// Event describes one kind of events.
type Event struct {
	Kind EventKind
	// Data is a zero value of the type of the own fields.
	Data any
	// Subject is the path, in the data, of the id of the event's subject; empty if it is
	// about the world.
	Subject string
	// Others are the paths of the ids of the others that the event names.
	Others []string
	// Notifies says whether such an event changes the map.
	Notifies Notifies
	// Summary says when such an event happens.
	Summary string
}

// Events lists every kind of events.
func Events() []Event { return slices.Clone(events) }

var events = []Event{
	{EventPlayerAdded, PlayerAddedData{}, "player.agentId", nil, NotifiesAlways, "an agent registered, or its row changed"},
	{EventPlayerRemoved, PlayerRemovedData{}, "playerId", nil, NotifiesAlways, "an agent left"},
	{EventPersonAdded, PersonAddedData{}, "person.id", nil, NotifiesAlways, "a person came, moved or changed their name"},
	{EventPersonRemoved, PersonRemovedData{}, "personId", nil, NotifiesAlways, "a person left"},
	{EventMCPRegistered, MCPRegisteredData{}, "mcp.id", nil, NotifiesAlways, "a placement was created or changed"},
	{EventMCPUnregistered, MCPUnregisteredData{}, "id", nil, NotifiesAlways, "a placement was removed"},
	{EventAgentSignal, AgentSignalData{}, "playerId", []string{"data.fromPlayerId"}, NotifiesSometimes, "something that an agent should notice; see the signals"},
	{EventInteraction, InteractionData{}, "playerId", nil, NotifiesNever, "a chat line"},
	{EventJourney, JourneyData{}, "playerId", nil, NotifiesSometimes, "a journey; it changes the map unless it equals the row's last one"},
	{EventActivity, ActivityData{}, "playerId", nil, NotifiesAlways, "what an agent does changed"},
	{EventSpaceChanged, SpaceChangedData{}, "spaceId", nil, NotifiesAlways, "a space was created, changed or removed"},
	{EventIntercom, IntercomEvent{}, "fromPlayerId", []string{"toPlayerId"}, NotifiesNever, "a step of an intercom request; only the request's audience sees it"},
	{EventSessionReset, SessionResetData{}, "", nil, NotifiesNever, "the session ended; the last event of a stream"},
	{EventSessionResync, SessionResyncData{}, "", nil, NotifiesNever, "the cursor cannot be honored: read the whole snapshot; the stream continues from this event's id"},
}

// EventKinds lists every kind.
func EventKinds() []EventKind {
	kinds := make([]EventKind, len(events))
	for i := range events {
		kinds[i] = events[i].Kind
	}
	return kinds
}

// The kinds of EventAgentSignal besides the actions of proximity.
const (
	SignalMetadata = "metadata"
	SignalJourney  = "journey"
)

// Signal describes one kind of EventAgentSignal.
type Signal struct {
	Kind string
	// Data is a zero value of the type of the signal's data.
	Data any
	// Notifies says whether such a signal changes the map.
	Notifies Notifies
	// World reports whether the signal is about the world and not about one agent: its
	// playerId is then WorldPlayerID.
	World bool
	// Summary says when such a signal happens.
	Summary string
}

// Signals lists every kind of EventAgentSignal.
func Signals() []Signal { return slices.Clone(signals) }

var signals = []Signal{
	{SignalMetadata, SignalReason{}, NotifiesSometimes, true, "a main node was deleted with everything it owned"},
	{SignalJourney, SignalSteps{}, NotifiesNever, false, "an agent made a journey; the event before this one has it"},
	{ProximityZone, SignalZone{}, NotifiesAlways, false, "somebody entered the agent's zone"},
	{ProximityYield, SignalYield{}, NotifiesAlways, false, "the agent was asked to yield"},
	{ProximityAssist, SignalFrom{}, NotifiesNever, false, "somebody near wants help"},
	{ProximityChat, SignalFrom{}, NotifiesNever, false, "somebody near wants to talk"},
}

// WorldPlayerID stands for the world in signals that are not about one agent.
const WorldPlayerID = "__world__"

// ReasonNodeDeleted is the reason in the signal of a deleted main node.
const ReasonNodeDeleted = "node_deleted"

// EventHead holds the fields that every event's data has besides the event's own.
type EventHead struct {
	// Rev is the rev that the event created, else the current one; nil on hosts that
	// send none.
	Rev             *uint64 `json:"rev,omitzero" rule:"sent"`
	MerkleRootHex   string  `json:"merkleRootHex,omitzero" rule:"form=hex64,sent"`
	MerkleLeafCount int     `json:"merkleLeafCount,omitzero" rule:"range=2..,sent"`
	// Notify is nil on events that did not change the map. It stays raw, because
	// readers have their own rules for errors in it.
	Notify json.RawMessage `json:"playerChainNotify,omitzero" rule:"ref=Notify"`
	// Nodes are the nodes of Notify's refs, in their order, on streams that requested
	// them.
	Nodes []json.RawMessage `json:"playerChainNodes,omitzero" rule:"ref=ChainNode,items=1.."`
}

// EncodeEventData returns an event's data as one line of JSON: its own fields,
// one of the *Data types of this package, then the head.
func EncodeEventData(own any, head *EventHead) (json.RawMessage, error) {
	a, err := json.Marshal(own)
	if err != nil {
		return nil, fmt.Errorf("encode an event's data %T: %w", own, err)
	}
	b, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode an event's head: %w", err)
	}
	return JoinObjects(a, b), nil
}

// FanoutEnvelope is one event on the pub/sub channel.
type FanoutEnvelope struct {
	Rev             uint64          `json:"rev"`
	Event           EventKind       `json:"event"`
	Data            json.RawMessage `json:"data"`
	MerkleRootHex   string          `json:"merkleRootHex,omitzero"`
	MerkleLeafCount int             `json:"merkleLeafCount,omitzero"`
	Notify          json.RawMessage `json:"playerChainNotify,omitzero"`
}

// BridgeEvent is one event as it is posted to a remote bridge.
type BridgeEvent struct {
	Event   EventKind       `json:"event"`
	SID     string          `json:"sid"`
	Payload json.RawMessage `json:"payload"`
}

// PlayerAddedData are the own fields of EventPlayerAdded: the whole row.
type PlayerAddedData struct {
	// Player is the whole row.
	Player json.RawMessage `json:"player" rule:"ref=Agent"`
}

// PlayerRemovedData are the own fields of EventPlayerRemoved.
type PlayerRemovedData struct {
	PlayerID string `json:"playerId" rule:"form=id"`
	Reason   string `json:"reason" rule:"enum=PlayerRemoval"`
}

// MCPRegisteredData are the own fields of EventMCPRegistered: the whole row.
type MCPRegisteredData struct {
	// MCP is the whole row.
	MCP json.RawMessage `json:"mcp" rule:"ref=MCP"`
}

// MCPUnregisteredData are the own fields of EventMCPUnregistered.
type MCPUnregisteredData struct {
	ID     string `json:"id" rule:"form=id"`
	Reason string `json:"reason" rule:"enum=PlacementRemoval"`
}

// AgentSignalData are the own fields of EventAgentSignal. Data is one of the
// Signal types, by Kind.
type AgentSignalData struct {
	PlayerID string          `json:"playerId"`
	Kind     string          `json:"kind"`
	Data     json.RawMessage `json:"data"`
}

// SignalReason is the data of a signal of kind SignalMetadata.
type SignalReason struct {
	Reason string `json:"reason" rule:"const=node_deleted"`
}

// SignalSteps is the data of a signal of kind SignalJourney.
type SignalSteps struct {
	StepCount int `json:"stepCount" rule:"range=1.."`
}

// SignalZone is the data of a signal of kind ProximityZone.
type SignalZone struct {
	ZoneCount int64 `json:"zoneCount"`
	Flagged   bool  `json:"flagged"`
	// FromPlayerID is the person on the map who did it; absent for everybody else.
	FromPlayerID string `json:"fromPlayerId,omitzero" rule:"form=id"`
}

// SignalYield is the data of a signal of kind ProximityYield.
type SignalYield struct {
	YieldCount int64 `json:"yieldCount"`
	// FromPlayerID is the person on the map who did it; absent for everybody else.
	FromPlayerID string `json:"fromPlayerId,omitzero" rule:"form=id"`
}

// SignalFrom is the data of a signal of kind ProximityAssist or ProximityChat.
type SignalFrom struct {
	FromPlayerID string `json:"fromPlayerId" rule:"form=id"`
}

// InteractionData are the own fields of EventInteraction.
type InteractionData = Interaction

// JourneyData are the own fields of EventJourney.
type JourneyData struct {
	PlayerID string         `json:"playerId" rule:"form=id"`
	Journey  Journey        `json:"journey"`
	Path     List[PathStep] `json:"path" rule:"items=1.."`
}

// SpaceChangedData are the own fields of EventSpaceChanged.
type SpaceChangedData struct {
	SpaceID string `json:"spaceId" rule:"form=id"`
	Action  string `json:"action" rule:"enum=SpaceAction"`
}

// SessionResetData are the own fields of EventSessionReset; SID is the new
// session.
type SessionResetData struct {
	Reason string `json:"reason"`
	// SID is the new session.
	SID string `json:"sid" rule:"form=uuid"`
}

// SessionResyncData are the own fields of EventSessionResync besides `rev`, which
// the head has.
type SessionResyncData struct {
	Reason string `json:"reason" rule:"enum=ResyncReason"`
}

// StreamEvent is one event of a stream.
type StreamEvent struct {
	// Seq is the event's position in the host's log; 0 if HasSeq is false.
	Seq uint64
	// HasSeq is false on hosts that do not number events: their streams cannot be
	// resumed.
	HasSeq bool
	// Kind is the event's name, such as `world:interaction`.
	Kind EventKind
	// Data is the event's JSON text, not yet parsed.
	Data []byte
}

// Decode reads the event's data into v, such as an *Interaction.
func (e *StreamEvent) Decode(v any) error { return Decode(e.Data, v) }

// String returns the event's name for a message, without its data.
func (e *StreamEvent) String() string {
	if !e.HasSeq {
		return string(e.Kind)
	}
	return fmt.Sprintf("%d (%s)", e.Seq, e.Kind)
}
