package world

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// slowReader is a host's journal that lets another host write between the next Load
// and the following read.
type slowReader struct {
	*sharedstore.Host
	meanwhile atomic.Pointer[func()]
}

func (r *slowReader) Load(ctx context.Context) (store.State, error) {
	state, err := r.Host.Load(ctx)
	if f := r.meanwhile.Swap(nil); f != nil {
		(*f)()
	}
	return state, err
}

// A checkpoint trims the entries before it. A host that has loaded an earlier
// checkpoint by then, or none, misses them.
func TestCheckpointReplacedDuringRead(t *testing.T) {
	c := &cluster{t: t, clock: newClock()}
	c.server = sharedstore.NewServer(store.Retention{Events: 1}, c.clock.Now)
	defer c.close()
	checkpoint := func() {
		other := c.server.Host()
		state, err := replay.State(t.Context(), other, testRootKey)
		if err == nil {
			_, err = other.Checkpoint(t.Context(), state)
		}
		if err != nil {
			t.Errorf("store a checkpoint: %v", err)
		}
	}
	places := func(from int) {
		for i := range 4 {
			c.must(0, id("owner"), RegisterMCP{protocol.MCPRegisterRequest{Name: fmt.Sprint("place", from+i)}})
		}
	}
	reader := &slowReader{Host: c.server.Host()}
	host := c.server.Host()
	c.add(host, host)
	c.must(0, "", CreateMainNode{NodeID: id("owner"), APIKey: protocol.NewSecret("key")})
	places(0)
	reader.meanwhile.Store(&checkpoint)
	c.add(reader.Host, reader)
	if got, want := c.worlds[1].View(), c.worlds[0].View(); got.Rev != want.Rev || got.Tree.Root() != want.Tree.Root() {
		t.Errorf("a world is read at rev %d with the root %s, want rev %d with %s", got.Rev, got.Tree.Root(), want.Rev, want.Tree.Root())
	}

	places(4)
	c.agree()
	before := c.worlds[1].View()
	c.hosts[0].Down.Store(true)
	reader.meanwhile.Store(&checkpoint)
	c.server.Restart(1)
	if err := c.worlds[1].Refresh(t.Context()); err != nil {
		t.Fatalf("read the world again: %v", err)
	}
	if reader.meanwhile.Load() != nil {
		t.Error("the world was not read again")
	}
	if reason, err := c.worlds[1].ResumeCheck(t.Context(), before.Seq); err != nil || reason != ResyncRestarted {
		t.Errorf("a reader of an event that was lost resumes with %q, %v, want %q", reason, err, ResyncRestarted)
	}
	c.hosts[0].Down.Store(false)
	c.agree()
}

// jumpBeforeCommit is a host's access to a shared journal where another host jumps as soon as
// this one has loaded the world.
type jumpBeforeCommit struct {
	*sharedstore.Host

	// jump makes the other host jump; nil before the restart.
	jump   atomic.Pointer[func()]
	loaded atomic.Bool
}

func (j *jumpBeforeCommit) Load(ctx context.Context) (store.State, error) {
	defer j.loaded.Store(true)
	return j.Host.Load(ctx)
}

func (j *jumpBeforeCommit) Commit(ctx context.Context, b *store.Batch) (store.Tip, error) {
	if jump := j.jump.Load(); jump != nil && j.loaded.Load() {
		(*jump)()
	}
	return j.Host.Commit(ctx, b)
}

// Readers have to read the snapshot once for each jump, so a host must not restart its
// events at the last entry before the jump of another host.
func TestHostRereadsUpToJumpOfAnotherHost(t *testing.T) {
	c := openCluster(t, 1)
	defer c.close()
	late := &jumpBeforeCommit{Host: c.server.Host()}
	c.add(late.Host, late)
	first, second := c.worlds[0], c.worlds[1]
	a := c.agent(0, 45)
	c.must(0, a, line(a, "before"))
	c.agree()
	before := second.View().Seq
	c.hosts[0].Down.Store(true)
	late.loaded.Store(false)
	late.jump.Store(new(func() {
		c.hosts[0].Down.Store(false)
		if err := first.Refresh(t.Context()); err != nil {
			t.Errorf("refresh the world that jumps first: %v", err)
		}
		if lost := second.Events().lost(); lost != 0 && lost != first.View().Seq {
			t.Errorf("readers have to read the snapshot at %d, after %d, and then for the jump to %d", lost, before, first.View().Seq)
		}
	}))
	c.server.Restart(0)
	if err := second.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lost := second.Events().lost(); lost != first.View().Seq || lost < before+replay.MinJump {
		t.Errorf("the events restart at %d, while the other world jumped from %d to %d", lost, before, first.View().Seq)
	}
	late.jump.Store(nil)
	c.agree()
}

// lateFollower is a host's access to a shared journal whose follower receives its first
// entries when again is closed.
type lateFollower struct {
	*sharedstore.Host
	again chan struct{}
	first sync.Once
}

func (l *lateFollower) Follow(ctx context.Context, after store.Tip) iter.Seq2[[]store.Entry, error] {
	l.first.Do(func() { close(l.Following) })
	return func(yield func([]store.Entry, error) bool) {
		select {
		case <-l.again:
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
		if entries, err := l.EntriesAfter(ctx, after); yield(entries, err) {
			<-ctx.Done()
		}
	}
}

// The follower of a host is behind the host's own view when the store loses entries. The
// entries that replaced them follow on what the follower has: the host must not take
// them for those that it knows.
func TestFollowerBehindLostEntries(t *testing.T) { synctest.Test(t, followerBehindLost) }

func followerBehindLost(t *testing.T) {
	c := openCluster(t, 1)
	defer c.close()
	late := &lateFollower{Host: c.server.Host(), again: make(chan struct{})}
	c.add(late.Host, late)
	a := c.agent(0, 45)
	const lost = 8
	for n := range lost {
		c.must(0, a, line(a, fmt.Sprint(n)))
	}
	c.agree()
	c.server.Restart(lost)
	c.must(0, id("owner"), DeleteAgent{AgentID: a})
	if first, second := c.worlds[0].View(), c.worlds[1].View(); second.Position <= first.Position {
		t.Fatalf("one host is at entry %d after the loss, and the other at %d before it", first.Position, second.Position)
	}
	close(late.again)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.worlds[1].WaitRev(ctx, c.worlds[0].View().Rev); err != nil {
		t.Fatalf("the host still shows entry %d, which was lost: %v", c.worlds[1].View().Position, err)
	}
	c.agree()
}
