package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// NodeOf is the chain node of a tree's leaf, as a host serves it. A key that is
// not in the tree is a removed occupant or space; one that is no stable key is
// ErrStableKey.
func NodeOf(t *Tree, key string) (protocol.ChainNode, error) {
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

// AppendNode appends the JSON of NodeOf to dst without decoding anything.
func AppendNode(dst []byte, t *Tree, key string) ([]byte, error) {
	kind, err := NodeKind(key)
	if err != nil {
		return dst, err
	}
	leaf := t.Get(key)
	e := encoder{out: dst}
	e.open('{')
	e.textMember("kind", kind)
	e.textMember("stableKey", key)
	switch {
	case leaf == nil && (kind == protocol.NodeGenesis || kind == protocol.NodeHeader):
		return dst, fmt.Errorf("%w: the chain has no %s", ErrNode, key)
	case leaf == nil:
		e.boolMember("removed", true)
	case kind == protocol.NodeGenesis:
		e.textMember("text", string(leaf.Payload()))
	case kind == protocol.NodeHeader:
		e.key("sid")
		e.raw(string(field(leaf.Payload(), "sid")))
		e.key("bounds")
		e.raw(string(field(leaf.Payload(), "bounds")))
	default:
		e.boolMember("removed", false)
		e.key(kind)
		e.out = append(e.out, leaf.Payload()...)
	}
	e.close('}')
	if e.err != nil {
		return dst, e.err
	}
	return e.out, nil
}

// NodeLeaf is the leaf that a node stands for, under the row's own key; nil for
// a removed one. A node without its row is ErrNode.
func NodeLeaf(n protocol.ChainNode) (*Leaf, error) {
	switch {
	case n.Kind == protocol.NodeGenesis:
		return GenesisLeaf(n.Text), nil
	case n.Kind == protocol.NodeHeader && n.Bounds != nil:
		return HeaderLeaf(n.SID, *n.Bounds)
	case n.Kind == protocol.NodeHeader:
		return nil, badNode("bounds", "there")
	case n.Kind != protocol.NodeOccupant && n.Kind != protocol.NodeSpace:
		return nil, fmt.Errorf("%w: its kind %.50q is none of genesis, header, occupant, space", ErrNode, n.Kind)
	case n.Removed:
		return nil, nil //nolint:nilnil // a removed row has no leaf, and the doc comment says so
	case n.Kind == protocol.NodeSpace:
		return ParseSpaceLeaf(n.Space)
	}
	return ParseOccupantLeaf(n.Occupant)
}

// AnswersFor checks that a node is an answer to a question for the given key:
// the key it names and its row's own key are both that one. The error is
// ErrNode.
func AnswersFor(n protocol.ChainNode, key string) error {
	if n.StableKey != key {
		return fmt.Errorf("%w: asked for %.200q, it is %.200q", ErrNode, key, n.StableKey)
	}
	if want, err := NodeKind(key); err == nil && want != n.Kind {
		return fmt.Errorf("%w: asked for %.200q, it is of kind %.50q", ErrNode, key, n.Kind)
	}
	leaf, err := NodeLeaf(n)
	if err != nil {
		return err
	}
	if leaf != nil && leaf.key != key {
		return fmt.Errorf("%w: asked for %.200q, its row is %.200q", ErrNode, key, leaf.key)
	}
	return nil
}
