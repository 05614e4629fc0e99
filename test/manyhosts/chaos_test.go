//go:build full

package manyhosts

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// The size of a scenario.
const (
	workers     = 5
	subscribers = 3
)

// TestOneWorldAtThreeHostsUnderFaults runs scenarios of random commands, each with
// its own seed: those with even seeds on a Redis server that syncs every write, where no
// acknowledged write may be missing, those with odd seeds on one that syncs every
// second, where the last ones may. PLAYCTL_CHAOS_SEEDS=17 repeats one; its commands
// and faults are the same, but not their concurrent timing.
func TestOneWorldAtThreeHostsUnderFaults(t *testing.T) {
	t.Parallel()
	first, last := seeds(t)
	for i, fsync := range []string{"always", "everysec"} {
		t.Run(fsync, func(t *testing.T) {
			t.Parallel()
			var s *site
			sum := &tally{}
			for seed := first; seed <= last; seed++ {
				if seed%2 != uint64(i) {
					continue
				}
				if s == nil {
					s = openSite(t, fsync, agents)
				}
				s.scenario(seed, sum)
			}
			if sum.scenarios > 0 {
				t.Log(sum)
			}
		})
	}
}

// tally sums up the scenarios.
type tally struct {
	scenarios, acked, refused, unknown, faults, restarts, losses, jumps, events, moves, resyncs int
	missing, unavailable, late                                                                  int
	slowest                                                                                     float64
}

func (t *tally) String() string {
	return fmt.Sprintf("%d scenarios: %d commands acknowledged, %d refused, %d without a reply; %d faults, Redis killed %d times and its log cut %d times, "+
		"%d jumps, %d acknowledged commands lost; %d events, subscribers moved %d times and had to read everything again %d times; "+
		"%d reports that the store is unavailable, %d of them after more than a second, the slowest after %.0f ms",
		t.scenarios, t.acked, t.refused, t.unknown, t.faults, t.restarts, t.losses, t.jumps, t.missing, t.events, t.moves, t.resyncs, t.unavailable, t.late, t.slowest)
}

// scenario runs workers and a fault injector on the site, and checks the result.
func (s *site) scenario(seed uint64, sum *tally) {
	s.t.Helper()
	started := time.Now()
	begin := s.reset()
	counted := s.zones()
	var following []*subscriber
	for i := range subscribers {
		following = append(following, s.subscribe(seed, i))
	}
	h := newHistory()
	random := rand.New(rand.NewPCG(seed, 99))
	b := &faultInjector{site: s, random: random, history: h}
	text, err := os.ReadFile(s.redis.Log())
	s.must(err)
	b.whole = len(text)
	moved, failures := s.play(b, following, seed)
	s.report(seed, h, failures)
	was := s.settle(begin)
	for _, f := range following {
		f.reach(was)
		f.close()
	}
	s.report(seed, h, s.verify(was, b, following, counted))
	s.t.Logf("seed %d took %v", seed, time.Since(started).Round(time.Millisecond))
	sum.add(h, b, was, following, moved)
}

// report ends the test if there are errors, with all details.
func (s *site) report(seed uint64, h *history, wrong []error) {
	s.t.Helper()
	for _, err := range wrong {
		s.t.Errorf("seed %d: %v", seed, err)
	}
	if !s.t.Failed() {
		return
	}
	const most = 8 << 10
	for i, host := range s.hosts {
		output := host.Output()
		s.t.Logf("last output of host %d:\n%s", i, output[max(len(output)-most, 0):])
	}
	s.t.Logf("content of the store:\n%s", s.dump())
	s.t.Fatalf("seed %d:\n%s", seed, h)
}

// play runs the workers until the fault injector has caused all its faults.
func (s *site) play(b *faultInjector, following []*subscriber, seed uint64) (moves int, failures []error) {
	var working sync.WaitGroup
	stop := make(chan struct{})
	known := &common{ids: map[string]string{}, leases: map[string]string{}}
	started := make([]*worker, workers)
	for i := range started {
		started[i] = newWorker(s, b.history, known, seed, i)
		working.Go(func() { started[i].run(s.t.Context(), stop) })
	}
	moving, rest := context.WithCancel(s.t.Context())
	working.Go(func() { moves = moveSubscribers(moving, following, seed) })
	working.Go(func() { b.history.watch(moving) })
	b.run(s.t.Context(), 3+b.random.IntN(3))
	close(stop)
	rest()
	working.Wait()
	for _, w := range started {
		if w.failure != nil {
			failures = append(failures, w.failure)
		}
	}
	return moves, failures
}

// settle waits until every host is at the head, compares the hosts, and reads the
// content of the store.
func (s *site) settle(begin store.Position) *record {
	s.t.Helper()
	for _, host := range s.hosts {
		s.until(host, s.admin, hostprocess.Request{Method: http.MethodGet, Path: protocol.PathReady}, (*hostprocess.Answer).OK)
		// A command that changes nothing is answered from the head.
		s.until(host, s.account.Main, hostprocess.Request{
			Method: http.MethodPost, Path: protocol.ServicePlay.MCPUnregister() + "?sid=" + s.sid, Body: map[string]any{"id": "nowhere"},
		}, (*hostprocess.Answer).OK)
	}
	was := s.read(begin)
	for i, host := range s.hosts {
		a := s.until(host, s.account.Main, hostprocess.Request{
			Method: http.MethodGet, Path: protocol.ServicePlay.Snapshot() + "?sid=" + s.sid, MinRev: was.rev,
		}, (*hostprocess.Answer).OK)
		copied, stated, err := chain.ParseSnapshot(a.Body)
		s.must(err)
		head := copied.Head()
		if *head.Seq != was.last || *head.Rev != was.rev || stated.MerkleRootHex != was.root || stated.MerkleLeafCount != int(was.leaves) {
			s.t.Errorf("host %d is at seq %d, rev %d, root %s of %d; the store at %d, %d, %s of %d", i,
				*head.Seq, *head.Rev, stated.MerkleRootHex, stated.MerkleLeafCount, was.last, was.rev, was.root, was.leaves)
		}
		s.must(copied.Verify(was.root, int(was.leaves)))
	}
	return was
}
