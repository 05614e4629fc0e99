package world

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// cluster is several worlds on one journal.
type cluster struct {
	t      testing.TB
	clock  *clock
	server *sharedstore.Server
	hosts  []*sharedstore.Host
	worlds []*World
}

func openCluster(t testing.TB, n int) *cluster {
	t.Helper()
	c := &cluster{t: t, clock: newClock()}
	c.server = sharedstore.NewServer(store.DefaultRetention(), c.clock.Now)
	for range n {
		h := c.server.Host()
		c.add(h, h)
	}
	return c
}

// add opens one more world on a host's journal, which may be wrapped.
func (c *cluster) add(h *sharedstore.Host, journal store.Journal) {
	c.t.Helper()
	i := len(c.worlds)
	w, err := Open(context.Background(), Options{
		Journal: journal, Name: fmt.Sprint("host ", i), RootKey: testRootKey, Now: c.clock.Now, Random: rand.NewChaCha8([32]byte{byte(i + 1)}),
		CheckpointEvery: 16,
	})
	if err != nil {
		c.t.Fatalf("open world %d: %v", i, err)
	}
	<-h.Following
	c.hosts, c.worlds = append(c.hosts, h), append(c.worlds, w)
}

func (c *cluster) close() {
	for i, w := range c.worlds {
		if err := w.Close(context.Background()); err != nil {
			c.t.Errorf("close world %d: %v", i, err)
		}
	}
}

func (c *cluster) do(i int, nodeID string, command Command) (Reply, error) {
	w := c.worlds[i]
	return w.Do(context.Background(), Request{Caller: Caller{NodeID: nodeID}, SID: w.View().SID}, command)
}

func (c *cluster) must(i int, nodeID string, command Command) Reply {
	c.t.Helper()
	reply, err := c.do(i, nodeID, command)
	if err != nil {
		c.t.Fatalf("%T at world %d: %v", command, i, err)
	}
	return reply
}

// agent registers an agent with a lease at one world.
func (c *cluster) agent(i, ttl int) (agentID string) {
	c.t.Helper()
	c.must(i, "", CreateMainNode{NodeID: id("owner"), APIKey: protocol.NewSecret("key")})
	c.must(i, id("owner"), CreateAgentNode{AgentNodeID: id("a")})
	c.must(i, id("a"), leasedRegistration(id("a"), "c", ttl))
	return id("a")
}

// agree brings every world to the journal's end and compares them. It does so
// twice: the first time a world may find that it has to commit a jump.
func (c *cluster) agree() {
	c.t.Helper()
	for range 2 {
		for i, w := range c.worlds {
			if err := w.Refresh(context.Background()); err != nil {
				c.t.Fatalf("refresh world %d: %v", i, err)
			}
		}
	}
	first := c.worlds[0].View()
	for i, w := range c.worlds {
		v := w.View()
		if v.Rev != first.Rev || v.Seq != first.Seq || v.SID != first.SID || v.Tree.Root() != first.Tree.Root() || v.Position != first.Position {
			c.t.Fatalf("world %d is at rev %d, seq %d, entry %d, and world 0 at %d, %d, %d",
				i, v.Rev, v.Seq, v.Position, first.Rev, first.Seq, first.Position)
		}
		if w.Events().Head() != v.Seq {
			c.t.Fatalf("the ring of world %d ends at %d, its view at %d", i, w.Events().Head(), v.Seq)
		}
	}
}

func (c *cluster) texts(i int) map[string]int {
	c.t.Helper()
	found := map[string]int{}
	for e, err := range c.worlds[i].History(context.Background(), 0, 1<<62) {
		if err != nil {
			c.t.Fatalf("history of world %d: %v", i, err)
		}
		if e.Kind != string(protocol.EventInteraction) {
			continue
		}
		var line protocol.Interaction
		if err := protocol.Decode(e.Data, &line); err != nil {
			c.t.Fatalf("event %d: %v", e.Seq, err)
		}
		found[line.Text]++
	}
	return found
}

func TestWorldsShareOneJournal(t *testing.T) {
	c := openCluster(t, 3)
	defer c.close()
	a := c.agent(0, 45)
	// Another host has the first host's result without a call to it.
	c.must(1, a, line(a, "hello"))
	reply := c.must(2, a, Disconnect{protocol.DisconnectRequest{PlayerID: a}})
	if err := c.worlds[0].WaitRev(t.Context(), reply.Rev); err != nil {
		t.Fatalf("the first host never applied rev %d: %v", reply.Rev, err)
	}
	c.agree()
}

