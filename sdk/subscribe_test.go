package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// follower is a subscription and all its reports.
type follower struct {
	t    *testing.T
	host *playworld.PlayWorld
	sub  *sdk.Subscription

	mu         sync.Mutex
	sawUpdates []sdk.Update
	sawEvents  []sdk.Event
	sawStates  []sdk.State
	sawErrors  []error
}

// The accessors return the reports so far.
func (f *follower) updates() []sdk.Update { f.mu.Lock(); defer f.mu.Unlock(); return f.sawUpdates }
func (f *follower) events() []sdk.Event   { f.mu.Lock(); defer f.mu.Unlock(); return f.sawEvents }
func (f *follower) states() []sdk.State   { f.mu.Lock(); defer f.mu.Unlock(); return f.sawStates }
func (f *follower) errors() []error       { f.mu.Lock(); defer f.mu.Unlock(); return f.sawErrors }

// follow subscribes at a host through a rewriter, which may be nil.
func follow(t *testing.T, host *playworld.PlayWorld, m *rewriter, change func(*sdk.SubscribeOptions)) *follower {
	t.Helper()
	w := openWorld(t, host, func(o *sdk.Options) {
		if m != nil {
			m.t = t
			if m.next == nil {
				m.next = host.Transport()
			}
			o.Transport = m
		}
	})
	f := &follower{t: t, host: host}
	options := sdk.SubscribeOptions{
		OnSnapshot: func(u sdk.Update) { f.mu.Lock(); defer f.mu.Unlock(); f.sawUpdates = append(f.sawUpdates, u) },
		OnEvent:    func(e sdk.Event) { f.mu.Lock(); defer f.mu.Unlock(); f.sawEvents = append(f.sawEvents, e) },
		OnState:    func(s sdk.State) { f.mu.Lock(); defer f.mu.Unlock(); f.sawStates = append(f.sawStates, s) },
		OnError:    func(err error) { f.mu.Lock(); defer f.mu.Unlock(); f.sawErrors = append(f.sawErrors, err) },
	}
	if change != nil {
		change(&options)
	}
	sub, err := w.SubscribeWorldState(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	f.sub = sub
	t.Cleanup(sub.Close)
	synctest.Wait()
	return f
}

// checkEqual checks that the copy equals the host's map and is verified.
func (f *follower) checkEqual() {
	f.t.Helper()
	synctest.Wait()
	want, err := f.host.Snapshot()
	if err != nil {
		f.t.Fatal(err)
	}
	state := f.sub.State()
	if state.Snapshot == nil || state.Snapshot.Root() != want.Root() || state.Snapshot.LeafCount() != want.LeafCount() {
		f.t.Errorf("the copy is %+v, want the root %s; errors: %v", state, want.Root(), f.errors())
		return
	}
	if state.Verification != sdk.Verified {
		f.t.Errorf("the copy is equal but %v", state.Verification)
	}
}

// checkVerified checks that every copy shown as verified has the root that the host had at
// that rev.
func (f *follower) checkVerified(roots map[uint64]chain.Digest) {
	f.t.Helper()
	for i, u := range f.updates() {
		rev := u.Snapshot.Head().Rev
		if u.Verification == sdk.Verified && rev != nil && roots[*rev] != u.Snapshot.Root() {
			f.t.Errorf("update %d: rev %d is shown as verified with the root %s, it was %s", i, *rev, u.Snapshot.Root(), roots[*rev])
		}
	}
}

// recordRoot stores the root of a host's current rev.
func recordRoot(t *testing.T, host *playworld.PlayWorld, roots map[uint64]chain.Digest) {
	t.Helper()
	s, err := host.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	roots[*s.Head().Rev] = s.Root()
}

// checkOrder checks that events came in order, with none repeated or missing after the
// first one.
func (f *follower) checkOrder() {
	f.t.Helper()
	for i := 1; i < len(f.events()); i++ {
		if f.events()[i].Seq != f.events()[i-1].Seq+1 {
			f.t.Errorf("event %d comes after %d", f.events()[i].Seq, f.events()[i-1].Seq)
		}
	}
}

func (f *follower) kinds() []string {
	var kinds []string
	for _, e := range f.events() {
		kinds = append(kinds, strings.TrimPrefix(string(e.Kind), "world:"))
	}
	return kinds
}

// createEvents creates a world with events of every kind, step by step.
func createEvents(t *testing.T, host *playworld.PlayWorld, step func()) {
	t.Helper()
	w := openWorld(t, host, nil)
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
		step()
	}
	ada := addAgent(t, w, "ada", nil)
	step()
	_, err := ada.Say(ctx, "hello \u2028 wörld")
	must(err)
	bob := addAgent(t, w, "bob", nil)
	step()
	id, err := w.RegisterMCP(ctx, sdk.MCP{Name: "tools"})
	must(err)
	now := "2026-01-02T03:04:05.678Z"
	_, err = bob.RecordJourney(ctx, protocol.Journey{StartedAt: now, CompletedAt: now, Steps: []protocol.JourneyStep{
		{Type: protocol.StepStructure, ToolName: "assist_greet", ToolCallID: "c", Args: []byte(`{"n":1e21,"é":"\u0001"}`)},
	}})
	must(err)
	_, err = w.RegisterMCP(ctx, sdk.MCP{Name: "tools", URL: "https://example.org"})
	must(err)
	must(ada.Disconnect(ctx))
	_, err = w.UnregisterMCP(ctx, id)
	must(err)
	_, err = bob.Say(ctx, "bye")
	must(err)
}

