package world

import (
	"context"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

func (f *fixture) keyed(nodeID string, key byte, fingerprint byte, c Command) (Reply, error) {
	return f.Do(context.Background(), Request{
		Caller:      Caller{NodeID: nodeID},
		Idempotency: &Idempotency{Key: [32]byte{key}, Fingerprint: [32]byte{fingerprint}},
	}, c)
}

func TestRepeatGetsFirstReplyAndRunsOnce(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	seq := f.View().Seq
	first, err := f.keyed(a, 1, 1, line(a, "once"))
	if err != nil {
		t.Fatal(err)
	}
	want, _ := first.JSON()
	for range 2 {
		again, err := f.keyed(a, 1, 1, line(a, "once"))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := again.JSON(); string(got) != string(want) {
			t.Errorf("the repeat got %s, the first %s", got, want)
		}
		f.reopen()
	}
	if f.View().Seq != seq+1 {
		t.Errorf("%d events were created, want 1", f.View().Seq-seq)
	}
	_, err = f.keyed(a, 1, 2, line(a, "another"))
	wantCode(t, err, protocol.CodeIdempotencyConflict)
	if reply, found, err := f.Repeated(context.Background(), &Idempotency{Key: [32]byte{1}, Fingerprint: [32]byte{1}}); err != nil || !found || string(reply.Stored) != string(want) {
		t.Errorf("Repeated: %s, %v, %v", reply.Stored, found, err)
	}
}

func TestConcurrentEqualRequestsRunOnce(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	f.as(a, registration(a))
	seq := f.View().Seq
	runConcurrently(t, make([]string, 32), func(string) error {
		_, err := f.keyed(a, 1, 1, line(a, "once"))
		return err
	})
	if f.View().Seq != seq+1 {
		t.Errorf("%d events were created, want 1", f.View().Seq-seq)
	}
}

func TestReplyWithoutEffectIsStored(t *testing.T) {
	f := open(t)
	owner := f.main("owner")
	a := f.agent(owner, "a")
	leave := Disconnect{protocol.DisconnectRequest{PlayerID: a}}
	if _, err := f.keyed(a, 1, 1, leave); err != nil {
		t.Fatal(err)
	}
	f.as(a, registration(a))
	if _, err := f.keyed(a, 1, 1, leave); err != nil {
		t.Fatal(err)
	}
	if !f.isOnMap(owner, a) {
		t.Error("the repeat of a disconnect without effect removed the agent from the map")
	}
}

func TestRefusalIsNotStored(t *testing.T) {
	f := open(t)
	a := f.agent(f.main("owner"), "a")
	_, err := f.keyed(a, 1, 1, line(a, "too early"))
	wantCode(t, err, protocol.CodePlayerUnknown)
	f.as(a, registration(a))
	if _, err := f.keyed(a, 1, 1, line(a, "too early")); err != nil {
		t.Errorf("the repeat of a refused request: %v", err)
	}
}

func TestKeysExpireAfterOneDay(t *testing.T) {
	f := open(t)
	a := f.agent(f.main("owner"), "a")
	f.as(a, registration(a))
	if _, err := f.keyed(a, 1, 1, line(a, "today")); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(24 * time.Hour)
	if _, err := f.keyed(a, 1, 2, line(a, "tomorrow")); err != nil {
		t.Errorf("an expired key conflicts: %v", err)
	}
	f.sweep()
	f.clock.Advance(24 * time.Hour)
	f.sweep()
	for _, table := range []store.Table{store.Idempotency, store.IdempotencyTimes} {
		for pair, err := range f.journal.Scan(context.Background(), table, store.Range{}) {
			t.Errorf("%s still has %x (%v)", table, pair.Key, err)
		}
	}
}
