package world

import (
	"encoding/json"

	"github.com/playctl/playctl/protocol"
)

// privatePart is a secret that one event of a command has for its asker's live
// stream alone. It is never stored.
type privatePart struct {
	event  int
	asker  string
	secret json.RawMessage
}

// privateFrame is an event's frame with the secret in it.
type privateFrame struct {
	asker string
	frame []byte
}

// attach puts the secrets of a command onto its published events.
func attach(events []*Event, parts []privatePart) {
	for _, part := range parts {
		e := events[part.event]
		var all map[string]json.RawMessage
		if json.Unmarshal(e.Data, &all) != nil {
			continue
		}
		all["result"] = protocol.WithRealtimeWebRTC(all["result"], part.secret)
		full, err := json.Marshal(all)
		if err != nil {
			continue
		}
		e.private = &privateFrame{asker: part.asker, frame: appendFrame(nil, e.Seq, e.Kind, full)}
	}
}

// FrameFor is the frame for one subscriber. live tells that its stream was open
// before the event was made: only then may it get what is for the asker alone.
func (e *Event) FrameFor(c Caller, inline, live bool) []byte {
	if e.private != nil && live && e.private.asker == c.identity() {
		return e.private.frame
	}
	if inline {
		return e.InlineFrame()
	}
	return e.frame
}
