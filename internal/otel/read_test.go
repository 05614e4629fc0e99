package otel

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

func load(t testing.TB, name string) *Request {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, text)
}

// parsed parses a request in JSON, and fails the test unless it is the same in protobuf.
func parsed(t testing.TB, text []byte) *Request {
	t.Helper()
	data, err := ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseProto(inProtobuf(t, text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(data, again, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("JSON and protobuf differ (-JSON +protobuf):\n%s", diff)
	}
	return data
}

// inProtobuf writes a request in JSON in protobuf, by the library of OpenTelemetry.
func inProtobuf(t testing.TB, text []byte) []byte {
	t.Helper()
	data := &tracepb.TracesData{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, data); err != nil {
		t.Fatal(err)
	}
	// Its ids are hex, which the library reads as base64: every hex digit is one of base64.
	ofHex := func(read []byte) []byte {
		id, err := hex.DecodeString(base64.StdEncoding.EncodeToString(read))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for _, resource := range data.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				span.TraceId, span.SpanId, span.ParentSpanId = ofHex(span.GetTraceId()), ofHex(span.GetSpanId()), ofHex(span.GetParentSpanId())
			}
		}
	}
	binary, err := proto.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// Every kind of value is read from both forms.
func TestValues(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		`{"stringValue":"ü"}`: "ü", `{"stringValue":""}`: "", `{"boolValue":true}`: "true", `{"boolValue":false}`: "false",
		`{"intValue":"-5"}`: "-5", `{"intValue":7}`: "7", `{"doubleValue":1.5}`: "1.5", `{"doubleValue":"-Infinity"}`: "", `{"bytesValue":"AAA="}`: "", `{}`: "",
		`{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"1"},{}]}}`:            `["a",1,null]`,
		`{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{}}},{"key":"b"}]}}`: `{"a":[],"b":null}`,
	}
	for text, want := range values {
		data := parsed(t, []byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":`+text+`}]}}]}`))
		if got := plain(data.ResourceSpans[0].Resource.Attributes.value("k")); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

func TestDeepValuesAreCut(t *testing.T) {
	t.Parallel()
	text := `{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":` + strings.Repeat(`{"arrayValue":{"values":[`, 40) + "{}" + strings.Repeat("]}}", 40) + `}]}}]}`
	fromJSON, err := ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	fromProto, err := ParseProto(inProtobuf(t, []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []*Request{fromJSON, fromProto} {
		if got, want := plain(data.ResourceSpans[0].Resource.Attributes.value("k")), strings.Repeat("[", 32)+"null"+strings.Repeat("]", 32); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestMalformedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	deep := []byte{}
	for range mostDepth {
		deep = protowire.AppendBytes([]byte{5<<3 | 2}, protowire.AppendBytes([]byte{1<<3 | 2}, deep))
	}
	for name, body := range map[string][]byte{
		"cut off":    []byte("\x0a\x05a"),
		"wrong type": []byte("\x08\x01"),
		"too deep":   protowire.AppendBytes([]byte{1<<3 | 2}, protowire.AppendBytes([]byte{1<<3 | 2}, protowire.AppendBytes([]byte{1<<3 | 2}, protowire.AppendBytes([]byte{2<<3 | 2}, deep)))),
	} {
		if _, err := ParseProto(body); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, body := range []string{"", "[]", `{"resourceSpans":1}`, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"x"}]}]}]}`} {
		if _, err := ParseJSON([]byte(body)); err == nil {
			t.Errorf("%s: no error", body)
		}
	}
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
			got, malformed := Read(parsed(t, []byte(c.text)), false)
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
		"agents: [{match: a}]":                      "agents, rule 1: it has neither",
		"agents: [{name: a}]":                       "match is empty",
		"agents: [{match: '[', name: a}]":           "not a pattern",
		"agents: [{match: a, drop: true, name: b}]": "drop excludes it",
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
	f.Add(seed, true)
	f.Add(inProtobuf(f, seed), false)
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