// Whatever capabilities a host has, every change leads to one verified copy. A host
// without revs is trusted if its roots agree.
func TestCopyIsVerifiedAfterEveryEvent(t *testing.T) {
	noRev := func(data map[string]any) { delete(data, "rev") }
	for name, c := range map[string]struct {
		m      *rewriter
		change func(*sdk.SubscribeOptions)
		reads  map[protocol.Op]bool // what may be read beside the snapshot
	}{
		"inline":          {m: &rewriter{}},
		"batches":         {m: &rewriter{}, change: func(o *sdk.SubscribeOptions) { o.NoInline = true }, reads: map[protocol.Op]bool{protocol.OpGetPlayerChainNodes: true}},
		"one by one":      {m: &rewriter{session: without(protocol.CapChainNodes)}, change: func(o *sdk.SubscribeOptions) { o.NoInline = true }, reads: map[protocol.Op]bool{protocol.OpGetPlayerChainNode: true}},
		"no capabilities": {m: &rewriter{session: without()}, change: func(o *sdk.SubscribeOptions) { o.NoInline = true }, reads: map[protocol.Op]bool{protocol.OpGetPlayerChainNode: true}},
		"no revs": {
			m: &rewriter{
				session: without(), event: func(_ string, data map[string]any) { noRev(data) },
				line: func(line string) string {
					if strings.HasPrefix(line, "id:") {
						return ""
					}
					return line
				},
			},
			change: func(o *sdk.SubscribeOptions) { o.NoInline = true },
			reads:  map[protocol.Op]bool{protocol.OpGetPlayerChainNode: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				read := map[protocol.Op]bool{}
				c.m.rpc = func(op protocol.Op, reply map[string]any) {
					read[op] = true
					if name == "no revs" {
						noRev(reply)
						if snapshot, ok := reply["snapshot"].(map[string]any); ok {
							noRev(snapshot)
							delete(snapshot, "seq")
						}
					}
				}
				f := follow(t, host, c.m, c.change)
				roots := map[uint64]chain.Digest{}
				f.checkEqual()
				recordRoot(t, host, roots)
				createEvents(t, host, func() {
					f.checkEqual()
					recordRoot(t, host, roots)
				})
				want := "player_added interaction player_added mcp_registered journey agent_signal mcp_registered player_removed mcp_unregistered interaction"
				if got := strings.Join(f.kinds(), " "); got != want {
					t.Errorf("events %s, want %s", got, want)
				}
				// The initial full read, then one for each of seven changes.
				if len(f.updates()) != 8 || f.updates()[0].Event != nil || f.updates()[1].Event == nil {
					t.Errorf("%d updates, want 8", len(f.updates()))
				}
				for i, u := range f.updates() {
					if u.Verification != sdk.Verified {
						t.Errorf("update %d is %v", i, u.Verification)
					}
				}
				f.checkVerified(roots)
				delete(read, protocol.OpGetWorldSnapshot)
				if c.reads == nil {
					c.reads = map[protocol.Op]bool{}
				}
				if !maps.Equal(read, c.reads) {
					t.Errorf("it read %v, want %v", slices.Collect(maps.Keys(read)), c.reads)
				}
				stats := f.sub.State().Stats
				if stats.Events != 10 || stats.Merges != 7 || stats.FullReads != 1 || stats.Heals != 0 || stats.Reconnects != 0 || len(f.errors()) != 0 {
					t.Errorf("stats %+v, errors %v", stats, f.errors())
				}
			})
		})
	}
}

