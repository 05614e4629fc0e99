package chain

import (
	"encoding/json"
	"iter"

	"github.com/playctl/playctl/protocol"
)

// Wire is the snapshot in the form that travels.
func (s *Snapshot) Wire() protocol.Snapshot {
	w := protocol.Snapshot{
		SID: s.head.SID, MainNodeID: s.head.MainNodeID, Rev: s.head.Rev, Seq: s.head.Seq,
		MerkleRootHex: s.Root().Hex(), MerkleLeafCount: s.LeafCount(),
		WorldMap:   protocol.WorldMap{Bounds: s.head.Bounds, Occupants: rawRows(s.tree.Occupants())},
		Spaces:     rawRows(s.tree.Spaces()),
		MCPServers: s.MCPServers(),
	}
	return w
}

// rawRows lists the payloads of leaves.
func rawRows(leaves iter.Seq2[int, *Leaf]) []json.RawMessage {
	rows := []json.RawMessage{}
	for _, leaf := range leaves {
		rows = append(rows, leaf.Payload())
	}
	return rows
}

// AppendJSON appends the snapshot as it travels to dst: rows in chain order,
// the root and the leaf count computed from them, mcpServers derived from the
// mcp rows. Rev and seq are absent where they are not known.
func (s *Snapshot) AppendJSON(dst []byte) ([]byte, error) {
	e := encoder{out: dst}
	e.open('{')
	e.textMember("sid", s.head.SID)
	e.textMember("mainNodeId", s.head.MainNodeID)
	if s.head.Rev != nil {
		e.uintMember("rev", *s.head.Rev)
	}
	if s.head.Seq != nil {
		e.uintMember("seq", *s.head.Seq)
	}
	e.textMember("merkleRootHex", s.Root().Hex())
	e.uintMember("merkleLeafCount", uint64(s.LeafCount()))
	e.key("worldMap")
	e.open('{')
	e.key("bounds")
	e.bounds(s.head.Bounds)
	e.rows("occupants", s.tree.Occupants())
	e.close('}')
	e.rows("spaces", s.tree.Spaces())
	e.mcpServers(s)
	e.close('}')
	if e.err != nil {
		return dst, e.err
	}
	return e.out, nil
}

// MarshalJSON implements json.Marshaler.
func (s *Snapshot) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil) }

func (e *encoder) rows(name string, leaves iter.Seq2[int, *Leaf]) {
	e.key(name)
	e.open('[')
	for _, leaf := range leaves {
		e.item()
		e.out = append(e.out, leaf.Payload()...)
	}
	e.close(']')
}

func (e *encoder) mcpServers(s *Snapshot) {
	e.key("mcpServers")
	e.open('[')
	for _, m := range s.MCPServers() {
		e.item()
		e.open('{')
		e.textMember("id", m.ID)
		e.textMember("name", m.Name)
		e.optional("url", m.URL)
		e.close('}')
	}
	e.close(']')
}
