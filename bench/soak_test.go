//go:build full

package bench

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/test/port"
)

// soak is a world that is written and followed while its host is killed repeatedly.
type soak struct {
	t       *testing.T
	dir     string
	addr    string
	length  time.Duration
	between time.Duration // kills
	host    *process
	nodes   *served
	watch   []*watcher
	writer  *writer

	kills  int
	memory float64 // the host's largest, MiB
}

// soakLength returns the duration of the soak and the number of subscribers: short,
// unless PLAYCTL_SOAK has a duration such as 10m.
func soakLength(t *testing.T) (length time.Duration, subscribers int) {
	t.Helper()
	text := os.Getenv("PLAYCTL_SOAK")
	if text == "" {
		return 10 * time.Second, 50
	}
	length, err := time.ParseDuration(text)
	must(t, err)
	return length, 1000
}

// TestSoak lets many verifying subscribers follow one world, with five changes a
// second, whose host is killed without warning and restarted on the same store.
// None may miss an event, see one twice, or have a copy that differs from the
// host's. With PLAYCTL_SOAK=10m there are 1,000 of them, for ten minutes.
func TestSoak(t *testing.T) {
	length, subscribers := soakLength(t)
	s := &soak{t: t, dir: t.TempDir(), addr: port.Keep(t), length: length, between: min(30*time.Second, length/4)}
	rootKey := creds.GenerateRootKey()
	must(t, creds.WriteRootFile(filepath.Join(s.dir, "root"), rootKey, false))
	s.host = startAt(t, s.dir, s.addr)
	defer func() { s.host.Stop() }()
	s.nodes = &served{tb: t, addr: s.addr, derive: creds.DeriveNodeID}
	s.nodes.populate(rootKey, 4)
	s.subscribe(subscribers)
	s.writer = newWriter(s)

	usage := cpuTime(t)
	s.run()
	s.awaitLastChange()
	s.checkSubscribers(cpuTime(t) - usage)
}

// visit opens the account's world, with connections of its own.
func (s *soak) visit() *sdk.RemotePlayWorld {
	s.t.Helper()
	w, err := sdk.New(sdk.Options{
		BaseURL: "http://" + s.addr, APIKey: protocol.NewSecret(s.nodes.main.apiKey), MainNodeCredentials: credentials(s.nodes.main),
		Logger: slog.New(slog.DiscardHandler),
	})
	must(s.t, err)
	s.t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

func credentials(n identity) *sdk.NodeCredentials {
	return &sdk.NodeCredentials{NodeID: n.id, PasswHash: protocol.NewSecret(n.hash)}
}

// subscribe opens the subscriptions and waits until each has a verified copy.
func (s *soak) subscribe(n int) {
	s.t.Helper()
	deadline := time.After(2 * time.Minute)
	for i := range n {
		w := newWatcher()
		sub, err := s.visit().SubscribeWorldState(context.Background(), w.options())
		must(s.t, err)
		w.sub = sub
		s.watch = append(s.watch, w)
		select {
		case <-w.ready:
		case <-deadline:
			s.t.Fatalf("subscriber %d has no copy of the world: %+v", i, sub.State())
		}
	}
}

// run writes and kills until the time is over.
func (s *soak) run() {
	ctx, cancel := context.WithTimeout(context.Background(), s.length)
	defer cancel()
	var writing sync.WaitGroup
	writing.Go(func() { s.writer.run(ctx) })
	defer writing.Wait()
	kill := time.NewTicker(s.between)
	defer kill.Stop()
	for {
		select {
		case <-kill.C:
			s.memory = max(s.memory, s.host.memory(s.t))
			s.host.Kill()
			s.host = startAt(s.t, s.dir, s.addr)
			s.kills++
		case <-ctx.Done():
			return
		}
	}
}

// awaitLastChange makes one last change and waits until every subscriber has it.
func (s *soak) awaitLastChange() {
	_, err := s.writer.world.RegisterMCP(context.Background(), sdk.MCP{Name: lastPlacement})
	must(s.t, err)
	deadline := time.After(2 * time.Minute)
	for i, w := range s.watch {
		select {
		case <-w.ended:
		case <-deadline:
			s.t.Fatalf("subscriber %d did not get the last change: %+v", i, w.sub.State())
		}
	}
}

// checkSubscribers compares the reports of every subscriber with the host's world.
func (s *soak) checkSubscribers(cpu time.Duration) {
	want, err := s.writer.world.Snapshot(context.Background())
	must(s.t, err)
	start, end := s.watch[0].start, *want.Head().Seq
	log := s.replay(start, end)
	var sum tally
	for i, w := range s.watch {
		w.sub.Close()
		state := w.sub.State()
		sum.add(w, state.Stats)
		if w.findings != (findings{}) || state.Stats.Heals != 0 {
			s.t.Errorf("subscriber %d: %+v, stats %+v", i, w.findings, state.Stats)
		}
		if state.Verification != sdk.Verified || state.Snapshot.Root() != want.Root() || state.Snapshot.LeafCount() != want.LeafCount() {
			s.t.Errorf("subscriber %d ends %v with the root %s, the host's is %s", i, state.Verification, state.Snapshot.Root(), want.Root())
		}
		if w.last != end || w.events != end-start || w.digest() != log {
			s.t.Errorf("subscriber %d saw %d events up to %d that differ from the log's %d up to %d", i, w.events, w.last, end-start, end)
		}
	}
	if s.kills == 0 || s.writer.failed > 0 {
		s.t.Errorf("%d kills, %d changes failed: %v", s.kills, s.writer.failed, s.writer.failure)
	}
	s.t.Logf("%d subscribers, %v, %d kills of the host, %d commands, %d events each",
		len(s.watch), s.length, s.kills, s.writer.done, end-start)
	s.t.Logf("%d events delivered, %d merged, %d verifications, %d reconnects, %d full reads, %d heals",
		sum.Events, sum.Merges, sum.Verifications, sum.Reconnects, sum.FullReads, sum.Heals)
	s.t.Logf("%d gaps, %d repeats, %d mismatches, %d copies shown that were not verified",
		sum.gaps, sum.repeats, sum.mismatches, sum.unproven)
	s.t.Logf("the subscribers' process used %v of CPU, %v for an event of a subscriber; the host had at most %.0f MiB",
		cpu.Round(time.Millisecond), (cpu / time.Duration(sum.Events)).Round(time.Microsecond), s.memory)
}

// replay reads the log once more, from the host's store, and returns the digest of
// its events after start and up to end.
func (s *soak) replay(start, end uint64) string {
	c, err := client.New(client.Options{BaseURL: "http://" + s.addr, APIKey: protocol.NewSecret(s.nodes.main.apiKey), Credentials: client.Credentials{
		NodeID: s.nodes.main.id, Hash: creds.HashPhrase("main"),
	}})
	must(s.t, err)
	w := newWatcher()
	for signal := range c.Events(context.Background(), client.StreamOptions{After: start, HasAfter: true, Inline: true}).All() {
		if signal.Type == client.SignalEvent {
			w.addToDigest(signal.Event)
		}
		if w.last >= end {
			break
		}
	}
	return w.digest()
}

// cpuTime returns the processor time of this process so far.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
