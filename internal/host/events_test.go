package host

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// reported is one event as the table of events in the protocol reference describes it.
type reported struct {
	kind   protocol.EventKind
	notify bool
	// own is a field of this kind of event and its value; for a signal the kind.
	own, value string
}

// eventStep is a command and the events that it causes.
type eventStep struct {
	name string
	do   func()
	want []reported
}

// TestEveryCommandCausesItsEvents causes every kind of event and compares kinds,
// notifies and reasons. The other fields of an event are compared with the OpenAPI
// document as it is read.
func TestEveryCommandCausesItsEvents(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.agent(main)
	n := f.serve()
	s := n.subscribe(asAdmin, "&inline=1")
	defer s.close()
	seen := map[protocol.EventKind]bool{}
	steps := slices.Concat(f.occupantSteps(main, agent), f.proximitySteps(agent), f.personSteps(main), f.intercomSteps(main, agent),
		f.spaceSteps(main), f.endSteps(main))
	for _, step := range steps {
		step.do()
		for _, want := range step.want {
			seen[want.kind] = true
			fr := s.event()
			got := reported{kind: protocol.EventKind(fr.event), notify: fr.field(t, "playerChainNotify") != nil, own: want.own}
			got.value, _ = fr.field(t, want.own).(string)
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(reported{})); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", step.name, diff)
			}
			if (fr.field(t, "playerChainNodes") != nil) != want.notify {
				t.Errorf("%s: an event has nodes if and only if it has a notify: %s", step.name, fr.data)
			}
		}
	}
	s.ended()
	for _, kind := range protocol.EventKinds() {
		// A resync answers a cursor, not a command: the tests of streams cover it.
		if kind != protocol.EventSessionResync && !seen[kind] {
			t.Errorf("no command caused %s", kind)
		}
	}
}

func (f *fixture) occupantSteps(main, agent identity) []eventStep {
	place := func(body map[string]any) func() {
		return func() { f.post(f.play("/mcp/register"), body, as(main)).ok() }
	}
	var placed protocol.IDReply
	removed := func(reason string) []reported {
		return []reported{{kind: protocol.EventPlayerRemoved, notify: true, own: "reason", value: reason}}
	}
	added := []reported{{kind: protocol.EventPlayerAdded, notify: true}}
	activity := []reported{{kind: protocol.EventActivity, notify: true}}
	unplaced := func(reason string) []reported {
		return []reported{{kind: protocol.EventMCPUnregistered, notify: true, own: "reason", value: reason}}
	}
	mcp := []reported{{kind: protocol.EventMCPRegistered, notify: true}}
	signal := reported{kind: protocol.EventAgentSignal, own: "kind", value: "journey"}
	return []eventStep{
		{"register", f.registering(agent), added},
		{"register without a change", f.registering(agent), nil},
		{"disconnect", func() {
			f.post(f.play("/players/disconnect"), map[string]any{"playerId": agent.id}, as(agent)).ok()
		}, removed("disconnect")},
		{"register once more", f.registering(agent), added},
		{"the administrator removes an agent", f.removing("agent:" + main.id + ":" + agent.id), removed("admin")},
		{"register again", f.registering(agent), added},
		{"recordInteraction", func() { f.say(agent, "hello") }, []reported{{kind: protocol.EventInteraction}}},
		{"recordInteraction with blank text", func() { f.say(agent, " \n") }, nil},
		{"recordJourney", f.journeying(agent), []reported{{kind: protocol.EventJourney, notify: true}, signal}},
		{"recordJourney again", f.journeying(agent), []reported{{kind: protocol.EventJourney}, signal}},
		{"recordActivity", f.acting(agent, "working"), activity},
		{"recordActivity again", f.acting(agent, "working"), nil},
		{"recordActivity with another state", f.acting(agent, "waiting"), activity},
		{"mcp/register", place(map[string]any{"name": "notes"}), mcp},
		{"mcp/register with a change", func() {
			f.post(f.play("/mcp/register"), map[string]any{"name": "notes", "url": "https://example.org/mcp"}, as(main)).into(&placed)
		}, mcp},
		{"mcp/register without a change", place(map[string]any{"name": "notes", "url": "https://example.org/mcp"}), nil},
		{"mcp/unregister", func() {
			f.post(f.play("/mcp/unregister"), map[string]any{"id": placed.ID}, as(main)).ok()
		}, unplaced("unregister")},
		{"mcp/register again", func() {
			f.post(f.play("/mcp/register"), map[string]any{"name": "notes"}, as(main)).into(&placed)
		}, mcp},
		{"the administrator removes a placement", func() { f.removing("mcp:" + placed.ID)() }, unplaced("admin")},
	}
}

func (f *fixture) personSteps(main identity) []eventStep {
	viewer := func() person { return person{f, f.watchCookie(protocol.WatchScopeAct, f.watchToken(main))} }
	ada, bob := viewer(), viewer()
	added := []reported{{kind: protocol.EventPersonAdded, notify: true}}
	removed := func(reason string) []reported {
		return []reported{{kind: protocol.EventPersonRemoved, notify: true, own: "reason", value: reason}}
	}
	var id string
	return []eventStep{
		{"a person joins", func() { ada.put("Ada", 1, 1).ok() }, added},
		{"a person renews the lease", func() { ada.put("Ada", 1, 1).ok() }, nil},
		{"a person leaves", func() { ada.leave().ok() }, removed("disconnect")},
		{"another person joins", func() { id = bob.put("Bob", 1, 1).row().ID }, added},
		{"the administrator removes a person", func() { f.removing(protocol.HumanKey(id))() }, removed("admin")},
	}
}

