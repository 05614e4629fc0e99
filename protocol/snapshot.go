package protocol

import "encoding/json"

// Bounds are the map's inclusive limits.
type Bounds struct {
	// MinX is the least x.
	MinX float64 `json:"minX" rule:"form=cell,must"`
	// MinY is the least y.
	MinY float64 `json:"minY" rule:"form=cell,must"`
	// MaxX is the greatest x.
	MaxX float64 `json:"maxX" rule:"form=cell,must"`
	// MaxY is the greatest y.
	MaxY float64 `json:"maxY" rule:"form=cell,must"`
}

// Snapshot is the whole world at one rev in wire form. Occupants and spaces stay
// raw, so that a reader keeps fields it does not know: the chain's root is over
// whole rows. Rev, Seq, MerkleRootHex and MerkleLeafCount are absent on hosts
// without those extensions.
type Snapshot struct {
	SID string `json:"sid" rule:"form=uuid"`
	// MainNodeID is the root key of the world.
	MainNodeID      string  `json:"mainNodeId"`
	Rev             *uint64 `json:"rev,omitempty" rule:"sent"`
	Seq             *uint64 `json:"seq,omitempty" rule:"sent"`
	MerkleRootHex   string  `json:"merkleRootHex,omitempty" rule:"form=hex64,sent"`
	MerkleLeafCount int     `json:"merkleLeafCount,omitempty" rule:"range=2..,sent"`
	// WorldMap is the map with its occupants.
	WorldMap WorldMap `json:"worldMap"`
	// Spaces are the rows of the spaces.
	Spaces []json.RawMessage `json:"spaces" rule:"ref=Space"`
	// MCPServers repeat the mcp rows.
	MCPServers []MCPServer `json:"mcpServers"`
}

// WorldMap is the map of a Snapshot.
type WorldMap struct {
	// Bounds are the corners of the map.
	Bounds Bounds `json:"bounds"`
	// Occupants are the rows of the map: agents, MCP placements, structures and people.
	Occupants []json.RawMessage `json:"occupants" rule:"ref=Occupant"`
}

// MCPServer repeats one mcp row in a Snapshot.
type MCPServer struct {
	// ID is the id of the placement.
	ID string `json:"id" rule:"form=id"`
	// Name is the name of the MCP server.
	Name string `json:"name"`
	// URL is its address.
	URL string `json:"url,omitempty"`
}
