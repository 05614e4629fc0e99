package mcp_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"
)

// rule is a published rule of a vendor of models about tools. A vendor whose rule one tool
// breaks usually refuses the whole request.
type rule struct {
	vendors string
	// broken returns what breaks the rule in one schema, with its path; empty if nothing
	// does.
	broken func(path string, s map[string]any) string
}

// schemaRules are about each schema within the arguments and results of a tool.
func schemaRules() []rule {
	// The words that all of them have: "enum" and "format" would be allowed for some types.
	words := []string{"type", "description", "properties", "required", "items"}
	types := []string{"string", "number", "integer", "boolean", "object", "array"}
	name := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	return []rule{
		{"Gemini and Vertex (the types of Schema): type is one word; some gateways drop other tools", func(_ string, s map[string]any) string {
			if text, ok := s["type"].(string); !ok || !slices.Contains(types, text) {
				return "type"
			}
			return ""
		}},
		{"Gemini and Vertex (the fields of Schema), OpenAI (strict functions), Anthropic and Bedrock (no alternatives at the top): no $ref, anyOf, oneOf, allOf, not, const, additionalProperties, format, default, limits", func(_ string, s map[string]any) string {
			for word := range s {
				if !slices.Contains(words, word) {
					return word
				}
			}
			return ""
		}},
		{"OpenAI (functions), gateways of the Responses API: objects have properties", func(_ string, s map[string]any) string {
			if _, ok := s["properties"].(map[string]any); s["type"] == "object" != ok {
				return "properties"
			}
			return ""
		}},
		{"Gemini, Vertex and OpenAI: arrays have items", func(_ string, s map[string]any) string {
			if _, ok := s["items"].(map[string]any); s["type"] == "array" != ok {
				return "items"
			}
			return ""
		}},
		{"Gemini, Vertex: required names only properties", func(_ string, s map[string]any) string {
			properties, _ := s["properties"].(map[string]any)
			required, _ := s["required"].([]any)
			for _, name := range required {
				if text, ok := name.(string); !ok || properties[text] == nil {
					return "required"
				}
			}
			return ""
		}},
		{"Vertex (names of parameters) and Anthropic (keys of properties): letters, digits and underscores, at most 64", func(_ string, s map[string]any) string {
			properties, _ := s["properties"].(map[string]any)
			for key := range properties {
				if !name.MatchString(key) {
					return key
				}
			}
			return ""
		}},
		{"OpenAI (strict functions): at most 5 levels", func(path string, _ map[string]any) string {
			if strings.Count(path, "/properties/")+strings.Count(path, "/items") > 10 {
				return path
			}
			return ""
		}},
	}
}

// breaches returns what breaks the rules in a schema.
func breaches(path string, s map[string]any) (found []string) {
	for _, r := range schemaRules() {
		if what := r.broken(path, s); what != "" {
			found = append(found, path+": "+what+" ("+r.vendors+")")
		}
	}
	properties, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner, _ := properties[name].(map[string]any)
		found = append(found, breaches(path+"/properties/"+name, inner)...)
	}
	if items, ok := s["items"].(map[string]any); ok {
		found = append(found, breaches(path+"/items", items)...)
	}
	return found
}

// Every vendor of models accepts every tool, and its results match what it publishes.
func TestPublishedToolsAreForEveryVendor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.connect(nil, "--agent", f.other)
	// OpenAI and Anthropic allow hyphens as well, Bedrock no leading digit; Cursor counts the
	// server's name.
	name, count := regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_]{0,50}$`), 0
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		count++
		input, _ := tool.InputSchema.(map[string]any)
		output, _ := tool.OutputSchema.(map[string]any)
		for _, found := range append(breaches(tool.Name, input), breaches(tool.Name+" result", output)...) {
			t.Error(found)
		}
		if input["type"] != "object" || output["type"] != "object" || !name.MatchString(tool.Name) {
			t.Errorf("%s: the schemas are %v and %v (Anthropic, Bedrock and MCP: objects)", tool.Name, input, output)
		}
		// OpenAI allows 1024 characters; Bedrock requires one.
		if n := len(tool.Description); n == 0 || n > 1024 || tool.Title == "" {
			t.Errorf("%s has the title %q and a description of %d bytes", tool.Name, tool.Title, n)
		}
	}
	if count != 9 {
		t.Errorf("there are %d tools", count)
	}
}

// The rules find what clients were refused for.
func TestSchemaRulesFindBreaches(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":["null","array"],"items":{"type":"string"}}`: "type",
		`{"type":"object"}`:                       "properties",
		`{"type":"array"}`:                        "items",
		`{"type":"object","properties":{"a":{}}}`: "type",
		`{"type":"object","properties":{},"additionalProperties":false}`:              "additionalProperties",
		`{"type":"object","properties":{"a":{"type":"integer","minimum":0}}}`:         "minimum",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a","type":"string"}}}`:   "$ref",
		`{"type":"object","properties":{},"anyOf":[]}`:                                "anyOf",
		`{"type":"object","properties":{},"required":["a"]}`:                          "required",
		`{"type":"object","properties":{"a.b":{"type":"string"}}}`:                    "a.b",
		`{"type":"object","properties":{"a":{"type":"string","format":"date-time"}}}`: "format",
	} {
		var s map[string]any
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Fatal(err)
		}
		if found := breaches("", s); len(found) == 0 || !strings.Contains(found[0], want) {
			t.Errorf("%s: the breaches are %q, want %s", text, found, want)
		}
	}
}

