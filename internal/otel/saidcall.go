package otel

import (
	"cmp"
	"regexp"
	"strings"
)

// saidCall is a tool call in a message of a model. Some programs report no span for it.
type saidCall struct {
	ID, Tool string
	// Arguments and Result are JSON or a text; empty without content.
	Arguments, Result string
}

func (c *saidCall) size() int { return len(c.ID) + len(c.Tool) + len(c.Arguments) + len(c.Result) }

// mostSaid bounds the calls in the messages of one span.
const mostSaid = 200

// saidKeys are the attributes with the output of models. Their input has the calls of
// earlier runs as well.
var saidKeys = []string{"gen_ai.output.messages", "ai.response.toolCalls", "gen_ai.completion"}

// flatCall matches the attributes of a tool call in the output of a model that has each
// field of its messages in an attribute.
var flatCall = regexp.MustCompile(`^((?:gen_ai\.completion|llm\.output_messages)\.\d+\.(?:message\.)?tool_calls\.\d+)\.(?:tool_call\.)?(id|name|arguments|function\.name|function\.arguments)$`)

// saidCalls returns the tool calls in the messages of a span, with their arguments and
// results if there is content.
func (r *reported) saidCalls(content bool) []saidCall {
	found := &saidCalls{content: content}
	for _, key := range saidKeys {
		if len(found.calls) == 0 {
			found.read(r.value(key))
		}
	}
	for i := range r.Events {
		switch event := &r.Events[i]; event.Name {
		case "gen_ai.client.inference.operation.details":
			found.read(event.Attributes.value("gen_ai.output.messages"))
		case "gen_ai.choice", "gen_ai.assistant.message":
			found.read(event.Attributes.value("message", "tool_calls", "gen_ai.event.content"))
		}
	}
	flat := map[string]*saidCall{}
	var order []string
	for i := range r.Attributes {
		names := flatCall.FindStringSubmatch(r.Attributes[i].Key)
		if names == nil || len(order) >= mostSaid {
			continue
		}
		if flat[names[1]] == nil {
			flat[names[1]] = &saidCall{}
			order = append(order, names[1])
		}
		switch text := plain(r.Attributes[i].Value); names[2] {
		case "id":
			flat[names[1]].ID = clean(text)
		case "name", "function.name":
			flat[names[1]].Tool = clean(text)
		default:
			flat[names[1]].Arguments = text
		}
	}
	for _, name := range order {
		found.add(*flat[name])
	}
	return found.calls
}

// saidCalls are the tool calls that are found in messages.
type saidCalls struct {
	content bool
	calls   []saidCall
}

// read reads messages, structured or as JSON.
func (f *saidCalls) read(value anyValue) {
	if value.StringValue == nil {
		f.walk(value.toJSON(0), 0)
		return
	}
	// Most messages have no call.
	if text := *value.StringValue; strings.Contains(text, "tool") || strings.Contains(text, "unction") {
		var messages any
		if unmarshal([]byte(text), &messages) == nil {
			f.walk(messages, 0)
		}
	}
}

// walk looks for calls and their results in messages of any vendor.
func (f *saidCalls) walk(value any, depth int) {
	if depth > deepest {
		return
	}
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			f.walk(one, depth+1)
		}
	case map[string]any:
		if f.object(value) {
			return
		}
		for _, name := range []string{"messages", "parts", "content", "tool_calls", "toolCalls", "message", "kwargs", "output", "functionCall", "function_call", "toolUse", "functionResponse", "toolResult"} {
			f.walk(value[name], depth+1)
		}
	}
}

// These are the types of parts of messages, as in words.
var (
	callTypes   = map[string]bool{"toolcall": true, "tooluse": true, "servertooluse": true, "functioncall": true, "mcpcall": true, "mcptooluse": true}
	resultTypes = map[string]bool{"toolcallresponse": true, "toolresult": true, "toolreturn": true, "functioncalloutput": true, "mcptoolresult": true}
)

// object reads an object that is a call or its result.
func (f *saidCalls) object(o map[string]any) bool {
	function, _ := o["function"].(map[string]any)
	id := textOf(o, "toolCallId", "tool_call_id", "call_id", "tool_use_id", "toolUseId", "id")
	kind := normal(textOf(o, "type", "part_kind"))
	name := cmp.Or(textOf(o, "name", "toolName", "tool_name"), textOf(function, "name"))
	arguments := first(o, "arguments", "args", "input")
	if function != nil {
		arguments = first(function, "arguments", "args")
	}
	switch {
	case resultTypes[kind], textOf(o, "role") == "tool" && o["parts"] == nil && id != "":
		for i := range f.calls {
			if f.content && f.calls[i].ID == id {
				f.calls[i].Result = inJSON(first(o, "response", "result", "output", "content"))
			}
		}
		return true
	case callTypes[kind], name != "" && arguments != nil && (kind == "" || kind == "function"):
		f.add(saidCall{ID: clean(id), Tool: clean(name), Arguments: inJSON(arguments)})
		return true
	}
	return false
}

// add adds a call, unless it is there already: messages repeat those before them.
func (f *saidCalls) add(call saidCall) {
	if call.Tool == "" || len(f.calls) >= mostSaid {
		return
	}
	for i := range f.calls {
		if call.ID != "" && f.calls[i].ID == call.ID {
			return
		}
	}
	if !f.content {
		call.Arguments = ""
	}
	f.calls = append(f.calls, call)
}

func first(o map[string]any, names ...string) any {
	for _, name := range names {
		if o[name] != nil {
			return o[name]
		}
	}
	return nil
}

func textOf(o map[string]any, names ...string) string {
	text, _ := first(o, names...).(string)
	return text
}

// inJSON returns a text unchanged and another value as JSON.
func inJSON(value any) string {
	if text, ok := value.(string); ok || value == nil {
		return text
	}
	return string(encode(value))
}