// Merging is immutable: a reported snapshot does not change.
func TestReportedSnapshotsDoNotChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		f := follow(t, host, nil, nil)
		var roots []chain.Digest
		createEvents(t, host, func() {
			synctest.Wait()
			roots = roots[:0]
			for _, u := range f.updates() {
				roots = append(roots, u.Snapshot.Root())
			}
		})
		for i, u := range f.updates() {
			if u.Snapshot.Root() != roots[i] {
				t.Errorf("update %d changed", i)
			}
		}
	})
}

// A reset removes everything; the copy is of the new session, and the held agents
// are registered again. The same happens if another host answers at the address.
func TestCopyFollowsReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		f := follow(t, host, nil, nil)
		before := f.sub.State().Snapshot.SID()
		reset(t, host)
		wait(t, time.Minute)
		f.checkEqual()
		if sid := f.sub.State().Snapshot.SID(); sid == before {
			t.Error("the copy is of the old session")
		}
		f.checkOrder()
		addAgent(t, w, "bob", nil)
		f.checkEqual()
		if n := len(agentsOn(t, host)); n != 2 {
			t.Errorf("%d agents on the map", n)
		}
	})
}

// A program that holds agents and follows the world has them registered again as
// soon as its subscription has received the reset, long before a heartbeat is due.
func TestSubscriptionRegistersAgentsAfterReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", func(o *sdk.AgentOptions) { o.LeaseTTL = 300 * time.Second })
		if _, err := w.SubscribeWorldState(context.Background(), sdk.SubscribeOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		reset(t, host)
		wait(t, 3*time.Second)
		if agentsOn(t, host)["ada"] == nil {
			t.Error("the agent is not back")
		}
	})
}

func TestSubscriptionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		ctx, cancel := context.WithCancel(context.Background())
		byContext, err := w.SubscribeWorldState(ctx, sdk.SubscribeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		byWorld, err := w.SubscribeEvents(context.Background(), sdk.EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		byClose, err := w.SubscribeEvents(context.Background(), sdk.EventOptions{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		byClose.Close()
		byClose.Close()
		cancel()
		<-byContext.Done()
		if byContext.State().Connected {
			t.Error("a subscription that ended is connected")
		}
		if err := w.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		<-byWorld.Done()
		if _, err := w.SubscribeWorldState(context.Background(), sdk.SubscribeOptions{}); !errors.Is(err, sdk.ErrClosed) {
			t.Errorf("subscribe in a closed world: %v", err)
		}
		if _, err := w.SubscribeEvents(context.Background(), sdk.EventOptions{}); !errors.Is(err, sdk.ErrClosed) {
			t.Errorf("subscribe in a closed world: %v", err)
		}
	})
}

// Chat lines without a copy of the world, from the beginning.
func TestSubscribeEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		createEvents(t, host, func() {})
		w := openWorld(t, host, nil)
		var lines []string
		var failed []error
		_, err := w.SubscribeEvents(context.Background(), sdk.EventOptions{
			Kinds: []protocol.EventKind{protocol.EventInteraction, protocol.EventSessionReset}, FromSeq: true,
			OnEvent: func(e sdk.Event) {
				var line protocol.Interaction
				if err := e.Decode(&line); err != nil {
					t.Error(err)
				}
				lines = append(lines, fmt.Sprintf("%s: %s", line.PlayerID, line.Text))
			},
			OnError: func(err error) { failed = append(failed, err) },
		})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		reset(t, host)
		wait(t, time.Minute)
		if got := strings.Join(lines, "; "); got != "ada: hello \u2028 wörld; bob: bye; : " || len(failed) != 0 {
			t.Errorf("lines %q, errors %v", got, failed)
		}
	})
}
