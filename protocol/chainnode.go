package protocol

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// The kinds of a player-chain node.
const (
	NodeGenesis  = "genesis"
	NodeHeader   = "header"
	NodeOccupant = "occupant"
	NodeSpace    = "space"
)

// Fan-out keys of the two leaves that every chain has.
const (
	GenesisStableKey = "__genesis__"
	HeaderStableKey  = "__header__"
)

// ChainNode is one node of the player chain as the host serves it: exactly one
// of a genesis text, a header, a present or a removed occupant or space.
type ChainNode struct {
	// Kind is genesis, header, occupant or space.
	Kind      string `json:"kind"`
	StableKey string `json:"stableKey"`
	// Text is the text of the genesis node.
	Text string `json:"text,omitempty"`
	// SID is the session, in the header.
	SID string `json:"sid,omitempty"`
	// Bounds are the corners of the map, in the header.
	Bounds *Bounds `json:"bounds,omitempty"`
	// Removed reports whether an occupant or a space has left the map.
	Removed bool `json:"removed,omitempty"`
	// Occupant is the row of an occupant.
	Occupant json.RawMessage `json:"occupant,omitempty"`
	// Space is the row of a space.
	Space json.RawMessage `json:"space,omitempty"`
}

// AppendJSON appends the node's wire form to dst: the fields of its kind, with
// `removed` on occupants and spaces only. Rows are copied unchanged. It fails on
// bounds that are not finite.
func (n *ChainNode) AppendJSON(dst []byte) ([]byte, error) {
	dst = appendString(append(dst, `{"kind":`...), n.Kind)
	dst = appendString(append(dst, `,"stableKey":`...), n.StableKey)
	row := n.Occupant
	switch n.Kind {
	case NodeGenesis:
		dst = appendString(append(dst, `,"text":`...), n.Text)
	case NodeHeader:
		bounds, err := json.Marshal(n.Bounds)
		if err != nil {
			return nil, fmt.Errorf("encode the bounds of the chain's header: %w", err)
		}
		dst = appendString(append(dst, `,"sid":`...), n.SID)
		dst = append(append(dst, `,"bounds":`...), bounds...)
	case NodeSpace:
		row = n.Space
		fallthrough
	case NodeOccupant:
		dst = strconv.AppendBool(append(dst, `,"removed":`...), n.Removed)
		if len(row) > 0 {
			dst = append(append(dst, `,"`+n.Kind+`":`...), row...)
		}
	}
	return append(dst, '}'), nil
}

// MarshalJSON writes the node as AppendJSON does.
func (n ChainNode) MarshalJSON() ([]byte, error) { return n.AppendJSON(nil) }

// UnmarshalJSON reads the fields of a node without checking that they form one;
// chain.ParseNodeRPCBody does. An absent `removed` is false.
func (n *ChainNode) UnmarshalJSON(b []byte) error {
	type plain ChainNode
	n.Removed = false
	return unmarshalExact(b, (*plain)(n))
}

// Notify is `playerChainNotify`: the leaves that an event changed, removals first
// by descending index in the previous chain, then the rest by ascending index in
// the next one.
type Notify struct {
	UpdatedAt string    `json:"updatedAt" rule:"form=stamp"`
	Nodes     []NodeRef `json:"nodes" rule:"items=1.."`
}

// NodeRef names one changed leaf. LeafIndex is a float because readers accept
// any number there.
type NodeRef struct {
	StableKey string  `json:"stableKey" rule:"form=stableKey"`
	LeafIndex float64 `json:"leafIndex" rule:"form=cell,range=0.."`
	Removed   bool    `json:"removed,omitempty" rule:"const=true"`
	UpdatedAt string  `json:"updatedAt,omitempty" rule:"form=stamp"`
}
