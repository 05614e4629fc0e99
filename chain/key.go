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
	case strings.HasPrefix(key, protocol.SpaceKeyPrefix):
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
	kind := protocol.NodeKindOf(key)
	if kind == "" {
		return "", fmt.Errorf("%w: %.200q is neither %s nor %s and has no known prefix (agent:, mcp:, human:, structure:, space:)",
			ErrStableKey, key, GenesisStableKey, HeaderStableKey)
	}
	return kind, nil
}
