package protocol

import "encoding/json"

// OccupantKind is the `kind` of a row on the map.
type OccupantKind string

// The kinds of rows (protocol reference, "The snapshot and its rows").
const (
	KindAgent     OccupantKind = "agent"
	KindMCP       OccupantKind = "mcp"
	KindHuman     OccupantKind = "human"
	KindStructure OccupantKind = "structure"
)

// Occupant is one row of the map in its typed form: *Agent, *MCP, *Human or
// *Structure.
type Occupant interface {
	// OccupantKind returns the row's `kind`.
	OccupantKind() OccupantKind
	// StableKey returns the row's leaf key in the player chain.
	StableKey() string
	// Position returns the row's cell. A host places rows on integers; readers
	// accept any number.
	Position() (x, y float64)
}

// Agent is the row of an agent. Its PlayerID on the wire is AgentID.
type Agent struct {
	// NodeID is the main node that owns the agent.
	NodeID string `json:"nodeId" rule:"form=id"`
	// AgentID is the agent's node id and playerId.
	AgentID string  `json:"agentId" rule:"form=id,must,filled"`
	Name    string  `json:"name" rule:"must"`
	X       float64 `json:"x" rule:"form=cell,must"`
	Y       float64 `json:"y" rule:"form=cell,must"`
	// Platform is the type of the registration.
	Platform  string       `json:"platform" rule:"older=agentType"`
	ToolNames List[string] `json:"toolNames"`
	// AssistToolNames are the tools whose names start with `assist_`.
	AssistToolNames      List[string] `json:"assistToolNames"`
	AssistTools          []AssistTool `json:"assistTools,omitempty" rule:"items=1.."`
	HasChatTool          bool         `json:"hasChatTool" rule:"const=true"`
	EnableP2A            string       `json:"enableP2a" rule:"enum=Switch,default=off"`
	RealtimeInstructions string       `json:"realtimeInstructions,omitempty"`
	// Stationary is false once the agent has journeyed.
	Stationary bool        `json:"stationary"`
	LastUpdate *LastUpdate `json:"lastUpdate,omitempty"`
	ZoneCount  int64       `json:"zoneCount"`
	YieldCount int64       `json:"yieldCount"`
	// Flagged is true from 100 zone signals on.
	Flagged bool       `json:"flagged"`
	OnZone  *ZoneMark  `json:"onZone,omitempty"`
	OnYield *YieldMark `json:"onYield,omitempty"`
	// Activity is what the agent does now; nil if that is not known.
	Activity *Activity `json:"activity,omitempty"`
	// ParentID is the playerId of the agent that started this one, on the map or not.
	// Readers follow it only to rows of the same nodeId, and in no cycle.
	ParentID string `json:"parentId,omitempty"`
	// Group is what people sort agents by, such as a project.
	Group string `json:"group,omitempty"`
}

// AssistTool describes one `assist_*` tool; Parameters is any JSON object.
type AssistTool struct {
	Name        string `json:"name" rule:"chars=MaxToolNameChars,prefix=assist_,must,filled"`
	Description string `json:"description" rule:"blank"`
	// Parameters is the JSON Schema of the tool's arguments. Rows sort names: `x-order`, a
	// number in each property, gives the order of the fields in a form.
	Parameters json.RawMessage `json:"parameters" rule:"form=object,must"`
}

// LastUpdate is the last journey of an agent in its row.
type LastUpdate struct {
	PlayerID string     `json:"playerId" rule:"form=id"`
	Journey  Journey    `json:"journey" rule:"must"`
	Path     []PathStep `json:"path" rule:"items=1..,must"`
}

// ZoneMark is the last zone signal of an agent; At is RFC 3339 with
// milliseconds.
type ZoneMark struct {
	ZoneCount int64  `json:"zoneCount" rule:"must"`
	Flagged   bool   `json:"flagged"`
	At        string `json:"at" rule:"form=stamp,must"`
}

// YieldMark is the last yield signal of an agent.
type YieldMark struct {
	YieldCount int64  `json:"yieldCount" rule:"must"`
	At         string `json:"at" rule:"form=stamp,must"`
}

// MCP is the row of an MCP placement; NodeID is its owner.
type MCP struct {
	ID string `json:"id" rule:"form=id,must,filled"`
	// NodeID is the main node that owns the placement.
	NodeID string  `json:"nodeId" rule:"form=id"`
	Name   string  `json:"name" rule:"must"`
	URL    string  `json:"url,omitempty"`
	X      float64 `json:"x" rule:"form=cell,must"`
	Y      float64 `json:"y" rule:"form=cell,must"`
}

