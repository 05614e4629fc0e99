package world

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// Event is one event of the stream, encoded once and shared by every
// subscriber. It is immutable.
type Event struct {
	// Seq is the event's id.
	Seq uint64
	// Rev is the world's rev as of this event.
	Rev uint64
	// At is the time of the event's commit in milliseconds since the Unix epoch.
	At int64
	// Kind is the event's name.
	Kind string
	// Data is the event's JSON object with its head (rev, root, leaf count and
	// notify), without inline nodes.
	Data []byte
	// Ends reports whether streams end with this event (a session reset).
	Ends bool

	audience []string
	// private is the frame that the asker of an intercom request gets instead.
	private *privateFrame
	// frame has Data in it.
	frame []byte
	// nodes is the additional member of inline frames, with its comma; nil where there
	// is no notify.
	nodes []byte
}

// size returns about how many bytes of memory the event takes.
func (e *Event) size() int {
	size := 256 + cap(e.frame) + cap(e.nodes)
	if e.private != nil {
		size += len(e.private.frame)
	}
	return size
}

// IsPublic reports whether the event has no limited audience.
func (e *Event) IsPublic() bool { return len(e.audience) == 0 }

// Shared reports whether every caller gets the same frame.
func (e *Event) Shared() bool { return len(e.audience) == 0 && e.private == nil }

// VisibleTo reports whether a caller may see the event.
func (e *Event) VisibleTo(c Caller) bool {
	if len(e.audience) == 0 || c.Admin {
		return true
	}
	if c.Unchecked && c.NodeID == "" {
		// Without a repository any caller may take any name, so nothing can be hidden from
		// a caller without one.
		return true
	}
	if c.NodeID != "" && slices.Contains(e.audience, c.NodeID) {
		return true
	}
	return c.Viewer != "" && slices.Contains(e.audience, c.Viewer)
}

// frameEnd is how a frame ends: the brace of its data and the blank line.
const frameEnd = "}\n\n"

// inlineFrame is the frame with the changed nodes inside the data, in parts.
func (e *Event) inlineFrame() [3][]byte {
	if e.nodes == nil {
		return [3][]byte{e.frame}
	}
	end := len(e.frame) - len(frameEnd)
	return [3][]byte{e.frame[:end], e.nodes, e.frame[end:]}
}

// InlineData is Data with the changed nodes, in parts.
func (e *Event) InlineData() [3][]byte {
	end := len(e.Data) - 1
	return [3][]byte{e.Data[:end], e.nodes, e.Data[end:]}
}

// frameHead returns a frame up to its data, with room for the data and the frame's end.
func frameHead(seq uint64, kind string, room int) []byte {
	b := make([]byte, 0, len("id: \nevent: \ndata: \n\n")+20+len(kind)+room)
	b = append(b, "id: "...)
	b = strconv.AppendUint(b, seq, 10)
	b = append(b, "\nevent: "...)
	b = append(b, kind...)
	return append(b, "\ndata: "...)
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
			Seq: seq + uint64(i), Rev: e.Rev, At: e.At, Kind: src.Kind, audience: src.Audience,
			Ends: src.Kind == string(protocol.EventSessionReset),
		}
		if i == 0 && len(e.Notify) > 0 {
			ev.nodes = inlineNodes(e)
		}
		head := frameHead(ev.Seq, ev.Kind, dataRoom(e, i))
		full := appendData(head, e, i)
		ev.Data = full[len(head):len(full):len(full)]
		full = append(full, "\n\n"...)
		ev.frame = full
		out[i] = ev
	}
	return out
}

// dataRoom is room enough for what appendData adds.
func dataRoom(e *store.Entry, i int) int { return len(e.Events[i].Data) + len(notifyOf(e, i)) + 160 }

// notifyOf is the notify of an entry's i-th event: the first has it.
func notifyOf(e *store.Entry, i int) []byte {
	if i > 0 {
		return nil
	}
	return e.Notify
}

