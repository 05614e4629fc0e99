package host

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// viewer is a browser at the host's own page that has a cookie.
func (f *fixture) viewer(cookie *http.Cookie) func(*http.Request) {
	return func(r *http.Request) {
		asOwnPage(r)
		withCookies(cookie)(r)
	}
}

// person is a browser that has, or may have, a person on the map.
type person struct {
	f      *fixture
	cookie *http.Cookie
}

func (f *fixture) newPerson() person {
	f.t.Helper()
	return person{f, f.watchCookie(protocol.WatchScopeAct, "")}
}

func (p person) put(name string, x, y int) *reply {
	p.f.t.Helper()
	return p.f.do(http.MethodPut, p.f.play("/person"), map[string]any{"name": name, "x": x, "y": y}, p.f.viewer(p.cookie))
}

func (p person) leave() *reply {
	p.f.t.Helper()
	return p.f.do(http.MethodDelete, p.f.play("/person"), nil, p.f.viewer(p.cookie))
}

// row returns the row in the reply of a successful put.
func (r *reply) row() protocol.Human {
	r.t.Helper()
	var reply protocol.PersonReply
	r.into(&reply)
	var row protocol.Human
	if err := json.Unmarshal(reply.Person, &row); err != nil || reply.LeaseTTLSeconds != protocol.DefaultLeaseTTLSeconds {
		r.t.Fatalf("the reply is %s (%v)", r.body, err)
	}
	return row
}

func (f *fixture) onMap(id string) bool { return f.row(protocol.HumanKey(id)) != nil }

func TestPersonJoinsMovesAndLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := local(newFixture(t))
		ada, bob := f.newPerson(), f.newPerson()
		first := ada.put("Ada", 3, 4).row()
		if first.Name != "Ada" || first.X != 3 || first.Y != 4 || len(first.ID) != 32 || !f.onMap(first.ID) {
			t.Fatalf("the row is %+v", first)
		}
		if label := f.viewerOf(ada.cookie).Viewer; strings.Contains(label, first.ID) || strings.Contains(first.ID, label) {
			t.Errorf("the id %s is that of the viewer %s", first.ID, label)
		}
		other := bob.put("Bob", 3, 4).row()
		if other.ID == first.ID || other.X == 3 && other.Y == 4 || max(other.X-3, 3-other.X) > 1 || max(other.Y-4, 4-other.Y) > 1 {
			t.Errorf("the second person at (3, 4) is %+v", other)
		}

		before := f.stateSummary()
		ada.put("Ada", 3, 4).ok()
		if after := f.stateSummary(); after != before {
			t.Errorf("a renewal changed the state: %s, before %s", after, before)
		}
		if r := ada.put("Ada", 9, 9); r.header.Get("Retry-After") != "2" {
			t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
		} else {
			r.refused(protocol.CodeRateLimited)
		}
		<-time.After(2 * time.Second)
		if moved := ada.put("Ada L", 9, 9).row(); moved.ID != first.ID || moved.X != 9 || moved.Name != "Ada L" {
			t.Errorf("the moved row is %+v", moved)
		}

		var left protocol.OKReply
		if ada.leave().into(&left); !left.OK || f.onMap(first.ID) {
			t.Errorf("left: %v, on the map: %v", left.OK, f.onMap(first.ID))
		}
		if ada.leave().into(&left); left.OK {
			t.Error("a person left twice")
		}
		ada.put("Ada", 1, 1).refused(protocol.CodeRateLimited)
		<-time.After(2 * time.Second)
		if again := ada.put("Ada", 1, 1).row(); again.ID != first.ID {
			t.Errorf("the returning person has the id %s, before %s", again.ID, first.ID)
		}
	})
}

func TestPersonIsRemovedWhenLeaseExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := local(newFixture(t))
		ada := f.newPerson()
		id := ada.put("Ada", 3, 4).row().ID
		for range 3 {
			<-time.After(30 * time.Second)
			ada.put("Ada", 3, 4).ok()
		}
		if err := f.world.Sweep(t.Context()); err != nil || !f.onMap(id) {
			t.Fatalf("on the map: %v, %v", f.onMap(id), err)
		}
		<-time.After((protocol.DefaultLeaseTTLSeconds + 1) * time.Second)
		if err := f.world.Sweep(t.Context()); err != nil || f.onMap(id) {
			t.Errorf("on the map: %v, %v", f.onMap(id), err)
		}
	})
}

