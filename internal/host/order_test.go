package host

import (
	"net/http"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// goodRequest is how one line of the table is used as it should be.
type goodRequest struct {
	// body is a right one, and bad one that is JSON but not right; empty where
	// no JSON is wrong.
	body, bad string
	query     string
	// caller is who may, and stranger a node that is of the wrong kind; nil where
	// every node is of a right one.
	caller, stranger func(*http.Request)
}

// goodRequests has an entry for every route and operation.
func goodRequests(f *fixture) map[string]goodRequest {
	main := f.main()
	agent := f.player(main)
	anyone, owner, self := as(main), as(main), as(agent)
	player := `{"playerId":"` + agent.id + `"`
	fresh := f.newIdentity()
	doomed := f.main()
	return map[string]goodRequest{
		"GET /api/play/session":         {caller: anyone},
		"POST /api/play/session/reset":  {body: `{}`, caller: asAdmin, stranger: owner},
		"GET /api/play/snapshot":        {caller: anyone},
		"POST /api/play/players":        {body: registrationText(agent.id), bad: `{"name":7}`, caller: self},
		"POST /api/play/mcp/register":   {body: `{"name":"files"}`, bad: `{}`, caller: owner, stranger: self},
		"POST /api/play/mcp/unregister": {body: `{"id":"x"}`, bad: `{}`, caller: owner, stranger: self},
		"POST /api/play/players/heartbeat": {
			body: player + `,"connectionId":"c1"}`, bad: `{}`, caller: self,
		},
		"POST /api/play/players/disconnect": {body: player + `,"connectionId":"other"}`, bad: `{}`, caller: self},
		"POST /api/play/occupants/remove":   {body: `{"stableKey":"mcp:none"}`, bad: `{}`, caller: asAdmin, stranger: owner},
		"POST /api/nodes": {
			body: `{"nodeId":"` + fresh.id + `","passwHash":"` + fresh.hash + `"}`, bad: `{"nodeId":1}`,
		},
		"GET /api/nodes":    {caller: owner, stranger: self},
		"DELETE /api/nodes": {body: `{"confirmNodeId":"` + doomed.id + `"}`, bad: `{}`, caller: as(doomed), stranger: self},
		"POST /api/nodes/agent-node": {
			body: `{"agentNodeId":"` + f.derived() + `"}`, bad: `{}`, caller: owner, stranger: self,
		},
		"POST /api/nodes/validate": {body: `{}`, bad: `{"nodeId":7}`, caller: self},
		"POST /api/nodes/api-key":  {body: `{}`, caller: as(f.main()), stranger: self},
		"GET /api/agents":          {caller: owner, stranger: self},
		"DELETE /api/agents":       {query: "id=unknown", caller: owner, stranger: self},
		"POST /api/agents":         {caller: owner, stranger: self},

		"getWorldSnapshot":    {body: `{}`, caller: anyone},
		"getPlayerChainNode":  {body: `{"stableKey":"__header__"}`, bad: `{}`, caller: anyone},
		"getPlayerChainNodes": {body: `{"stableKeys":["__header__"]}`, bad: `{}`, caller: anyone},
		"getPlayerChainProof": {body: `{"stableKey":"__header__"}`, bad: `{}`, caller: anyone},
		"listInteractions":    {body: `{}`, bad: `{"limit":"x"}`, caller: anyone},
		"listJourneys":        {body: `{}`, bad: `{"limit":"x"}`, caller: anyone},
		"recordInteraction":   {body: player + `,"role":"user","text":"hi"}`, bad: `{}`, caller: self},
		"recordJourney": {
			body: player + `,"journey":{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:05Z",` +
				`"steps":[{"type":"origin","content":"a","messageId":"m"}]}}`,
			bad: `{}`, caller: self,
		},
	}
}

func registrationText(agentID string) string {
	return `{"name":"Ada","type":"test","agentId":"` + agentID + `","connectionId":"c1",` +
		`"agent":{"type":"test","toolNames":["chat_tool"]}}`
}

// derived is a fresh agent's id and hash, in the form that closes the object.
func (f *fixture) derived() string {
	n := f.newIdentity()
	return n.id + `","agentNodePasswHash":"` + n.hash
}

// TestOrderOfChecks sends every route a request in which everything is wrong,
// mends one thing at a time, and sees the refusals come in the order of the
// contract. The table decides what applies to a route, so a line that is added
// is tested too.
func TestOrderOfChecks(t *testing.T) {
	f := newFixture(t)
	good := goodRequests(f)
	for _, rt := range f.host.routes() {
		name := rt.method + " " + rt.path
		switch rt.path {
		case f.host.service.RPC():
			for op, rules := range f.host.operations {
				t.Run(string(op), func(t *testing.T) { mendStepByStep(t, f, &rt, rules, string(op), good[string(op)]) })
			}
			continue
		case f.host.service.Events():
			// The same steps; the stream itself has its own tests.
			t.Run(name, func(t *testing.T) {
				f.get("/api/play/events").refused(protocol.CodeCredentialsMissing)
				f.get("/api/play/events", asAdmin).refused(protocol.CodeSIDMissing)
				f.get("/api/play/events?sid=old", asAdmin).refused(protocol.CodeSIDInvalid)
			})
			continue
		}
		if _, there := good[name]; !there {
			t.Errorf("the test has no right request for %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) { mendStepByStep(t, f, &rt, &rt.rules, "", good[name]) })
	}
}

// attempt is a request under repair.
type attempt struct {
	media, body, sid string
	who, key         func(*http.Request)
}

func mendStepByStep(t *testing.T, f *fixture, rt *route, rules *rules, op string, good goodRequest) {
	wrong := func(r *http.Request) {}
	a := attempt{media: "text/plain", body: strings.Repeat("x", protocol.MaxBodyBytes+1), who: wrong, key: wrong}
	before := f.mark()
	send := func() *reply {
		target := rt.path + "?" + good.query
		if a.sid != "" {
			target += "&sid=" + a.sid
		}
		var body any
		if rt.body != bodyIgnored {
			body = a.body
		}
		r := f.do(rt.method, target, body, with("Content-Type", a.media), a.who, a.key)
		r.t = t
		return r
	}
	envelope := func(payload string) string {
		if op == "" {
			return payload
		}
		return `{"op":"` + op + `","payload":` + payload + `}`
	}
	refused := func(code protocol.Code) {
		t.Helper()
		send().refused(code)
	}

	if rt.body != bodyIgnored {
		refused(protocol.CodeMediaType)
		a.media = "application/json; charset=utf-8"
		refused(protocol.CodeBodyTooLarge)
		a.body = `{"op":`
	}
	creation := rt.path == protocol.PathNodes && rt.method == http.MethodPost
	if creation {
		refused(protocol.CodeJSONInvalid)
		a.body = `{"kind":"space"}`
	}
	refused(protocol.CodeCredentialsMissing)
	a.who = as(identity{id: strings.Repeat("0", 64), hash: strings.Repeat("0", 64)})
	refused(protocol.CodeCredentialsInvalid)
	a.who = with("Authorization", "Bearer nobody's token")
	refused(protocol.CodeCredentialsInvalid)
	if a.who = good.stranger; a.who == nil {
		a.who = good.caller
	}
	if a.who == nil {
		a.who = wrong
	}
	if good.caller != nil {
		a.key = with(protocol.HeaderAPIKey, "wrong")
	}
	if op != "" {
		refused(protocol.CodeJSONInvalid)
		a.body = `{}`
		refused(protocol.CodeBodyInvalid)
		a.body = `{"op":"fly"}`
		refused(protocol.CodeOpUnknown)
		a.body = envelope(`7`)
	}
	if rules.sid {
		refused(protocol.CodeSIDMissing)
		a.sid = "6f1d6f0e-0000-4000-8000-000000000000"
		refused(protocol.CodeSIDInvalid)
		a.sid = f.world.View().SID
	}
	if rt.body != bodyIgnored && op == "" && !creation {
		refused(protocol.CodeJSONInvalid)
		a.body = `[]`
		refused(protocol.CodeBodyInvalid)
		a.body = good.bad
	}
	if rules.apiKey && rt.body != bodyIgnored {
		// A body that is not right must not be looked at before the key.
		refused(protocol.CodeAPIKeyInvalid)
		a.key = wrong
	}
	if rules.apiKey && rt.body == bodyIgnored {
		refused(protocol.CodeAPIKeyInvalid)
	}
	a.key = wrong
	if op != "" {
		refused(protocol.CodeBodyInvalid)
		a.body = envelope(good.bad)
	}
	if creation {
		a.body = good.bad
	}
	if good.bad != "" {
		refused(protocol.CodeBodyInvalid)
	}
	a.body = envelope(good.body)
	if good.stranger != nil {
		refused(protocol.CodeForbidden)
	}
	if after := f.mark(); after != before {
		t.Errorf("refused requests left a trace: %s, before %s", after, before)
	}
	if a.who = good.caller; a.who == nil {
		a.who = wrong
	}
	if r := send(); r.status/100 != 2 && rt.path != protocol.PathAgents && rt.path != f.host.service.Heartbeat() {
		t.Errorf("mended in every way, it is still refused: %d %s", r.status, r.body)
	}
}