// appendData adds the data of an entry's i-th event as streams have it: its own
// fields and the head that every event has, without inline nodes.
func appendData(b []byte, e *store.Entry, i int) []byte {
	own := e.Events[i].Data
	b = append(b, own[:len(own)-1]...)
	if len(own) > 2 {
		b = append(b, ',')
	}
	b = append(b, `"rev":`...)
	b = strconv.AppendUint(b, e.Rev, 10)
	b = append(b, ',')
	return appendChain(b, e, i)
}

// appendChain adds the last fields of an object about an entry's i-th event: what the
// map is after it.
func appendChain(b []byte, e *store.Entry, i int) []byte {
	b = append(b, `"merkleRootHex":"`...)
	b = hex.AppendEncode(b, e.Root[:])
	b = append(b, `","merkleLeafCount":`...)
	b = strconv.AppendUint(b, uint64(e.LeafCount), 10)
	if notify := notifyOf(e, i); len(notify) > 0 {
		b = append(b, `,"playerChainNotify":`...)
		b = append(b, notify...)
	}
	return append(b, '}')
}

// inlineNodes is the member with an entry's changed nodes in the order of its
// notify.
func inlineNodes(e *store.Entry) []byte {
	var notify protocol.Notify
	if json.Unmarshal(e.Notify, &notify) != nil {
		return nil
	}
	rows, room := make(map[string][]byte, len(e.Rows)), 64
	for i := range e.Rows {
		rows[e.Rows[i].Key] = e.Rows[i].JSON
		room += 2*len(e.Rows[i].Key) + len(e.Rows[i].JSON) + 64
	}
	b := append(make([]byte, 0, room), `,"playerChainNodes":[`...)
	for i := range notify.Nodes {
		if i > 0 {
			b = append(b, ',')
		}
		ref := &notify.Nodes[i]
		if ref.StableKey == protocol.HeaderStableKey {
			b = appendHeaderNode(b, e.Header.SID, replay.Bounds(e.Header))
			continue
		}
		b = appendRowNode(b, ref.StableKey, rows[ref.StableKey])
	}
	return append(b, ']')
}

// appendRowNode appends the chain node of an occupant or a space; row nil means
// that it was removed. It is for an entry of the journal, which has rows and no
// tree.
func appendRowNode(dst []byte, key string, row []byte) []byte {
	n := protocol.ChainNode{Kind: protocol.NodeKindOf(key), StableKey: key, Removed: row == nil}
	if n.Kind == protocol.NodeSpace {
		n.Space = row
	} else {
		n.Occupant = row
	}
	return appendNode(dst, &n)
}

func appendHeaderNode(dst []byte, sid string, b protocol.Bounds) []byte {
	return appendNode(dst, &protocol.ChainNode{
		Kind: protocol.NodeHeader, StableKey: protocol.HeaderStableKey, SID: sid, Bounds: &b,
	})
}

func appendNode(dst []byte, n *protocol.ChainNode) []byte {
	out, err := n.AppendJSON(dst)
	if err != nil {
		panic("world: a chain node of plain values has no JSON: " + err.Error())
	}
	return out
}

// Envelopes encodes the public events of an entry, in order, each as a
// protocol.FanoutEnvelope for a pub/sub channel. The store publishes them within the
// entry's commit. An envelope's data is that of streams, without inline nodes: a
// receiver that forwards it unchanged gives its clients the same data as this host.
func Envelopes(e *store.Entry) [][]byte {
	var envelopes [][]byte
	for i := range e.Events {
		if len(e.Events[i].Audience) == 0 {
			envelopes = append(envelopes, envelope(e, i))
		}
	}
	return envelopes
}

// envelope writes the JSON itself: its parts are JSON already, and every attempt
// of a commit needs it.
func envelope(e *store.Entry, i int) []byte {
	b := make([]byte, 0, dataRoom(e, i)+len(notifyOf(e, i))+200)
	b = append(b, `{"rev":`...)
	b = strconv.AppendUint(b, e.Rev, 10)
	// The kinds are the protocol's names, which need no escapes.
	b = append(b, `,"event":"`...)
	b = append(b, e.Events[i].Kind...)
	b = append(b, `","data":`...)
	b = appendData(b, e, i)
	b = append(b, ',')
	return appendChain(b, e, i)
}
