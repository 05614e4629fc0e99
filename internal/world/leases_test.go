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

func heartbeat(playerID, connection string) Heartbeat {
	return Heartbeat{protocol.HeartbeatRequest{PlayerID: playerID, ConnectionID: connection}}
}

func (f *fixture) isOnMap(owner, agent string) bool {
	return rowOf(f.View(), protocol.AgentKey(owner, agent)) != nil
}

func TestLeaseExpiryAndRenewal(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a, b, stays := f.agent(owner, "a"), f.agent(owner, "b"), f.agent(owner, "stays")
	f.as(a, leasedRegistration(a, "ca", 10))
	f.as(b, leasedRegistration(b, "cb", 10))
	f.as(stays, registration(stays))

	f.clock.Advance(9 * time.Second)
	f.as(a, heartbeat(a, "ca"))
	f.sweep()
	if !f.isOnMap(owner, b) {
		t.Fatal("a lease was removed a second before its end")
	}
	f.clock.Advance(2 * time.Second)
	cursor := f.Events().Head()
	f.sweep()
	if f.isOnMap(owner, b) {
		t.Error("an agent with an expired lease was not removed")
	}
	if !f.isOnMap(owner, a) || !f.isOnMap(owner, stays) {
		t.Error("an agent with a valid lease, or without one, was removed")
	}
	got := f.events(cursor)
	if len(got) != 1 || got[0].Kind != "world:player_removed" {
		t.Fatalf("an expired lease caused %d events", len(got))
	}
	_, err := f.try(b, heartbeat(b, "cb"))
	wantCode(t, err, protocol.CodeLeaseUnknown)
	f.check()
}

func TestOnlyNewestConnectionIsValid(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, leasedRegistration(a, "old", 10))
	f.as(a, leasedRegistration(a, "new", 10))
	_, err := f.try(a, heartbeat(a, "old"))
	wantCode(t, err, protocol.CodeLeaseUnknown)

	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a, ConnectionID: "old"}})
	if !f.isOnMap(owner, a) {
		t.Fatal("an outdated connection removed the agent from the map")
	}
	f.as(a, registration(a))
	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a, ConnectionID: "new"}})
	if !f.isOnMap(owner, a) {
		t.Fatal("the registration without a connection did not drop the lease")
	}
	f.clock.Advance(time.Hour)
	f.sweep()
	if !f.isOnMap(owner, a) {
		t.Fatal("an agent without a lease was removed")
	}
	f.as(a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	if f.isOnMap(owner, a) {
		t.Error("a disconnect that names no connection left the agent on the map")
	}
}

func TestRestartRenewsLeasesForOneTerm(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, leasedRegistration(a, "c", 10))
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

func TestNewLeaseIsNotSwept(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, leasedRegistration(a, "c", 5))
	f.clock.Advance(6 * time.Second)
	// The registration is committed before the sweep, which already saw the expired
	// lease.
	f.as(a, leasedRegistration(a, "c2", 5))
	if _, err := f.Do(context.Background(), Request{}, expireLease{a}); err != nil {
		t.Fatal(err)
	}
	if !f.isOnMap(owner, a) {
		t.Error("an agent with a valid lease was removed")
	}
}

// together sends commands of one caller that the writer takes as one batch.
func (f *fixture) together(nodeID string, commands ...Command) {
	f.t.Helper()
	jobs := make([]*job, len(commands))
	for i, command := range commands {
		jobs[i] = f.job(Caller{NodeID: nodeID}, command)
	}
	f.inBatch(jobs...)
}

func (f *fixture) job(caller Caller, command Command) *job {
	return &job{ctx: f.t.Context(), req: Request{Caller: caller}, command: command, done: make(chan struct{})}
}

// inBatch sends jobs that the writer takes as one batch.
func (f *fixture) inBatch(jobs ...*job) {
	f.t.Helper()
	for _, j := range jobs {
		f.queue.places <- struct{}{}
		f.queue.append(f.registry.queueAccount(&j.req.Caller), j)
	}
	f.queue.signal()
	for _, j := range jobs {
		<-j.done
		if j.err != nil {
			f.t.Fatalf("%T: %v", j.command, j.err)
		}
	}
}

// A heartbeat that is committed together with a later registration does not shorten the
// new lease to the term of the previous one.
func TestHeartbeatDoesNotShortenLaterLease(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a, b := f.agent(owner, "a"), f.agent(owner, "b")
	f.as(a, leasedRegistration(a, "old", 10))
	f.as(b, leasedRegistration(b, "c", 10))
	f.together(a, heartbeat(a, "old"), leasedRegistration(a, "new", 60))
	longer := heartbeat(b, "c")
	longer.LeaseTTLSeconds = 60
	f.together(b, heartbeat(b, "c"), longer)
	f.clock.Advance(59 * time.Second)
	f.sweep()
	if !f.isOnMap(owner, a) {
		t.Error("the lease of the new connection expired with the term of the old one")
	}
	if !f.isOnMap(owner, b) {
		t.Error("the lease expired with the term that a heartbeat had changed")
	}
	f.clock.Advance(time.Second)
	f.sweep()
	if f.isOnMap(owner, a) || f.isOnMap(owner, b) {
		t.Error("a lease did not expire after its term")
	}
}
