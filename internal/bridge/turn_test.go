package bridge

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// hook is a remote without a network to which several hosts post.
type hook struct {
	mu sync.Mutex
	// reported are the seqs in the order in which they arrived, with repeats, and by
	// the hosts that reported them.
	reported []uint64
	by       []int
	// under is how many hosts are posting at the moment, and most the greatest
	// number.
	under, most int
	// answer is called for each event before the reply, nil for an immediate one.
	answer func(host int, seq uint64, r *http.Request) error
}

// from is the transport from one host to the hook.
type from struct {
	hook *hook
	host int
}

// RoundTrip implements http.RoundTripper.
func (f from) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	seq, err := strconv.ParseUint(r.Header.Get(protocol.HeaderIdempotencyKey), 10, 64)
	if err != nil {
		return nil, err
	}
	h := f.hook
	h.mu.Lock()
	h.reported, h.by = append(h.reported, seq), append(h.by, f.host)
	h.under++
	h.most = max(h.most, h.under)
	answer := h.answer
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		h.under--
		h.mu.Unlock()
	}()
	if answer != nil {
		if err := answer(f.host, seq, r); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// hang never answers.
func hang(r *http.Request) error {
	<-r.Context().Done()
	return r.Context().Err()
}

// fresh returns the seqs without repeats.
func (h *hook) fresh() []uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	var fresh []uint64
	for _, seq := range h.reported {
		if !slices.Contains(fresh, seq) {
			fresh = append(fresh, seq)
		}
	}
	return fresh
}

// answers changes the replies to events.
func (h *hook) answers(how func(host int, seq uint64, r *http.Request) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = how
}

// count returns how often an event was reported.
func (h *hook) count(seq uint64) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, reported := range h.reported {
		if reported == seq {
			n++
		}
	}
	return n
}

// hosts are several worlds with a bridge on one journal.
type hosts struct {
	*hook
	server  *sharedstore.Server
	worlds  []*fixture
	handles []*sharedstore.Host
	bridges []*Bridge
}

func openHosts(t *testing.T, n int) *hosts {
	t.Helper()
	server := sharedstore.NewServer(store.DefaultRetention(), time.Now)
	h := &hosts{hook: &hook{}, server: server}
	for i := range n {
		handle := server.Host()
		f := newFixture(t, handle)
		h.worlds, h.handles = append(h.worlds, f), append(h.handles, handle)
		if i == 0 {
			f.register()
		}
	}
	for i := range n {
		h.bridges = append(h.bridges, nil)
		h.start(i)
	}
	return h
}

func (h *hosts) start(i int) {
	h.bridges[i] = h.worlds[i].scripted(from{h.hook, i})
}

// kill ends a bridge as a killed process does.
func (h *hosts) kill(i int) {
	b := h.bridges[i]
	b.stop()
	b.cut()
	b.running.Wait()
	b.turn = nil
	b.state.passedOn()
}

func (h *hosts) close() {
	for i, b := range h.bridges {
		h.worlds[i].closeBridge(b)
	}
}

// leader returns the host that is the leader.
func (h *hosts) leader(t *testing.T) int {
	t.Helper()
	who := -1
	for i, b := range h.bridges {
		if b.State().Leader {
			if who >= 0 {
				t.Fatalf("the hosts %d and %d both post to the bridge", who, i)
			}
			who = i
		}
	}
	return who
}

// advance lets time pass, with everything that happens in it.
func advance(d time.Duration) {
	pause.For(context.Background(), d)
	synctest.Wait()
}

// wantEvery fails unless every event after a seq was reported, the first time in order.
func (h *hosts) wantEvery(t interface{ Fatalf(string, ...any) }, after, upTo uint64) {
	fresh := h.fresh()
	if uint64(len(fresh)) != upTo-after || !slices.IsSorted(fresh) || (len(fresh) > 0 && fresh[0] != after+1) {
		t.Fatalf("reported %v, want %d to %d", fresh, after+1, upTo)
	}
}

func TestOneHostPostsToBridge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openHosts(t, 3)
		after := h.worlds[0].Events().Head()
		advance(5 * time.Second)
		for i := range 30 {
			h.worlds[i%3].recordLines(1)
			advance(300 * time.Millisecond)
		}
		advance(5 * time.Second)
		h.wantEvery(t, after, after+30)
		if len(h.reported) != 30 || h.most != 1 {
			t.Errorf("%d events were reported in %d requests, %d at once", 30, len(h.reported), h.most)
		}
		if h.leader(t) < 0 {
			t.Error("no host delivers to the bridge")
		}
		for i, b := range h.bridges {
			if s := b.State(); s.Position != after+30 || s.Lag != 0 {
				t.Errorf("host %d reports the bridge at %d, %d behind", i, s.Position, s.Lag)
			}
		}
		h.close()
	})
}

