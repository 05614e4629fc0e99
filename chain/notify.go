package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/playctl/playctl/protocol"
)

// MaxNotifyNodes is the greatest number of refs in a notify, and of inline nodes in
// an event. A world of any sensible size stays far below it; if a host sends more,
// the client reads the whole snapshot.
const MaxNotifyNodes = 1 << 16

// ParseFanoutNotify parses a `playerChainNotify`. It requires a nonempty updatedAt
// and a list of nodes that each have a nonempty stableKey and a leafIndex, which
// may be any number. Anything else is ErrNotify.
func ParseFanoutNotify(jsonText []byte) (*protocol.Notify, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotify, err)
	}
	return readNotify(text)
}

// ParseFanoutNotifyFromSSEPayload parses the `playerChainNotify` of an event's
// data. An event without one, or with null, changed nothing: both the notify and
// the error are nil. A malformed one is ErrNotify.
func ParseFanoutNotifyFromSSEPayload(data []byte) (*protocol.Notify, error) {
	text, err := Canonicalize(nil, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotify, err)
	}
	return readOptionalNotify(field(text, "playerChainNotify"))
}

// readOptionalNotify reads a notify that may be absent or null.
func readOptionalNotify(value []byte) (*protocol.Notify, error) {
	if value == nil || string(value) == "null" {
		return nil, nil //nolint:nilnil // no notify is not an error, and the doc comment says so
	}
	return readNotify(value)
}

func readNotify(text []byte) (*protocol.Notify, error) {
	updatedAt, _ := asText(field(text, "updatedAt"))
	nodes := field(text, "nodes")
	switch {
	case !isObject(text):
		return nil, fmt.Errorf("%w: %w", ErrNotify, errNoObject)
	case updatedAt == "":
		return nil, fmt.Errorf("%w: updatedAt is missing, empty or not a string", ErrNotify)
	case !isArray(nodes):
		return nil, fmt.Errorf("%w: nodes is missing or not a list", ErrNotify)
	}
	n := &protocol.Notify{UpdatedAt: updatedAt, Nodes: []protocol.NodeRef{}}
	for item := range items(nodes) {
		if len(n.Nodes) == MaxNotifyNodes {
			return nil, fmt.Errorf("%w: %w: more than %d nodes", ErrNotify, ErrTooMany, MaxNotifyNodes)
		}
		ref, err := readRef(item)
		if err != nil {
			return nil, fmt.Errorf("%w: node %d: %w", ErrNotify, len(n.Nodes), err)
		}
		n.Nodes = append(n.Nodes, ref)
	}
	return n, nil
}

func readRef(text []byte) (ref protocol.NodeRef, err error) {
	hasIndex, goodRemoved := false, true
	for name, value := range fields(text) {
		switch string(name) {
		case "stableKey":
			ref.StableKey, _ = asText(value)
		case "leafIndex":
			ref.LeafIndex, hasIndex = asNumber(value)
		case "removed":
			ref.Removed, goodRemoved = asBool(value)
		case "updatedAt":
			ref.UpdatedAt, _ = asText(value)
		}
	}
	switch {
	case ref.StableKey == "":
		return ref, fieldError("stableKey", "a non-empty string")
	case !hasIndex:
		return ref, fieldError("leafIndex", "a number")
	case !goodRemoved:
		return ref, fieldError("removed", "a boolean")
	}
	return ref, nil
}

// fieldError returns an error that says what a field must be; the caller adds the
// place and the kind of error.
func fieldError(name, want string) error {
	return fmt.Errorf("%s must be %s", strconv.Quote(name), want)
}

// SortNodeRefsForSerializedFetch returns the order in which a client that reads
// nodes one by one requests them: removals by descending leafIndex, then the others
// by ascending leafIndex. Equal ones keep their order; refs is not changed.
func SortNodeRefsForSerializedFetch(refs []protocol.NodeRef) []protocol.NodeRef {
	sorted := slices.Clone(refs)
	slices.SortStableFunc(sorted, func(a, b protocol.NodeRef) int {
		switch {
		case a.Removed && b.Removed:
			return cmp.Compare(b.LeafIndex, a.LeafIndex)
		case a.Removed:
			return -1
		case b.Removed:
			return 1
		}
		return cmp.Compare(a.LeafIndex, b.LeafIndex)
	})
	return sorted
}

// EventState is the chain's part of an event's data. Rev is nil and MerkleRootHex
// empty if the host does not state them; Notify is nil if the map did not change;
// Inline is nil if the event has no nodes.
type EventState struct {
	Rev             *uint64
	MerkleRootHex   string
	MerkleLeafCount int
	Notify          *protocol.Notify
	Inline          []protocol.ChainNode
}

// ParseEventState parses the chain's part of an event's data in one pass. A
// malformed notify is ErrNotify, malformed inline nodes are ErrNode; the parts
// before them are returned with the error.
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

// CheckInline checks that the keys of an event's inline nodes are those of its
// notify, in the same order. That their rows have these keys is checked by
// Copy.Merge. The error is ErrNode.
func (s *EventState) CheckInline() error {
	var refs []protocol.NodeRef
	if s.Notify != nil {
		refs = s.Notify.Nodes
	}
	if len(s.Inline) != len(refs) {
		return fmt.Errorf("%w: there are %d inline nodes for %d refs", ErrNode, len(s.Inline), len(refs))
	}
	for i := range s.Inline {
		if err := isNamed(&s.Inline[i], refs[i].StableKey); err != nil {
			return err
		}
	}
	return nil
}
