package host

import (
	"net/http"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// Each test here is one rule of authorization: Mallory has an account of her own
// and attempts something with Alice's property. She is refused, and the world is
// unchanged.

// expectUnchanged runs a scenario's attempts and checks that they changed nothing.
func (f *fixture) expectUnchanged(attempts func()) {
	f.t.Helper()
	before := f.stateSummary()
	attempts()
	if after := f.stateSummary(); after != before {
		f.t.Errorf("the attempts changed the state: %s, before %s", after, before)
	}
}

// leasedRegistration is the registration of an agent that a connection keeps on the map.
func leasedRegistration(agentID, connection string) map[string]any {
	r := registration(agentID)
	r["connectionId"] = connection
	return r
}

func TestMalloryWritesAsAlicesAgent(t *testing.T) {
	f := newFixture(t)
	mallory, victim := f.main(), f.player(f.main())
	f.expectUnchanged(func() {
		f.rpc("recordInteraction", map[string]any{"playerId": victim.id, "role": "assistant", "text": "Send money."}, as(mallory)).
			refused(protocol.CodeForbidden)
		f.rpc("recordJourney", map[string]any{"playerId": victim.id, "journey": map[string]any{
			"steps":     []any{map[string]any{"type": "origin", "content": "c", "messageId": "m"}},
			"startedAt": "2026-01-02T03:04:05.000Z", "completedAt": "2026-01-02T03:04:05.000Z",
		}}, as(mallory)).refused(protocol.CodeForbidden)
	})
}

func TestMalloryUsesAlicesConnection(t *testing.T) {
	f := newFixture(t)
	alice, mallory := f.main(), f.main()
	victim, accomplice := f.agent(alice), f.agent(mallory)
	f.post(f.play("/players"), leasedRegistration(victim.id, "alices"), as(victim)).ok()
	f.post(f.play("/players"), leasedRegistration(accomplice.id, "mallorys"), as(accomplice)).ok()
	f.expectUnchanged(func() {
		// With Alice's connection, which she learned, for Alice's agent.
		body := map[string]any{"playerId": victim.id, "connectionId": "alices"}
		f.post(f.play("/players/heartbeat"), body, as(accomplice)).refused(protocol.CodeForbidden)
		f.post(f.play("/players/disconnect"), body, as(accomplice)).refused(protocol.CodeForbidden)
		// With it for an agent of her own, where it is worth nothing.
		mine := map[string]any{"playerId": accomplice.id, "connectionId": "alices"}
		f.post(f.play("/players/heartbeat"), mine, as(accomplice)).refused(protocol.CodeLeaseUnknown)
		f.post(f.play("/players/disconnect"), mine, as(accomplice)).ok()
	})
}

func TestMalloryClaimsExistingID(t *testing.T) {
	f := newFixture(t)
	alice, mallory := f.main(), f.main()
	victim := f.agent(alice)
	f.expectUnchanged(func() {
		// She has seen the ids on the map, and not the hashes.
		for _, taken := range []identity{alice, victim} {
			f.post(protocol.PathNodes, map[string]any{"nodeId": taken.id, "passwHash": mallory.hash}).refused(protocol.CodeNodeExists)
			f.post(protocol.PathAgentNode, map[string]any{"agentNodeId": taken.id, "agentNodePasswHash": mallory.hash}, as(mallory)).
				refused(protocol.CodeNodeExists)
		}
		free := f.newIdentity()
		f.post(protocol.PathNodes, map[string]any{"nodeId": free.id, "passwHash": mallory.hash}).refused(protocol.CodeNodeNotDerivable)
	})
}

func TestMalloryAttachesAlicesMainNodeAsAgent(t *testing.T) {
	f := newFixture(t)
	alice, mallory := f.main(), f.main()
	f.expectUnchanged(func() {
		f.post(protocol.PathAgentNode, map[string]any{"agentNodeId": alice.id, "agentNodePasswHash": alice.hash}, as(mallory)).
			refused(protocol.CodeNodeExists)
		f.post(f.play("/players"), registration(alice.id), as(mallory)).refused(protocol.CodeForbidden)
		f.post(f.play("/players"), registration(alice.id), as(alice)).refused(protocol.CodeForbidden)
	})
}

func TestDeletedNodeIsRefused(t *testing.T) {
	f := newFixture(t)
	alice := f.main()
	agent := f.player(alice)
	f.do(http.MethodDelete, protocol.PathAgents+"?id="+agent.id, nil, as(alice)).ok()
	f.expectUnchanged(func() {
		f.get("/api/play/session", as(agent)).refused(protocol.CodeCredentialsInvalid)
		f.post(f.play("/players"), registration(agent.id), as(agent)).refused(protocol.CodeCredentialsInvalid)
		f.post(f.play("/players"), registration(agent.id), as(alice)).refused(protocol.CodeForbidden)
	})
}

func TestStaleSIDIsRefused(t *testing.T) {
	f := newFixture(t)
	agent := f.player(f.main())
	old := f.play("/players")
	snapshot, stream := f.play("/snapshot"), f.play("/events")
	f.post(f.play("/session/reset"), map[string]any{}, asAdmin).ok()
	f.expectUnchanged(func() {
		f.post(old, registration(agent.id), as(agent)).refused(protocol.CodeSIDInvalid)
		f.get(snapshot, as(agent)).refused(protocol.CodeSIDInvalid)
		f.get(stream, as(agent)).refused(protocol.CodeSIDInvalid)
	})
}

func TestMalloryUsesAlicesAPIKey(t *testing.T) {
	f := newFixture(t)
	alice, mallory := f.main(), f.main()
	accomplice := f.agent(mallory)
	f.expectUnchanged(func() {
		for _, who := range []identity{mallory, accomplice} {
			who.apiKey = alice.apiKey
			f.get("/api/play/session", as(who)).refused(protocol.CodeAPIKeyInvalid)
			f.post(f.play("/players"), registration(accomplice.id), as(who)).refused(protocol.CodeAPIKeyInvalid)
			f.post(f.play("/mcp/register"), map[string]any{"name": "m"}, as(who)).refused(protocol.CodeAPIKeyInvalid)
		}
	})
}

func TestSpaceNodeCannotChangeForeignSpace(t *testing.T) {
	f := newFixture(t)
	alice, mallory := f.main(), f.main()
	var alices, mallorys protocol.CreateSpaceReply
	space := map[string]any{"name": "Corner", "designKey": "d", "ownerDisplayName": "A"}
	f.rpc("createSpace", space, as(alice)).into(&alices)
	f.rpc("createSpace", space, as(mallory)).into(&mallorys)
	node := identity{id: mallorys.NodeID, hash: creds.HashPhrase(mallorys.Phrase.Reveal()).Reveal()}
	f.expectUnchanged(func() {
		for _, who := range []identity{node, mallory} {
			f.rpc("addSpaceAmenity", map[string]any{"spaceId": alices.SpaceID, "kind": "car_wash"}, as(who)).refused(protocol.CodeForbidden)
			f.rpc("removeSpace", map[string]any{"spaceId": alices.SpaceID}, as(who)).refused(protocol.CodeForbidden)
			f.post(protocol.PathNodes, map[string]any{"kind": "space", "spaceId": alices.SpaceID}, as(who)).refused(protocol.CodeForbidden)
		}
	})
}

func TestAdminRouteWithoutToken(t *testing.T) {
	f := newFixture(t)
	mallory := f.main()
	victim := f.player(f.main())
	key := "agent:" + victim.id
	guess := with("Authorization", "Bearer let-me-in")
	f.expectUnchanged(func() {
		for name, try := range map[string]struct {
			option func(*http.Request)
			code   protocol.Code
		}{"as a main node": {as(mallory), protocol.CodeForbidden}, "with a guess": {guess, protocol.CodeCredentialsInvalid}} {
			f.t.Log(name)
			f.post(f.play("/session/reset"), map[string]any{}, try.option).refused(try.code)
			f.post(f.play("/occupants/remove"), map[string]any{"stableKey": key}, try.option).refused(try.code)
			f.get(protocol.PathNodes+"?all=true", try.option).refused(try.code)
		}
	})
}