func TestAnotherHostContinuesAfterFailure(t *testing.T) {
	for name, died := range map[string]func(h *hosts, who int){
		// The remote has the event but its reply never arrives.
		"killed in a post": (*hosts).kill,
		// The host runs, but no longer reaches the store.
		"cut off": func(h *hosts, who int) { h.handles[who].Down.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := openHosts(t, 2)
				after := h.worlds[0].Events().Head()
				advance(3 * time.Second)
				h.worlds[0].recordLines(5)
				advance(3 * time.Second)
				first := h.leader(t)
				other := 1 - first
				stuck := make(chan struct{}, 1)
				h.answers(func(host int, _ uint64, r *http.Request) error {
					if host == other {
						return nil
					}
					stuck <- struct{}{}
					return hang(r)
				})
				h.worlds[other].recordLines(5)
				<-stuck
				start := time.Now()
				died(h, first)
				for h.leader(t) != other {
					advance(100 * time.Millisecond)
				}
				if took := time.Since(start); took > turnTerm+turnAsk {
					t.Errorf("another host took over after %v", took)
				}
				advance(time.Second)
				h.wantEvery(t, after, after+10)
				// Only the event in progress was reported again.
				if len(h.reported) != 11 || h.most != 1 || h.by[len(h.by)-1] != other {
					t.Errorf("reported %v by %v, %d at once", h.reported, h.by, h.most)
				}
				h.answers(nil)
				h.handles[first].Down.Store(false)
				h.close()
			})
		})
	}
}

// A store that lost all data since the bridge was created has no place of it: the
// bridge begins with the next event.
func TestLostPlaceIsCreatedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openHosts(t, 2)
		advance(3 * time.Second)
		h.worlds[0].recordLines(2)
		advance(3 * time.Second)
		h.server.Restart(100)
		advance(10 * time.Second)
		reported, place := len(h.reported), h.bridges[0].State().Position
		h.kill(h.leader(t))
		h.worlds[1].register()
		h.worlds[1].recordLines(3)
		advance(turnTerm + turnAsk + time.Second)
		if got := len(h.reported) - reported; got < 3 {
			t.Errorf("after the loss %d events were reported, from %d on", got, place)
		}
		h.close()
	})
}

// A host that ends gracefully releases the lock and leaves no event to repeat.
func TestEndingHostReleasesBridge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openHosts(t, 2)
		after := h.worlds[0].Events().Head()
		advance(3 * time.Second)
		first := h.leader(t)
		h.worlds[first].recordLines(5)
		advance(100 * time.Millisecond)
		h.worlds[first].closeBridge(h.bridges[first])
		advance(turnAsk)
		if h.leader(t) == -1 {
			t.Error("another host waited for the lock of an ended host")
		}
		h.worlds[1-first].recordLines(5)
		advance(time.Second)
		h.wantEvery(t, after, after+10)
		if len(h.reported) != 10 {
			t.Errorf("reported %v", h.reported)
		}
		h.close()
	})
}

// A host that was suspended until another one acquired its lock stores no place.
func TestPlaceIsNotStoredWithoutLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := openHosts(t, 2)
		advance(3 * time.Second)
		b := h.bridges[h.leader(t)]
		stale := b.turn
		h.kill(h.leader(t))
		advance(turnTerm + turnAsk)
		h.worlds[0].recordLines(3)
		advance(2 * time.Second)
		want, err := b.settle(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b.turn = stale
		if err := b.store(t.Context(), b.kept); err == nil {
			t.Error("a host stored a place under the lock of another")
		}
		if at, err := b.settle(t.Context()); err != nil || at != want {
			t.Errorf("the place changed from %v to %v, %v", want, at, err)
		}
		b.turn = nil
		h.close()
	})
}

// Whatever happens to the hosts, every event is reported, the first time in order.
func TestKilledHostsLoseNoEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Without a test's deadline, which does not exist in a bubble.
		rapid.Check(struct{ *testing.T }{t}, func(rt *rapid.T) {
			h := openHosts(t, 3)
			after, lines := h.worlds[0].Events().Head(), uint64(0)
			h.answers(func(_ int, seq uint64, r *http.Request) error {
				switch n := h.count(seq); {
				case seq%7 == 3 && n == 1:
					return hang(r)
				case seq%5 == 2 && n <= 2:
					return fmt.Errorf("attempt %d of event %d", n, seq)
				}
				return nil
			})
			for range rapid.IntRange(5, 30).Draw(rt, "steps") {
				i := rapid.IntRange(0, 2).Draw(rt, "host")
				switch rapid.IntRange(0, 5).Draw(rt, "step") {
				case 0:
					if !h.handles[i].Down.Load() {
						h.kill(i)
						h.start(i)
					}
				case 1:
					h.handles[i].Down.Store(true)
				case 2:
					h.handles[i].Down.Store(false)
				case 3:
					advance(time.Duration(rapid.IntRange(1, 9_000).Draw(rt, "ms")) * time.Millisecond)
				default:
					if !h.handles[i].Down.Load() {
						h.worlds[i].recordLines(3)
						lines += 3
					}
				}
			}
			for _, handle := range h.handles {
				handle.Down.Store(false)
			}
			h.answers(nil)
			advance(2 * time.Minute)
			h.wantEvery(rt, after, after+lines)
			h.close()
		})
	})
}
