package chain

import (
	"fmt"
	"reflect"

	"github.com/playctl/playctl/protocol"
)

// Node returns the chain node of a tree's leaf, as a host serves it. For a key that
// is not in the tree it returns a removed occupant or space; a text that is not a
// stable key is ErrStableKey.
func (t *Tree) Node(key string) (protocol.ChainNode, error) {
	kind, err := NodeKind(key)
	if err != nil {
		return protocol.ChainNode{}, err
	}
	n := protocol.ChainNode{Kind: kind, StableKey: key}
	leaf := t.Get(key)
	switch {
	case leaf == nil && (kind == protocol.NodeGenesis || kind == protocol.NodeHeader):
		return n, fmt.Errorf("%w: the chain has no %s", ErrNode, key)
	case leaf == nil:
		n.Removed = true
	case kind == protocol.NodeGenesis:
		n.Text = string(leaf.Payload())
	case kind == protocol.NodeHeader:
		err = readHeader(&n, leaf.Payload())
	case kind == protocol.NodeSpace:
		n.Space = leaf.Payload()
	default:
		n.Occupant = leaf.Payload()
	}
	return n, err
}

// NodeLeaf returns the leaf of a node, under the row's own key; nil for a removed
// one. A node without its row is ErrNode.
func NodeLeaf(n protocol.ChainNode) (*Leaf, error) {
	switch {
	case n.Kind == protocol.NodeGenesis:
		return GenesisLeaf(n.Text), nil
	case n.Kind == protocol.NodeHeader && n.Bounds != nil:
		return HeaderLeaf(n.SID, *n.Bounds)
	case n.Kind == protocol.NodeHeader:
		return nil, badNode("bounds", "there")
	case n.Kind != protocol.NodeOccupant && n.Kind != protocol.NodeSpace:
		return nil, fmt.Errorf("%w: its kind %.50q is not genesis, header, occupant or space", ErrNode, n.Kind)
	case n.Removed:
		return nil, nil //nolint:nilnil // a removed row has no leaf, and the doc comment says so
	case n.Kind == protocol.NodeSpace:
		return ParseSpaceLeaf(n.Space)
	}
	return ParseOccupantLeaf(n.Occupant)
}

// AnswersFor checks that a node is the answer to a read of the given key: both the
// node's key and its row's own key are that key. The error is ErrNode.
func AnswersFor(n protocol.ChainNode, key string) error {
	_, err := leafFor(&n, key)
	return err
}

// leafFor does the same as AnswersFor, and returns the leaf of the node.
func leafFor(n *protocol.ChainNode, key string) (*Leaf, error) {
	if err := isNamed(n, key); err != nil {
		return nil, err
	}
	leaf, err := NodeLeaf(*n)
	if err == nil && leaf != nil && leaf.key != key {
		err = fmt.Errorf("%w: asked for %.200q, its row is %.200q", ErrNode, key, leaf.key)
	}
	return leaf, err
}

// isNamed checks that a node names the given key and is of its kind.
func isNamed(n *protocol.ChainNode, key string) error {
	if n.StableKey != key {
		return fmt.Errorf("%w: asked for %.200q, it is %.200q", ErrNode, key, n.StableKey)
	}
	if want, err := NodeKind(key); err == nil && want != n.Kind {
		return fmt.Errorf("%w: asked for %.200q, it is of kind %.50q", ErrNode, key, n.Kind)
	}
	return nil
}

// readNode reads a canonical chain node; an absent `removed` is false.
func readNode(text []byte) (n protocol.ChainNode, err error) {
	if !isObject(text) {
		return n, fmt.Errorf("%w: %w", ErrNode, errNoObject)
	}
	n.Kind, _ = asText(field(text, "kind"))
	if n.StableKey, _ = asText(field(text, "stableKey")); n.StableKey == "" {
		return n, badNode("stableKey", "a non-empty string")
	}
	switch n.Kind {
	case protocol.NodeGenesis:
		err = readGenesis(&n, text)
	case protocol.NodeHeader:
		err = readHeader(&n, text)
	case protocol.NodeOccupant, protocol.NodeSpace:
		err = readRowNode(&n, text)
	default:
		err = fmt.Errorf("%w: its kind %.50q is not genesis, header, occupant or space", ErrNode, n.Kind)
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
	b, err := readBounds(field(text, "bounds"))
	if err != nil {
		return fmt.Errorf("%w: its bounds: %w", ErrNode, err)
	}
	n.Bounds = &b
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
		_, err = readRow(row, true)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNode, err)
	}
	return nil
}

func badNode(name, want string) error { return fmt.Errorf("%w: %w", ErrNode, fieldError(name, want)) }

// readBounds reads canonical bounds.
func readBounds(text []byte) (b protocol.Bounds, err error) {
	err = bounds().read(reflect.ValueOf(&b).Elem(), text, false)
	return b, err
}
