package otel

import (
	"os"
	"slices"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func load(t testing.TB, name string) *tracepb.TracesData {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// spanRequest returns a JSON request with one span of a kind with some attributes.
func spanRequest(name, kind string, attributes ...string) string {
	var list []string
	for pair := range slices.Chunk(attributes, 2) {
		list = append(list, `{"key":"`+pair[0]+`","value":{"stringValue":"`+pair[1]+`"}}`)
	}
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[{
		"traceId":"5B8EFFF798038103D269B633813FC60C","spanId":"eee19b7ec3c1b174","parentSpanId":"","name":"` + name + `","kind":` + kind + `,
		"startTimeUnixNano":"1544712660000000000","endTimeUnixNano":1544712661000000000,"unknown":1,"attributes":[` + strings.Join(list, ",") + `]}]}]}]}`
}

func TestConventions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want Span
	}{
		"an agent":           {spanRequest("invoke_agent Ada", "1", "gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "Ada"), Span{Kind: AgentRun, Agent: "Ada"}},
		"a tool":             {spanRequest("execute_tool book", "1", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "book"), Span{Kind: ToolCall, Tool: "book"}},
		"a tool's span name": {spanRequest("execute_tool book", "1", "gen_ai.operation.name", "execute_tool"), Span{Kind: ToolCall, Tool: "book"}},
		"a model":            {spanRequest("chat m", "3", "gen_ai.operation.name", "chat"), Span{Kind: Chat}},
		"a request over MCP": {spanRequest("tools/call dig", "3", "mcp.method.name", "tools/call", "gen_ai.tool.name", "dig", "server.address", "mcp.example.com"), Span{Kind: ToolCall, Tool: "dig", Server: "mcp.example.com"}},
		"an MCP tool call":   {spanRequest("tools/call dig", "3", "mcp.method.name", "tools/call", "gen_ai.operation.name", "execute_tool", "mcp.server.name", "digger"), Span{Kind: ToolCall, Tool: "dig", Server: "digger"}},
		"an MCP server":      {spanRequest("tools/call dig", "2", "mcp.method.name", "tools/call", "gen_ai.operation.name", "execute_tool"), Span{Kind: Other, Server: "shop"}},
		"OpenInference":      {spanRequest("x", "1", "openinference.span.kind", "AGENT", "agent.name", "Ada"), Span{Kind: AgentRun, Agent: "Ada"}},
		"OpenLLMetry":        {spanRequest("x", "1", "traceloop.span.kind", "tool", "traceloop.entity.name", "book"), Span{Kind: ToolCall, Tool: "book"}},
		"the Vercel AI SDK":  {spanRequest("x", "1", "ai.operationId", "ai.streamText", "ai.telemetry.functionId", "ada"), Span{Kind: AgentRun, Agent: "ada"}},
		"a failure":          {spanRequest("x", "1", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "a\\nb", "error.type", "timeout"), Span{Kind: ToolCall, Tool: "a b", Failed: true, Failure: "timeout"}},
		"another span":       {spanRequest("GET /", "3", "http.method", "GET"), Span{Kind: Other}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := ParseJSON([]byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			binary, err := proto.Marshal(data)
			if err != nil {
				t.Fatal(err)
			}
			if data, err = ParseProto(binary); err != nil {
				t.Fatal(err)
			}
			got, malformed := Read(data, false)
			if len(got) != 1 || malformed != 0 {
				t.Fatalf("%d spans, %d malformed", len(got), malformed)
			}
			c.want.Trace, c.want.ID, c.want.Service = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", "shop"
			c.want.Start, c.want.End = at(1544712660000000000), at(1544712661000000000)
			if *got[0] != c.want {
				t.Errorf("got  %+v\nwant %+v", *got[0], c.want)
			}
		})
	}
}

func TestRulesAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"agents: [{match: a}]":                      "agents, rule 1: it says neither",
		"agents: [{name: a}]":                       "match is empty",
		"agents: [{match: '[', name: a}]":           "not a pattern",
		"agents: [{match: a, drop: true, name: b}]": "drop leaves it out",
		"tools: [{match: a, service: b, name: c}]":  "service is for rules about agents",
		"tools: [{match: a, url: b}]":               "url is for rules about servers",
		"agent: []":                                 "field agent not found",
		"redact: ['(']":                             "redact, expression 1",
	} {
		if _, err := ParseRules([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzSpans converts any request to journeys that a host accepts.
func FuzzSpans(f *testing.F) {
	seed, err := os.ReadFile("testdata/content.json")
	if err != nil {
		f.Fatal(err)
	}
	binary, err := proto.Marshal(load(f, "content.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed, true)
	f.Add(binary, false)
	f.Fuzz(func(t *testing.T, body []byte, isJSON bool) {
		parse := ParseProto
		if isJSON {
			parse = ParseJSON
		}
		data, err := parse(body)
		if err != nil {
			return
		}
		for _, content := range []bool{false, true} {
			spans, _ := Read(data, content)
			c := NewCollector(largeLimits(), nil)
			if _, err := c.Add(zero, spans); err != nil {
				t.Fatal(err)
			}
			for _, run := range c.Flush() {
				if run.Agent == "" {
					continue // servers only
				}
				checkJourney(t, &run)
			}
			if c.bytes != 0 {
				t.Errorf("%d bytes remain", c.bytes)
			}
		}
	})
}
