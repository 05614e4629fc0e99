package protocol

import "encoding/json"

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
	Kind      string          `json:"kind"`
	StableKey string          `json:"stableKey"`
	Text      string          `json:"text,omitempty"`
	SID       string          `json:"sid,omitempty"`
	Bounds    *Bounds         `json:"bounds,omitempty"`
	Removed   bool            `json:"-"`
	Occupant  json.RawMessage `json:"occupant,omitempty"`
	Space     json.RawMessage `json:"space,omitempty"`
}

// MarshalJSON writes the fields of the node's kind; `removed` is always there
// on occupants and spaces and never elsewhere.
func (n ChainNode) MarshalJSON() ([]byte, error) {
	type plain ChainNode
	if n.Kind != NodeOccupant && n.Kind != NodeSpace {
		return json.Marshal(plain(n))
	}
	return json.Marshal(struct {
		plain
		Removed bool `json:"removed"`
	}{plain(n), n.Removed})
}

// UnmarshalJSON reads the fields of a node without checking that they make one;
// chain.ParseNode reads strictly. An absent `removed` is false.
func (n *ChainNode) UnmarshalJSON(b []byte) error {
	type plain ChainNode
	w := struct {
		*plain
		Removed bool `json:"removed"`
	}{plain: (*plain)(n)}
	w.plain.Removed = false
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	n.Removed = w.Removed
	return nil
}

// Notify is `playerChainNotify`: which leaves an event changed, removals first
// by descending index in the previous chain, then the rest by ascending index
// in the next one.
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
