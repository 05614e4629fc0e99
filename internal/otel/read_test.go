package otel

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"runtime"
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

// load reads the spans of a file in testdata.
func load(t testing.TB, name string, content bool) []*Span {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	spans, rejected := readBoth(t, text, content)
	if rejected.Total() != 0 {
		t.Errorf("%s: %s", name, rejected.Why())
	}
	return spans
}

// readBoth reads a request in JSON, and fails the test unless its spans are the same in
// protobuf.
func readBoth(t testing.TB, text []byte, content bool) ([]*Span, Rejected) {
	t.Helper()
	spans, rejected, err := collect(text, true, content)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := collect(inProtobuf(t, text), false, content)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(spans, again, cmp.AllowUnexported(Span{}, saidCall{}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("JSON and protobuf differ (-JSON +protobuf):\n%s", diff)
	}
	return spans, rejected
}

// collect returns all spans of a request.
func collect(body []byte, isJSON, content bool) (spans []*Span, rejected Rejected, err error) {
	r := &Reader{Content: content, Take: func(some []*Span) error {
		spans = append(spans, some...)
		return nil
	}}
	if isJSON {
		rejected, err = r.JSON(body)
	} else {
		rejected, err = r.Proto(body)
	}
	return spans, rejected, err
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
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 40) + "{}" + strings.Repeat("]}}", 40)
	values := map[string]string{
		`{"stringValue":"ü"}`: "ü", `{"stringValue":""}`: "", `{"boolValue":true}`: "true", `{"boolValue":false}`: "false",
		`{"intValue":"-5"}`: "-5", `{"intValue":7}`: "7", `{"doubleValue":1.5}`: "1.5", `{"doubleValue":"-Infinity"}`: "", `{"bytesValue":"AAA="}`: "", `{}`: "",
		`{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":"1"},{}]}}`:            `["a",1,null]`,
		`{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{}}},{"key":"b"}]}}`: `{"a":[],"b":null}`,
		deep: strings.Repeat("[", 32) + "null" + strings.Repeat("]", 32),
	}
	for text, want := range values {
		body := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"execute_tool x",
			"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.call.arguments","value":` + text + `}]}]}]}]}`
		if got, _ := readBoth(t, []byte(body), true); len(got) != 1 || got[0].Arguments != want {
			t.Errorf("%s is %+v, want %q", text, got, want)
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
		if _, _, err := collect(body, false, true); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, body := range []string{"", "[]", "{}{}", "{} x", `{"resourceSpans":1}`, `{"resourceSpans":[1]}`, `{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"x"}]}]}]}`} {
		if _, _, err := collect([]byte(body), true, true); err == nil {
			t.Errorf("%s: no error", body)
		}
	}
	for _, body := range []string{"{}", "\xEF\xBB\xBF{}", `{"resourceSpans":null}`, `{"resourceSpans":[{"resource":null,"scopeSpans":[{"spans":null,"scope":{}}]}],"more":[{"x":1}]}`} {
		if _, rejected, err := collect([]byte(body), true, true); err != nil || rejected.Total() != 0 {
			t.Errorf("%s: %v %s", body, err, rejected.Why())
		}
	}
}

// repeated returns a message that is empty but for a number of empty messages in a field,
// after other fields.
func repeated(field protowire.Number, count int, others []byte) []byte {
	body := slices.Clone(others)
	for range count {
		body = protowire.AppendBytes(protowire.AppendTag(body, field, protowire.BytesType), nil)
	}
	return body
}

// A request whose parts take many times its bytes in memory takes little: spans are
// unpacked one by one, and those of too many parts are not.
func TestUnpackedSizeIsBounded(t *testing.T) {
	const many = 500_000
	ids := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), bytes.Repeat([]byte{1}, traceIDBytes))
	ids = protowire.AppendBytes(protowire.AppendTag(ids, 2, protowire.BytesType), bytes.Repeat([]byte{1}, spanIDBytes))
	in := func(field protowire.Number, message []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), message)
	}
	inJSON := func(before, part, after string) []byte {
		return []byte(before + strings.TrimSuffix(strings.Repeat(part+",", many/2), ",") + after)
	}
	const start = `{"resourceSpans":[{"scopeSpans":[{"spans":[`
	const span = `{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","`
	for name, c := range map[string]struct {
		body   []byte
		isJSON bool
		fails  bool
		want   Rejected
		most   uint64 // MiB that are allocated in all
	}{
		"empty spans":         {in(1, in(2, repeated(2, many, nil))), false, false, Rejected{NoID: many}, 1024},
		"attributes":          {in(1, in(2, in(2, repeated(9, many, ids)))), false, false, Rejected{Large: 1}, 16},
		"events":              {in(1, in(2, in(2, repeated(11, many, ids)))), false, false, Rejected{Large: 1}, 16},
		"scopes":              {in(1, repeated(2, many, nil)), false, false, Rejected{}, 1024},
		"resource attributes": {in(1, in(1, repeated(1, many, nil))), false, true, Rejected{}, 32},
		"spans in JSON":       {inJSON(start, "{}", "]}]}]}"), true, false, Rejected{NoID: many / 2}, 1024},
		"numbers in JSON":     {inJSON(start, "0", "]}]}]}"), true, true, Rejected{}, 1},
		"null in JSON":        {inJSON(start, "null", "]}]}]}"), true, false, Rejected{NoID: many / 2}, 1024},
		"attributes in JSON":  {inJSON(start+span+`attributes":[`, "{}", "]}]}]}]}"), true, false, Rejected{Large: 1}, 1},
		"a list in JSON":      {inJSON(start+span+`attributes":[{"key":"a","value":{"arrayValue":{"values":[`, "{}", "]}}}]}]}]}]}"), true, false, Rejected{Large: 1}, 1},
		"a list in a text": {inJSON(start+span+`name":"x","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
			{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"tool\":[]},`, `{}`, `]"}}]}]}]}]}`), true, false, Rejected{}, 64},
		"resources in JSON": {inJSON(`{"resourceSpans":[`, "{}", "]}"), true, false, Rejected{}, 1024},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, rejected, err := collect(c.body, c.isJSON, true)
		runtime.ReadMemStats(&after)
		if c.fails != (err != nil) || err == nil && rejected != c.want {
			t.Errorf("%s: %+v %v", name, rejected, err)
		}
		if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > c.most {
			t.Errorf("%s: %d MiB were allocated, want at most %d", name, made, c.most)
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
			got, rejected := readBoth(t, []byte(c.text), false)
			if len(got) != 1 || rejected.Total() != 0 {
				t.Fatalf("%d spans, %s", len(got), rejected.Why())
			}
			c.want.Trace, c.want.ID, c.want.Service = "5b8efff798038103d269b633813fc60c", "eee19b7ec3c1b174", "shop"
			c.want.Start, c.want.End = at(1544712660000000000), at(1544712661000000000)
			if diff := cmp.Diff(c.want, *got[0], cmpopts.IgnoreUnexported(Span{})); diff != "" {
				t.Error(diff)
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
		for _, content := range []bool{false, true} {
			spans, _, err := collect(body, isJSON, content)
			if err != nil {
				return
			}
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
