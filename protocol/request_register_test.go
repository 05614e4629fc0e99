package protocol_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

var registerBody = `{
	"name": "Ada", "type": "langchain", "agentId": "` + hexA + `", "mainNodeId": "` + hexB + `",
	"agent": {
		"type": "react", "toolNames": ["chat_tool", "assist_help", "search"],
		"assistTools": [{"name": "assist_help", "description": "Helps", "parameters": {"topic": {"type": "string"}}}]
	},
	"passwHash": "` + hexB + `", "apiKey": "key", "connectionId": "c-1", "leaseTtlSeconds": 60,
	"enableP2a": "on", "realtimeInstructions": "Be brief", "parentId": " ` + strings.ToUpper(hexB) + ` ", "group": "shop"
}`

func names(n, length int) []any {
	list := []any{"chat_tool", "assist_help"}
	for len(list) < n {
		list = append(list, chars(length))
	}
	return list
}

// assistTools returns one tool whose list has exactly size bytes of JSON.
func assistTools(size int) []any {
	const own = len(`[{"description":"","name":"assist_help","parameters":{}}]`)
	return []any{map[string]any{"name": "assist_help", "description": strings.Repeat("x", size-own), "parameters": map[string]any{}}}
}

var registerRequest = request{
	name: "register", parse: anyParser(protocol.ParseRequest[protocol.RegisterRequest]), body: registerBody,
	fields: []field{
		textField("name", false, 200), textField("type", false, 64),
		agentField("agentId", false), accountField("mainNodeId", true), hashField("passwHash", true),
		{path: "apiKey", kind: "string", optional: true, blank: true},
		idField("connectionId", true), leaseField(), wordField("enableP2a", true, "on", "off"),
		{
			path: "realtimeInstructions", kind: "string", optional: true, blank: true,
			longest: chars(4096), tooLong: chars(4096) + "x",
		},
		agentField("parentId", true), textField("group", true, 64),
		{path: "agent", kind: "object"},
		textField("agent.type", false, 64),
		{path: "agent.toolNames", kind: "array", longest: names(128, 128), tooLong: names(129, 1)},
		{path: "agent.toolNames[2]", kind: "string", element: true, longest: chars(128), tooLong: chars(129)},
		{
			path: "agent.assistTools", kind: "array", optional: true,
			longest: assistTools(64 << 10), tooLong: assistTools(64<<10 + 1),
		},
		{path: "agent.assistTools[0]", kind: "object", element: true},
		{
			path: "agent.assistTools[0].name", kind: "string",
			bad: []any{"search", "Assist_help", "assist_other", "chat_tool", chars(129)},
		},
		{path: "agent.assistTools[0].description", kind: "string", blank: true},
		{path: "agent.assistTools[0].parameters", kind: "object"},
	},
}

func TestRegisterParsesEveryField(t *testing.T) {
	got, err := protocol.ParseRequest[protocol.RegisterRequest](object(t, registerBody))
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.RegisterRequest{
		Name: "Ada", Type: "langchain",
		Agent: protocol.AgentSpec{
			Type: "react", ToolNames: []string{"chat_tool", "assist_help", "search"},
			AssistTools: []protocol.AssistTool{{
				Name: "assist_help", Description: "Helps", Parameters: []byte(`{"topic": {"type": "string"}}`),
			}},
		},
		AgentID: hexA, MainNodeID: hexB, PasswHash: protocol.NewSecret(hexB).Wire(), APIKey: protocol.NewSecret("key").Wire(), ConnectionID: "c-1",
		LeaseTTLSeconds: 60, EnableP2A: "on", RealtimeInstructions: "Be brief",
		ParentID: hexB, Group: "shop",
	}
	if diff := cmp.Diff(want, got, compareSecrets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"assist_help"}, got.Agent.AssistToolNames()); diff != "" {
		t.Errorf("assist tools (-want +got):\n%s", diff)
	}
}

func TestRegisterDefaults(t *testing.T) {
	got, err := protocol.ParseRequest[protocol.RegisterRequest](object(t, `{
		"name":"Ada","type":"t","agentId":"`+strings.ToUpper(hexA)+`","mainNodeId":" Acme ",
		"agent":{"type":"t","toolNames":["chat_tool"]},
		"connectionId":null,"leaseTtlSeconds":null,"unknown":1,"realtimeWebrtc":{"clientSecret":"x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.RegisterRequest{
		Name: "Ada", Type: "t", Agent: protocol.AgentSpec{Type: "t", ToolNames: []string{"chat_tool"}},
		AgentID: hexA, MainNodeID: "acme", LeaseTTLSeconds: 45, EnableP2A: "off",
	}
	if diff := cmp.Diff(want, got, compareSecrets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Agent.AssistToolNames() == nil {
		t.Error("no assist tools must be an empty list, not null")
	}
}

func TestRegisterRequiresChatTool(t *testing.T) {
	for _, tools := range []string{`[]`, `["search"]`, `["Chat_tool"]`, `["chat_tool "]`} {
		_, err := protocol.ParseRequest[protocol.RegisterRequest](object(t, `{"name":"a","type":"t","agentId":"a","agent":{"type":"t","toolNames":`+tools+`}}`))
		if err == nil || err.Code != protocol.CodeChatToolMissing || err.Field != "agent.toolNames" {
			t.Errorf("%s: got %v, want chat_tool_missing", tools, err)
		}
	}
	// If a body has another error too, that error comes first.
	_, err := protocol.ParseRequest[protocol.RegisterRequest](object(t, `{"type":"t","agentId":"a","agent":{"type":"t","toolNames":[]}}`))
	if err == nil || err.Field != "name" {
		t.Errorf("got %v, want the name to be missing", err)
	}
}

func TestLeasesAreClamped(t *testing.T) {
	for sent, want := range map[string]int{
		"5": 5, "300": 300, "4": 5, "301": 300, "0": 5, "-7": 5, "1e300": 300, "-1e300": 5, "59.9": 59, "null": 0,
	} {
		r, err := protocol.ParseRequest[protocol.HeartbeatRequest](object(t, `{"playerId":"a","connectionId":"c","leaseTtlSeconds":`+sent+`}`))
		if err != nil || r.LeaseTTLSeconds != want {
			t.Errorf("leaseTtlSeconds %s = %d, %v, want %d", sent, r.LeaseTTLSeconds, err, want)
		}
	}
}

// A name stays as it was sent; one that nobody sees is refused.
func TestAgentIsRegisteredWithVisibleName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{`Ada`: "Ada", `\u202eSenior\u200b\nResearcher\n`: "\u202eSenior\u200b\nResearcher\n", `\u3164\u200d`: ""} {
		request, err := protocol.ParseRequest[protocol.RegisterRequest](object(t, strings.Replace(registerBody, `"Ada"`, `"`+name+`"`, 1)))
		if (err != nil) != (want == "") || err == nil && request.Name != want {
			t.Errorf("the name %s becomes %q, %v", name, request.Name, err)
		}
	}
}
