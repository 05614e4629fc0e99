package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// rowHead is what a row of the map must have to be read at all.
type rowHead struct {
	kind    protocol.OccupantKind
	id      string // agentId of an agent
	nodeID  string // of an agent
	name    string
	x, y    float64
	worldID string // the rest: of a structure
	spaces  []string
	gameID  string
}

// ParseOccupant reads a row of the map into its typed form.
//
// It needs the kind, the id (agentId of an agent), the name and the cell, of a
// structure the worldId and a space id or a gameId; without one of them the
// error is ErrRow and names it. It takes the older `agentType` for `platform`.
// An optional field of the wrong type is treated as absent, an unknown one is
// ignored: whoever must keep them keeps the JSON.
func ParseOccupant(jsonText []byte) (protocol.Occupant, error) {
	text, err := Canonicalize(nil, jsonText)
	if err != nil {
		return nil, fmt.Errorf("read a row of the map: %w", err)
	}
	return readOccupant(text)
}

// readOccupant is ParseOccupant for a canonical row.
func readOccupant(text []byte) (protocol.Occupant, error) {
	head, err := readHead(text)
	if err != nil {
		return nil, err
	}
	switch head.kind {
	case protocol.KindAgent:
		return readAgent(&head, text), nil
	case protocol.KindMCP:
		return readMCP(&head, text), nil
	case protocol.KindHuman:
		return readHuman(&head, text), nil
	default:
		return readStructure(&head, text), nil
	}
}

// readHead reads and checks what a row must have.
func readHead(text []byte) (rowHead, error) {
	h, idField, err := readKind(text)
	if err != nil {
		return h, err
	}
	var hasName, hasX, hasY bool
	for name, value := range fields(text) {
		switch string(name) {
		case idField:
			h.id, _ = asText(value)
		case "nodeId":
			h.nodeID, _ = asText(value)
		case "name":
			h.name, hasName = asText(value)
		case "x":
			h.x, hasX = asNumber(value)
		case "y":
			h.y, hasY = asNumber(value)
		}
	}
	switch {
	case h.id == "":
		err = h.lacks(idField, "a string that is not empty")
	case !hasName:
		err = h.lacks("name", "a string")
	case !hasX:
		err = h.lacks("x", "a number")
	case !hasY:
		err = h.lacks("y", "a number")
	case h.kind == protocol.KindStructure:
		err = h.readPlace(text)
	}
	return h, err
}

// readKind begins a head with the row's kind and says which field is its id.
func readKind(text []byte) (h rowHead, idField string, err error) {
	if !isObject(text) {
		return h, "", fmt.Errorf("%w: a row of the map is an object", ErrRow)
	}
	kind, ok := asText(field(text, "kind"))
	if !ok {
		return h, "", fmt.Errorf("%w: kind is missing or not a string", ErrRow)
	}
	switch h.kind = protocol.OccupantKind(kind); h.kind {
	case protocol.KindAgent:
		return h, "agentId", nil
	case protocol.KindMCP, protocol.KindHuman, protocol.KindStructure:
		return h, "id", nil
	}
	return h, "", fmt.Errorf("%w: the kind %.50q is none of agent, mcp, human, structure", ErrRow, kind)
}

func (h *rowHead) lacks(name, want string) error {
	return fmt.Errorf("%w: %s of a row of kind %s must be %s", ErrRow, name, h.kind, want)
}

// readPlace reads what ties a structure to the world.
func (h *rowHead) readPlace(text []byte) error {
	ok := true
	for name, value := range fields(text) {
		switch string(name) {
		case "worldId":
			h.worldID, _ = asText(value)
		case "gameId":
			h.gameID, _ = asText(value)
		case "spaceIds":
			h.spaces, ok = asTexts(value)
		}
	}
	switch {
	case h.worldID == "":
		return h.lacks("worldId", "a string that is not empty")
	case !ok:
		return h.lacks("spaceIds", "a list of strings")
	case len(h.spaces) == 0 && h.gameID == "":
		return fmt.Errorf("%w: a structure needs a space id or a gameId", ErrRow)
	}
	return nil
}

// stableKey is the key of the row's leaf.
func (h *rowHead) stableKey() (string, error) {
	if h.kind != protocol.KindAgent {
		return string(h.kind) + ":" + h.id, nil
	}
	if h.nodeID == "" {
		return "", h.lacks("nodeId", "a string that is not empty")
	}
	return protocol.AgentKey(h.nodeID, h.id), nil
}

func readMCP(h *rowHead, text []byte) *protocol.MCP {
	m := &protocol.MCP{ID: h.id, NodeID: h.nodeID, Name: h.name, X: h.x, Y: h.y}
	m.URL, _ = asText(field(text, "url"))
	return m
}

func readHuman(h *rowHead, text []byte) *protocol.Human {
	row := &protocol.Human{ID: h.id, Name: h.name, X: h.x, Y: h.y}
	if b, ok := asBool(field(text, "interactive")); ok {
		row.Interactive = &b
	}
	return row
}

func readStructure(h *rowHead, text []byte) *protocol.Structure {
	s := &protocol.Structure{
		ID: h.id, Name: h.name, X: h.x, Y: h.y,
		WorldID: h.worldID, SpaceIDs: h.spaces, GameID: h.gameID,
	}
	for name, value := range fields(text) {
		switch string(name) {
		case "primaryAmenity":
			s.PrimaryAmenity, _ = asText(value)
		case "amenities":
			s.Amenities, _ = asTexts(value)
		case "stationary":
			s.Stationary, _ = asBool(value)
		}
	}
	return s
}
