//go:build full

package manyhosts

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// subscriber follows the world with the SDK, at one host after another.
type subscriber struct {
	site   *site
	number int
	way    *way
	world  *sdk.RemotePlayWorld
	sub    *sdk.Subscription
	ready  chan struct{}
	once   sync.Once

	mu sync.Mutex
	// seen is the seq of the first copy or of the last event after it, shown the rev
	// of the last copy, and arrived receives a token when one of them changes.
	seen, shown uint64
	arrived     chan struct{}

	// Only the subscription may use these until it is closed.
	events  []sdk.Event
	updates []sdk.Update
	errors  []error
}

func (s *site) subscribe(seed uint64, number int) *subscriber {
	s.t.Helper()
	f := &subscriber{
		site: s, number: number, way: newWay(s, seed, 100+uint64(number)),
		ready: make(chan struct{}), arrived: make(chan struct{}, 1),
	}
	var err error
	f.world, err = sdk.New(sdk.Options{
		BaseURL: "http://127.0.0.1:9", APIKey: protocol.NewSecret(s.account.Main.APIKey), Transport: f.way.transport,
		MainNodeCredentials: &sdk.NodeCredentials{NodeID: s.account.Main.ID, PasswHash: protocol.NewSecret(s.account.Main.Hash)},
		Logger:              slog.New(slog.DiscardHandler),
	})
	s.must(err)
	f.sub, err = f.world.SubscribeWorldState(context.WithoutCancel(s.t.Context()), sdk.SubscribeOptions{
		OnEvent: f.take, OnSnapshot: f.show, OnError: func(err error) { f.errors = append(f.errors, err) },
	})
	s.must(err)
	s.t.Cleanup(f.close)
	s.await(f.ready, fmt.Sprint("a first copy of subscriber ", number))
	return f
}

func (f *subscriber) take(e sdk.Event) {
	f.events = append(f.events, e)
	f.note(func() { f.seen = e.Seq })
}

func (f *subscriber) note(change func()) {
	f.mu.Lock()
	change()
	f.mu.Unlock()
	select {
	case f.arrived <- struct{}{}:
	default:
	}
}

func (f *subscriber) show(u sdk.Update) {
	f.updates = append(f.updates, u)
	f.note(func() {
		head := u.Snapshot.Head()
		f.shown = *head.Rev
		if len(f.events) == 0 {
			// If nothing happens after the first copy, no event follows.
			f.seen = *head.Seq
		}
	})
	if u.Verification == sdk.Verified {
		f.once.Do(func() { close(f.ready) })
	}
}

func (f *subscriber) position() (seq, rev uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen, f.shown
}

// reach waits until the subscriber has seen all events of the store, and has a copy
// of that state.
func (f *subscriber) reach(was *record) {
	f.site.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		seq, rev := f.position()
		if seq >= was.last && rev >= was.rev {
			return
		}
		select {
		case <-f.arrived:
		case <-limit.C:
			f.close()
			f.site.t.Fatalf("subscriber %d has seen %d and a copy of rev %d, want %d and %d: %+v, errors %v; content of the store:\n%s",
				f.number, seq, rev, was.last, was.rev, f.sub.State().Stats, f.errors, f.site.dump())
		}
	}
}

func (f *subscriber) close() {
	f.sub.Close()
	_ = f.world.Close(context.Background())
	f.way.transport.CloseIdleConnections()
}

// await waits for a channel to be closed.
func (s *site) await(c <-chan struct{}, what string) {
	s.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-c:
	case <-limit.C:
		s.t.Fatalf("%s did not arrive within %v", what, patience)
	}
}
