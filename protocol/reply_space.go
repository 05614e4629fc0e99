package protocol

import "encoding/json"

// SpaceReply is the reply of registerSpaceNode and of changed amenities.
type SpaceReply struct {
	Space Space `json:"space"`
}

// CreateSpaceReply is the reply of createSpace.
type CreateSpaceReply struct {
	SpaceID string `json:"spaceId"`
	NodeID  string `json:"nodeId"`
	// Phrase is the space node's; it is shown once.
	Phrase WireSecret `json:"phrase"`
	// Structure is the row that was put on the map.
	Structure json.RawMessage `json:"structure"`
}

// SpacesReply is the reply of listSpaceNodes, in the order of the chain.
type SpacesReply struct {
	Spaces List[Space] `json:"spaces"`
}

// InspectSpaceReply is the reply of inspectSpace. Log is absent for callers that
// may not see it, and a list, if an empty one, for the others.
type InspectSpaceReply struct {
	Space Space           `json:"space"`
	Log   []SpaceLogEntry `json:"log,omitzero"`
}

// SpaceLogEntry is one thing that happened to a space.
type SpaceLogEntry struct {
	// At is RFC 3339.
	At string `json:"at"`
	// Action is what the space's event says: created, changed or removed.
	Action string `json:"action"`
	// By is the node that did it; empty for the administrator.
	By string `json:"by,omitzero"`
	// Detail is one sentence for a person.
	Detail string `json:"detail,omitzero"`
}
