package world

import "github.com/playctl/playctl/protocol"

// appendRowNode appends the chain node of an occupant or a space; row nil means
// that it was removed. It is for an entry of the journal, which has rows and no
// tree.
func appendRowNode(dst []byte, key string, row []byte) []byte {
	n := protocol.ChainNode{Kind: protocol.NodeKindOf(key), StableKey: key, Removed: row == nil}
	if n.Kind == protocol.NodeSpace {
		n.Space = row
	} else {
		n.Occupant = row
	}
	return appendNode(dst, &n)
}

func appendHeaderNode(dst []byte, sid string, b protocol.Bounds) []byte {
	return appendNode(dst, &protocol.ChainNode{
		Kind: protocol.NodeHeader, StableKey: protocol.HeaderStableKey, SID: sid, Bounds: &b,
	})
}

func appendNode(dst []byte, n *protocol.ChainNode) []byte {
	out, err := n.AppendJSON(dst)
	if err != nil {
		panic("world: a chain node of plain values has no JSON: " + err.Error())
	}
	return out
}
