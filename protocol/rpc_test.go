package protocol_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

func listField(path string) field {
	return field{path: path, kind: "number", optional: true, longest: 1000, tooLong: 1001, good: []any{1, 1e2}, bad: []any{0, -1, 1.5, 1e300}}
}

// lineField is a text that is kept as one line, and cut if it is long.
func lineField(path string) field {
	return field{path: path, kind: "string", optional: true, blank: true, good: []any{"a\n b", chars(10_000)}}
}

func usageFields(path string) []field {
	all := []field{{path: path, kind: "object", optional: true, good: []any{map[string]any{"unknown": "x"}}}}
	for _, name := range []string{"inputTokens", "outputTokens", "costUsd", "toolCalls", "errors"} {
		all = append(all, field{
			path: path + "." + name, kind: "number", optional: true, good: []any{0, 0.1, 1e300, 1e21}, bad: []any{-1, -1e-9},
		})
	}
	return all
}

var rpcRequests = []request{
	{
		name: "recordInteraction", parse: anyParser(protocol.ParseRequest[protocol.RecordInteractionRequest]),
		body: `{"playerId":"` + hexA + `","role":"user","text":"hello"}`,
		fields: []field{
			agentField("playerId", false), wordField("role", false, "user", "assistant", "tool"),
			{path: "text", kind: "string", blank: true, good: []any{chars(100_000)}},
		},
	},
	{
		name: "recordActivity", parse: anyParser(protocol.ParseRequest[protocol.RecordActivityRequest]),
		body: `{"playerId":"` + hexA + `","connectionId":"c","state":"working","text":"Editing","toolName":"edit",
			"usage":{"inputTokens":1,"outputTokens":2,"costUsd":0.25,"toolCalls":3,"errors":4}}`,
		fields: append([]field{
			agentField("playerId", false), idField("connectionId", true),
			wordField("state", false, "working", "waiting", "idle", "done", "failed"),
			lineField("text"), textField("toolName", true, 128),
		}, usageFields("usage")...),
	},
	{
		name: "listInteractions", parse: anyParser(protocol.ParseRequest[protocol.ListRequest]),
		body:   `{"playerId":"` + hexA + `","limit":50,"beforeSeq":7}`,
		fields: []field{agentField("playerId", true), listField("limit"), positionField("beforeSeq")},
	},
	{
		name: "getPlayerChainNode", parse: anyParser(protocol.ParseRequest[protocol.ChainNodeRequest]),
		body:   `{"stableKey":"__genesis__","atRev":7}`,
		fields: []field{stableKeyField("stableKey", false), positionField("atRev")},
	},
	{
		name: "getPlayerChainNodes", parse: anyParser(protocol.ParseRequest[protocol.ChainNodesRequest]),
		body: `{"stableKeys":["__header__","space:s"],"atRev":7}`,
		fields: []field{
			{path: "stableKeys", kind: "array", longest: keys(256), tooLong: keys(257), good: []any{[]any{}}},
			stableKeyField("stableKeys[1]", true), positionField("atRev"),
		},
	},
	{
		name: "getPlayerChainProof", parse: anyParser(protocol.ParseRequest[protocol.ChainProofRequest]),
		body: `{"stableKey":"space:s"}`, fields: []field{stableKeyField("stableKey", false)},
	},
	{
		name: "registerSpaceNode", parse: anyParser(protocol.ParseRequest[protocol.RegisterSpaceRequest]),
		body: `{"id":"s-1","name":"Corner","description":"A shop","designKey":"brick",
			"owner":{"displayName":"Ada","playerId":"` + hexA + `"},"amenities":["shop","car_wash"]}`,
		fields: []field{
			idField("id", true), textField("name", false, 200), descriptionField, textField("designKey", false, 128),
			{path: "owner", kind: "object"}, textField("owner.displayName", false, 200), agentField("owner.playerId", true),
			amenitiesField(false), wordFieldElement("amenities[1]", "supermarket", "car_wash"),
		},
	},
	{
		name: "createSpace", parse: anyParser(protocol.ParseRequest[protocol.CreateSpaceRequest]),
		body: `{"name":"Corner","designKey":"brick","ownerDisplayName":"Ada","description":"A shop",
			"structureName":"House","amenities":["shop","car_wash"]}`,
		fields: []field{
			textField("name", false, 200), textField("designKey", false, 128), textField("ownerDisplayName", false, 200),
			descriptionField, textField("structureName", true, 200),
			amenitiesField(true), wordFieldElement("amenities[1]", "supermarket", "car_wash"),
		},
	},
	{
		name: "inspectSpace", parse: anyParser(protocol.ParseRequest[protocol.SpaceRequest]),
		body: `{"spaceId":"s-1"}`, fields: []field{idField("spaceId", false)},
	},
	{
		name: "addSpaceAmenity", parse: anyParser(protocol.ParseRequest[protocol.AmenityRequest]),
		body:   `{"spaceId":"s-1","kind":"shop"}`,
		fields: []field{idField("spaceId", false), wordField("kind", false, "shop", "supermarket", "car_wash")},
	},
}

