package world

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// call asks an agent as its owner, and returns the reply with a secret in it.
func (c *cluster) call() (agent, asker string, reply IntercomResponse) {
	c.t.Helper()
	agent, asker = c.agent(0, 45), id("owner")
	c.must(0, asker, ask("call", asker, agent))
	c.agree()
	return agent, asker, answer("call", asker, agent, protocol.IntercomCompleted)
}

// frame returns the last event of a world as sent on a caller's live stream.
func (c *cluster) frame(i int, who Caller) string {
	c.t.Helper()
	events, _, err := c.worlds[i].Events().Since(c.worlds[i].Events().Head()-1, nil)
	if err != nil || len(events) != 1 {
		c.t.Fatalf("world %d has %d events at its end, %v", i, len(events), err)
	}
	return string(whole(events[0].FrameFor(who, false, true)))
}

func (w *World) secretsKept() int {
	w.replica.secrets.mu.Lock()
	defer w.replica.secrets.mu.Unlock()
	return len(w.replica.secrets.kept)
}

// awaitReceivers waits until every world receives what the others send.
func (c *cluster) awaitReceivers(t *testing.T) {
	t.Helper()
	probe := secretKey{seq: 1 << 60}
	for i, w := range c.worlds {
		eventually(t, "the world receives messages", func() bool {
			if err := w.options.Journal.Send(t.Context(), encodeSecret(probe, &privatePart{})); err != nil {
				t.Fatalf("send from world %d: %v", i, err)
			}
			return w.secretsKept() > 0
		})
	}
	// The last message of a world arrives after all earlier ones.
	for i, w := range c.worlds {
		last := secretKey{seq: 1<<61 + uint64(i)}
		if err := w.options.Journal.Send(t.Context(), encodeSecret(last, &privatePart{})); err != nil {
			t.Fatalf("send from world %d: %v", i, err)
		}
		for _, other := range c.worlds {
			other.replica.secrets.await(t.Context(), last)
		}
	}
	for _, w := range c.worlds {
		w.replica.secrets.expire(c.clock.Now().Add(secretTerm))
	}
}

// A secret reaches the asker at any host to which its stream is connected, and
// nobody else, even if the reply of the commit is lost.
func TestSecretReachesAskerAtAnotherHost(t *testing.T) {
	for name, lost := range map[string][2]int64{"no fault": {}, "lost commit": {1, 0}, "lost reply": {0, 1}} {
		t.Run(name, func(t *testing.T) {
			c := openCluster(t, 3)
			defer c.close()
			agent, asker, reply := c.call()
			c.awaitReceivers(t)
			// The other hosts receive the commit after the secret.
			for _, h := range c.hosts[1:] {
				h.NoFollow.Store(true)
			}
			c.hosts[0].Before.Store(lost[0])
			c.hosts[0].After.Store(lost[1])
			c.must(0, agent, reply)
			for i, w := range c.worlds {
				eventually(t, "the secret arrived", func() bool { return w.secretsKept() == 1+int(lost[0]) || i == 0 })
			}
			c.agree()
			for i, w := range c.worlds {
				if got := c.frame(i, Caller{NodeID: asker}); !strings.Contains(got, "ek_hidden") {
					t.Errorf("at host %d the asker gets %s", i, got)
				}
				if got := c.frame(i, Caller{NodeID: agent}); strings.Contains(got, "ek_hidden") {
					t.Errorf("at host %d the agent gets %s", i, got)
				}
				c.clock.Advance(secretTerm)
				if err := w.Sweep(t.Context()); err != nil || w.secretsKept() != 0 {
					t.Errorf("host %d keeps %d secrets, %v", i, w.secretsKept(), err)
				}
			}
			for e, err := range c.hosts[0].Read(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Contains(store.AppendEntry(nil, &e), []byte("ek_hidden")) {
					t.Errorf("the journal contains the secret in entry %d", e.Position)
				}
			}
		})
	}
}

func TestSecretIsReturnedOnce(t *testing.T) {
	t.Parallel()
	var s secrets
	now := newClock().Now()
	e := &store.Entry{Commit: store.CommitID{1}, Seq: 7, Events: make([]store.Event, 2)}
	s.add(secretKey{e.Commit, 7}, privatePart{asker: "a", secret: []byte("1")}, now)
	s.add(secretKey{e.Commit, 8}, privatePart{asker: "a", secret: []byte("2")}, now)
	s.add(secretKey{store.CommitID{2}, 7}, privatePart{asker: "a", secret: []byte("3")}, now)
	if got := s.take(e); len(got) != 1 || string(got[0].secret) != "1" || got[0].event != 1 {
		t.Fatalf("the entry has %+v", got)
	}
	if got := s.take(e); len(got) != 0 {
		t.Fatalf("at the second read the entry has %+v", got)
	}
	s.expire(now.Add(secretTerm - 1))
	if len(s.kept) != 2 {
		t.Errorf("%d secrets are kept before they expire, want 2", len(s.kept))
	}
	if s.expire(now.Add(secretTerm)); len(s.kept) != 0 || s.bytes != 0 {
		t.Errorf("%d secrets with %d bytes are kept after they expired", len(s.kept), s.bytes)
	}
}

func TestSecretsAreBounded(t *testing.T) {
	t.Parallel()
	var s secrets
	for i := range 10 * maxSecrets {
		s.add(secretKey{seq: uint64(i)}, privatePart{secret: []byte("x")}, time.Time{})
	}
	if len(s.kept) != maxSecrets || s.kept[0].seq != 9*maxSecrets || s.bytes != maxSecrets {
		t.Errorf("%d secrets are kept, starting at %d", len(s.kept), s.kept[0].seq)
	}
	big := make([]byte, maxSecretBytes/4)
	for range 10 {
		s.add(secretKey{}, privatePart{secret: big}, time.Time{})
	}
	if len(s.kept) != 4 || s.bytes != maxSecretBytes {
		t.Errorf("%d secrets with %d bytes are kept", len(s.kept), s.bytes)
	}
}

func FuzzParseSecret(f *testing.F) {
	good := encodeSecret(secretKey{store.CommitID{1, 2}, 77}, &privatePart{asker: "watch:x", secret: []byte(`{"a":1}`)})
	for n := range good {
		f.Add(good[:n])
	}
	f.Add(good)
	f.Add(append(good[:25:25], 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1))
	f.Fuzz(func(t *testing.T, b []byte) {
		key, part, err := parseSecret(b)
		if err != nil {
			return
		}
		again, same, err := parseSecret(encodeSecret(key, &part))
		if err != nil || again != key || same.asker != part.asker || !bytes.Equal(same.secret, part.secret) {
			t.Fatalf("%v %+v became %v %+v, %v", key, part, again, same, err)
		}
	})
}
