package host

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func TestSpaceWithItsOwnNode(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	stranger := f.agent(f.main())
	var made protocol.CreateSpaceReply
	first := f.rpc("createSpace", map[string]any{"name": "Corner", "designKey": "d", "ownerDisplayName": "Ada"}, as(main), keyed("k"))
	first.into(&made)
	// The phrase is shown once, and again to a caller that repeats the request.
	again := f.rpc("createSpace", map[string]any{"name": "Corner", "designKey": "d", "ownerDisplayName": "Ada"}, as(main), keyed("k"))
	if string(again.body) != string(first.body) {
		t.Errorf("the repeat got %s, the first %s", again.body, first.body)
	}
	node := identity{id: made.NodeID, hash: creds.HashPhrase(made.Phrase.Reveal()).Reveal()}
	f.get(f.play("/snapshot"), as(node)).ok()
	amenity := map[string]any{"spaceId": made.SpaceID, "kind": "car_wash"}
	f.rpc("addSpaceAmenity", amenity, as(stranger)).refused(protocol.CodeForbidden)
	f.rpc("addSpaceAmenity", amenity, as(node)).ok()
	f.rpc("addSpaceAmenity", amenity, as(main)).refused(protocol.CodeAmenityExists)
	f.rpc("removeSpaceAmenity", amenity, as(main)).ok()
	f.rpc("removeSpaceAmenity", map[string]any{"spaceId": made.SpaceID, "kind": "shop"}, as(node)).refused(protocol.CodeAmenityLast)
	f.rpc("removeSpace", map[string]any{"spaceId": made.SpaceID}, as(node)).refused(protocol.CodeForbidden)
	f.rpc("removeSpace", map[string]any{"spaceId": made.SpaceID}, as(f.main())).refused(protocol.CodeForbidden)

	var listed protocol.SpacesReply
	f.rpc("listSpaceNodes", map[string]any{}, as(stranger)).into(&listed)
	if len(listed.Spaces) != 1 || listed.Spaces[0].ID != made.SpaceID {
		t.Errorf("the spaces are %+v", listed)
	}
	for who, sees := range map[string]bool{"stranger": false, "node": true, "creator": true, "administrator": true} {
		option := map[string]func(*http.Request){"stranger": as(stranger), "node": as(node), "creator": as(main), "administrator": asAdmin}[who]
		var inspected protocol.InspectSpaceReply
		r := f.rpc("inspectSpace", map[string]any{"spaceId": made.SpaceID}, option)
		r.into(&inspected)
		if (len(inspected.Log) == 3) != sees || strings.Contains(string(r.body), `"log"`) != sees {
			t.Errorf("the %s got %s", who, r.body)
		}
	}
	f.rpc("removeSpace", map[string]any{"spaceId": made.SpaceID}, as(main)).ok()
	f.get(f.play("/snapshot"), as(node)).refused(protocol.CodeCredentialsInvalid)
	f.rpc("inspectSpace", map[string]any{"spaceId": made.SpaceID}, as(main)).refused(protocol.CodeSpaceUnknown)
}

func TestCreateNodeOfSpace(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	for _, id := range []string{"s1", "s2"} {
		f.rpc("registerSpaceNode", map[string]any{
			"id": id, "name": "Corner", "designKey": "d", "owner": map[string]any{"displayName": "Ada"}, "amenities": []string{"shop"},
		}, as(main)).ok()
	}
	body := map[string]any{"kind": "space", "spaceId": "s1"}
	f.post(protocol.PathNodes, body).refused(protocol.CodeCredentialsMissing)
	f.post(protocol.PathNodes, body, as(f.main())).refused(protocol.CodeForbidden)
	f.post(protocol.PathNodes, map[string]any{"kind": "space", "spaceId": "none"}, as(main)).refused(protocol.CodeSpaceUnknown)
	var made protocol.CreateNodeReply
	f.post(protocol.PathNodes, body, as(main)).into(&made)
	if made.Phrase.IsZero() || !made.APIKey.IsZero() {
		t.Errorf("a space's node was created with the phrase %t and the key %t", !made.Phrase.IsZero(), !made.APIKey.IsZero())
	}
	f.post(protocol.PathNodes, body, as(main)).refused(protocol.CodeNodeExists)
	own := f.newIdentity()
	body["spaceId"], body["passwHash"] = "s2", own.hash
	var given protocol.CreateNodeReply
	f.post(protocol.PathNodes, body, as(main)).into(&given)
	if given.NodeID != own.id || !given.Phrase.IsZero() {
		t.Errorf("with a hash of its own the space's node is %+v", given)
	}
}

