package world

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/internal/store/verify"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// rewrite makes n events that each write an agent's row again.
func (f *fixture) rewrite(agent string, n int) {
	for range n {
		f.as("", ProximityAction{protocol.ProximityActionRequest{FromPlayerID: agent, ToPlayerID: agent, Action: "zone"}})
	}
}

// A few events that each write a long row again do not fill the store: the journal
// is trimmed by bytes while the world runs, and the remaining entries are complete.
func TestJournalStaysWithinByteLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 2 << 20
		f := open(t, func(o *Options) {
			o.NoRepository, o.RingEvents = true, 4
			o.Journal = memory.Open(store.Retention{Events: 10_000, Revs: 1_024, Bytes: limit})
		})
		a := id("a")
		f.as("", registration(a))
		f.as("", longJourney(a, 50<<10))
		most := uint64(0)
		for range 150 {
			f.rewrite(a, 1)
			synctest.Wait() // until a checkpoint is stored
			bytes, _, err := f.journal.Size(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, bytes)
			if counted, allowed := f.JournalBytes(); allowed != limit || counted < bytes*9/10 || counted > bytes*11/10 {
				t.Fatalf("the world reports %d of %d bytes, the journal has %d", counted, allowed, bytes)
			}
		}
		if most < limit || most > limit*9/8+256<<10 {
			t.Errorf("150 events with a row of 50 KiB each: the journal grew to %d bytes, want at most an eighth more than %d", most, limit)
		}
		// A cursor before the oldest remaining entry refers to trimmed entries.
		if _, err := f.JournalEvents(t.Context(), 3, f.Events().Head(), nil); !errors.Is(err, store.ErrTrimmed) {
			t.Errorf("events after a trimmed one: %v, want ErrTrimmed", err)
		}
		head := f.Events().Head()
		events, err := f.JournalEvents(t.Context(), head-20, head, make([]*Event, 0, 20))
		if err != nil || len(events) == 0 || events[0].Seq != head-19 {
			t.Errorf("the events after %d: %d, %v", head-20, len(events), err)
		}
		before := f.View()
		f.reopen()
		if after := f.View(); after.Tree.Root() != before.Tree.Root() || after.Rev != before.Rev {
			t.Errorf("the world is at rev %d after a restart, before it at %d", after.Rev, before.Rev)
		}
		if report, err := verify.Check(t.Context(), f.journal, testRootKey); err != nil || len(report.Problems) > 0 {
			t.Errorf("the rest of the journal: %+v, %v", report, err)
		}
	})
}

// A journal that is above a limit that was lowered is trimmed with the first entry.
func TestJournalAboveLoweredLimitIsTrimmed(t *testing.T) {
	at := bolt.Options{
		Path: filepath.Join(t.TempDir(), "world.playstore"), RootKey: testRootKey,
		Retention: store.Retention{Events: 10_000, Revs: 1_024},
	}
	openStore := func() store.Journal {
		t.Helper()
		j, err := bolt.Open(context.Background(), at)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	done := make(chan struct{}, 100)
	f := open(t, func(o *Options) { o.NoRepository, o.Journal, o.Observer = true, openStore(), checkpointed{done: done} })
	<-done // That of the new world.
	a := id("a")
	f.as("", registration(a))
	f.as("", longJourney(a, 200<<10))
	f.rewrite(a, 40)
	f.stop()
	<-done
	if err := f.journal.Close(); err != nil {
		t.Fatal(err)
	}
	const limit = 4 << 20
	at.Retention.Bytes = limit
	f.options.Journal = openStore()
	f.journal = f.options.Journal
	f.start()
	if bytes, _ := f.JournalBytes(); bytes < 2*limit {
		t.Fatalf("the journal has %d bytes, too few for this test", bytes)
	}
	before := f.View().Rev
	f.rename(a, 1)
	<-done
	if bytes, _, err := f.journal.Size(t.Context()); err != nil || bytes > limit {
		t.Errorf("after the first entry the journal has %d bytes, %v; want at most %d", bytes, err, limit)
	}
	f.reopen()
	if report, err := verify.Check(t.Context(), f.journal, testRootKey); err != nil || len(report.Problems) > 0 {
		t.Errorf("the rest of the journal: %+v, %v", report, err)
	}
	if got := f.View().Rev; got != before+1 {
		t.Errorf("the world is at rev %d after a restart, want %d", got, before+1)
	}
}

// checkpointed reports each checkpoint.
type checkpointed struct {
	noObserver
	done chan struct{}
}

func (c checkpointed) CheckpointDone(time.Duration, error) { c.done <- struct{}{} }

// weighCounter counts how often a host reads every entry to compute the journal's size.
type weighCounter struct {
	*sharedstore.Host
	times *atomic.Int64
}

func (w weighCounter) Size(ctx context.Context) (weight, limit uint64, err error) {
	w.times.Add(1)
	return w.Host.Size(ctx)
}

// Hosts of one world trim its journal together, regardless of which host writes.
// Each knows the journal's size, and computes it once.
func TestHostsKeepJournalWithinByteLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, hosts = 1 << 20, 3
		c := &cluster{t: t, clock: newClock()}
		c.server = sharedstore.NewServer(store.Retention{Events: 10_000, Revs: 1_024, Bytes: limit}, c.clock.Now)
		times := new(atomic.Int64)
		for i := range hosts {
			h := c.server.Host()
			w, err := Open(t.Context(), Options{
				Journal: weighCounter{h, times}, RootKey: testRootKey, Now: c.clock.Now, Random: rand.NewChaCha8([32]byte{byte(i + 1)}), NoRepository: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			c.hosts, c.worlds = append(c.hosts, h), append(c.worlds, w)
		}
		defer c.close()
		a := id("a")
		c.must(0, "", registration(a))
		c.must(0, "", longJourney(a, 25<<10))
		most := uint64(0)
		for n := range 150 {
			c.must(n%hosts, "", ProximityAction{protocol.ProximityActionRequest{FromPlayerID: a, ToPlayerID: a, Action: "zone"}})
			synctest.Wait()
			bytes, _, err := c.hosts[0].Size(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, bytes)
			for i, w := range c.worlds {
				if counted, _ := w.JournalBytes(); counted < bytes*9/10 || counted > bytes*11/10 {
					t.Fatalf("host %d reports %d bytes, the journal has %d", i, counted, bytes)
				}
			}
		}
		if n := times.Load(); n != hosts {
			t.Errorf("%d hosts computed the size of the journal %d times", hosts, n)
		}
		if most < limit || most > limit*9/8+256<<10 {
			t.Errorf("the journal of three hosts grew to %d bytes, want at most an eighth more than %d", most, limit)
		}
		c.agree()
	})
}
