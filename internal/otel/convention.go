package otel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/playctl/playctl/protocol"
)

// kinds are the attribute values that determine the kind of a span, by attribute.
var kinds = []struct {
	attribute string
	values    map[string]Kind
}{
	{"gen_ai.operation.name", map[string]Kind{
		"invoke_agent": AgentRun, "execute_tool": ToolCall, "chat": Chat, "text_completion": Chat, "generate_content": Chat,
	}},
	{"mcp.method.name", map[string]Kind{"tools/call": ToolCall}},
	{"openinference.span.kind", map[string]Kind{"AGENT": AgentRun, "TOOL": ToolCall, "LLM": Chat}},
	{"traceloop.span.kind", map[string]Kind{"agent": AgentRun, "tool": ToolCall}},
	{"span.type", map[string]Kind{"tool.execution": Outcome}},
	{"ai.operationId", map[string]Kind{
		"ai.generateText": AgentRun, "ai.streamText": AgentRun, "ai.toolCall": ToolCall,
		"ai.generateText.doGenerate": Chat, "ai.streamText.doStream": Chat,
	}},
}

// classify determines the kind of a span, and the names in it.
func (s *Span) classify(known attributes, from *wireSpan) {
	for _, k := range kinds {
		if s.Kind = k.values[known.text(k.attribute)]; s.Kind != Other {
			break
		}
	}
	s.Agent = known.text("gen_ai.agent.name", "agent.name", "gen_ai.agent.id")
	if name := langChainAgent(known, from.Name); s.Kind == Other && name != "" {
		s.Kind, s.Agent = AgentRun, name
	}
	if s.Agent == "" && s.Kind == AgentRun {
		s.Agent = known.text("traceloop.entity.name", "ai.telemetry.functionId", "graph.node.id")
	}
	if known.text("mcp.method.name") != "" {
		s.classifyMCP(known, from)
	}
	if s.Kind != ToolCall {
		return
	}
	if s.Server == "" {
		s.Server = known.text("anthropic.mcp.server.name")
	}
	s.Tool = known.text("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name")
	if s.Tool == "" {
		name := strings.TrimPrefix(strings.TrimPrefix(from.Name, "execute_tool "), "tools/call ")
		s.Tool = clean(name)
	}
	s.Tool = cmp.Or(s.Tool, "tool")
}

// classifyMCP finds the server of a span of MCP. A span from the server itself is
// not a step, because the caller reports it as well.
func (s *Span) classifyMCP(known attributes, from *wireSpan) {
	s.Server = known.text("mcp.server.name")
	if from.Kind == kindServer {
		s.Kind = Other
		s.Server = cmp.Or(s.Server, s.Service)
		return
	}
	if address := known.text("server.address"); s.Server == "" && address != "" {
		s.Server = address
		if port := known.value("server.port").IntValue; port != nil && *port > 0 {
			s.Server = fmt.Sprintf("%s:%d", address, *port)
		}
	}
}

// fill sets the content of a span. Conventions before the present one had it in
// events, of which only those are read in which Claude Code has the result of a
// tool.
func (s *Span) fill(known attributes, from *wireSpan) {
	s.Input = said(known.value("gen_ai.input.messages", "input.value", "traceloop.entity.input", "ai.prompt", "user_prompt"), "user")
	s.Output = said(known.value("gen_ai.output.messages", "output.value", "traceloop.entity.output", "ai.response.text"), "assistant")
	if s.Kind == ToolCall {
		s.Arguments = untitled(plain(known.value("gen_ai.tool.call.arguments", "input.value", "traceloop.entity.input", "ai.toolCall.args", "tool_input")))
		result := known.value("gen_ai.tool.call.result", "output.value", "traceloop.entity.output", "ai.toolCall.result")
		for _, event := range from.Events {
			if result.toJSON(0) == nil && event.Name == "tool.output" {
				result = event.Attributes.value("output")
			}
		}
		s.Result = given(plain(result))
	}
	// Some programs write the stack below the message, with the names of their files.
	message, _, _ := strings.Cut(strings.TrimSpace(from.Status.Message), "\n")
	if message = clean(message); s.Failed && message != "" {
		s.Failure = message
	}
}

// untitled returns the arguments of a tool without the line that Claude Code writes
// before them.
func untitled(text string) string {
	title, rest, ok := strings.Cut(text, "\n")
	if ok && strings.HasPrefix(title, "[TOOL INPUT: ") && strings.HasSuffix(title, "]") {
		return rest
	}
	return text
}

// said returns the last text of a role in an attribute with messages, else the
// attribute unchanged.
func said(value anyValue, role string) string {
	text := plain(value)
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Parts   []struct {
			Type    string `json:"type"`
			Content any    `json:"content"`
		} `json:"parts"`

		serialized
	}
	inner := text
	var wrapped struct {
		Prompt   string          `json:"prompt"`
		Messages json.RawMessage `json:"messages"`
	}
	if json.Unmarshal([]byte(text), &wrapped) == nil {
		switch {
		case len(wrapped.Messages) > 0:
			inner = string(wrapped.Messages)
		case wrapped.Prompt != "" && role == "user":
			return wrapped.Prompt
		}
	}
	if json.Unmarshal([]byte(inner), &messages) != nil {
		return text
	}
	found := ""
	for i := range messages {
		message := &messages[i]
		if from, content, ok := message.message(); ok {
			message.Role, message.Content = from, content
		}
		if message.Role != role {
			continue
		}
		var parts []string
		for _, part := range message.Parts {
			if content, ok := part.Content.(string); ok && part.Type == "text" {
				parts = append(parts, content)
			}
		}
		var content string
		if json.Unmarshal(message.Content, &content) == nil && content != "" {
			parts = append(parts, content)
		}
		if len(parts) > 0 {
			found = strings.Join(parts, "\n")
		}
	}
	return found
}

// plain returns an attribute as text: a string unchanged, a structured value as
// JSON.
func plain(value anyValue) string {
	text := ""
	if value.StringValue != nil {
		text = *value.StringValue
	} else if written, err := json.Marshal(value.toJSON(0)); err == nil && string(written) != "null" {
		text = string(written)
	}
	// Messages must be complete to be parsed: a journey shows only a part of them.
	return strings.ToValidUTF8(text, "\uFFFD")
}

// deepest is the greatest depth of structured attributes.
const deepest = 32

// toJSON returns a value as json.Marshal needs it; nil for an empty one.
func (v *anyValue) toJSON(depth int) any {
	switch {
	case depth == deepest:
	case v.StringValue != nil:
		return *v.StringValue
	case v.BoolValue != nil:
		return *v.BoolValue
	case v.IntValue != nil:
		return *v.IntValue
	case v.DoubleValue != nil:
		return *v.DoubleValue
	case v.ArrayValue != nil:
		list := []any{}
		for i := range v.ArrayValue.Values {
			list = append(list, v.ArrayValue.Values[i].toJSON(depth+1))
		}
		return list
	case v.KvlistValue != nil:
		object := map[string]any{}
		for i := range v.KvlistValue.Values {
			object[v.KvlistValue.Values[i].Key] = v.KvlistValue.Values[i].Value.toJSON(depth + 1)
		}
		return object
	}
	return nil
}

// clean turns a text into a name: on one line, printable, and not too long.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, cut(strings.ToValidUTF8(text, "\uFFFD"), longestName))
	return protocol.TrimSpace(text)
}

// cut shortens a text to a number of bytes, between two characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
