package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// ParseNode reads one chain node as it travels. A node of kind occupant or space
// must say whether it is `removed`. Rows are kept whole, in canonical form, and
// checked as ParseOccupant and ParseSpace do. Every error is ErrNode.
func ParseNode(jsonText []byte) (protocol.ChainNode, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return protocol.ChainNode{}, fmt.Errorf("%w: %w", ErrNode, err)
	}
	if kind, _ := asText(field(text, "kind")); kind == protocol.NodeOccupant || kind == protocol.NodeSpace {
		if _, ok := asBool(field(text, "removed")); !ok {
			return protocol.ChainNode{}, badNode("removed", "a boolean")
		}
	}
	return readNode(text)
}

// readNode reads a canonical chain node; a `removed` that is absent is false.
func readNode(text []byte) (n protocol.ChainNode, err error) {
	if !isObject(text) {
		return n, fmt.Errorf("%w: it is no object", ErrNode)
	}
	n.Kind, _ = asText(field(text, "kind"))
	if n.StableKey, _ = asText(field(text, "stableKey")); n.StableKey == "" {
		return n, badNode("stableKey", "a string that is not empty")
	}
	switch n.Kind {
	case protocol.NodeGenesis:
		err = readGenesis(&n, text)
	case protocol.NodeHeader:
		err = readHeader(&n, text)
	case protocol.NodeOccupant, protocol.NodeSpace:
		err = readRowNode(&n, text)
	default:
		err = fmt.Errorf("%w: its kind %.50q is none of genesis, header, occupant, space", ErrNode, n.Kind)
	}
	return n, err
}

func readGenesis(n *protocol.ChainNode, text []byte) error {
	var ok bool
	if n.Text, ok = asText(field(text, "text")); !ok {
		return badNode("text", "a string")
	}
	if n.StableKey != GenesisStableKey {
		return badNode("stableKey", GenesisStableKey)
	}
	return nil
}

func readHeader(n *protocol.ChainNode, text []byte) error {
	var ok bool
	if n.SID, ok = asText(field(text, "sid")); !ok {
		return badNode("sid", "a string")
	}
	if n.StableKey != HeaderStableKey {
		return badNode("stableKey", HeaderStableKey)
	}
	bounds, ok := asBounds(field(text, "bounds"))
	if !ok {
		return badNode("bounds", "an object of the numbers minX, minY, maxX and maxY")
	}
	n.Bounds = &bounds
	return nil
}

func readRowNode(n *protocol.ChainNode, text []byte) error {
	if removed := field(text, "removed"); removed != nil {
		var ok bool
		if n.Removed, ok = asBool(removed); !ok {
			return badNode("removed", "a boolean")
		}
	}
	if n.Removed {
		return nil
	}
	row := field(text, n.Kind)
	if row == nil {
		return badNode(n.Kind, "there unless the node is removed")
	}
	var err error
	if n.Kind == protocol.NodeSpace {
		n.Space = row
		_, err = readSpace(row)
	} else {
		n.Occupant = row
		_, err = readHead(row)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNode, err)
	}
	return nil
}

func badNode(name, want string) error { return fmt.Errorf("%w: %w", ErrNode, fieldError(name, want)) }

// asBounds is the bounds that a value is; false if it lacks one of the four.
func asBounds(value []byte) (b protocol.Bounds, ok bool) {
	found := 0
	for name, v := range fields(value) {
		var at *float64
		switch string(name) {
		case "minX":
			at = &b.MinX
		case "minY":
			at = &b.MinY
		case "maxX":
			at = &b.MaxX
		case "maxY":
			at = &b.MaxY
		default:
			continue
		}
		if *at, ok = asNumber(v); !ok {
			return b, false
		}
		found++
	}
	return b, found == 4
}
