package protocol_test

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

func intercomCommandBody(kind string) string {
	return `{"requestId":"r-1","mainNodeId":"` + hexA + `","fromPlayerId":"__human__","toPlayerId":"` + hexB + `",
		"kind":"` + kind + `","toolName":"assist_help","args":{"topic":"go"},"text":"hello"}`
}

func intercomTextField(path string, optional bool) field {
	return field{
		path: path, kind: "string", optional: optional, blank: optional,
		longest: strings.Repeat("x", 64<<10), tooLong: strings.Repeat("x", 64<<10+1),
	}
}

func TestIntercomCommand(t *testing.T) {
	for _, kind := range []string{"assist", "chat", "realtime"} {
		r := request{
			name: kind, parse: anyParser(protocol.ParseRequest[protocol.IntercomCommand]), body: intercomCommandBody(kind),
			fields: []field{
				idField("requestId", false), accountField("mainNodeId", false),
				agentField("fromPlayerId", false), agentField("toPlayerId", false),
				wordField("kind", false, "assist", "chat", "realtime"),
				textField("toolName", kind != "assist", 128),
				{path: "args", kind: "object", optional: true, longest: sized(64 << 10), tooLong: sized(64<<10 + 1)},
				intercomTextField("text", kind != "chat"),
			},
		}
		t.Run(kind, r.run)
	}
}

func intercomResponseBody(status string) string {
	return `{"requestId":"r-1","mainNodeId":"` + hexA + `","toPlayerId":"__human__","fromPlayerId":"` + hexB + `",
		"kind":"assist","status":"` + status + `","toolName":"assist_help","message":"done","result":{"a":1},
		"error":"none","ts":"2026-01-02T03:04:05.678Z"}`
}

func TestIntercomResponse(t *testing.T) {
	for _, status := range []string{"stream", "completed", "failed"} {
		r := request{
			name: status, parse: anyParser(protocol.ParseRequest[protocol.IntercomResponse]), body: intercomResponseBody(status),
			fields: []field{
				idField("requestId", false), accountField("mainNodeId", false),
				agentField("toPlayerId", false), agentField("fromPlayerId", false),
				wordField("kind", false, "assist", "chat", "realtime"),
				{path: "status", kind: "string", bad: []any{"started", "forwarded", "Failed", "done"}},
				textField("toolName", true, 128),
				intercomTextField("message", true),
				{path: "result", kind: "object", optional: true, longest: sized(64 << 10), tooLong: sized(64<<10 + 1)},
				intercomTextField("error", status != "failed"),
				timeField("ts"),
			},
		}
		t.Run(status, r.run)
	}
}

