package protocol

import "encoding/json"

// Bounds are the map's inclusive limits.
type Bounds struct {
	MinX float64 `json:"minX"`
	MinY float64 `json:"minY"`
	MaxX float64 `json:"maxX"`
	MaxY float64 `json:"maxY"`
}

// Snapshot is the whole world at one rev as it travels. Occupants and spaces
// stay raw, so that a reader keeps fields it does not know: the chain's root is
// over whole rows. Rev, Seq, MerkleRootHex and MerkleLeafCount are absent on
// hosts without those extensions.
type Snapshot struct {
	SID             string            `json:"sid"`
	MainNodeID      string            `json:"mainNodeId"`
	Rev             *uint64           `json:"rev,omitempty"`
	Seq             *uint64           `json:"seq,omitempty"`
	MerkleRootHex   string            `json:"merkleRootHex,omitempty"`
	MerkleLeafCount int               `json:"merkleLeafCount,omitempty"`
	WorldMap        WorldMap          `json:"worldMap"`
	Spaces          []json.RawMessage `json:"spaces"`
	MCPServers      []MCPServer       `json:"mcpServers"`
}

// WorldMap is the map of a Snapshot.
type WorldMap struct {
	Bounds    Bounds            `json:"bounds"`
	Occupants []json.RawMessage `json:"occupants"`
}

// MCPServer repeats one mcp row in a Snapshot.
type MCPServer struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}
