package sdk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/fieldorder"
)

// The names that frameworks and model vendors have for the parts of a list of tools.
var (
	// toolListKeys contain a list: the last ones are Gemini's, and those around the lists of
	// an MCP reply and of Bedrock.
	toolListKeys = []string{"tools", "functions", "functionDeclarations", "function_declarations", "result", "toolConfig"}
	// toolKeys contain a tool within its entry: OpenAI's and Bedrock's.
	toolKeys = []string{"function", "toolSpec"}
	// toolSchemaKeys contain the schema of the arguments: OpenAI's and Gemini's, the one of
	// MCP and Vercel, Anthropic's, LangChain's in Python and in JavaScript, and Gemini's for
	// JSON Schema. The first that is not null counts.
	toolSchemaKeys = []string{"parameters", "inputSchema", "input_schema", "args_schema", "schema", "parametersJsonSchema", "parameters_json_schema"}
	// schemaKeys contain a schema within an object: Vercel's and Bedrock's.
	schemaKeys = []string{"jsonSchema", "json"}
)

// emptySchema describes a tool without arguments.
const emptySchema = `{"type":"object","properties":{}}`

// ReadTools reads a JSON list of tools in the form of OpenAI (chat completions and
// responses), Anthropic, MCP, LangChain, Gemini, Vercel or Bedrock: an array, an object
// that contains it, or an object with the tools by their names. Each result has a Schema.
// An error says which tool cannot be read and what to change. The limits of a world are
// not checked: NewFrameworkRegistration does that.
func ReadTools(list []byte) ([]Tool, error) {
	var value any
	if err := json.Unmarshal(list, &value); err != nil {
		return nil, fmt.Errorf("the list of tools is not JSON: %w", err)
	}
	tools, err := appendTools(nil, list)
	if err != nil {
		return nil, err
	}
	for i, tool := range tools {
		if at := slices.IndexFunc(tools[:i], func(other Tool) bool { return other.Name == tool.Name }); at >= 0 {
			return nil, fmt.Errorf("tools %d and %d have the same name %q: rename one of them", at+1, i+1, tool.Name)
		}
	}
	return tools, nil
}

// appendTools reads a list, or an object that contains one.
func appendTools(tools []Tool, list json.RawMessage) ([]Tool, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); err == nil && entries != nil {
		for _, entry := range entries {
			if tools, err = appendEntry(tools, entry, ""); err != nil {
				return nil, err
			}
		}
		return tools, nil
	}
	members, ok := fieldorder.Members(list)
	if !ok {
		return nil, errors.New("the tools are not a list")
	}
	object := toolObject(members)
	if _, inner := object.first(toolListKeys); inner != nil {
		return appendTools(tools, inner)
	}
	if object.isTool() {
		return appendEntry(tools, list, "")
	}
	for _, named := range members {
		var err error
		if tools, err = appendEntry(tools, named.Value, named.Name); err != nil {
			return nil, err
		}
	}
	return tools, nil
}

// appendEntry reads an entry of a list: a tool, an object that contains one or several, or
// a name alone. name is the name of a tool that does not contain it.
func appendEntry(tools []Tool, entry json.RawMessage, name string) ([]Tool, error) {
	what := fmt.Sprintf("tool %d", len(tools)+1)
	if name != "" {
		what = fmt.Sprintf("the tool %q", name)
	}
	var text string
	if name == "" && json.Unmarshal(entry, &text) == nil && text != "" {
		return append(tools, Tool{Name: text, Schema: json.RawMessage(emptySchema)}), nil
	}
	members, ok := fieldorder.Members(entry)
	if !ok {
		return nil, fmt.Errorf("%s is %s: it must be an object with a name, a description and parameters", what, kindOf(entry))
	}
	object := toolObject(members)
	if _, inner := object.first(toolListKeys); inner != nil && !object.isTool() {
		return appendTools(tools, inner)
	}
	if _, inner := object.first(toolKeys); inner != nil {
		if members, ok = fieldorder.Members(inner); !ok {
			return nil, fmt.Errorf("%s contains %s: it must be an object with a name, a description and parameters", what, kindOf(inner))
		}
		object = toolObject(members)
	}
	if object["name"] == nil && object["title"] != nil && object["properties"] != nil {
		// A JSON Schema with a title is a tool of LangChain.
		object = toolEntry{"name": object["title"], "description": object["description"], "parameters": entry}
	}
	tool, err := object.tool(what, name)
	if err != nil {
		return nil, err
	}
	return append(tools, tool), nil
}

// toolEntry is an object that describes a tool.
type toolEntry map[string]json.RawMessage

// toolObject returns the members that are not null.
func toolObject(members []fieldorder.Member) toolEntry {
	object := toolEntry{}
	for _, member := range members {
		if string(member.Value) != "null" {
			object[member.Name] = member.Value
		}
	}
	return object
}

// first returns the first of some members that the object has.
func (o toolEntry) first(keys []string) (key string, value json.RawMessage) {
	for _, key := range keys {
		if value := o[key]; value != nil {
			return key, value
		}
	}
	return "", nil
}

