package protocol

import "encoding/json"

// Bounds are the map's inclusive limits.
type Bounds struct {
	MinX float64 `json:"minX" rule:"form=cell,must"`
	MinY float64 `json:"minY" rule:"form=cell,must"`
	MaxX float64 `json:"maxX" rule:"form=cell,must"`
	MaxY float64 `json:"maxY" rule:"form=cell,must"`
}

// Snapshot is the whole world at one rev as it travels. Occupants and spaces
// stay raw, so that a reader keeps fields it does not know: the chain's root is
// over whole rows. Rev, Seq, MerkleRootHex and MerkleLeafCount are absent on
// hosts without those extensions.
type Snapshot struct {
	SID             string            `json:"sid" rule:"form=uuid"`
	MainNodeID      string            `json:"mainNodeId"`
	Rev             *uint64           `json:"rev,omitempty" rule:"sent"`
	Seq             *uint64           `json:"seq,omitempty" rule:"sent"`
	MerkleRootHex   string            `json:"merkleRootHex,omitempty" rule:"form=hex64,sent"`
	MerkleLeafCount int               `json:"merkleLeafCount,omitempty" rule:"range=2..,sent"`
	WorldMap        WorldMap          `json:"worldMap"`
	Spaces          []json.RawMessage `json:"spaces" rule:"ref=Space"`
	MCPServers      []MCPServer       `json:"mcpServers"`
}

// WorldMap is the map of a Snapshot.
type WorldMap struct {
	Bounds    Bounds            `json:"bounds"`
	Occupants []json.RawMessage `json:"occupants" rule:"ref=Occupant"`
}

// MCPServer repeats one mcp row in a Snapshot.
type MCPServer struct {
	ID   string `json:"id" rule:"form=id"`
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}
