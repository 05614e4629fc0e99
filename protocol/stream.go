package protocol

import "fmt"

// StreamEvent is one event as a stream carries it.
type StreamEvent struct {
	// Seq is its position in the host's log; 0 where HasSeq is false.
	Seq uint64
	// HasSeq is false on hosts that number no events: their streams cannot be
	// resumed.
	HasSeq bool
	// Kind is the event's name, such as `world:interaction`.
	Kind EventKind
	// Data is its JSON text, not yet parsed.
	Data []byte
}

// Decode reads the event's data into v, such as an *Interaction.
func (e *StreamEvent) Decode(v any) error { return Decode(e.Data, v) }

// String names the event in a message, without its data.
func (e *StreamEvent) String() string {
	if !e.HasSeq {
		return string(e.Kind)
	}
	return fmt.Sprintf("%d (%s)", e.Seq, e.Kind)
}
