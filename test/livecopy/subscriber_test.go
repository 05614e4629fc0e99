//go:build full

package livecopy

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// lastPlacement is the name in the last change's row.
const lastPlacement = "the last placement"

// patience is the time limit for a subscriber to receive the last change, on a busy
// machine.
const patience = 3 * time.Minute

// subscriber is a subscription over a line, and its reports.
type subscriber struct {
	site      *site
	line      *line
	transport *http.Transport
	world     *sdk.RemotePlayWorld
	sub       *sdk.Subscription
	// numbered is false if the host's event ids are removed.
	numbered bool
	lacks    []protocol.Capability
	// plain is the simulated older host, nil for the host itself.
	plain *olderHost

	ready, ended         chan struct{}
	readyOnce, endedOnce sync.Once

	// seen is the last event's position; passed receives a token when it has
	// changed.
	seen   atomic.Uint64
	passed chan struct{}

	// Only the subscription may use these until it is closed.
	events  []sdk.Event
	updates []sdk.Update
	errors  []error
}

func newSubscriber(s *site, l *line, lacks ...protocol.Capability) *subscriber {
	return &subscriber{
		site: s, line: l, transport: l.transport(), lacks: lacks, numbered: !slices.Contains(lacks, protocol.CapResume),
		ready: make(chan struct{}), ended: make(chan struct{}), passed: make(chan struct{}, 1),
	}
}

// follow subscribes. If the host lacks inline nodes, rows are fetched.
func (s *site) follow(l *line, lacks ...protocol.Capability) *subscriber {
	s.t.Helper()
	f := newSubscriber(s, l, lacks...)
	f.plain = &olderHost{next: f.transport, lacks: lacks}
	f.begin(context.Background(), s.openWorld(f.plain))
	return f
}

func (f *subscriber) begin(ctx context.Context, w *sdk.RemotePlayWorld) {
	f.site.t.Helper()
	sub, err := w.SubscribeWorldState(ctx, sdk.SubscribeOptions{
		OnSnapshot: f.show,
		OnEvent:    f.take,
		OnError:    func(err error) { f.errors = append(f.errors, err) },
		NoInline:   slices.Contains(f.lacks, protocol.CapChainInline),
	})
	f.site.must(err)
	f.world, f.sub = w, sub
}

// openWorld opens a world at the host.
func (s *site) openWorld(way http.RoundTripper) *sdk.RemotePlayWorld {
	s.t.Helper()
	w, err := sdk.New(sdk.Options{
		BaseURL: "http://" + s.addr, APIKey: protocol.NewSecret("none"), Transport: way, Logger: slog.New(slog.DiscardHandler),
	})
	s.must(err)
	return w
}

func (f *subscriber) take(e sdk.Event) {
	f.events = append(f.events, e)
	f.seen.Store(e.Seq)
	select {
	case f.passed <- struct{}{}:
	default:
	}
}

// shortWait is how long to wait for a subscriber before another line is sent.
const shortWait = 200 * time.Millisecond

// closesSoon waits a short time for one of the subscriber's channels.
func (f *subscriber) closesSoon(c <-chan struct{}) bool {
	limit := time.NewTimer(shortWait)
	defer limit.Stop()
	select {
	case <-c:
		return true
	case <-limit.C:
		return false
	}
}

// sees waits for a while until the subscriber has seen a position.
func (f *subscriber) sees(seq uint64) bool {
	limit := time.NewTimer(shortWait)
	defer limit.Stop()
	for f.seen.Load() < seq {
		select {
		case <-f.passed:
		case <-limit.C:
			return false
		}
	}
	return true
}

func (f *subscriber) show(u sdk.Update) {
	f.updates = append(f.updates, u)
	if u.Verification != sdk.Verified {
		return
	}
	f.readyOnce.Do(func() { close(f.ready) })
	for _, placed := range u.Snapshot.MCPServers() {
		if placed.Name == lastPlacement {
			f.endedOnce.Do(func() { close(f.ended) })
		}
	}
}