func TestNormalizeResult(t *testing.T) {
	for name, c := range map[string]struct{ result, message, normal, secret string }{
		"none":                   {``, `hi`, ``, ``},
		"empty":                  {`{}`, ``, `{"messageKind":"text"}`, ``},
		"adds the message":       {`{"a":1}`, `hi`, `{"a":1,"messageKind":"text","message":"hi"}`, ``},
		"keeps its message":      {`{"message":"own"}`, `hi`, `{"message":"own","messageKind":"text"}`, ``},
		"keeps an empty message": {`{"message":""}`, `hi`, `{"message":"","messageKind":"text"}`, ``},
		"message of wrong type":  {`{"message":{"x":1}}`, `hi`, `{"messageKind":"text","message":"hi"}`, ``},
		"message null, no other": {`{"message":null}`, ``, `{"message":null,"messageKind":"text"}`, ``},
		"kind kept":              {`{"messageKind":"media"}`, `hi`, `{"messageKind":"media"}`, ``},
		"kind kept over object":  {`{"audio":{},"messageKind":"text"}`, `hi`, `{"audio":{},"messageKind":"text","message":"hi"}`, ``},
		"kind unknown":           {`{"messageKind":"Audio"}`, ``, `{"messageKind":"text"}`, ``},
		"kind of wrong type":     {`{"messageKind":7,"media":{"u":1}}`, ``, `{"media":{"u":1},"messageKind":"media"}`, ``},
		"audio by its object":    {`{"audio":{"u":1}}`, `hi`, `{"audio":{"u":1},"messageKind":"audio"}`, ``},
		"audio before media":     {`{"media":{},"audio":{}}`, ``, `{"media":{},"audio":{},"messageKind":"audio"}`, ``},
		"audio not an object":    {`{"audio":"u"}`, ``, `{"audio":"u","messageKind":"text"}`, ``},
		"media by its object":    {`{"media":{}}`, ``, `{"media":{},"messageKind":"media"}`, ``},
		"secret removed":         {`{"realtimeWebrtc":{"clientSecret":"x"},"a":1}`, ``, `{"a":1,"messageKind":"text"}`, `{"clientSecret":"x"}`},
		"secret by an escape":    {`{"re\u0061ltimeWebrtc":{"clientSecret":"x"}}`, ``, `{"messageKind":"text"}`, `{"clientSecret":"x"}`},
		"secret of any type":     {`{"realtimeWebrtc":"x"}`, ``, `{"messageKind":"text"}`, `"x"`},
		"secret null":            {`{"realtimeWebrtc":null}`, ``, `{"messageKind":"text"}`, ``},
		"names with escapes":     {`{"a\"b":1}`, ``, `{"a\"b":1,"messageKind":"text"}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			normal, secret, err := protocol.NormalizeResult([]byte(c.result)[:len(c.result):len(c.result)], c.message)
			if c.result == "" {
				normal, secret, err = protocol.NormalizeResult(nil, c.message)
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(normal) != c.normal || string(secret) != c.secret {
				t.Errorf("got %s and %s,\nwant %s and %s", normal, secret, c.normal, c.secret)
			}
			again, none, err := protocol.NormalizeResult(normal, c.message)
			if err != nil || none != nil || string(again) != string(normal) && !reordered(t, again, normal) {
				t.Errorf("normalizing again gives %s and %s, %v", again, none, err)
			}
		})
	}
	for _, wrong := range []string{``, `[]`, `"x"`, `{`, `{"a":1,"a":2}`} {
		if _, _, err := protocol.NormalizeResult([]byte(wrong), ""); err == nil {
			t.Errorf("NormalizeResult(%q) gives no error", wrong)
		}
	}
}

// reordered reports whether two objects have the same members.
func reordered(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y map[string]any
	decode(t, string(a), &x)
	decode(t, string(b), &y)
	return encode(t, x) == encode(t, y)
}

func TestRealtimeSecretIsReturnedToAsker(t *testing.T) {
	normal, secret, err := protocol.NormalizeResult([]byte(`{"a":1,"realtimeWebrtc":{"clientSecret":"x"}}`), "")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"a":1,"messageKind":"text","realtimeWebrtc":{"clientSecret":"x"}}`
	if got := protocol.WithRealtimeWebRTC(normal, secret); string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := protocol.WithRealtimeWebRTC(normal, nil); string(got) != string(normal) {
		t.Errorf("without a secret the result became %s", got)
	}
}

// The secret does not share memory with the body that contained it.
func TestNormalizeResultCopies(t *testing.T) {
	result := []byte(`{"a":1,"realtimeWebrtc":{"clientSecret":"x"}}`)
	normal, secret, err := protocol.NormalizeResult(result, "")
	if err != nil {
		t.Fatal(err)
	}
	before := string(normal) + string(secret)
	for i := range result {
		result[i] = '7'
	}
	if after := string(normal) + string(secret); after != before {
		t.Errorf("%s became %s", before, after)
	}
}

func TestJoinObjects(t *testing.T) {
	for _, c := range [][3]string{
		{``, ``, `{}`}, {`{}`, `{ }`, `{}`}, {`{"a":1}`, `{}`, `{"a":1}`}, {``, `{"b":2}`, `{"b":2}`},
		{` {"a":1} `, `{"b":{}}`, `{"a":1,"b":{}}`}, {`{"a":1}`, "{\n\"b\":2}", "{\"a\":1,\n\"b\":2}"},
	} {
		if got := protocol.JoinObjects([]byte(c[0]), []byte(c[1])); string(got) != c[2] {
			t.Errorf("JoinObjects(%q, %q) = %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
