package protocol

import (
	"encoding/json"
	"fmt"
)

// EventKind is the `event` of a frame.
type EventKind string

// The kinds of events.
const (
	EventPlayerAdded     EventKind = "world:player_added"
	EventPlayerRemoved   EventKind = "world:player_removed"
	EventMCPRegistered   EventKind = "world:mcp_registered"
	EventMCPUnregistered EventKind = "world:mcp_unregistered"
	EventAgentSignal     EventKind = "world:agent_signal"
	EventInteraction     EventKind = "world:interaction"
	EventJourney         EventKind = "world:journey"
	EventSpaceChanged    EventKind = "world:space_changed"
	EventIntercom        EventKind = "world:intercom"
	EventSessionReset    EventKind = "session:reset"
	EventSessionResync   EventKind = "session:resync"
)

// EventKinds lists every kind.
func EventKinds() []EventKind {
	return []EventKind{
		EventPlayerAdded, EventPlayerRemoved, EventMCPRegistered, EventMCPUnregistered,
		EventAgentSignal, EventInteraction, EventJourney, EventSpaceChanged, EventIntercom,
		EventSessionReset, EventSessionResync,
	}
}

// EventHead is what every event's data has beside the event's own fields.
type EventHead struct {
	// Rev is the rev that the event made, else the current one; nil on hosts
	// that give none.
	Rev             *uint64 `json:"rev,omitzero"`
	MerkleRootHex   string  `json:"merkleRootHex,omitzero"`
	MerkleLeafCount int     `json:"merkleLeafCount,omitzero"`
	// Notify is nil on events that did not change the map. It stays raw, because
	// readers have rules of their own for what is wrong in it.
	Notify json.RawMessage `json:"playerChainNotify,omitzero"`
	// Nodes are the nodes of Notify's refs, in their order, on streams that asked
	// for them.
	Nodes []json.RawMessage `json:"playerChainNodes,omitzero"`
}

// ParseEventHead reads the head of any event's data.
func ParseEventHead(data []byte) (EventHead, error) {
	var h EventHead
	if err := Decode(data, &h); err != nil {
		return EventHead{}, fmt.Errorf("read an event's head: %w", err)
	}
	return h, nil
}

// EncodeEventData gives an event's data as one line of JSON: its own fields,
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