// await waits for one of the subscriber's channels.
func (f *subscriber) await(c <-chan struct{}, what string) {
	f.site.t.Helper()
	f.awaitWithin(patience, c, what)
}

func (f *subscriber) awaitWithin(most time.Duration, c <-chan struct{}, what string) {
	f.site.t.Helper()
	limit := time.NewTimer(most)
	defer limit.Stop()
	select {
	case <-c:
	case <-limit.C:
		f.close()
		f.site.t.Fatalf("a subscriber without %v over %+v does not have %s: %+v, errors %v",
			f.lacks, f.line.cuts, what, f.sub.State(), f.errors)
	}
}

func (f *subscriber) close() {
	f.sub.Close()
	_ = f.world.Close(context.Background())
	f.transport.CloseIdleConnections()
}

// hostRecord is what actually happened at a host.
type hostRecord struct {
	events map[uint64]*world.Event
	roots  map[uint64]string // of every rev
	head   uint64
	last   *world.View
}

// record reads the log from the store.
func (s *site) record() *hostRecord {
	s.t.Helper()
	was := &hostRecord{events: map[uint64]*world.Event{}, roots: map[uint64]string{}, head: s.world.Events().Head(), last: s.world.View()}
	for e, err := range s.world.History(context.Background(), 0, was.head) {
		s.must(err)
		state, err := chain.ParseEventState(e.Data)
		s.must(err)
		was.events[e.Seq], was.roots[e.Rev] = e, state.MerkleRootHex
	}
	return was
}

// verify compares the reports of a closed subscriber with the record of the host.
func (f *subscriber) verify(was *hostRecord) {
	t := f.site.t
	t.Helper()
	state := f.sub.State()
	if state.Verification != sdk.Verified || state.Snapshot.Root() != was.last.Tree.Root() || state.Snapshot.LeafCount() != was.last.Tree.Len() {
		t.Errorf("without %v over %v: ends %v with the root %s, the host's is %s", f.lacks, f.line.cuts, state.Verification, state.Snapshot.Root(), was.last.Tree.Root())
	}
	if state.Stats.Heals != 0 && !f.mayMiss() {
		t.Errorf("without %v over %v: %+v, errors %v", f.lacks, f.line.cuts, state.Stats, f.errors)
	}
	for _, u := range f.updates {
		root, known := was.roots[*u.Snapshot.Head().Rev]
		if known && u.Verification == sdk.Verified && root != u.Snapshot.Root().String() {
			t.Errorf("without %v over %v: rev %d is shown as verified with another root", f.lacks, f.line.cuts, *u.Snapshot.Head().Rev)
		}
	}
	if f.numbered {
		f.complete(was)
	}
}

// mayMiss reports whether an event may have been missed without notice between a
// full read and the start of the stream. If the headers take longer than half a
// second, the world is read without them, and then only a host's ids tell which
// events were missed: without ids the next root shows it, which heals the copy.
func (f *subscriber) mayMiss() bool { return !f.numbered && f.plain != nil && f.plain.ahead.Load() }

// complete checks that the events are those of the log, from the first one seen to
// the last, except for those that a resync reported as missed.
func (f *subscriber) complete(was *hostRecord) {
	t := f.site.t
	t.Helper()
	var last uint64
	for i, e := range f.events {
		if e.Kind == protocol.EventSessionResync {
			last = e.Seq
			continue
		}
		if i > 0 && e.Seq != last+1 {
			t.Errorf("over %v: event %d follows %d", f.line.cuts, e.Seq, last)
		}
		last = e.Seq
		logged := was.events[e.Seq]
		if logged == nil || logged.Kind != string(e.Kind) || !bytes.HasPrefix(e.Data, logged.Data[:len(logged.Data)-1]) {
			t.Errorf("over %v: event %d differs from the log's", f.line.cuts, e.Seq)
		}
	}
	if last != was.head {
		t.Errorf("over %v: the events end at %d, the log at %d", f.line.cuts, last, was.head)
	}
}
