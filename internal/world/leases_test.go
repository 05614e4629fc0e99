package world

import (
	"context"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

func (f *fixture) sweep() {
	f.t.Helper()
	if err := f.Sweep(context.Background()); err != nil {
		f.t.Fatalf("Sweep: %v", err)
	}
}

func beat(playerID, connection string) Heartbeat {
	return Heartbeat{protocol.HeartbeatRequest{PlayerID: playerID, ConnectionID: connection}}
}

func (f *fixture) isOnMap(owner, agent string) bool {
	return f.View().Find(protocol.AgentKey(owner, agent)) != nil
}

func TestALeaseLapsesAndAHeartbeatRenewsIt(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a, b, stays := f.agent(owner, "a"), f.agent(owner, "b"), f.agent(owner, "stays")
	f.as(a, held(a, "ca", 10))
	f.as(b, held(b, "cb", 10))
	f.as(stays, registration(stays))

	f.clock.Advance(9 * time.Second)
	f.as(a, beat(a, "ca"))
	f.sweep()
	if !f.isOnMap(owner, b) {
		t.Fatal("a lease was swept a second before its end")
	}
	f.clock.Advance(2 * time.Second)
	cursor := f.Events().Head()
	f.sweep()
	if f.isOnMap(owner, b) {
		t.Error("an expired lease was not swept")
	}
	if !f.isOnMap(owner, a) || !f.isOnMap(owner, stays) {
		t.Error("an agent with a fresh lease, or with none, was swept")
	}
	got := f.events(cursor)
	if len(got) != 1 || got[0].Kind != "world:player_removed" {
		t.Fatalf("an expired lease made %d events", len(got))
	}
	_, err := f.try(b, beat(b, "cb"))
	wantCode(t, err, protocol.CodeLeaseUnknown)
	f.check()
}

func TestTheNewestConnectionIsTheOnlyOne(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, held(a, "old", 10))
	f.as(a, held(a, "new", 10))
	_, err := f.try(a, beat(a, "old"))
	wantCode(t, err, protocol.CodeLeaseUnknown)

	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a, ConnectionID: "old"}})
	if !f.isOnMap(owner, a) {
		t.Fatal("a connection that is not the current one took the agent off the map")
	}
	f.as(a, registration(a))
	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a, ConnectionID: "new"}})
	if !f.isOnMap(owner, a) {
		t.Fatal("the registration without a connection did not drop the lease")
	}
	f.clock.Advance(time.Hour)
	f.sweep()
	if !f.isOnMap(owner, a) {
		t.Fatal("an agent without a lease was swept")
	}
	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	if f.isOnMap(owner, a) {
		t.Error("a disconnect that names no connection left the agent on the map")
	}
}

func TestARestartGivesEveryLeaseOneFullTerm(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, held(a, "c", 10))
	f.as(a, Heartbeat{protocol.HeartbeatRequest{PlayerID: a, ConnectionID: "c", LeaseTTLSeconds: 60}})
	f.clock.Advance(59 * time.Second)
	f.reopen()
	f.clock.Advance(59 * time.Second)
	f.sweep()
	if !f.isOnMap(owner, a) {
		t.Fatal("the lease expired before one full term after the restart")
	}
	f.clock.Advance(time.Second)
	f.sweep()
	if f.isOnMap(owner, a) {
		t.Error("the lease did not expire after the restart")
	}
}

func TestALeaseThatWasJustGivenIsNotSwept(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, held(a, "c", 5))
	f.clock.Advance(6 * time.Second)
	// The registration is committed before the sweep, which already saw the expired
	// lease.
	f.as(a, held(a, "c2", 5))
	if _, err := f.Do(context.Background(), Request{}, expireLease{a}); err != nil {
		t.Fatal(err)
	}
	if !f.isOnMap(owner, a) {
		t.Error("a fresh lease was swept")
	}
}
