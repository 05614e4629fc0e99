package chain

import (
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/playctl/playctl/protocol"
)

// readAgent reads the optional fields of an agent's row; head has the others.
func readAgent(h *rowHead, text []byte) *protocol.Agent {
	a := &protocol.Agent{AgentID: h.id, NodeID: h.nodeID, Name: h.name, X: h.x, Y: h.y}
	older := ""
	for name, value := range fields(text) {
		switch string(name) {
		case "agentType":
			older, _ = asText(value)
		case "platform":
			a.Platform, _ = asText(value)
		case "toolNames":
			a.ToolNames, _ = asTexts(value)
		case "assistToolNames":
			a.AssistToolNames, _ = asTexts(value)
		case "hasChatTool":
			a.HasChatTool, _ = asBool(value)
		case "stationary":
			a.Stationary, _ = asBool(value)
		case "zoneCount":
			a.ZoneCount, _ = asCount(value)
		case "yieldCount":
			a.YieldCount, _ = asCount(value)
		case "flagged":
			a.Flagged, _ = asBool(value)
		default:
			readAgentExtra(a, name, value)
		}
	}
	if a.Platform == "" {
		a.Platform = older
	}
	return a
}

// readAgentExtra reads the fields that only some agents have.
func readAgentExtra(a *protocol.Agent, name, value []byte) {
	switch string(name) {
	case "enableP2a":
		if s, _ := asText(value); s == "on" || s == "off" {
			a.EnableP2A = s
		}
	case "realtimeInstructions":
		if s, _ := asText(value); strings.TrimSpace(s) != "" {
			a.RealtimeInstructions = s
		}
	case "assistTools":
		a.AssistTools = readAssistTools(value)
	case "lastUpdate":
		a.LastUpdate = readLastUpdate(value)
	case "onZone":
		count, ok := asCount(field(value, "zoneCount"))
		if at, has := asText(field(value, "at")); ok && has {
			flagged, _ := asBool(field(value, "flagged"))
			a.OnZone = &protocol.ZoneMark{ZoneCount: count, Flagged: flagged, At: at}
		}
	case "onYield":
		count, ok := asCount(field(value, "yieldCount"))
		if at, has := asText(field(value, "at")); ok && has {
			a.OnYield = &protocol.YieldMark{YieldCount: count, At: at}
		}
	}
}

// readAssistTools reads the tools that have a name and an object of parameters.
func readAssistTools(value []byte) []protocol.AssistTool {
	var tools []protocol.AssistTool
	for item := range items(value) {
		var tool protocol.AssistTool
		tool.Name, _ = asText(field(item, "name"))
		tool.Description, _ = asText(field(item, "description"))
		if p := field(item, "parameters"); isObject(p) {
			tool.Parameters = p
		}
		if tool.Name != "" && tool.Parameters != nil {
			tools = append(tools, tool)
		}
	}
	return tools
}

// readLastUpdate reads the last journey, nil unless it has all of its parts.
func readLastUpdate(value []byte) *protocol.LastUpdate {
	if !isObject(field(value, "journey")) || !isArray(field(value, "path")) {
		return nil
	}
	var u protocol.LastUpdate
	if err := json.Unmarshal(value, &u); err != nil {
		return nil
	}
	return &u
}
