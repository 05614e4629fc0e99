package openapitest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const (
	sid      = "4f7c8a4e-8c8a-4b1e-9a55-0d6f4a1f2b3c"
	nodeID   = "87b6637b010478e48a83a8d445041ae4df5d607df7932153cdfee5c601e8e39e"
	session  = `{"sid":"` + sid + `","rev":0,"seq":0,"capabilities":["resume"]}`
	refusal  = `{"error":"No.","code":"sid_invalid","requestId":"r-1"}`
	frame    = "id: 4\nevent: world:player_removed\ndata: "
	removal  = `{"playerId":"a","reason":"lease","rev":3,"merkleRootHex":"` + nodeID + `","merkleLeafCount":2`
	notified = `,"playerChainNotify":{"updatedAt":"2026-01-02T03:04:05.678Z","nodes":[{"stableKey":"mcp:1","leafIndex":2}]}}`
)

// exchange returns an exchange that the document allows, which cases then change.
func exchange(method, target, sent string, status int, body string) *Exchange {
	h := http.Header{}
	h.Set("X-Request-Id", "r-1")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Play-Rev", "0")
	h.Set("Content-Type", "application/json")
	return &Exchange{
		Request: httptest.NewRequest(method, target, http.NoBody), Sent: []byte(sent), Status: status, Header: h, Body: []byte(body),
	}
}

func streamed(body string) *Exchange {
	x := exchange("GET", "/api/play/events?sid="+sid, "", 200, body)
	x.Header.Set("Content-Type", "text/event-stream")
	x.Header.Set("X-Accel-Buffering", "no")
	return x
}

func withHeader(x *Exchange, name, value string) *Exchange {
	x.Header.Set(name, value)
	return x
}

func withoutHeader(x *Exchange, name string) *Exchange {
	x.Header.Del(name)
	return x
}

func TestCheckAcceptsDescribedExchanges(t *testing.T) {
	t.Parallel()
	cases := map[string]*Exchange{
		"a reply":                      exchange("GET", "/api/play/session", "", 200, session),
		"under the older service":      exchange("GET", "/api/agent-play/session", "", 200, session),
		"a refusal":                    exchange("GET", "/api/play/snapshot", "", 403, refusal),
		"no body after HEAD":           exchange("HEAD", "/api/play/session", "", 200, ""),
		"a refused body":               exchange("POST", "/api/play/players", `{"name":7}`, 403, refusal),
		"an operation":                 exchange("POST", "/api/play/sdk/rpc", `{"op":"listSpaceNodes"}`, 200, `{"spaces":[]}`),
		"an unknown path":              exchange("GET", "/api/play/none", "", 404, strings.Replace(refusal, "sid_invalid", "not_found", 1)),
		"an unknown method":            withHeader(exchange("PUT", "/api/play/session", "", 405, strings.Replace(refusal, "sid_invalid", "method_not_allowed", 1)), "Allow", "GET, HEAD"),
		"a preflight":                  withoutHeader(withHeader(exchange("OPTIONS", "/api/play/session", "", 204, ""), "Access-Control-Allow-Methods", "GET"), "Content-Type"),
		"a negative validation":        exchange("POST", "/api/nodes/validate", `{}`, 400, `{"ok":false,"reason":"node not found"}`),
		"a stream":                     streamed("retry: 2000\n:\n\nid: 3\n\n" + frame + removal + notified + "\n\n"),
		"a stream cut within an event": streamed(frame + removal),
	}
	for name, x := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			Check(t, x)
		})
	}
}

func TestCheckDetectsUndescribedExchanges(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		x    *Exchange
		want string
	}{
		"an unknown field":                        {exchange("GET", "/api/play/session", "", 200, session[:len(session)-1]+`,"more":1}`), "additionalProperties"},
		"a missing field":                         {exchange("GET", "/api/play/session", "", 200, `{"sid":"`+sid+`"}`), "required"},
		"a field of another type":                 {exchange("GET", "/api/play/session", "", 200, strings.Replace(session, `"rev":0`, `"rev":"0"`, 1)), "/rev fails type"},
		"no JSON":                                 {exchange("GET", "/api/play/session", "", 200, "ok"), "no JSON"},
		"a missing header":                        {withoutHeader(exchange("GET", "/api/play/session", "", 200, session), "X-Play-Rev"), "X-Play-Rev is missing"},
		"a header's other value":                  {withHeader(exchange("GET", "/api/play/session", "", 200, session), "Cache-Control", "public"), "Cache-Control"},
		"another media type":                      {withHeader(exchange("GET", "/api/play/session", "", 200, session), "Content-Type", "text/html"), "text/html"},
		"an undescribed status":                   {exchange("GET", "/api/play/session", "", 418, session), "the status is not described"},
		"a code of another status":                {exchange("GET", "/api/play/session", "", 401, refusal), "/code fails enum"},
		"an undescribed route":                    {exchange("GET", "/api/play/none", "", 200, session), "answered with 200, want 404"},
		"an undescribed method":                   {exchange("PUT", "/api/play/session", "", 200, session), "answered with 200, want 405"},
		"another operation's reply":               {exchange("POST", "/api/play/sdk/rpc", `{"op":"listSpaceNodes"}`, 200, `{"ok":true}`), "required"},
		"an undescribed operation":                {exchange("POST", "/api/play/sdk/rpc", `{"op":"dance"}`, 200, `{"ok":true}`), "no schema"},
		"an accepted invalid body":                {exchange("POST", "/api/nodes/validate", `{"nodeId":7}`, 200, `{"ok":true,"nodeKind":"main"}`), "/nodeId fails type"},
		"an accepted request without a body":      {exchange("POST", "/api/nodes/validate", "", 200, `{"ok":true,"nodeKind":"main"}`), "it has no body"},
		"an accepted request without a parameter": {exchange("POST", "/api/play/session/reset", "", 200, `{"sid":"`+sid+`"}`), "lacks the parameter sid"},
		"a body after 304":                        {withHeader(exchange("GET", "/api/play/snapshot?sid="+sid, "", 304, "{}"), "ETag", `W/"`+sid+`.0"`), "none is described"},
		"an unknown event":                        {streamed("event: world:ended\ndata: {}\n\n"), "no schema"},
		"an event without its notify":             {streamed(frame + removal + "}\n\n"), "required"},
		"data of two lines":                       {streamed(frame + "{}\ndata: {}\n\n"), "more than one line"},
		"an unknown field of frames":              {streamed("name: a\n\n"), `the field "name"`},
	}
	d, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := d.check(c.x); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the check returned %v, want an error that contains %q", err, c.want)
			}
		})
	}
}

// TestCheckErrorsContainNoValues uses an invalid value in a field that holds a secret.
func TestCheckErrorsContainNoValues(t *testing.T) {
	t.Parallel()
	d, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	const secret = "not-to-be-printed"
	err = d.check(exchange("POST", "/api/nodes", `{"nodeId":"`+nodeID+`","passwHash":"`+secret+`"}`, 200, `{"nodeId":"`+nodeID+`"}`))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("the check returned %v, want the location without the value", err)
	}
}

func TestCheckEventAcceptsDescribedEvent(t *testing.T) {
	t.Parallel()
	CheckEvent(t, "world:player_removed", []byte(removal+notified))
}
