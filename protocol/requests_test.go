package protocol_test

import (
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

const (
	hexA = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	hexB = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
)

// The invalid and valid values for fields that contain an id.
var (
	badIDs  = []any{"a b", "a:b", "a\u0000b", "a\nb", "a\u0085b", "a\u2028b", "a\ufeffb", " a", "a\u3000"}
	goodIDs = []any{"a", "A-b_c.9", "ü", "__human__", "😀"}
)

func idField(path string, optional bool) field {
	return field{
		path: path, kind: "string", optional: optional,
		longest: chars(128), tooLong: chars(129), good: goodIDs, bad: badIDs,
	}
}

// accountField returns a field with the id of a main node, which is trimmed first.
func accountField(path string, optional bool) field {
	f := idField(path, optional)
	f.good = append([]any{" " + strings.ToUpper(hexA) + "\n", " a"}, goodIDs...)
	f.bad = badIDs[:7]
	return f
}

func agentField(path string, optional bool) field {
	f := idField(path, optional)
	f.good = append([]any{" " + strings.ToUpper(hexA) + "\n"}, goodIDs...)
	return f
}

func hashField(path string, optional bool) field {
	return field{
		path: path, kind: "string", optional: optional, good: []any{hexB},
		bad: []any{strings.ToUpper(hexA), hexA[:63], hexA + "0", " " + hexA, strings.Repeat("g", 64), strings.Repeat("é", 32)},
	}
}

func nodeField(path string, optional bool) field {
	return field{
		path: path, kind: "string", optional: optional,
		good: []any{strings.ToUpper(hexB), "\t" + hexB + " "},
		bad:  []any{hexA[:63], hexA + "0", strings.Repeat("g", 64), "root"},
	}
}

func textField(path string, optional bool, limit int) field {
	return field{path: path, kind: "string", optional: optional, longest: chars(limit), tooLong: chars(limit + 1)}
}

// wordField returns a field whose value is one of a few words.
func wordField(path string, optional bool, words ...any) field {
	return field{
		path: path, kind: "string", optional: optional, good: words,
		bad: []any{strings.ToUpper(words[0].(string)), " " + words[0].(string), "other", strings.Repeat("x", 100)},
	}
}

func timeField(path string) field {
	return field{
		path: path, kind: "string",
		good: []any{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456+02:00"},
		bad:  []any{"2026-01-02", "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", "now", "2026-01-02T3:04:05Z"},
	}
}

func optionalField(f field) field {
	f.optional = true
	return f
}

func leaseField() field {
	return field{path: "leaseTtlSeconds", kind: "number", optional: true, good: []any{-1e300, -1, 0, 4.9, 5, 300, 301, 1e300}}
}

func positionField(path string) field {
	return field{
		path: path, kind: "number", optional: true,
		longest: protocol.MaxSafeInteger, tooLong: protocol.MaxSafeInteger + 1,
		good: []any{0, 1e15}, bad: []any{-1, 0.5, 1e300, -1e300},
	}
}

func stableKeyField(path string, element bool) field {
	return field{
		path: path, kind: "string", element: element, code: protocol.CodeStableKeyUnknown,
		longest: "mcp:" + chars(508), tooLong: "mcp:" + chars(509),
		good: []any{"agent:a:b", "mcp:", "human:x", "structure:s"},
		bad:  []any{"agent", "Agent:a:b", " mcp:x", "player:x", "__genesis", "__GENESIS__"},
	}
}

var requests = []request{
	registerRequest,
	{
		name: "heartbeat", parse: anyParser(protocol.ParseRequest[protocol.HeartbeatRequest]),
		body:   `{"playerId":"` + hexA + `","connectionId":"c-1","leaseTtlSeconds":60}`,
		fields: []field{agentField("playerId", false), idField("connectionId", false), leaseField()},
	},
	{
		name: "disconnect", parse: anyParser(protocol.ParseRequest[protocol.DisconnectRequest]),
		body:   `{"playerId":"` + hexA + `","connectionId":"c-1"}`,
		fields: []field{agentField("playerId", false), idField("connectionId", true)},
	},
	{
		name: "mcp register", parse: anyParser(protocol.ParseRequest[protocol.MCPRegisterRequest]),
		body: `{"name":"Weather","url":"https://example.org/mcp?x=1#y"}`,
		fields: []field{
			textField("name", false, 200),
			{
				path: "url", kind: "string", optional: true,
				longest: "http://h/" + strings.Repeat("a", 2039), tooLong: "http://h/" + strings.Repeat("a", 2040),
				good: []any{"http://h", "HTTPS://H:8080", "http://[::1]:80/", "http://h/%20"},
				bad: []any{
					"h", "/mcp", "ftp://h/", "file:///etc/passwd", "javascript:alert(1)", "http://", "http:///x", "http:h",
					"http://h/a b", "http://h/\n", "http://:80/", "http://h:port/", " http://h", "http://user@h/", "http://user:word@h/",
				},
			},
		},
	},
	{
		name: "mcp unregister", parse: anyParser(protocol.ParseRequest[protocol.MCPUnregisterRequest]),
		body: `{"id":"m-1"}`, fields: []field{idField("id", false)},
	},
	{
		name: "remove occupant", parse: anyParser(protocol.ParseRequest[protocol.RemoveOccupantRequest]),
		body: `{"stableKey":"agent:a:b"}`, fields: []field{stableKeyField("stableKey", false)},
	},
	{
		name: "create main node", parse: anyParser(protocol.ParseRequest[protocol.CreateNodeRequest]),
		body: `{"kind":"main","nodeId":"` + hexA + `","passwHash":"` + hexB + `"}`,
		fields: []field{
			{path: "kind", kind: "string", optional: true, bad: []any{"agent", "root", "Main", "main "}},
			nodeField("nodeId", false), hashField("passwHash", false),
		},
	},
	{
		name: "create space node", parse: anyParser(protocol.ParseRequest[protocol.CreateNodeRequest]),
		body:   `{"kind":"space","spaceId":"s-1","passwHash":"` + hexB + `"}`,
		fields: []field{idField("spaceId", false), hashField("passwHash", true)},
	},
	{
		name: "create agent node", parse: anyParser(protocol.ParseRequest[protocol.CreateAgentNodeRequest]),
		body: `{"kind":"agent","parentNodeId":"` + hexA + `","agentNodeId":"` + hexB + `","agentNodePasswHash":"` + hexB + `"}`,
		fields: []field{
			wordField("kind", true, "agent"), nodeField("parentNodeId", true),
			nodeField("agentNodeId", false), hashField("agentNodePasswHash", false),
		},
	},
	{
		name: "delete node", parse: anyParser(protocol.ParseRequest[protocol.DeleteNodeRequest]),
		body: `{"confirmNodeId":"` + hexA + `"}`, fields: []field{accountField("confirmNodeId", false)},
	},
	{
		name: "validate", parse: anyParser(protocol.ParseRequest[protocol.ValidateRequest]),
		body: `{"nodeId":"` + hexA + `","rootKey":"any text","mainNodeId":"` + hexB + `"}`,
		fields: []field{
			accountField("nodeId", true), accountField("mainNodeId", true),
			{
				path: "rootKey", kind: "string", optional: true, good: []any{strings.ToUpper(hexA), "two words: ü"},
				longest: strings.Repeat("a", 4096), tooLong: strings.Repeat("a", 4097),
			},
		},
	},
	{
		name: "assist tool", parse: anyParser(protocol.ParseRequest[protocol.AssistToolRequest]),
		body: `{"targetPlayerId":"` + hexA + `","toolName":"assist_help","args":{"topic":"go"}}`,
		fields: []field{
			agentField("targetPlayerId", false), textField("toolName", false, 128),
			{path: "args", kind: "object", longest: sized(64 << 10), tooLong: sized(64<<10 + 1)},
		},
	},
	{
		name: "proximity action", parse: anyParser(protocol.ParseRequest[protocol.ProximityActionRequest]),
		body: `{"fromPlayerId":"__human__","toPlayerId":"` + hexA + `","action":"zone"}`,
		fields: []field{
			agentField("fromPlayerId", false), agentField("toPlayerId", false),
			wordField("action", false, "assist", "chat", "zone", "yield"),
		},
	},
	{
		name: "watch session", parse: anyParser(protocol.ParseRequest[protocol.WatchSessionRequest]),
		body: `{"token":"t","framed":true}`,
		fields: []field{
			{path: "token", kind: "string", optional: true, blank: true}, {path: "framed", kind: "boolean", optional: true},
		},
	},
}

func TestRequests(t *testing.T) {
	for _, r := range requests {
		t.Run(r.name, r.run)
	}
}
