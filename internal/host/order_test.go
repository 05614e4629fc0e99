package host

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// goodRequest is a valid request for one line of the table.
type goodRequest struct {
	// body is a valid body, and bad a JSON body that is not valid; empty where every
	// JSON body is.
	body, bad string
	query     string
	// caller may send the request, and stranger is a node of the wrong kind; nil where
	// every kind of node may.
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
	all := map[string]goodRequest{
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
		"POST /api/nodes/limits": {
			body: `{"nodeId":"` + main.id + `","limits":{}}`, bad: `{}`, caller: asAdmin, stranger: owner,
		},
		"POST /api/nodes/invitations":   {body: `{}`, bad: `{"uses":0}`, caller: asAdmin, stranger: owner},
		"GET /api/backup":               {caller: asAdmin, stranger: owner},
		"GET /api/nodes/api-keys":       {caller: owner, stranger: self},
		"POST /api/nodes/api-keys":      {body: `{"name":"ci"}`, bad: `{}`, caller: owner, stranger: self},
		"DELETE /api/nodes/api-keys":    {query: "name=unknown", caller: owner, stranger: self},
		"POST /api/nodes/label":         {body: `{"nodeId":"` + agent.id + `","label":"Ada"}`, bad: `{}`, caller: owner, stranger: self},
		"GET /api/nodes/invitations":    {caller: owner, stranger: self},
		"DELETE /api/nodes/invitations": {query: "id=unknown", caller: owner, stranger: self},
		"POST /api/nodes/api-key":       {body: `{}`, caller: as(f.main()), stranger: self},
		"GET /api/agents":               {caller: owner, stranger: self},
		"DELETE /api/agents":            {query: "id=unknown", caller: owner, stranger: self},
		"POST /api/agents":              {caller: owner, stranger: self},
		"POST /play/watch/session":      {body: `{"token":"pt_x"}`, bad: `{"token":7}`},
		"POST /play/watch/token":        {body: `{}`, caller: owner, stranger: self},
		"GET /play/watch/token":         {caller: owner, stranger: self},
		"DELETE /play/watch/token":      {query: "id=unknown", caller: owner, stranger: self},

		"getWorldSnapshot":    {body: `{}`, caller: anyone},
		"getPlayerChainNode":  {body: `{"stableKey":"__header__"}`, bad: `{}`, caller: anyone},
		"getPlayerChainNodes": {body: `{"stableKeys":["__header__"]}`, bad: `{}`, caller: anyone},
		"getPlayerChainProof": {body: `{"stableKey":"__header__"}`, bad: `{}`, caller: anyone},
		"listInteractions":    {body: `{}`, bad: `{"limit":"x"}`, caller: anyone},
		"listJourneys":        {body: `{}`, bad: `{"limit":"x"}`, caller: anyone},
		"recordInteraction":   {body: player + `,"role":"user","text":"hi"}`, bad: `{}`, caller: self},
		"recordActivity":      {body: player + `,"state":"working"}`, bad: `{}`, caller: self},
		"recordJourney": {
			body: player + `,"journey":{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:05Z",` +
				`"steps":[{"type":"origin","content":"a","messageId":"m"}]}}`,
			bad: `{}`, caller: self,
		},
	}
	maps.Copy(all, goodSpaceRequests(f, main, agent))
	maps.Copy(all, goodIntercomRequests(f, main, agent))
	return all
}

func goodSpaceRequests(f *fixture, main, stranger identity) map[string]goodRequest {
	owner, other := as(main), as(stranger)
	for _, id := range []string{"s1", "s2"} {
		f.rpc("registerSpaceNode", map[string]any{
			"id": id, "name": "Corner", "designKey": "d", "owner": map[string]any{"displayName": "Ada"},
			"amenities": []string{"shop", "supermarket"},
		}, owner).ok()
	}
	return map[string]goodRequest{
		"listSpaceNodes": {body: `{}`, caller: other},
		"inspectSpace":   {body: `{"spaceId":"s1"}`, bad: `{}`, caller: other},
		"registerSpaceNode": {
			body: `{"name":"n","designKey":"d","owner":{"displayName":"Ada"},"amenities":["shop"]}`, bad: `{}`,
			caller: owner, stranger: other,
		},
		"createSpace": {
			body: `{"name":"n","designKey":"d","ownerDisplayName":"Ada","amenities":["shop"]}`, bad: `{}`,
			caller: owner, stranger: other,
		},
		"removeSpace":        {body: `{"spaceId":"s2"}`, bad: `{}`, caller: owner, stranger: other},
		"addSpaceAmenity":    {body: `{"spaceId":"s1","kind":"car_wash"}`, bad: `{}`, caller: owner, stranger: other},
		"removeSpaceAmenity": {body: `{"spaceId":"s1","kind":"shop"}`, bad: `{}`, caller: owner, stranger: other},
	}
}