// A conversation is seen by its two parties, by the agent's owner and by the
// administrator; every other stream continues without a trace of it.
func TestIntercomIsVisibleToAudienceOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		owner, asker, bystander := f.main(), f.main(), f.main()
		agent := f.player(owner)
		n := f.serve()
		sees := map[string]*subscription{
			"the agent": n.subscribe(as(agent), ""), "its owner": n.subscribe(as(owner), ""),
			"the asker": n.subscribe(as(asker), ""), "the administrator": n.subscribe(asAdmin, ""),
		}
		other := n.subscribe(as(bystander), "")
		defer other.close()
		command := map[string]any{
			"requestId": "r1", "mainNodeId": owner.id, "fromPlayerId": "__human__", "toPlayerId": agent.id, "kind": "chat", "text": "hi",
		}
		f.rpc("intercomCommand", command, as(asker)).ok()
		f.rpc("intercomResponse", map[string]any{
			"requestId": "r1", "mainNodeId": owner.id, "fromPlayerId": agent.id, "toPlayerId": "__human__", "kind": "chat",
			"status": "completed", "ts": "2026-01-02T03:04:05.678Z",
			"result": map[string]any{"message": "hello", "realtimeWebrtc": map[string]any{"clientSecret": "for the asker alone"}},
		}, as(agent)).ok()
		f.say(agent, "for everybody")
		for who, s := range sees {
			for _, status := range []string{"started", "forwarded", "completed"} {
				fr := s.event()
				if fr.event != string(protocol.EventIntercom) || fr.field(t, "status") != status {
					t.Errorf("%s got %+v, want %s", who, fr, status)
				}
				secret := strings.Contains(fr.data, "for the asker alone")
				if want := who == "the asker" && status == "completed"; secret != want {
					t.Errorf("%s at %s: secret present: %t, want %t", who, status, secret, want)
				}
			}
			if fr := s.event(); fr.field(t, "text") != "for everybody" {
				t.Errorf("the next event of %s is %+v", who, fr)
			}
			s.close()
		}
		if fr := other.event(); fr.field(t, "text") != "for everybody" {
			t.Errorf("a bystander got %+v", fr)
		}
		// A replay omits the same events, and the secret for every caller.
		replayed := n.subscribe(as(asker), "&lastEventId="+itoa(other.cursor))
		defer replayed.close()
		for range 3 {
			if fr := replayed.event(); strings.Contains(fr.data, "for the asker alone") {
				t.Errorf("the secret is in the replay: %+v", fr)
			}
		}
		missed := n.subscribe(as(bystander), "&lastEventId="+itoa(other.cursor))
		defer missed.close()
		if fr := missed.event(); fr.field(t, "text") != "for everybody" {
			t.Errorf("a bystander's replay has %+v", fr)
		}
		f.rpc("intercomCommand", command, as(bystander)).refused(protocol.CodeForbidden)
		command["requestId"], command["fromPlayerId"] = "r2", agent.id
		f.rpc("intercomCommand", command, as(bystander)).refused(protocol.CodeForbidden)
	})
}

func TestProximityAndAssistActions(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	meet := map[string]any{"fromPlayerId": "__human__", "toPlayerId": agent.id, "action": "yield"}
	f.post(f.play("/proximity-action"), meet, as(f.main())).ok()
	if row := string(f.row(protocol.AgentKey(main.id, agent.id))); !strings.Contains(row, `"yieldCount":1`) {
		t.Errorf("the yield is not on the row: %s", row)
	}
	meet["toPlayerId"] = f.newIdentity().id
	f.post(f.play("/proximity-action"), meet, as(main)).refused(protocol.CodePlayerUnknown)
	var asked protocol.RequestReply
	call := map[string]any{"targetPlayerId": agent.id, "toolName": "chat_tool", "args": map[string]any{}}
	f.post(f.play("/assist-tool"), call, as(main)).into(&asked)
	if !asked.OK || asked.RequestID == "" {
		t.Errorf("a call of a tool got %+v", asked)
	}
	call["toolName"] = "assist_unknown"
	f.post(f.play("/assist-tool"), call, as(main)).refused(protocol.CodeToolUnknown)
}