func TestCommitIsFoundAfterLostReply(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 45)
	c.hosts[0].After.Store(1)
	c.must(0, a, line(a, "once"))
	c.hosts[0].Before.Store(1)
	c.must(0, a, line(a, "twice"))
	c.agree()
	for i := range c.worlds {
		if got := c.texts(i); got["once"] != 1 || got["twice"] != 1 {
			t.Errorf("world %d has %v", i, got)
		}
	}
}

// timeLeft returns the time until a deadline.
func timeLeft(ends time.Time) time.Duration {
	return time.Until(ends) //nolint:forbidigo // the time of the test's bubble
}

// wantUnavailable fails unless the call reports within one second, in the bubble's
// time, that the store is unavailable.
func wantUnavailable(t *testing.T, what string, ask func() error) {
	t.Helper()
	elapsed := pause.Stopwatch()
	err := ask()
	if took := elapsed(); protocol.CodeOf(err) != protocol.CodeStoreUnavailable || took > time.Second {
		t.Errorf("%s: %v after %v", what, err, took)
	}
}

func TestUnavailableStoreIsReportedWithinASecond(t *testing.T) { synctest.Test(t, unavailableStore) }

func unavailableStore(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 45)
	c.hosts[0].Down.Store(true)
	wantUnavailable(t, "a line", func() error {
		_, err := c.do(0, a, line(a, "lost"))
		return err
	})
	eventually(t, "the world is stale", func() bool { return c.worlds[0].Stale() != nil })
	c.must(1, a, line(a, "kept"))
	c.hosts[0].Down.Store(false)
	c.agree()
	if got := c.texts(0); got["lost"] != 0 || got["kept"] != 1 {
		t.Errorf("the lines are %v", got)
	}
	eventually(t, "a sweep detects that the store accepts writes again", func() bool {
		return c.worlds[0].Sweep(t.Context()) == nil && c.worlds[0].Stale() == nil
	})
}