// Human is the row of a person: a viewer that may act can have one, see PersonRequest.
type Human struct {
	// ID is random and reveals nothing about the person.
	ID          string  `json:"id" rule:"form=id,must,filled"`
	Name        string  `json:"name" rule:"must,blank"`
	X           float64 `json:"x" rule:"form=cell,must"`
	Y           float64 `json:"y" rule:"form=cell,must"`
	Interactive *bool   `json:"interactive,omitempty"`
}

// Structure is the row of a building: the place of one or more spaces, or of a
// game on hosts that have games.
type Structure struct {
	ID             string   `json:"id" rule:"form=id,must,filled"`
	Name           string   `json:"name" rule:"must"`
	X              float64  `json:"x" rule:"form=cell,must"`
	Y              float64  `json:"y" rule:"form=cell,must"`
	WorldID        string   `json:"worldId" rule:"must,filled"`
	SpaceIDs       []string `json:"spaceIds" rule:"form=id,items=1.."`
	GameID         string   `json:"gameId,omitempty"`
	PrimaryAmenity string   `json:"primaryAmenity,omitempty" rule:"enum=Amenity"`
	Amenities      []string `json:"amenities,omitempty" rule:"enum=Amenity,items=1..,unique"`
	Stationary     bool     `json:"stationary"`
}

// OccupantKind implements Occupant.
func (*Agent) OccupantKind() OccupantKind { return KindAgent }

// OccupantKind implements Occupant.
func (*MCP) OccupantKind() OccupantKind { return KindMCP }

// OccupantKind implements Occupant.
func (*Human) OccupantKind() OccupantKind { return KindHuman }

// OccupantKind implements Occupant.
func (*Structure) OccupantKind() OccupantKind { return KindStructure }

// StableKey implements Occupant.
func (a *Agent) StableKey() string { return AgentKey(a.NodeID, a.AgentID) }

// StableKey implements Occupant.
func (m *MCP) StableKey() string { return MCPKey(m.ID) }

// StableKey implements Occupant.
func (h *Human) StableKey() string { return HumanKey(h.ID) }

// StableKey implements Occupant.
func (s *Structure) StableKey() string { return "structure:" + s.ID }

// Position implements Occupant.
func (a *Agent) Position() (x, y float64) { return a.X, a.Y }

// Position implements Occupant.
func (m *MCP) Position() (x, y float64) { return m.X, m.Y }

// Position implements Occupant.
func (h *Human) Position() (x, y float64) { return h.X, h.Y }

// Position implements Occupant.
func (s *Structure) Position() (x, y float64) { return s.X, s.Y }

// MarshalJSON writes the row with its `kind`.
func (a *Agent) MarshalJSON() ([]byte, error) {
	type row Agent
	return json.Marshal(struct {
		Kind OccupantKind `json:"kind"`
		*row
	}{KindAgent, (*row)(a)})
}

// MarshalJSON writes the row with its `kind`.
func (m *MCP) MarshalJSON() ([]byte, error) {
	type row MCP
	return json.Marshal(struct {
		Kind OccupantKind `json:"kind"`
		*row
	}{KindMCP, (*row)(m)})
}

// MarshalJSON writes the row with its `kind`.
func (h *Human) MarshalJSON() ([]byte, error) {
	type row Human
	return json.Marshal(struct {
		Kind OccupantKind `json:"kind"`
		*row
	}{KindHuman, (*row)(h)})
}

// MarshalJSON writes the row with its `kind`.
func (s *Structure) MarshalJSON() ([]byte, error) {
	type row Structure
	return json.Marshal(struct {
		Kind OccupantKind `json:"kind"`
		*row
	}{KindStructure, (*row)(s)})
}

// AgentKey returns the stable key of an agent's row.
func AgentKey(nodeID, agentID string) string { return "agent:" + nodeID + ":" + agentID }

// MCPKey returns the stable key of an MCP placement's row.
func MCPKey(id string) string { return "mcp:" + id }

// HumanKey returns the stable key of a person's row.
func HumanKey(id string) string { return HumanKeyPrefix + id }

// SpaceKey returns the stable key of a space's entry.
func SpaceKey(id string) string { return SpaceKeyPrefix + id }
