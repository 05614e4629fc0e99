package protocol

import "strings"

// The prefixes of the stable keys of rows and spaces.
const (
	AgentKeyPrefix     = "agent:"
	MCPKeyPrefix       = "mcp:"
	HumanKeyPrefix     = "human:"
	StructureKeyPrefix = "structure:"
	SpaceKeyPrefix     = "space:"
)

// NodeKindOf gives the kind of chain node that a stable key names: NodeGenesis,
// NodeHeader, NodeOccupant or NodeSpace; "" for a text that is no stable key.
func NodeKindOf(stableKey string) string {
	switch stableKey {
	case GenesisStableKey:
		return NodeGenesis
	case HeaderStableKey:
		return NodeHeader
	}
	if strings.HasPrefix(stableKey, SpaceKeyPrefix) {
		return NodeSpace
	}
	for _, p := range []string{AgentKeyPrefix, MCPKeyPrefix, HumanKeyPrefix, StructureKeyPrefix} {
		if strings.HasPrefix(stableKey, p) {
			return NodeOccupant
		}
	}
	return ""
}
