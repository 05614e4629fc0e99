package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// EventState is what an event's data says about the chain. Rev is nil and
// MerkleRootHex empty on hosts that do not say; Notify is nil if the map did not
// change; Inline is nil if the event carries no nodes.
type EventState struct {
	Rev             *uint64
	MerkleRootHex   string
	MerkleLeafCount int
	Notify          *protocol.Notify
	Inline          []protocol.ChainNode
}

// ParseEventState reads the chain's part of an event's data in one pass. A
// malformed notify is ErrNotify, malformed inline nodes are ErrNode; what could
// be read up to there is returned with the error.
func ParseEventState(data []byte) (EventState, error) {
	var s EventState
	text, err := Canonicalize(nil, data)
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrNotify, err)
	}
	var notify, inline []byte
	for name, value := range fields(text) {
		switch string(name) {
		case "rev":
			s.Rev = asRev(value)
		case "merkleRootHex":
			s.MerkleRootHex, _ = asText(value)
		case "merkleLeafCount":
			n, _ := asCount(value)
			s.MerkleLeafCount = int(n)
		case "playerChainNotify":
			notify = value
		case "playerChainNodes":
			inline = value
		}
	}
	if s.Notify, err = readOptionalNotify(notify); err == nil && isArray(inline) {
		s.Inline, err = readNodes(inline, MaxNotifyNodes)
	}
	return s, err
}

// CheckInline checks that an event's inline nodes are those of its notify, in
// its order. The error is ErrNode.
func (s *EventState) CheckInline() error {
	var refs []protocol.NodeRef
	if s.Notify != nil {
		refs = s.Notify.Nodes
	}
	if len(s.Inline) != len(refs) {
		return fmt.Errorf("%w: there are %d inline nodes for %d refs", ErrNode, len(s.Inline), len(refs))
	}
	for i := range s.Inline {
		if err := AnswersFor(s.Inline[i], refs[i].StableKey); err != nil {
			return err
		}
	}
	return nil
}