func TestLeaseIsRenewedForEveryHost(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 6)
	for range 4 {
		c.clock.Advance(4 * time.Second)
		c.must(1, a, heartbeat(a, "c"))
		for _, w := range c.worlds {
			if err := w.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.agree()
	if _, on := c.worlds[0].state.players[a]; !on {
		t.Fatal("an agent whose lease was renewed at the other host was removed")
	}
	removed := 0
	for range 7 {
		c.clock.Advance(time.Second)
		for _, w := range c.worlds {
			if err := w.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.agree()
	for e, err := range c.worlds[1].History(t.Context(), 0, 1<<62) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == string(protocol.EventPlayerRemoved) {
			removed++
		}
	}
	if removed != 1 {
		t.Errorf("the agent was removed %d times", removed)
	}
}

// A jump can be lost before another host received it. That host then jumps from the
// same position as the first one, and must not reuse numbers that were already
// shown.
func TestSecondJumpFromOnePositionGoesFurther(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	c.agent(0, 45)
	c.agree()
	before := c.worlds[0].View()
	// A connected host jumps as soon as the store has restarted, so only the host
	// that is to jump may be connected.
	jump := func(host, lost int) *View {
		c.hosts[1-host].Down.Store(true)
		c.server.Restart(lost)
		c.hosts[host].Down.Store(false)
		if err := c.worlds[host].Refresh(t.Context()); err != nil {
			t.Fatalf("refresh world %d: %v", host, err)
		}
		return c.worlds[host].View()
	}
	first := jump(0, 0)
	c.clock.Advance(10 * time.Millisecond)
	second := jump(1, 1)
	c.hosts[0].Down.Store(false)
	if first.Position != before.Position+1 || second.Position != first.Position {
		t.Fatalf("from entry %d the worlds jumped to the entries %d and %d", before.Position, first.Position, second.Position)
	}
	if first.Seq >= second.Seq || first.Rev >= second.Rev {
		t.Errorf("from rev %d, seq %d one jumped to rev %d, seq %d, and then the other to rev %d, seq %d",
			before.Rev, before.Seq, first.Rev, first.Seq, second.Rev, second.Seq)
	}
}

func TestRestartedStoreMovesNumbersAhead(t *testing.T) {
	for name, lost := range map[string]int{"nothing lost": 0, "last entries lost": 3} {
		t.Run(name, func(t *testing.T) {
			c := openCluster(t, 3)
			defer c.close()
			a := c.agent(0, 45)
			for _, text := range []string{"1", "2", "3", "4"} {
				c.must(1, a, line(a, text))
			}
			c.agree()
			before := c.worlds[0].View()
			c.server.Restart(lost)
			c.must(2, a, line(a, "after"))
			c.agree()
			after := c.worlds[0].View()
			if after.Rev < before.Rev+replay.MinJump || after.Seq < before.Seq+replay.MinJump || after.Seq > before.Seq+2*replay.MinJump {
				t.Errorf("rev and seq went from %d, %d to %d, %d", before.Rev, before.Seq, after.Rev, after.Seq)
			}
			for i, w := range c.worlds {
				if got := c.texts(i); got["after"] != 1 || len(got) != 5-lost {
					t.Errorf("world %d has the lines %v", i, got)
				}
				if _, _, err := w.Events().Since(before.Seq, nil); !errors.Is(err, ErrRestarted) {
					t.Errorf("world %d continues from before the jump: %v", i, err)
				}
				reason, err := w.ResumeCheck(t.Context(), before.Seq)
				if err != nil || reason != ResyncRestarted {
					t.Errorf("world %d resumes with %q, %v", i, reason, err)
				}
				v, err := w.Replay(t.Context(), PastRead{Rev: before.Rev})
				if err != nil {
					t.Fatal(err)
				}
				if lost > 0 && v == before {
					t.Errorf("world %d still returns a lost view", i)
				}
			}
		})
	}
}

func TestLeaseExpiryUsesStoreClock(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 6)
	c.clock.Advance(5 * time.Second)
	c.must(1, a, heartbeat(a, "c"))
	c.clock.Advance(5 * time.Second)
	// The first host has not seen the renewal, which is not an entry.
	c.must(0, "", expireLease{a})
	c.agree()
	if rowOf(c.worlds[1].View(), protocol.AgentKey(id("owner"), a)) == nil {
		t.Error("an agent was removed before its lease expired")
	}
}

// A cursor from after the jump continues at a host that learns of the jump only
// then: no other event has its numbers.
func TestCursorAfterJumpContinuesAtEveryHost(t *testing.T) {
	c := openCluster(t, 3)
	defer c.close()
	a := c.agent(0, 45)
	c.must(0, a, line(a, "before"))
	c.must(0, a, line(a, "lost"))
	c.agree()
	before := c.worlds[0].View().Seq
	c.hosts[2].Down.Store(true)
	c.server.Restart(1)
	cursor := c.must(0, a, line(a, "after the jump")).Seq
	c.must(1, a, line(a, "and on"))
	c.hosts[2].Down.Store(false)
	w := c.worlds[2]
	if reason, err := w.ResumeCheck(t.Context(), cursor); err != nil || reason != "" {
		t.Errorf("a cursor of %d resumes with %q, %v", cursor, reason, err)
	}
	if _, _, err := w.Events().Since(cursor, nil); errors.Is(err, ErrRestarted) {
		t.Errorf("a stream at %d gets an earlier jump", cursor)
	}
	var texts []string
	for e, err := range w.History(t.Context(), cursor, w.Events().Head()) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(e.Data))
	}
	if len(texts) != 1 || !strings.Contains(texts[0], "and on") {
		t.Errorf("the events after the cursor are %q", texts)
	}
	for _, lost := range []uint64{before, before - 1} {
		if reason, err := w.ResumeCheck(t.Context(), lost); err != nil || reason != ResyncRestarted {
			t.Errorf("a cursor of %d, before the jump, resumes with %q, %v", lost, reason, err)
		}
	}
}

func TestKeyReplacedAtAnotherHostIsRefused(t *testing.T) {
	c := openCluster(t, 2)
	defer c.close()
	a := c.agent(0, 45)
	old, next := [32]byte{1}, [32]byte{2}
	c.must(0, id("owner"), ReplaceAPIKey{APIKeyDigest: old})
	c.agree()
	c.hosts[1].NoFollow.Store(true)
	try := func(shown [32]byte) error {
		_, err := c.worlds[1].Do(t.Context(), Request{Caller: Caller{NodeID: a}, APIKeyDigest: &shown}, leasedRegistration(a, "c", 45))
		return err
	}
	if err := try(old); err != nil {
		t.Fatalf("the account's key: %v", err)
	}
	c.must(0, id("owner"), ReplaceAPIKey{APIKeyDigest: next})
	wantCode(t, try(old), protocol.CodeAPIKeyInvalid)
	if err := try(next); err != nil {
		t.Errorf("the account's new key: %v", err)
	}
}