var descriptionField = field{
	path: "description", kind: "string", optional: true, blank: true, longest: chars(4000), tooLong: chars(4001),
}

func amenitiesField(optional bool) field {
	return field{
		path: "amenities", kind: "array", optional: optional,
		good: []any{[]any{"shop"}, []any{"car_wash", "supermarket", "shop"}},
		bad:  []any{[]any{}, []any{"shop", "shop"}, []any{"shop", "shop", "shop", "shop"}},
	}
}

func wordFieldElement(path string, words ...any) field {
	f := wordField(path, false, words...)
	f.element = true
	return f
}

func keys(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = "mcp:" + strings.Repeat("x", i)
	}
	return list
}

func TestRPCRequests(t *testing.T) {
	for _, r := range rpcRequests {
		t.Run(r.name, r.run)
	}
}

func TestParseRPC(t *testing.T) {
	for body, want := range map[string]protocol.Code{
		`{}`: "body_invalid", `{"op":null}`: "body_invalid", `{"op":7}`: "body_invalid", `{"op":["recordJourney"]}`: "body_invalid",
		`{"op":""}`: "op_unknown", `{"op":"RecordJourney"}`: "op_unknown", `{"op":"nothing","payload":7}`: "op_unknown",
	} {
		_, err := protocol.ParseRPC(object(t, body))
		if err == nil || err.Code != want || err.Field != "op" {
			t.Errorf("%s: got %v, want %s for op", body, err, want)
		}
	}
}

func TestPayload(t *testing.T) {
	for body, fieldWanted := range map[string]string{
		`{"op":"inspectSpace"}`:                                 "payload.spaceId",
		`{"op":"inspectSpace","payload":null}`:                  "payload.spaceId",
		`{"op":"inspectSpace","payload":{}}`:                    "payload.spaceId",
		`{"op":"inspectSpace","payload":[]}`:                    "payload",
		`{"op":"inspectSpace","payload":"{}"}`:                  "payload",
		`{"op":"inspectSpace","payload":{"spaceId":"s"}}`:       "",
		`{"payload":{"spaceId":"s","x":1},"op":"inspectSpace"}`: "",
	} {
		call, err := protocol.ParseRPC(object(t, body))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		payload, err := call.Payload()
		if err == nil {
			_, err = protocol.ParseRequest[protocol.SpaceRequest](payload)
		}
		got := ""
		if err != nil {
			got = err.Field
		}
		if got != fieldWanted {
			t.Errorf("%s: the field in the error is %q, want %q", body, got, fieldWanted)
		}
	}
}

