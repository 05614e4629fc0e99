package protocol

import (
	"encoding/json"
	"strings"
)

// ListEventsRequest is the payload of listEvents.
type ListEventsRequest struct {
	// AfterSeq asks for the events after that one. If it is absent or older than the
	// host's events, it is the oldest position of this session that the host has.
	AfterSeq *uint64 `json:"afterSeq,omitzero"`
	// Limit is the length of a page; a larger one is refused.
	Limit int `json:"limit,omitzero" rule:"range=1..MaxListLimit,default=DefaultListLimit,last"`
	// Brief asks for the id of each event's subject instead of its data.
	Brief bool `json:"brief,omitzero"`
}

// ListEventsReply is the reply of listEvents, newest last: the events that the
// caller may see. A page may end early if it would exceed 1 MiB, and may have no
// events if all are for other callers.
type ListEventsReply struct {
	Events List[ListedEvent] `json:"events" rule:"items=..MaxListLimit"`
	// AfterSeq is the position that the page begins after: that of the request, or the
	// oldest one.
	AfterSeq uint64 `json:"afterSeq"`
	// LastSeq is the position that the page extends to: the next one begins after it.
	LastSeq uint64 `json:"lastSeq"`
	HasMore bool   `json:"hasMore"`
}

// ListedEvent is an event of the past.
type ListedEvent struct {
	Seq   uint64 `json:"seq"`
	Rev   uint64 `json:"rev"`
	Event string `json:"event"`
	// At is when the host committed it.
	At string `json:"at" rule:"form=stamp"`
	// Data is the event's data on a stream with inline nodes; absent in a brief list.
	Data json.RawMessage `json:"data,omitzero"`
	// PlayerID is the id of the event's subject, in a brief list; absent if it is about
	// the world.
	PlayerID string `json:"playerId,omitzero"`
}

// Subject returns the id of an event's subject, from its data; empty if it is about
// the world.
func Subject(data []byte) string {
	o, err := ParseObject(data)
	if err != nil {
		return ""
	}
	for i := range events {
		if path := events[i].Subject; path != "" {
			if id := o.textAt(path); id != "" {
				return id
			}
		}
	}
	return ""
}

// textAt returns the text at a path such as "player.agentId"; empty if there is none.
func (o Object) textAt(path string) string {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		return o.StringOr(name, "")
	}
	value := o.Raw(name)
	if kindOf(value) != kindObject {
		return ""
	}
	return o.object(name, value).textAt(rest)
}

// SnapshotAtRequest is the payload of getWorldSnapshotAt.
type SnapshotAtRequest struct {
	// Rev asks for the newest map that the host has and that is not newer than this
	// rev; if it has none, for the oldest of this session.
	Rev *uint64 `json:"rev"`
}