func goodIntercomRequests(f *fixture, main, agent identity) map[string]goodRequest {
	ask := func(id string) string {
		return `{"requestId":"` + id + `","mainNodeId":"` + main.id + `","fromPlayerId":"__human__","toPlayerId":"` + agent.id +
			`","kind":"chat","text":"hi"}`
	}
	f.post(f.play("/sdk/rpc"), `{"op":"intercomCommand","payload":`+ask("r1")+`}`, as(main)).ok()
	viewer := f.viewer(f.watchCookie(protocol.WatchScopeAct, f.watchToken(main)))
	return map[string]goodRequest{
		"countAgents":        {body: `{}`, caller: as(main)},
		"listAnswering":      {body: `{}`, bad: `{"playerIds":[""]}`, caller: as(main)},
		"listEvents":         {body: `{}`, bad: `{"limit":0}`, caller: as(main)},
		"getWorldSnapshotAt": {body: `{"rev":1}`, bad: `{}`, caller: as(main)},
		"intercomCommand":    {body: ask("r2"), bad: `{}`, caller: as(main), stranger: asAdmin},
		"intercomResponse": {
			body: `{"requestId":"r1","mainNodeId":"` + main.id + `","toPlayerId":"__human__","fromPlayerId":"` + agent.id +
				`","kind":"chat","status":"completed","message":"hello","ts":"2026-01-02T03:04:05.678Z"}`,
			bad: `{}`, caller: as(agent), stranger: asAdmin,
		},
		"POST /api/play/assist-tool": {
			body: `{"targetPlayerId":"` + agent.id + `","toolName":"chat_tool","args":{}}`, bad: `{}`,
			caller: as(main), stranger: asAdmin,
		},
		"POST /api/play/proximity-action": {
			body: `{"fromPlayerId":"__human__","toPlayerId":"` + agent.id + `","action":"zone"}`, bad: `{}`,
			caller: as(main), stranger: asAdmin,
		},
		"PUT /api/play/person":    {body: `{"name":"Ada","x":1,"y":2}`, bad: `{}`, caller: viewer, stranger: as(main)},
		"DELETE /api/play/person": {caller: viewer, stranger: as(main)},
	}
}

func registrationText(agentID string) string {
	return `{"name":"Ada","type":"test","agentId":"` + agentID + `","connectionId":"c1",` +
		`"agent":{"type":"test","toolNames":["chat_tool"]}}`
}

// derived is a new agent's id and hash, as the JSON text that ends the object.
func (f *fixture) derived() string {
	n := f.newIdentity()
	return n.id + `","agentNodePasswHash":"` + n.hash
}