func TestInvalidPersonRequestsAreRefused(t *testing.T) {
	f := local(newFixture(t, func(s *setup) { s.host.WatchAccess, s.world.Limits.People = WatchPublic, 1 }))
	ada, bob := f.newPerson(), f.newPerson()
	watcher := person{f, f.watchCookie(protocol.WatchScopeWatch, "", withHost("world.example:7420"))}
	watcher.put("Eve", 1, 1).refused(protocol.CodeForbidden)
	watcher.leave().refused(protocol.CodeForbidden)
	for _, bad := range []map[string]any{
		{"name": "Ada", "x": 20, "y": 1}, {"name": "Ada", "x": 1, "y": 12}, {"name": "Ada", "x": -1, "y": 1}, {"name": "Ada", "x": 0.5, "y": 1},
		{"name": " ", "x": 1, "y": 1}, {"name": strings.Repeat("x", 201), "x": 1, "y": 1}, {"name": "Ada", "x": 1},
		{"name": "\u200b", "x": 1, "y": 1}, {"name": "\u3164", "x": 1, "y": 1}, {"name": "\u202eadA", "x": 1, "y": 1}, {"name": "\x1b[31mAda", "x": 1, "y": 1},
		{"name": "a\nb", "x": 1, "y": 1}, {"name": "A\u200dda", "x": 1, "y": 1},
	} {
		f.do(http.MethodPut, f.play("/person"), bad, f.viewer(ada.cookie)).refused(protocol.CodeBodyInvalid)
	}
	id := ada.put("Ada", 1, 1).row().ID
	bob.put("Bob", 2, 2).refused(protocol.CodePeopleLimit)
	if used, limit := f.metric(`playctl_world_used{of="people"}`), f.metric(`playctl_world_limit{of="people"}`); used != "1" || limit != "1" {
		t.Errorf("the metrics have %s people of %s", used, limit)
	}
	var removed protocol.OKReply
	f.post(f.play("/occupants/remove"), map[string]any{"stableKey": "human:" + id}, asAdmin).into(&removed)
	if !removed.OK || f.onMap(id) {
		t.Errorf("removed: %v, on the map: %v", removed.OK, f.onMap(id))
	}
	bob.put("Bob", 2, 2).ok()
}

// An expired cookie moves no person; its person leaves when the lease expires.
func TestPersonOfRevokedCookie(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	ada := person{f, f.watchCookie(protocol.WatchScopeAct, f.watchToken(owner))}
	id := ada.put("Ada", 3, 4).row().ID
	f.revoke(owner, 0)
	ada.put("Ada", 3, 4).refused(protocol.CodeCredentialsInvalid)
	ada.leave().refused(protocol.CodeCredentialsInvalid)
	if !f.onMap(id) {
		t.Error("the person left before the lease ended")
	}
}

func TestPersonProximityActions(t *testing.T) {
	f := local(newFixture(t))
	ada, bob := f.newPerson(), f.newPerson()
	agent := f.player(f.main())
	meet := func(who person, from, to, action string) *reply {
		t.Helper()
		return f.post(f.play("/proximity-action"), map[string]any{"fromPlayerId": from, "toPlayerId": to, "action": action}, f.viewer(who.cookie))
	}
	a, b := ada.put("Ada", 3, 4).row().ID, bob.put("Bob", 5, 4).row().ID
	since := f.world.Events().Head()
	meet(ada, a, agent.id, protocol.ProximityChat).ok()
	meet(ada, a, agent.id, protocol.ProximityZone).ok()
	meet(ada, a, agent.id, protocol.ProximityYield).ok()
	meet(ada, a, b, protocol.ProximityChat).ok()
	meet(ada, protocol.HumanLabel, agent.id, protocol.ProximityZone).ok()
	want := []string{
		`{"playerId":"` + agent.id + `","kind":"chat","data":{"fromPlayerId":"` + a + `"}}`,
		`{"playerId":"` + agent.id + `","kind":"zone","data":{"zoneCount":1,"flagged":false,"fromPlayerId":"` + a + `"}}`,
		`{"playerId":"` + agent.id + `","kind":"yield","data":{"yieldCount":1,"fromPlayerId":"` + a + `"}}`,
		`{"playerId":"` + b + `","kind":"chat","data":{"fromPlayerId":"` + a + `"}}`,
		`{"playerId":"` + agent.id + `","kind":"zone","data":{"zoneCount":2,"flagged":false}}`,
	}
	if diff := cmp.Diff(want, f.ownFields(since)); diff != "" {
		t.Errorf("the signals (-want +got):\n%s", diff)
	}

	meet(bob, a, agent.id, protocol.ProximityChat).refused(protocol.CodeForbidden)
	f.post(f.play("/proximity-action"), map[string]any{"fromPlayerId": a, "toPlayerId": agent.id, "action": "chat"}, as(agent)).
		refused(protocol.CodeForbidden)
	meet(ada, a, b, protocol.ProximityZone).refused(protocol.CodeBodyInvalid)
	f.rpc("intercomCommand", map[string]any{
		"requestId": "r", "mainNodeId": agent.id, "fromPlayerId": a, "toPlayerId": agent.id, "kind": "chat", "text": "hi",
	}, f.viewer(ada.cookie)).refused(protocol.CodeForbidden)
	ada.leave().ok()
	meet(ada, a, agent.id, protocol.ProximityChat).refused(protocol.CodePlayerUnknown)
	meet(bob, b, a, protocol.ProximityChat).refused(protocol.CodePlayerUnknown)
}

// ownFields returns the own fields of the events after one.
func (f *fixture) ownFields(after uint64) (list []string) {
	f.t.Helper()
	for e, err := range f.world.History(f.t.Context(), after, f.world.View().Seq) {
		if err != nil {
			f.t.Fatal(err)
		}
		own, _, _ := strings.Cut(string(e.Data), `,"rev":`)
		list = append(list, own+"}")
	}
	return list
}
