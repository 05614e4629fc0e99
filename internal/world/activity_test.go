package world

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

func acting(playerID, state, text string) RecordActivity {
	return RecordActivity{protocol.RecordActivityRequest{PlayerID: playerID, State: state, Text: text}}
}

// agentRow returns the row of an agent on the map, nil if it is not there.
func (f *fixture) agentRow(owner, agent string) *protocol.Agent {
	row, _ := f.occupants()[protocol.AgentKey(owner, agent)].(*protocol.Agent)
	return row
}

// activityOf returns the activity in an agent's row, nil if it has none.
func (f *fixture) activityOf(owner, agent string) *protocol.Activity {
	f.t.Helper()
	row := f.agentRow(owner, agent)
	if row == nil {
		f.t.Fatal("the agent is not on the map")
	}
	return row.Activity
}

func (f *fixture) wantActivity(owner, agent string, want *protocol.Activity) {
	f.t.Helper()
	if diff := cmp.Diff(want, f.activityOf(owner, agent)); diff != "" {
		f.t.Errorf("activity (-want +got):\n%s", diff)
	}
}

func TestActivityIsReplacedAsAWhole(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	f.wantActivity(owner, a, nil)

	began := protocol.FormatTime(f.clock.Now())
	busy := acting(a, protocol.ActivityWorking, "Editing")
	busy.ToolName, busy.Usage = "edit", &protocol.Usage{InputTokens: new(12.0), CostUSD: new(0.25)}
	before, cursor := f.View(), f.Events().Head()
	reply := f.as(a, busy).Value.(*protocol.RecordActivityReply) //nolint:forcetypeassert // the reply's type
	want := &protocol.Activity{State: "working", Text: "Editing", ToolName: "edit", Since: began, Usage: busy.Usage}
	f.wantActivity(owner, a, want)
	if got := f.View(); got.Rev != before.Rev+1 || *reply.Rev != got.Rev {
		t.Errorf("rev %d after %d, the reply has %d", got.Rev, before.Rev, *reply.Rev)
	}
	events := f.events(cursor)
	if len(events) != 1 || events[0].Kind != string(protocol.EventActivity) {
		t.Fatalf("%d events: %v", len(events), events)
	}
	var data protocol.ActivityData
	if err := protocol.Decode(events[0].Data, &data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(protocol.ActivityData{PlayerID: a, Activity: *want}, data); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}

	// A state keeps its beginning while other fields change, and a field that is not sent is gone.
	f.clock.Advance(time.Minute)
	f.as(owner, acting(a, protocol.ActivityWorking, "Testing"))
	f.wantActivity(owner, a, &protocol.Activity{State: "working", Text: "Testing", Since: began})
	f.as(a, acting(a, protocol.ActivityDone, ""))
	f.wantActivity(owner, a, &protocol.Activity{State: "done", Since: protocol.FormatTime(f.clock.Now())})
	f.check()
}

func TestEqualActivityChangesNothing(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	busy := acting(a, protocol.ActivityWorking, "Editing")
	busy.Usage = &protocol.Usage{ToolCalls: new(3.0)}
	f.as(a, busy)
	before := f.View()
	for range 3 {
		f.clock.Advance(time.Minute)
		busy.Usage = &protocol.Usage{ToolCalls: new(3.0)}
		if reply := f.as(a, busy).Value.(*protocol.RecordActivityReply); *reply.Rev != before.Rev { //nolint:forcetypeassert // the reply's type
			t.Errorf("the reply has the rev %d, the map %d", *reply.Rev, before.Rev)
		}
	}
	f.as(a, registration(a))
	if f.View() != before {
		t.Error("an equal activity, or an equal registration, changed the world")
	}
}

func TestActivityIsRefused(t *testing.T) {
	f := open(t)
	owner, stranger := f.main("owner"), f.main("stranger")
	a, b := f.agent(owner, "a"), f.agent(owner, "b")
	_, err := f.try(a, acting(a, protocol.ActivityIdle, ""))
	wantCode(t, err, protocol.CodePlayerUnknown)
	f.as(a, leasedRegistration(a, "old", 10))
	f.as(a, leasedRegistration(a, "new", 10))
	before := f.View()
	for _, caller := range []string{b, stranger, "", id("nobody")} {
		if _, err = f.try(caller, acting(a, protocol.ActivityIdle, "")); err == nil {
			t.Errorf("%.8q set the activity of another's agent", caller)
		}
	}
	_, err = f.try(b, acting(a, protocol.ActivityIdle, ""))
	wantCode(t, err, protocol.CodeForbidden)
	held := acting(a, protocol.ActivityIdle, "")
	held.ConnectionID = "old"
	_, err = f.try(a, held)
	wantCode(t, err, protocol.CodeLeaseUnknown)
	if f.View() != before {
		t.Error("a refusal changed the world")
	}
	held.ConnectionID = "new"
	f.as(a, held)
	f.as(a, registration(a))
	_, err = f.try(a, held)
	wantCode(t, err, protocol.CodeLeaseUnknown)
}

// An activity stays while the agent is on the map, and across a restart, and ends however
// the agent leaves.
func TestActivityEndsWithItsRow(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	admin := func(c Command) {
		if _, err := f.Do(t.Context(), Request{Caller: Caller{Admin: true}}, c); err != nil {
			t.Fatal(err)
		}
	}
	for how, leave := range map[string]func(){
		"disconnected": func() { f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a}}) },
		"lapsed":       func() { f.clock.Advance(time.Minute); f.sweep() },
		"removed":      func() { admin(RemoveOccupant{protocol.RemoveOccupantRequest{StableKey: protocol.AgentKey(owner, a)}}) },
		"reset":        func() { admin(ResetSession{Reason: "test"}) },
	} {
		f.as(a, leasedRegistration(a, "c", 10))
		f.as(a, acting(a, protocol.ActivityWaiting, how))
		began := f.activityOf(owner, a).Since
		f.clock.Advance(5 * time.Second)
		again := leasedRegistration(a, "c2", 10)
		again.Name = "Another name"
		f.as(a, again)
		f.reopen()
		f.wantActivity(owner, a, &protocol.Activity{State: "waiting", Text: how, Since: began})
		if leave(); f.isOnMap(owner, a) {
			t.Fatalf("%s: the agent is still on the map", how)
		}
		f.as(a, registration(a))
		if got := f.activityOf(owner, a); got != nil {
			t.Errorf("%s: the agent came back with %+v", how, got)
		}
		f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	}
	f.check()
}

func TestRegistrationSetsParentAndGroup(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	r := registration(a)
	r.ParentID, r.Group = id("gone"), "shop"
	f.as(a, r)
	f.as(a, acting(a, protocol.ActivityWorking, ""))
	before := f.View()
	f.as(a, r)
	if f.View() != before {
		t.Error("the same registration changed the world")
	}
	if row := f.agentRow(owner, a); row.ParentID != id("gone") || row.Group != "shop" {
		t.Errorf("the row has the parent %q and the group %q", row.ParentID, row.Group)
	}
	f.as(a, registration(a))
	if row := f.agentRow(owner, a); row.ParentID != "" || row.Group != "" || row.Activity == nil {
		t.Errorf("the registration without them left %+v", row)
	}
}
