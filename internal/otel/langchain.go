package otel

import (
	"encoding/json"
	"strings"
)

// langChainAgent returns the name of the LangChain agent of a span of
// OpenInference, which marks a run as a chain, like every part of it; empty if the
// span is not an agent's run.
func langChainAgent(known attributes, name string) string {
	var metadata struct {
		Integration string `json:"ls_integration"`
		Agent       string `json:"lc_agent_name"`
	}
	if known.text("openinference.span.kind") != "CHAIN" || json.Unmarshal([]byte(plain(known.value("metadata"))), &metadata) != nil {
		return ""
	}
	if metadata.Integration != "langchain_create_agent" || metadata.Agent != name {
		return ""
	}
	return clean(metadata.Agent)
}

// serialized is a message in the form in which LangChain writes its objects.
type serialized struct {
	Type   string   `json:"type"`
	ID     []string `json:"id"`
	Kwargs struct {
		Content json.RawMessage `json:"content"`
	} `json:"kwargs"`
}

// roles are the roles of LangChain's messages.
var roles = map[string]string{
	"HumanMessage": "user", "AIMessage": "assistant", "AIMessageChunk": "assistant", "ToolMessage": "tool", "SystemMessage": "system",
}

// message returns role and content; ok is false if it is not a message.
func (s *serialized) message() (role string, content json.RawMessage, ok bool) {
	if s.Type != "constructor" || len(s.ID) == 0 {
		return "", nil, false
	}
	role, ok = roles[s.ID[len(s.ID)-1]]
	return role, s.Kwargs.Content, ok
}

// given returns the result of a tool without the wrapping of frameworks: a text
// that was encoded as JSON, a message of LangChain, or blocks of text of MCP.
func given(result string) string {
	var wrapped struct {
		Output serialized `json:"output"`
	}
	if json.Unmarshal([]byte(result), &wrapped) == nil {
		if role, content, ok := wrapped.Output.message(); ok && role == "tool" {
			result = string(content)
		}
	}
	var blocks []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal([]byte(result), &blocks) == nil && len(blocks) > 0 {
		var texts []string
		for _, block := range blocks {
			if block.Type != "text" || block.Text == nil {
				return result
			}
			texts = append(texts, *block.Text)
		}
		return strings.Join(texts, "\n")
	}
	var text string
	if strings.HasPrefix(result, `"`) && json.Unmarshal([]byte(result), &text) == nil {
		return text
	}
	return result
}
