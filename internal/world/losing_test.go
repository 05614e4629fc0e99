package world

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// lossyHost is a host's access to a shared journal that changes while a world is read.
type lossyHost struct {
	*sharedstore.Host
	server *sharedstore.Server
	// loads is how many of the next loads find the journal without its last entry.
	loads atomic.Int64
	// before and after are called around the next read of the invitations, unless
	// nil.
	before, after func()
}

func (l *lossyHost) Load(ctx context.Context) (store.State, error) {
	if l.loads.Add(-1) >= 0 {
		l.server.Restart(1)
	}
	return l.Host.Load(ctx)
}

func (l *lossyHost) Scan(ctx context.Context, table store.Table, r store.Range) store.Pairs {
	if table != store.Invitations || l.before == nil {
		return l.Host.Scan(ctx, table, r)
	}
	return func(yield func(store.Pair, error) bool) {
		l.before()
		l.before = nil
		l.Host.Scan(ctx, table, r)(yield)
		l.after()
	}
}

// openOn opens a world on a journal until the test ends.
func openOn(t *testing.T, j store.Journal, seed byte) *World {
	t.Helper()
	w, err := Open(t.Context(), Options{Journal: j, RootKey: testRootKey, Now: newClock().Now, Random: rand.NewChaCha8([32]byte{seed})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// A server that loses all data twice, the second time while a world is read, has a
// complete world afterwards: its first entry has the header.
func TestStoreEmptiedWhileReading(t *testing.T) {
	server := sharedstore.NewServer(store.DefaultRetention(), newClock().Now)
	j := &lossyHost{Host: server.Host(), server: server}
	w := openOn(t, j, 1)
	before := w.View()
	j.loads.Store(1)
	server.Restart(1)
	if err := w.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := openOn(t, server.Host(), 2).View()
	if after.SID == "" || after.SID != w.View().SID || after.Rev < before.Rev+replay.MinJump {
		t.Errorf("session %q at rev %d became %q at rev %d; another host reads %q", before.SID, before.Rev, w.View().SID, w.View().Rev, after.SID)
	}
}

// An invitation is committed and lost while another host reads the tables, after it
// read the entries: that host does not keep the invitation.
func TestRecordLostWhileReading(t *testing.T) {
	for name, resumes := range map[string]bool{"no commit since": false, "another host committed": true} {
		t.Run(name, func(t *testing.T) {
			server := sharedstore.NewServer(store.DefaultRetention(), newClock().Now)
			first := openOn(t, server.Host(), 1)
			do := func(caller Caller, c Command) {
				t.Helper()
				if _, err := first.Do(t.Context(), Request{Caller: caller, SID: first.View().SID}, c); err != nil {
					t.Fatal(err)
				}
			}
			do(Caller{}, CreateMainNode{NodeID: id("owner"), APIKey: protocol.NewSecret("key")})
			j := &lossyHost{Host: server.Host(), server: server}
			j.before = func() {
				do(Caller{Admin: true}, Invite{InviteRequest: protocol.InviteRequest{ExpiresInSeconds: 60, Uses: 1}, Digest: [32]byte{1}})
			}
			j.after = func() {
				server.Restart(1)
				if resumes {
					do(Caller{NodeID: id("owner")}, CreateAgentNode{AgentNodeID: id("a")})
				}
			}
			second := openOn(t, j, 2)
			for _, w := range []*World{first, second} {
				if err := w.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(first.Registry().Invitations(""), second.Registry().Invitations("")); diff != "" {
				t.Errorf("the reading host has other invitations (-store +host):\n%s", diff)
			}
		})
	}
}

// A world whose store lost all data stores checkpoints as a new one does, and not
// only after the position of the last checkpoint.
func TestCheckpointsAfterTheStoreWasEmptied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every = 4
		server := sharedstore.NewServer(store.DefaultRetention(), newClock().Now)
		j := server.Host()
		w, err := Open(t.Context(), Options{
			Journal: j, RootKey: testRootKey, Now: newClock().Now, Random: rand.NewChaCha8([32]byte{1}), CheckpointEvery: every,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := w.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		makeNodes := func(name string, count int) {
			t.Helper()
			for n := range count {
				if _, err := w.Do(t.Context(), Request{SID: w.View().SID}, CreateMainNode{NodeID: id(fmt.Sprint(name, n)), APIKey: protocol.NewSecret("key")}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // until no checkpoint is in progress, so that the next one is not postponed
			}
		}
		makeNodes("before", 5*every)
		server.Restart(6 * every)
		if err := w.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		makeNodes("after", every)
		if saved, err := j.Load(t.Context()); err != nil || saved.Position == 0 {
			t.Errorf("at entry %d of a new journal the checkpoint is %+v, %v, and one is due at %d", w.View().Position, saved, err, every)
		}
	})
}

// Journal entries that a host reads again are counted once.
func TestRereadJournalIsWeighedOnce(t *testing.T) {
	server := sharedstore.NewServer(store.DefaultRetention(), newClock().Now)
	f := open(t, func(o *Options) { o.NoRepository, o.Journal = true, server.Host() })
	a := id("a")
	f.as("", registration(a))
	f.as("", longJourney(a, 10<<10))
	f.rewrite(a, 50)
	server.Restart(1)
	if err := f.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	bytes, _, err := f.journal.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if counted, _ := f.JournalBytes(); counted < bytes*9/10 || counted > bytes*11/10 {
		t.Errorf("the world reports %d bytes, the journal has %d", counted, bytes)
	}
}
