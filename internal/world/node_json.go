package world

import (
	"encoding/json"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// appendRowNode appends the chain node of an occupant or a space; row nil means
// that it was removed. It is what chain.AppendNode makes of a tree, for an entry
// of the journal, which has rows and no tree.
func appendRowNode(dst []byte, key string, row []byte) []byte {
	field := protocol.NodeOccupant
	if strings.HasPrefix(key, "space:") {
		field = protocol.NodeSpace
	}
	dst = append(dst, `{"kind":"`...)
	dst = append(dst, field...)
	dst = append(dst, `","stableKey":`...)
	dst = appendString(dst, key)
	if row == nil {
		return append(dst, `,"removed":true}`...)
	}
	dst = append(dst, `,"removed":false,"`...)
	dst = append(dst, field...)
	dst = append(dst, `":`...)
	dst = append(dst, row...)
	return append(dst, '}')
}

func appendHeaderNode(dst []byte, sid string, b protocol.Bounds) []byte {
	out, err := json.Marshal(protocol.ChainNode{
		Kind: protocol.NodeHeader, StableKey: protocol.HeaderStableKey, SID: sid, Bounds: &b,
	})
	if err != nil {
		panic("world: a header node of plain values does not marshal: " + err.Error())
	}
	return append(dst, out...)
}

// headerLeaf is the chain's header.
func headerLeaf(h *store.Header) *chain.Leaf {
	leaf, err := chain.HeaderLeaf(h.SID, bounds(h))
	if err != nil {
		panic("world: a header of plain values has no leaf: " + err.Error())
	}
	return leaf
}

// appendString appends a JSON string.
func appendString(dst []byte, s string) []byte {
	out, err := chain.AppendString(dst, s)
	if err != nil {
		// Only invalid UTF-8 fails, and a body that has any is refused.
		return append(dst, `""`...)
	}
	return out
}

func bounds(h *store.Header) protocol.Bounds {
	return protocol.Bounds{
		MinX: float64(h.MinX), MinY: float64(h.MinY),
		MaxX: float64(h.MaxX), MaxY: float64(h.MaxY),
	}
}
