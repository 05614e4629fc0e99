package chain

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// The stable keys of the two leaves that every chain has.
const (
	GenesisStableKey = protocol.GenesisStableKey
	HeaderStableKey  = protocol.HeaderStableKey
)

// The prefixes of the stable keys of rows.
const (
	agentPrefix     = "agent:"
	mcpPrefix       = "mcp:"
	humanPrefix     = "human:"
	structurePrefix = "structure:"
	spacePrefix     = "space:"
)

// The four runs of leaves, in chain order.
const (
	rankGenesis = iota
	rankHeader
	rankOccupant
	rankSpace
)

func rank(key string) int {
	switch {
	case key == GenesisStableKey:
		return rankGenesis
	case key == HeaderStableKey:
		return rankHeader
	case strings.HasPrefix(key, spacePrefix):
		return rankSpace
	}
	return rankOccupant
}

// CompareKeys orders two stable keys as their leaves are ordered in the chain:
// genesis, header, occupants, spaces, and within these by the keys' bytes.
func CompareKeys(a, b string) int {
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// NodeKind is the kind of chain node that a stable key names, one of the
// protocol.Node constants. A key that names none is ErrStableKey (code
// `stable_key_unknown`).
func NodeKind(key string) (string, error) {
	switch {
	case key == GenesisStableKey:
		return protocol.NodeGenesis, nil
	case key == HeaderStableKey:
		return protocol.NodeHeader, nil
	case strings.HasPrefix(key, spacePrefix):
		return protocol.NodeSpace, nil
	case strings.HasPrefix(key, agentPrefix), strings.HasPrefix(key, mcpPrefix),
		strings.HasPrefix(key, humanPrefix), strings.HasPrefix(key, structurePrefix):
		return protocol.NodeOccupant, nil
	}
	return "", fmt.Errorf("%w: %.200q; it is neither %s nor %s and starts with none of agent:, mcp:, human:, structure:, space:",
		ErrStableKey, key, GenesisStableKey, HeaderStableKey)
}