// TestOrderOfChecks sends every route a request in which everything is wrong,
// corrects one thing at a time, and checks that the refusals come in the order of
// the contract. The table decides what applies to a route, so a line that is added
// is tested too.
func TestOrderOfChecks(t *testing.T) {
	f := newFixture(t)
	good := goodRequests(f)
	routes := f.host.routes()
	// The reset comes last: it removes what the other requests refer to.
	reset := slices.IndexFunc(routes, func(rt route) bool { return rt.path == f.host.service.Reset() })
	routes = append(slices.Delete(slices.Clone(routes), reset, reset+1), routes[reset])
	for _, rt := range routes {
		name := rt.method + " " + rt.path
		switch rt.path {
		case f.host.service.RPC():
			for op, rules := range f.host.operations {
				t.Run(string(op), func(t *testing.T) { correctStepByStep(t, f, &rt, rules, string(op), good[string(op)]) })
			}
			continue
		case f.host.service.Events():
			// The same steps; the stream itself has its own tests.
			t.Run(name, func(*testing.T) {
				f.get("/api/play/events").refused(protocol.CodeCredentialsMissing)
				f.get("/api/play/events", asAdmin).refused(protocol.CodeSIDMissing)
				f.get("/api/play/events?sid=old", asAdmin).refused(protocol.CodeSIDInvalid)
			})
			continue
		}
		if rt.plan == nil {
			continue // This route is the same for every caller: nothing is checked.
		}
		if _, there := good[name]; !there {
			t.Errorf("the test has no valid request for %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) { correctStepByStep(t, f, &rt, &rt.rules, "", good[name]) })
	}
}

// attempt is a request that is corrected step by step.
type attempt struct {
	t     *testing.T
	f     *fixture
	route *route
	rules *rules
	op    string
	good  goodRequest

	media, coding, body, sid string
	who, key                 func(*http.Request)
}

func anonymous(*http.Request) {}

func correctStepByStep(t *testing.T, f *fixture, rt *route, rules *rules, op string, good goodRequest) {
	t.Helper()
	a := &attempt{
		t: t, f: f, route: rt, rules: rules, op: op, good: good,
		media: "text/plain", body: strings.Repeat("x", protocol.MaxBodyBytes+1), who: anonymous, key: anonymous,
	}
	before := f.stateSummary()
	a.correctFrame()
	a.correctCredentials()
	a.correctOperation()
	a.correctSession()
	a.correctJSON()
	a.correctKey()
	a.correctBody()
	if after := f.stateSummary(); after != before {
		t.Errorf("refused requests changed the state: %s, before %s", after, before)
	}
	if a.who = good.caller; a.who == nil {
		a.who = anonymous
	}
	if r := a.send(); r.status/100 != 2 && rt.path != protocol.PathAgents && rt.path != f.host.service.Heartbeat() {
		t.Errorf("the corrected request is still refused: %d %s", r.status, r.body)
	}
}

func (a *attempt) send() *reply {
	target := a.route.path + "?" + a.good.query
	if a.sid != "" {
		target += "&sid=" + a.sid
	}
	var body any
	if a.hasBody() {
		body = a.body
	}
	r := a.f.do(a.route.method, target, body, with("Content-Type", a.media), with("Content-Encoding", a.coding), a.who, a.key)
	r.t = a.t
	return r
}

func (a *attempt) refused(code protocol.Code) {
	a.t.Helper()
	a.send().refused(code)
}

func (a *attempt) hasBody() bool { return a.route.body != bodyIgnored }

// creates reports whether the route is the one whose body decides which credentials are
// needed.
func (a *attempt) creates() bool {
	return a.route.path == protocol.PathNodes && a.route.method == http.MethodPost
}

// envelope returns a payload in the form that the route takes.
func (a *attempt) envelope(payload string) string {
	if a.op == "" {
		return payload
	}
	return `{"op":"` + a.op + `","payload":` + payload + `}`
}

func (a *attempt) correctFrame() {
	a.t.Helper()
	if !a.hasBody() {
		return
	}
	a.refused(protocol.CodeMediaType)
	a.media, a.coding = "application/json; charset=utf-8", "identity, GZIP"
	a.refused(protocol.CodeMediaType)
	a.coding = "Identity"
	a.refused(protocol.CodeBodyTooLarge)
	a.body = `{"op":`
	if a.creates() {
		a.refused(protocol.CodeJSONInvalid)
		a.body = `{"kind":"space"}`
	}
}

func (a *attempt) correctCredentials() {
	a.t.Helper()
	a.refused(protocol.CodeCredentialsMissing)
	a.who = as(identity{id: strings.Repeat("0", 64), hash: strings.Repeat("0", 64)})
	a.refused(protocol.CodeCredentialsInvalid)
	a.who = with("Authorization", "Bearer nobody's token")
	a.refused(protocol.CodeCredentialsInvalid)
	if a.who = a.good.stranger; a.who == nil {
		a.who = a.good.caller
	}
	if a.who == nil {
		a.who = anonymous
		return
	}
	a.key = with(protocol.HeaderAPIKey, "wrong")
}

func (a *attempt) correctOperation() {
	a.t.Helper()
	if a.op == "" {
		return
	}
	a.refused(protocol.CodeJSONInvalid)
	a.body = `{}`
	a.refused(protocol.CodeBodyInvalid)
	a.body = `{"op":"fly"}`
	a.refused(protocol.CodeOpUnknown)
	a.body = a.envelope(`7`)
}

func (a *attempt) correctSession() {
	a.t.Helper()
	if !a.rules.sid {
		return
	}
	a.refused(protocol.CodeSIDMissing)
	a.sid = "6f1d6f0e-0000-4000-8000-000000000000"
	a.refused(protocol.CodeSIDInvalid)
	a.sid = a.f.world.View().SID
}

func (a *attempt) correctJSON() {
	a.t.Helper()
	if !a.hasBody() || a.op != "" || a.creates() {
		return
	}
	a.refused(protocol.CodeJSONInvalid)
	a.body = `[]`
	a.refused(protocol.CodeBodyInvalid)
	a.body = a.good.bad
}

// correctKey checks that an invalid body is not refused before the key is checked.
func (a *attempt) correctKey() {
	a.t.Helper()
	if a.rules.apiKey {
		a.refused(protocol.CodeAPIKeyInvalid)
	}
	a.key = anonymous
}

func (a *attempt) correctBody() {
	a.t.Helper()
	if a.op != "" {
		a.refused(protocol.CodeBodyInvalid)
	}
	if a.op != "" || a.creates() {
		a.body = a.envelope(a.good.bad)
	}
	if a.good.bad != "" {
		a.refused(protocol.CodeBodyInvalid)
	}
	a.body = a.envelope(a.good.body)
	if a.good.stranger != nil {
		a.refused(protocol.CodeForbidden)
	}
}
