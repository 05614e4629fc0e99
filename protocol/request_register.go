package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// ChatTool is the tool that every agent must have.
const ChatTool = "chat_tool"

// AssistToolPrefix starts the names of the tools that people may call.
const AssistToolPrefix = "assist_"

// The values of `enableP2a`.
const (
	P2AOn  = "on"
	P2AOff = "off"
)

// RegisterRequest puts an agent on the map, or changes its row. A
// `realtimeWebrtc` in the body is ignored.
type RegisterRequest struct {
	Name  string    `json:"name"`
	Type  string    `json:"type"`
	Agent AgentSpec `json:"agent"`
	// AgentID is the agent's node id; it becomes its playerId.
	AgentID string `json:"agentId"`
	// MainNodeID must be the owner when it is sent.
	MainNodeID string     `json:"mainNodeId,omitzero"`
	PasswHash  WireSecret `json:"passwHash,omitzero"`
	APIKey     WireSecret `json:"apiKey,omitzero"`
	// ConnectionID asks for a lease; without one the agent stays until it is
	// removed.
	ConnectionID string `json:"connectionId,omitzero"`
	// LeaseTTLSeconds is clamped when parsed, DefaultLeaseTTLSeconds when absent.
	LeaseTTLSeconds int `json:"leaseTtlSeconds,omitzero"`
	// EnableP2A is P2AOn or P2AOff, the latter when absent.
	EnableP2A            string `json:"enableP2a,omitzero"`
	RealtimeInstructions string `json:"realtimeInstructions,omitzero"`
}

// AgentSpec is what an agent can do.
type AgentSpec struct {
	Type        string           `json:"type"`
	ToolNames   List[string]     `json:"toolNames"`
	AssistTools List[AssistTool] `json:"assistTools,omitzero"`
}

// AssistToolNames gives those of the tools that people may call, in their
// order; never nil.
func (a *AgentSpec) AssistToolNames() []string {
	names := []string{}
	for _, n := range a.ToolNames {
		if strings.HasPrefix(n, AssistToolPrefix) {
			names = append(names, n)
		}
	}
	return names
}

// ParseRegister reads the body of `POST /api/play/players`. Its errors are
// `body_invalid` and `chat_tool_missing`.
func ParseRegister(o Object) (RegisterRequest, *Error) {
	f := readFields(o)
	r := RegisterRequest{
		Name:                 f.text("name", textRule{chars: MaxNameChars}),
		Type:                 f.text("type", textRule{chars: MaxTypeChars}),
		AgentID:              f.agentID("agentId", false),
		MainNodeID:           f.accountID("mainNodeId", true),
		PasswHash:            f.passwHash("passwHash", true),
		APIKey:               f.secret("apiKey"),
		ConnectionID:         f.id("connectionId", true),
		LeaseTTLSeconds:      f.leaseTTL(DefaultLeaseTTLSeconds),
		EnableP2A:            f.oneOf("enableP2a", true, P2AOn, P2AOff),
		RealtimeInstructions: f.text("realtimeInstructions", textRule{bytes: MaxRealtimeInstructionsBytes, optional: true, blank: true}),
	}
	if r.EnableP2A == "" {
		r.EnableP2A = P2AOff
	}
	if agent, ok := f.object("agent", false); ok {
		r.Agent = agent.agentSpec()
	}
	if err := f.err(); err != nil {
		return RegisterRequest{}, err
	}
	if !slices.Contains(r.Agent.ToolNames, ChatTool) {
		return RegisterRequest{}, &Error{
			Code:    CodeChatToolMissing,
			Message: "the field agent.toolNames lacks " + ChatTool + ", which every agent must have",
			Field:   "agent.toolNames",
		}
	}
	return r, nil
}

func (f fields) agentSpec() AgentSpec {
	a := AgentSpec{
		Type:      f.text("type", textRule{chars: MaxTypeChars}),
		ToolNames: f.texts("toolNames", false, MaxToolNames, textRule{chars: MaxToolNameChars}),
	}
	a.AssistTools = f.assistTools(a.ToolNames)
	return a
}

func (f fields) assistTools(toolNames []string) []AssistTool {
	const name = "assistTools"
	if !f.checkSize(name, f.obj.Raw(name), MaxAssistToolsBytes) {
		return nil
	}
	// The size limits how many there can be.
	elements, _ := f.array(name, true, MaxAssistToolsBytes)
	var tools []AssistTool
	for i, e := range elements {
		tool, ok := f.element(elementField(f.obj.field(name), i), e)
		if !ok {
			return nil
		}
		tools = append(tools, tool.assistTool(toolNames))
	}
	return tools
}

func (f fields) assistTool(toolNames []string) AssistTool {
	t := AssistTool{
		Name:        f.text("name", textRule{chars: MaxToolNameChars}),
		Description: f.text("description", textRule{blank: true}),
	}
	if text, ok := f.present("parameters", kindObject, false); ok {
		t.Parameters = json.RawMessage(bytes.Clone(text))
	}
	switch {
	case f.failed():
	case !strings.HasPrefix(t.Name, AssistToolPrefix):
		f.wrong("name", "must start with %s", AssistToolPrefix)
	case !slices.Contains(toolNames, t.Name):
		f.wrong("name", "must be one of the agent's toolNames")
	}
	return t
}

// leaseTTL reads `leaseTtlSeconds`: any number, clamped, whole seconds; absent
// where the body has none.
func (f fields) leaseTTL(absent int) int {
	n, ok := f.number("leaseTtlSeconds", true)
	if !ok {
		return absent
	}
	return int(min(max(n, MinLeaseTTLSeconds), MaxLeaseTTLSeconds))
}
