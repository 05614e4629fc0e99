package otel

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/playctl/playctl/protocol"
)

// fill sets the content of a span.
func (s *Span) fill(r *reported) {
	if s.Kind == AgentRun || s.Kind == Chat || s.Kind == Chain || s.candidate {
		s.Input = r.text(func(c *convention) []string { return c.input }, "user", "input")
		s.Output = r.text(func(c *convention) []string { return c.output }, "assistant", "output")
	}
	if s.Kind == ToolCall || s.Kind == Retrieval {
		s.Arguments = untitled(unwrapped(plain(r.content(func(c *convention) []string { return c.arguments }, "tool.arguments", "arguments", "input"))))
		if s.Arguments == "" {
			s.Arguments = r.someArguments()
		}
		result := r.content(func(c *convention) []string { return c.result }, "tool.result", "result", "output")
		for _, event := range r.Events {
			// Claude Code has the result of a tool in an event.
			if result.empty() && event.Name == "tool.output" {
				result = event.Attributes.value("output")
			}
		}
		s.Result = given(unwrapped(plain(result)))
	}
	// Some programs write the stack below the message, with the names of their files.
	message, _, _ := strings.Cut(strings.TrimSpace(r.Status.Message), "\n")
	if message = clean(message); s.Failed && message != "" {
		s.Failure = message
	}
}

// someArguments returns the arguments that Claude Code has in attributes of their own.
func (r *reported) someArguments() string {
	known := map[string]string{}
	for name, argument := range map[string]string{"full_command": "command", "file_path": "file_path", "subagent_type": "subagent_type"} {
		if text := plain(r.value(name)); text != "" && strings.HasPrefix(r.scope, claudeCode) {
			known[argument] = text
		}
	}
	if len(known) == 0 {
		return ""
	}
	return string(encode(known))
}

// content returns the first value in the attributes of the conventions, those that the span
// follows first, or in those of an unknown product.
func (r *reported) content(of func(*convention) []string, own ...string) anyValue {
	for _, c := range r.known {
		if value := r.value(of(c)...); !value.empty() {
			return value
		}
	}
	for i := range conventions {
		if c := &conventions[i]; c.scope == "" {
			if value := r.value(of(c)...); !value.empty() {
				return value
			}
		}
	}
	for _, name := range own {
		if r.prefix != "" {
			if value := r.value(r.prefix+"."+name, r.prefix+"_"+name, r.prefix+":"+name); !value.empty() {
				return value
			}
		}
	}
	return anyValue{}
}

// text returns the last text of a role in the content of a span, in its flattened
// attributes, or in its events, as older conventions have it.
func (r *reported) text(of func(*convention) []string, role string, own ...string) string {
	if found := said(r.content(of, own...), role); found != "" {
		return found
	}
	found := ""
	for i := range r.Attributes {
		// gen_ai.prompt.0.role, llm.input_messages.0.message.role
		one := &r.Attributes[i]
		if rest, ok := strings.CutSuffix(one.Key, ".role"); ok && one.Value.StringValue != nil && *one.Value.StringValue == role {
			if text := plain(r.value(rest + ".content")); text != "" {
				found = text
			}
		}
	}
	for i := range r.Events {
		event := &r.Events[i]
		switch {
		case event.Name == "gen_ai.client.inference.operation.details":
			key := map[string]string{"user": "gen_ai.input.messages", "assistant": "gen_ai.output.messages"}[role]
			found = cmp.Or(said(event.Attributes.value(key), role), found)
		case event.Name == "gen_ai."+role+".message", event.Name == "gen_ai.choice" && role == "assistant":
			found = cmp.Or(plain(event.Attributes.value("content", "gen_ai.event.content")), found)
		}
	}
	return found
}

// unwrapped returns the arguments or the result of a function without the lists that
// OpenLLMetry writes around them, or around those of LangChain; empty for a call without
// arguments.
func unwrapped(text string) string {
	var outer map[string]json.RawMessage
	if !strings.HasPrefix(text, "{") || unmarshal([]byte(text), &outer) != nil {
		return text
	}
	_, named := outer["kwargs"]
	if len(outer) == 2 && named && outer["args"] != nil {
		if inner, ok := ofCall(outer["args"], outer["kwargs"]); ok {
			return inner
		}
		return text
	}
	for _, name := range []string{"inputs", "outputs"} {
		if inner := string(outer[name]); inner != "" && inner != "null" && (named || outer["tags"] != nil) {
			return unquoted(inner)
		}
	}
	return text
}

// ofCall returns the named arguments of a call or its only one; false if there are others.
func ofCall(args, named json.RawMessage) (string, bool) {
	var list []json.RawMessage
	var object map[string]json.RawMessage
	if unmarshal(args, &list) != nil || json.Unmarshal(named, &object) != nil {
		return "", false
	}
	switch {
	case len(list) == 0 && len(object) == 0:
		return "", true
	case len(list) == 0:
		return string(named), true
	case len(list) == 1 && len(object) == 0:
		return unquoted(string(list[0])), true
	}
	return "", false
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
	text := unquoted(unwrapped(plain(value)))
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
	if unmarshal([]byte(text), &wrapped) == nil {
		switch {
		case len(wrapped.Messages) > 0:
			inner = string(wrapped.Messages)
		case wrapped.Prompt != "" && role == "user":
			return wrapped.Prompt
		}
	}
	if unmarshal([]byte(inner), &messages) != nil {
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
		if unmarshal(message.Content, &content) == nil && content != "" {
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

func (v *anyValue) empty() bool { return *v == anyValue{} }

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