// isTool reports whether the object is a tool, or an entry with one.
func (o toolEntry) isTool() bool {
	var name string
	_, inner := o.first(toolKeys)
	return inner != nil || json.Unmarshal(o["name"], &name) == nil
}

// tool reads the object, which errors call what. name is its name if it does not contain
// one.
func (o toolEntry) tool(what, name string) (Tool, error) {
	t := Tool{Name: name}
	if text := o["name"]; text != nil && json.Unmarshal(text, &t.Name) != nil {
		return Tool{}, fmt.Errorf("the name of %s is %s: it must be a text", what, kindOf(text))
	}
	if t.Name == "" && o["name"] != nil {
		return Tool{}, fmt.Errorf("the name of %s is empty", what)
	}
	if t.Name == "" {
		if kind := o.vendorTool(); kind != "" {
			return Tool{}, fmt.Errorf("%s has no name: remove it if it is the tool %q of a model's vendor, which people cannot call", what, kind)
		}
		return Tool{}, fmt.Errorf("%s has no name: add \"name\"", what)
	}
	if text := o["description"]; text != nil && json.Unmarshal(text, &t.Description) != nil {
		return Tool{}, t.wrong("its description is %s: it must be a text", kindOf(text))
	}
	key, schema := o.first(toolSchemaKeys)
	if schema == nil {
		if key := o.unreadSchema(); key != "" {
			return Tool{}, t.wrong("%q describes arguments, but is not a name for them: put their JSON Schema into \"parameters\"", key)
		}
		schema = json.RawMessage(emptySchema)
	}
	var err error
	if t.Schema, err = checkedSchema(unwrapped(schema)); err != nil {
		return Tool{}, t.wrong("%s %w", key, err)
	}
	return t, nil
}

// vendorTool returns what may be the name of a tool that a model's vendor runs: its type,
// or the only member. It is empty if there is neither.
func (o toolEntry) vendorTool() string {
	var kind string
	if o["type"] != nil {
		_ = json.Unmarshal(o["type"], &kind) // another type of value is no name
	} else if len(o) == 1 {
		for kind = range o {
			break
		}
	}
	if kind == "function" {
		return ""
	}
	return kind
}

// unwrapped returns the schema within an object that has nothing else.
func unwrapped(schema json.RawMessage) json.RawMessage {
	if members, ok := fieldorder.Members(schema); ok && len(members) == 1 && slices.Contains(schemaKeys, members[0].Name) {
		return members[0].Value
	}
	return schema
}

// unreadSchema returns the member that describes arguments under a name that is not
// known; empty if there is none.
func (o toolEntry) unreadSchema() string {
	for key, value := range o {
		other := func(word string) bool { return strings.HasPrefix(strings.TrimLeft(key, "_"), word) }
		if slices.ContainsFunc([]string{"output", "response", "result", "return", "annotation", "meta"}, other) {
			continue
		}
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if json.Unmarshal(value, &schema) == nil && (strings.EqualFold(schema.Type, "object") || schema.Properties != nil) {
			return key
		}
		if areArguments(value) {
			return key
		}
	}
	return ""
}

// areArguments reports whether a value is an object of arguments by their names, each with
// a type: the properties of a schema without the schema around them.
func areArguments(value json.RawMessage) bool {
	var properties map[string]struct {
		Type *json.RawMessage `json:"type"`
	}
	if json.Unmarshal(value, &properties) != nil || len(properties) == 0 {
		return false
	}
	for name, property := range properties {
		if property.Type == nil || name == "properties" {
			return false
		}
	}
	return true
}

// checkedSchema returns a JSON Schema of an object as rows have it: with its order, and
// with Gemini's types in lower case. The error continues a sentence about the schema.
func checkedSchema(schema json.RawMessage) (json.RawMessage, error) {
	members, ok := fieldorder.Members(schema)
	if !ok {
		return nil, fmt.Errorf("is %s: it must be a JSON Schema object, such as %s", kindOf(schema), emptySchema)
	}
	if areArguments(schema) {
		return nil, fmt.Errorf("is not a JSON Schema: put its members into \"properties\", as in {\"type\":\"object\",\"properties\":{…}}")
	}
	written := fieldorder.Write(schema)
	for _, member := range members {
		switch value := member.Value; member.Name {
		case "type":
			var text string
			if err := json.Unmarshal(value, &text); err == nil && !strings.EqualFold(text, string(TypeObject)) {
				return nil, fmt.Errorf("has the type %q: arguments have names, so it must be \"object\"", text)
			}
		case "properties":
			if _, ok := fieldorder.Members(value); !ok {
				return nil, fmt.Errorf("has properties that are %s: they must be an object, empty for none", kindOf(value))
			}
		case "required":
			var names []string
			if json.Unmarshal(value, &names) != nil {
				return nil, fmt.Errorf("has required that is %s: it must be a list of names", kindOf(value))
			}
		}
	}
	return written, nil
}

// kindOf names the kind of a JSON value.
func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "a text"
	case '[':
		return "a list"
	case '{':
		return "an object"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