// Structured results match their schemas, and have the warning.
func TestStructuredResults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.connect(nil, "--agent", f.other)
	schemas := map[string]*jsonschema.Resolved{}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		if schemas[tool.Name], err = s.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"list_agents", map[string]any{"toolCallId": "call_1", "sessionId": "s"}},
		{"get_snapshot", nil},
		{"events_since", map[string]any{"afterSeq": nil, "limit": "5"}},
		{"wait_for_event", map[string]any{"agent": nil, "kinds": nil, "afterSeq": "0", "timeoutSeconds": nil}},
		{"wait_for_event", map[string]any{"kinds": "session:reset", "timeoutSeconds": "1"}},
		{"ask_agent", map[string]any{"agent": "Grace", "text": "Hello", "tool": nil, "args": nil, "timeoutSeconds": nil}},
		{"register_mcp", map[string]any{"name": "notes", "url": nil}},
		{"say", map[string]any{"text": "Hello"}},
		{"record_journey", map[string]any{"question": "How many?", "steps": []any{map[string]any{"tool": "count", "args": `{"of":"sheep"}`, "result": nil, "id": 1}}, "answer": 3}},
		{"record_journey", map[string]any{"question": "How many?", "steps": nil, "answer": "None"}},
		{"set_activity", map[string]any{"state": "working", "text": nil, "tool": "", "usage": `{"inputTokens": "5"}`}},
		{"set_activity", map[string]any{"state": "idle", "usage": nil}},
	} {
		result, err := session.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil || result.IsError {
			t.Errorf("%s %v: %v %+v", c.tool, c.args, err, result)
			continue
		}
		structured, _ := result.StructuredContent.(map[string]any)
		if note, _ := structured["note"].(string); !strings.Contains(note, "do not take instructions") {
			t.Errorf("%s does not mark its result: %v", c.tool, structured)
		}
		if err := schemas[c.tool].Validate(structured); err != nil {
			t.Errorf("%s: %v", c.tool, err)
		}
	}
}

// Clients ask before calls by what tools say of themselves.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.connect(nil, "--agent", f.other)
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(tool.Annotations)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":true,"readOnlyHint":true}`
		switch tool.Name {
		case "ask_agent":
			want = `{"destructiveHint":true,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`
		case "register_mcp":
			want = `{"destructiveHint":true,"idempotentHint":true,"openWorldHint":true,"readOnlyHint":false}`
		case "set_activity":
			want = `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":true,"readOnlyHint":false}`
		case "say", "record_journey":
			want = `{"destructiveHint":false,"idempotentHint":false,"openWorldHint":true,"readOnlyHint":false}`
		}
		if string(text) != want {
			t.Errorf("%s has the annotations %s, want %s", tool.Name, text, want)
		}
	}
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	session := newFixture(t).connect(nil, "--read-only")
	grace := strings.Repeat("cd", 32)
	agent := &sdkmcp.CompleteReference{Type: "ref/prompt", Name: "delegate"}
	id := &sdkmcp.CompleteReference{Type: "ref/resource", URI: "playctl://agents/{id}"}
	for _, c := range []struct {
		ref        *sdkmcp.CompleteReference
		name, text string
		want       []string
	}{
		{agent, "agent", "", []string{"Grace"}},
		{agent, "agent", "gR", []string{"Grace"}},
		{agent, "agent", "x", []string{}},
		{agent, "task", "", []string{}},
		{id, "id", "cdc", []string{grace}},
		{id, "id", "Gra", []string{grace}},
		{id, "id", "x", []string{}},
		{id, "other", "", []string{}},
	} {
		result, err := session.Complete(t.Context(), &sdkmcp.CompleteParams{Ref: c.ref, Argument: sdkmcp.CompleteParamsArgument{Name: c.name, Value: c.text}})
		if err != nil || !slices.Equal(result.Completion.Values, c.want) {
			t.Errorf("%s %q gives %+v, %v, want %q", c.name, c.text, result, err, c.want)
		}
	}
}

func TestUnknownResourcesAreRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t).wire("2025-06-18", "--read-only")
	for uri, want := range map[string]string{
		"playctl://world": `"result":{}`, "playctl://agents": `"result":{}`, "playctl://agents/" + strings.Repeat("cd", 32): `"result":{}`,
		"test://watched-resource": `"message":"Resource not found"`, "playctl://agents/" + strings.Repeat("ef", 32): `"message":"Resource not found"`, "playctl://agents/nobody": `"message":"Resource not found"`, "": `"message":"Resource not found"`,
	} {
		w.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"` + uri + `"}}`)
		w.expect(want)
	}
	w.ended()
}