func (f *fixture) registering(agent identity) func() {
	return func() { f.post(f.play("/players"), registration(agent.id), as(agent)).ok() }
}

func (f *fixture) removing(key string) func() {
	return func() {
		f.post(f.play("/occupants/remove"), map[string]any{"stableKey": key}, asAdmin).ok()
	}
}

func (f *fixture) acting(agent identity, state string) func() {
	return func() {
		f.rpc("recordActivity", map[string]any{"playerId": agent.id, "state": state}, as(agent)).ok()
	}
}

func (f *fixture) journeying(agent identity) func() {
	return func() {
		f.rpc("recordJourney", map[string]any{"playerId": agent.id, "journey": map[string]any{
			"startedAt": "2026-01-02T03:04:05Z", "completedAt": "2026-01-02T03:04:09Z", "steps": []any{
				map[string]any{"type": "origin", "content": "Where?", "messageId": "m1"},
				map[string]any{"type": "structure", "toolName": "find", "toolCallId": "t1", "args": []int{1}, "result": nil},
				map[string]any{"type": "destination", "content": "", "messageId": ""},
			},
		}}, as(agent)).ok()
	}
}

func (f *fixture) proximitySteps(agent identity) []eventStep {
	var steps []eventStep
	for action, counted := range map[string]bool{"zone": true, "yield": true, "assist": false, "chat": false} {
		steps = append(steps, eventStep{"proximity " + action, func() {
			f.post(f.play("/proximity-action"), map[string]any{
				"fromPlayerId": "__human__", "toPlayerId": agent.id, "action": action,
			}, as(agent)).ok()
		}, []reported{{kind: protocol.EventAgentSignal, notify: counted, own: "kind", value: action}}})
	}
	return steps
}

func (f *fixture) intercomSteps(main, agent identity) []eventStep {
	intercom := func(status string) reported {
		return reported{kind: protocol.EventIntercom, own: "status", value: status}
	}
	answer := func(status string) func() {
		return func() {
			f.rpc("intercomResponse", map[string]any{
				"requestId": "r1", "mainNodeId": main.id, "toPlayerId": "__human__", "fromPlayerId": agent.id, "kind": "chat",
				"status": status, "message": "Hello.", "result": map[string]any{}, "ts": "2026-01-02T03:04:05Z",
			}, as(agent)).ok()
		}
	}
	return []eventStep{
		{"intercomCommand", func() {
			f.rpc("intercomCommand", map[string]any{
				"requestId": "r1", "mainNodeId": main.id, "fromPlayerId": "__human__", "toPlayerId": agent.id, "kind": "chat", "text": "Hello?",
			}, as(main)).ok()
		}, []reported{intercom("started"), intercom("forwarded")}},
		{"partial intercomResponse", answer("stream"), []reported{intercom("stream")}},
		{"intercomResponse", answer("completed"), []reported{intercom("completed")}},
	}
}

func (f *fixture) spaceSteps(main identity) []eventStep {
	changed := func(action string) []reported {
		return []reported{{kind: protocol.EventSpaceChanged, notify: true, own: "action", value: action}}
	}
	on := func(op string, payload map[string]any) func() {
		return func() { f.rpc(op, payload, as(main)).ok() }
	}
	return []eventStep{
		{"registerSpaceNode", on("registerSpaceNode", map[string]any{
			"id": "s1", "name": "Corner", "designKey": "d", "owner": map[string]any{"displayName": "Ada"}, "amenities": []string{"shop"},
		}), changed("created")},
		{"createSpace", on("createSpace", map[string]any{
			"name": "Market", "designKey": "d", "ownerDisplayName": "Ada",
		}), changed("created")},
		{"addSpaceAmenity", on("addSpaceAmenity", map[string]any{"spaceId": "s1", "kind": "car_wash"}), changed("changed")},
		{"removeSpaceAmenity", on("removeSpaceAmenity", map[string]any{"spaceId": "s1", "kind": "shop"}), changed("changed")},
		{"removeSpace", on("removeSpace", map[string]any{"spaceId": "s1"}), changed("removed")},
	}
}

// endSteps delete what the other steps created and end the session.
func (f *fixture) endSteps(main identity) []eventStep {
	doomed := f.agent(main)
	return []eventStep{
		{"register another", f.registering(doomed), []reported{{kind: protocol.EventPlayerAdded, notify: true}}},
		{"delete an agent node", func() {
			f.do(http.MethodDelete, protocol.PathAgents+"?id="+doomed.id, nil, as(main)).ok()
		}, []reported{{kind: protocol.EventPlayerRemoved, notify: true, own: "reason", value: "deleted"}}},
		{"delete a main node", func() {
			f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": main.id}, as(main)).ok()
		}, []reported{{kind: protocol.EventAgentSignal, notify: true, own: "kind", value: "metadata"}}},
		{"reset the session", func() {
			f.post(f.play("/session/reset"), map[string]any{}, asAdmin).ok()
		}, []reported{{kind: protocol.EventSessionReset, own: "reason", value: "admin"}}},
	}
}
