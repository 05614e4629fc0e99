package otel

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
)

// nodeKeys are the attributes under which products have the metadata of LangChain, besides
// OpenInference, which has it as JSON in "metadata".
var nodeKeys = []string{"langsmith.metadata.", "langfuse.observation.metadata.", "traceloop.association.properties.", "langchain.metadata."}

// graph finds the agent of LangChain whose run a chain is, and the node of LangGraph whose
// visit it is. Every part of a run is a chain.
func (s *Span) graph(r *reported) {
	var metadata struct {
		Agent string `json:"lc_agent_name"`
		Node  string `json:"langgraph_node"`
	}
	_ = unmarshal([]byte(plain(r.value("metadata"))), &metadata)
	for _, prefix := range nodeKeys {
		metadata.Agent = cmp.Or(metadata.Agent, r.label(prefix+"lc_agent_name"))
		metadata.Node = cmp.Or(metadata.Node, r.label(prefix+"langgraph_node"))
	}
	if s.Kind != Chain && s.Kind != Other {
		return
	}
	if metadata.Agent != "" && metadata.Agent == r.Name {
		s.Kind, s.Agent = AgentRun, clean(metadata.Agent)
	}
	s.node = metadata.Node != "" && metadata.Node == r.Name
}

var expertNames = regexp.MustCompile(`(?i)(?:^|[_\- ])(?:agent|expert|specialist|assistant|worker|researcher)$|[a-z](?:Agent|Expert|Specialist|Assistant|Worker)$`)

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
	if unmarshal([]byte(result), &wrapped) == nil {
		if role, content, ok := wrapped.Output.message(); ok && role == "tool" {
			result = string(content)
		}
	}
	var blocks []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if unmarshal([]byte(result), &blocks) == nil && len(blocks) > 0 {
		var texts []string
		for _, block := range blocks {
			if block.Type != "text" || block.Text == nil {
				return result
			}
			texts = append(texts, *block.Text)
		}
		return strings.Join(texts, "\n")
	}
	return unquoted(result)
}

// unquoted returns the text that a JSON text has.
func unquoted(text string) string {
	var inside string
	if strings.HasPrefix(text, `"`) && unmarshal([]byte(text), &inside) == nil {
		return inside
	}
	return text
}