func TestRPCRequestOnTheWire(t *testing.T) {
	wireEqual(t, protocol.RPCRequest{Op: protocol.OpGetWorldSnapshot}, `{"op":"getWorldSnapshot","payload":{}}`)
	wireEqual(t, protocol.RPCRequest{Op: protocol.OpListInteractions, Payload: protocol.ListRequest{}}, `{"op":"listInteractions","payload":{}}`)
	wireEqual(t, protocol.RPCRequest{
		Op: protocol.OpGetPlayerChainNodes, Payload: &protocol.ChainNodesRequest{AtRev: new(uint64(0))},
	}, `{"op":"getPlayerChainNodes","payload":{"stableKeys":[],"atRev":0}}`)
}

func TestListDefaults(t *testing.T) {
	for _, body := range []string{`{}`, `{"limit":null,"playerId":null,"beforeSeq":null}`} {
		got, err := protocol.ParseRequest[protocol.ListRequest](object(t, body))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(protocol.ListRequest{Limit: 100}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

func TestCreateSpaceDefaults(t *testing.T) {
	got, err := protocol.ParseRequest[protocol.CreateSpaceRequest](object(t, `{"name":"Corner","designKey":"brick","ownerDisplayName":"Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.CreateSpaceRequest{
		Name: "Corner", DesignKey: "brick", OwnerDisplayName: "Ada", StructureName: "Corner", Amenities: []string{"shop"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRecordInteractionText(t *testing.T) {
	for name, c := range map[string]struct{ sent, want string }{
		"trimmed":           {" \n\ufeff\u3000 a b \u2029\t", "a b"},
		"blank":             {"\u00a0\u2003", ""},
		"empty":             {"", ""},
		"at the limit":      {chars(4000), chars(4000)},
		"cut":               {strings.Repeat("😀", 4001), strings.Repeat("😀", 4000)},
		"trimmed, then cut": {strings.Repeat(" ", 5000) + chars(4000) + "  ", chars(4000)},
		"not white space":   {"\u0085a\u200b", "\u0085a\u200b"},
	} {
		body := encode(t, map[string]any{"playerId": "p", "role": "tool", "text": c.sent})
		got, err := protocol.ParseRequest[protocol.RecordInteractionRequest](object(t, body))
		if err != nil || got.Text != c.want {
			t.Errorf("%s: %d bytes, %v, want %d bytes", name, len(got.Text), err, len(c.want))
		}
	}
}

func TestActivityIsOneLine(t *testing.T) {
	for name, c := range map[string]struct{ sent, want string }{
		"collapsed":          {" Editing \n\u2028 commit.go\t", "Editing commit.go"},
		"blank":              {"\u00a0\n", ""},
		"at the limit":       {strings.Repeat("😀", 200), strings.Repeat("😀", 200)},
		"cut":                {strings.Repeat("😀", 201), strings.Repeat("😀", 200)},
		"cut before a space": {chars(199) + "  " + chars(9), chars(199)},
		"not white space":    {"\u0085a\u200b", "\u0085a\u200b"},
	} {
		got, err := protocol.ParseRequest[protocol.RecordActivityRequest](object(t, encode(t, map[string]any{
			"playerId": "p", "state": "working", "text": c.sent,
		})))
		if err != nil || got.Text != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got.Text, err, c.want)
		}
	}
}

// A number below zero by its sign alone is zero, as in a row.
func TestUsageHasNoNegativeZero(t *testing.T) {
	got, err := protocol.ParseRequest[protocol.RecordActivityRequest](object(t, `{"playerId":"p","state":"idle","usage":{"errors":-0,"costUsd":-0.0}}`))
	if err != nil {
		t.Fatal(err)
	}
	wireEqual(t, got.Usage, `{"costUsd":0,"errors":0}`)
}

func TestRemoveOccupantRefusesOtherKeys(t *testing.T) {
	for _, key := range []string{"__genesis__", "__header__", "space:s"} {
		_, err := protocol.ParseRequest[protocol.RemoveOccupantRequest](object(t, `{"stableKey":"`+key+`"}`))
		if err == nil || err.Code != protocol.CodeBodyInvalid {
			t.Errorf("%s: got %v, want body_invalid", key, err)
		}
	}
}
