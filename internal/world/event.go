package world

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Event is one event of the stream, encoded once and shared by every
// subscriber. It is immutable.
type Event struct {
	// Seq is the event's id.
	Seq uint64
	// Rev is the world's rev as of this event.
	Rev uint64
	// Kind is the event's name.
	Kind string
	// Data is the event's JSON object with its head (rev, root, leaf count and
	// notify), without inline nodes.
	Data []byte
	// Ends tells that streams end with this event (a session reset).
	Ends bool

	audience []string
	// private is what the asker of an intercom request gets instead.
	private *privateFrame
	frame   []byte
	// nodes is the JSON array of inline nodes, nil where there is no notify.
	nodes  []byte
	inline atomic.Pointer[[]byte]
}

// size is the memory that the event holds, its inline frame included.
func (e *Event) size() int { return len(e.Data) + 2*len(e.frame) + 2*len(e.nodes) + 256 }

// Everybody reports whether the event has no limited audience.
func (e *Event) Everybody() bool { return len(e.audience) == 0 }

// VisibleTo reports whether a caller may see the event.
func (e *Event) VisibleTo(c Caller) bool {
	if len(e.audience) == 0 || c.Admin {
		return true
	}
	if c.Unchecked && c.NodeID == "" {
		// Anybody there may take any name, so nothing can be kept from who has none.
		return true
	}
	if c.NodeID != "" && slices.Contains(e.audience, c.NodeID) {
		return true
	}
	return c.Viewer != "" && slices.Contains(e.audience, c.Viewer)
}

// Frame is the event as an SSE frame, blank line included.
func (e *Event) Frame() []byte { return e.frame }

// InlineFrame is Frame with the changed nodes inside the data. It is encoded
// when it is first asked for.
func (e *Event) InlineFrame() []byte {
	if e.nodes == nil {
		return e.frame
	}
	if f := e.inline.Load(); f != nil {
		return *f
	}
	data := make([]byte, 0, len(e.Data)+len(e.nodes)+32)
	data = append(data, e.Data[:len(e.Data)-1]...)
	data = append(data, `,"playerChainNodes":`...)
	data = append(data, e.nodes...)
	data = append(data, '}')
	f := appendFrame(nil, e.Seq, e.Kind, data)
	e.inline.CompareAndSwap(nil, &f)
	return f
}

func appendFrame(dst []byte, seq uint64, kind string, data []byte) []byte {
	dst = slices.Grow(dst, len(data)+len(kind)+48)
	dst = append(dst, "id: "...)
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, "\nevent: "...)
	dst = append(dst, kind...)
	dst = append(dst, "\ndata: "...)
	dst = append(dst, data...)
	return append(dst, "\n\n"...)
}

// eventsOf encodes the events of an entry; it is the same for live events and
// for those read back from the journal.
func eventsOf(e *store.Entry) []*Event {
	if len(e.Events) == 0 {
		return nil
	}
	out := make([]*Event, len(e.Events))
	seq := e.FirstSeq()
	for i := range e.Events {
		src := &e.Events[i]
		ev := &Event{
			Seq: seq + uint64(i), Rev: e.Rev, Kind: src.Kind, audience: src.Audience,
			Ends: src.Kind == string(protocol.EventSessionReset),
		}
		if i == 0 && len(e.Notify) > 0 {
			ev.nodes = inlineNodes(e)
		}
		ev.Data = EventData(e, i)
		ev.frame = appendFrame(nil, ev.Seq, ev.Kind, ev.Data)
		out[i] = ev
	}
	return out
}

// EventData is the data of an entry's i-th event as streams have it: its own
// fields and the head that every event has, without inline nodes.
func EventData(e *store.Entry, i int) []byte {
	if i > 0 {
		return appendData(e.Events[i].Data, e, nil)
	}
	return appendData(e.Events[i].Data, e, e.Notify)
}

// appendData puts the head that every event has behind the event's own fields.
func appendData(own []byte, e *store.Entry, notify []byte) []byte {
	b := make([]byte, 0, len(own)+len(notify)+160)
	b = append(b, own[:len(own)-1]...)
	if len(own) > 2 {
		b = append(b, ',')
	}
	b = append(b, `"rev":`...)
	b = strconv.AppendUint(b, e.Rev, 10)
	b = append(b, `,"merkleRootHex":"`...)
	b = hex.AppendEncode(b, e.Root[:])
	b = append(b, `","merkleLeafCount":`...)
	b = strconv.AppendUint(b, uint64(e.LeafCount), 10)
	if len(notify) > 0 {
		b = append(b, `,"playerChainNotify":`...)
		b = append(b, notify...)
	}
	return append(b, '}')
}

// inlineNodes is the JSON array of an entry's changed nodes in the order of its
// notify.
func inlineNodes(e *store.Entry) []byte {
	var notify protocol.Notify
	if json.Unmarshal(e.Notify, &notify) != nil {
		return nil
	}
	rows := make(map[string][]byte, len(e.Rows))
	for i := range e.Rows {
		rows[e.Rows[i].Key] = e.Rows[i].JSON
	}
	b := []byte{'['}
	for i := range notify.Nodes {
		if i > 0 {
			b = append(b, ',')
		}
		ref := &notify.Nodes[i]
		if ref.StableKey == protocol.HeaderStableKey {
			b = appendHeaderNode(b, e.Header.SID, bounds(e.Header))
			continue
		}
		b = appendRowNode(b, ref.StableKey, rows[ref.StableKey])
	}
	return append(b, ']')
}
