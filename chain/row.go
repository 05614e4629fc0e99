package chain

import (
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// AppendOccupant appends the canonical JSON of a row of the map to dst. It is
// what Canonicalize makes of the row's JSON, without the detour; the one
// difference is that a nil list is an empty one and a tool without parameters
// has the empty object, where encoding/json would write null.
//
// It fails on texts that are not UTF-8, numbers that are not finite and raw
// fields that Canonicalize refuses. On an error dst is returned as it was.
func AppendOccupant(dst []byte, o protocol.Occupant) ([]byte, error) {
	e := encoder{out: dst}
	switch row := o.(type) {
	case *protocol.Agent:
		e.agent(row)
	case *protocol.MCP:
		e.mcp(row)
	case *protocol.Human:
		e.human(row)
	case *protocol.Structure:
		e.structure(row)
	default:
		return dst, fmt.Errorf("%w: no row has the type %T", ErrRow, o)
	}
	if e.err != nil {
		return dst, fmt.Errorf("encode row %.200q: %w", o.StableKey(), e.err)
	}
	return e.out, nil
}

func (e *encoder) agent(a *protocol.Agent) {
	e.open('{')
	e.textMember("agentId", a.AgentID)
	e.texts("assistToolNames", a.AssistToolNames)
	if len(a.AssistTools) > 0 {
		e.assistTools(a.AssistTools)
	}
	e.textMember("enableP2a", a.EnableP2A)
	e.boolMember("flagged", a.Flagged)
	e.boolMember("hasChatTool", a.HasChatTool)
	e.textMember("kind", string(protocol.KindAgent))
	if a.LastUpdate != nil {
		e.lastUpdate(a.LastUpdate)
	}
	e.textMember("name", a.Name)
	e.textMember("nodeId", a.NodeID)
	if y := a.OnYield; y != nil {
		e.key("onYield")
		e.open('{')
		e.textMember("at", y.At)
		e.countMember("yieldCount", y.YieldCount)
		e.close('}')
	}
	if z := a.OnZone; z != nil {
		e.key("onZone")
		e.open('{')
		e.textMember("at", z.At)
		e.boolMember("flagged", z.Flagged)
		e.countMember("zoneCount", z.ZoneCount)
		e.close('}')
	}
	e.textMember("platform", a.Platform)
	e.optional("realtimeInstructions", a.RealtimeInstructions)
	e.boolMember("stationary", a.Stationary)
	e.texts("toolNames", a.ToolNames)
	e.numberMember("x", a.X)
	e.numberMember("y", a.Y)
	e.countMember("yieldCount", a.YieldCount)
	e.countMember("zoneCount", a.ZoneCount)
	e.close('}')
}

func (e *encoder) assistTools(tools []protocol.AssistTool) {
	e.key("assistTools")
	e.open('[')
	for i := range tools {
		e.item()
		e.open('{')
		e.textMember("description", tools[i].Description)
		e.textMember("name", tools[i].Name)
		e.key("parameters")
		if len(tools[i].Parameters) == 0 {
			e.raw("{}")
		} else {
			e.json(tools[i].Parameters)
		}
		e.close('}')
	}
	e.close(']')
}

func (e *encoder) mcp(m *protocol.MCP) {
	e.open('{')
	e.textMember("id", m.ID)
	e.textMember("kind", string(protocol.KindMCP))
	e.textMember("name", m.Name)
	e.textMember("nodeId", m.NodeID)
	e.optional("url", m.URL)
	e.numberMember("x", m.X)
	e.numberMember("y", m.Y)
	e.close('}')
}

func (e *encoder) human(h *protocol.Human) {
	e.open('{')
	e.textMember("id", h.ID)
	if h.Interactive != nil {
		e.boolMember("interactive", *h.Interactive)
	}
	e.textMember("kind", string(protocol.KindHuman))
	e.textMember("name", h.Name)
	e.numberMember("x", h.X)
	e.numberMember("y", h.Y)
	e.close('}')
}

func (e *encoder) structure(s *protocol.Structure) {
	e.open('{')
	if len(s.Amenities) > 0 {
		e.texts("amenities", s.Amenities)
	}
	e.optional("gameId", s.GameID)
	e.textMember("id", s.ID)
	e.textMember("kind", string(protocol.KindStructure))
	e.textMember("name", s.Name)
	e.optional("primaryAmenity", s.PrimaryAmenity)
	e.texts("spaceIds", s.SpaceIDs)
	e.boolMember("stationary", s.Stationary)
	e.textMember("worldId", s.WorldID)
	e.numberMember("x", s.X)
	e.numberMember("y", s.Y)
	e.close('}')
}
