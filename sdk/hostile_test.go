package sdk_test

import (
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// A host sends one wrong value. The copy is never shown as verified while it is
// wrong, the error is reported, and at the end the copy equals the host's.
func TestWrongValueIsReportedAndHealed(t *testing.T) {
	for name, wrongValue := range wrongValues() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				roots := map[uint64]chain.Digest{}
				recordRoot(t, host, roots)
				var sendWrong atomic.Bool
				m := &rewriter{
					event: mapChange(func(data map[string]any) {
						if sendWrong.Load() && wrongValue.event != nil {
							wrongValue.event(data)
						}
					}),
					rpc: func(op protocol.Op, reply map[string]any) {
						if sendWrong.Load() && wrongValue.rpc != nil {
							wrongValue.rpc(op, reply)
						}
					},
				}
				f := follow(t, host, m, func(o *sdk.SubscribeOptions) { o.NoInline = wrongValue.noInline })
				w := openWorld(t, host, nil)
				sendWrong.Store(true)
				addAgent(t, w, "ada", nil)
				synctest.Wait()
				recordRoot(t, host, roots)
				sendWrong.Store(false)
				wait(t, 10*time.Second)
				f.checkEqual()
				f.checkVerified(roots)
				if len(f.errors()) > 0 != (wrongValue.received != "") || !f.hasErrorText(wrongValue.received) && wrongValue.received != "" {
					t.Errorf("errors %v, want %q", f.errors(), wrongValue.received)
				}
				if stats := f.sub.State().Stats; stats.FullReads != wrongValue.reads || stats.Heals != wrongValue.heals {
					t.Errorf("stats %+v, want %d full reads and %d heals", stats, wrongValue.reads, wrongValue.heals)
				}
				addAgent(t, w, "bob", nil)
				f.checkEqual()
			})
		})
	}
}

// The events of a host never agree with its snapshots: only what is verified is
// shown as verified, the error says that a repair does not help, and the host is
// not flooded with reads.
func TestPersistentMismatchIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		roots := map[uint64]chain.Digest{}
		recordRoot(t, host, roots)
		m := &rewriter{event: func(_ string, data map[string]any) { data["merkleRootHex"] = wrongRoot }}
		f := follow(t, host, m, nil)
		ada := addAgent(t, openWorld(t, host, nil), "ada", nil)
		synctest.Wait()
		recordRoot(t, host, roots)
		for range 300 {
			if _, err := ada.Say(t.Context(), "again"); err != nil {
				t.Fatal(err)
			}
			wait(t, time.Second)
		}
		f.checkVerified(roots)
		if !f.hasError(sdk.ErrUnmended) {
			t.Errorf("errors %v", f.errors())
		}
		if reads := f.sub.State().Stats.FullReads; reads < 2 || reads > 40 {
			t.Errorf("%d full reads in five minutes", reads)
		}
	})
}

// The snapshot itself is wrong: it is shown, but not as verified, until it is
// correct.
func TestUnverifiedSnapshotIsShownAsSuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var sendWrong atomic.Bool
		sendWrong.Store(true)
		m := &rewriter{rpc: func(_ protocol.Op, reply map[string]any) {
			if snapshot, ok := reply["snapshot"].(map[string]any); ok && sendWrong.Load() {
				snapshot["merkleRootHex"] = wrongRoot
			}
		}}
		f := follow(t, host, m, nil)
		addAgent(t, openWorld(t, host, nil), "ada", nil)
		wait(t, 5*time.Minute)
		state := f.sub.State()
		if state.Verification != sdk.Mismatched || !f.hasError(sdk.ErrUnmended) || state.Stats.FullReads > 30 {
			t.Errorf("state %+v, errors %v", state, f.errors())
		}
		for i, u := range f.updates() {
			if u.Verification == sdk.Verified {
				t.Errorf("update %d is shown as verified", i)
			}
		}
		sendWrong.Store(false)
		wait(t, time.Minute)
		f.checkEqual()
		w := openWorld(t, host, nil)
		if _, err := w.Snapshot(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Snapshots that cannot be parsed are refused.
func TestInvalidSnapshotIsRefused(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"none":         func(reply map[string]any) { delete(reply, "snapshot") },
		"no occupants": func(reply map[string]any) { delete(reply["snapshot"].(map[string]any), "worldMap") },
		"a wrong row": func(reply map[string]any) {
			worldMap := reply["snapshot"].(map[string]any)["worldMap"].(map[string]any)
			worldMap["occupants"] = []any{map[string]any{"kind": "dragon"}}
		},
		"behind the stream": func(reply map[string]any) { reply["snapshot"].(map[string]any)["seq"] = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				w := openWorld(t, host, nil)
				addAgent(t, w, "ada", nil)
				var sendWrong atomic.Bool
				sendWrong.Store(true)
				f := follow(t, host, &rewriter{rpc: func(op protocol.Op, reply map[string]any) {
					if sendWrong.Load() && op == protocol.OpGetWorldSnapshot {
						change(reply)
					}
				}}, nil)
				wait(t, time.Minute)
				if name == "behind the stream" {
					// The cursor came after the first read, which is then repeated.
					if len(f.updates()) > 1 {
						t.Errorf("%d updates", len(f.updates()))
					}
				} else if len(f.updates()) != 0 || f.sub.State().Verification != sdk.Unread {
					t.Errorf("updates %v", f.updates())
				}
				if len(f.errors()) < 3 || len(f.errors()) > 15 {
					t.Errorf("%d errors in a minute: %v", len(f.errors()), f.errors())
				}
				sendWrong.Store(false)
				wait(t, time.Minute)
				f.checkEqual()
			})
		})
	}
}

// Event ids decrease without a resync: the client drops the connection and reads
// the copy again.
func TestDecreasingEventIDsAreHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var sendWrong atomic.Bool
		f := follow(t, host, &rewriter{line: func(line string) string {
			if sendWrong.Load() && strings.HasPrefix(line, "id: ") {
				return "id: 1\n"
			}
			return line
		}}, nil)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		synctest.Wait()
		sendWrong.Store(true)
		addAgent(t, w, "bob", nil)
		synctest.Wait()
		sendWrong.Store(false)
		wait(t, 10*time.Second)
		f.checkEqual()
		if !f.hasErrorText("backwards") {
			t.Errorf("errors %v", f.errors())
		}
		addAgent(t, w, "eve", nil)
		f.checkEqual()
	})
}

// Rows from a later rev put the copy ahead of the events. That is not a mismatch,
// but the copy is not shown as verified until the events arrive.
func TestCopyAheadOfEventsIsNotVerified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		roots := map[uint64]chain.Digest{}
		recordRoot(t, host, roots)
		var ada *sdk.Agent
		m := &rewriter{session: without(protocol.CapChainAtRev)}
		m.next = roundTrip(func(r *http.Request) (*http.Response, error) {
			if operation(r) == protocol.OpGetPlayerChainNodes && ada != nil {
				late := ada
				ada = nil
				recordRoot(t, host, roots)
				if _, err := late.RecordJourney(t.Context(), oneStep()); err != nil {
					t.Error(err)
				}
				recordRoot(t, host, roots)
			}
			return host.Transport().RoundTrip(r)
		})
		f := follow(t, host, m, func(o *sdk.SubscribeOptions) { o.NoInline = true })
		blockingChat := addAgent(t, w, "ada", nil)
		f.checkEqual()
		recordRoot(t, host, roots)
		ada = blockingChat
		if _, err := w.RegisterMCP(t.Context(), sdk.MCP{Name: "tools"}); err != nil {
			t.Fatal(err)
		}
		f.checkEqual()
		f.checkVerified(roots)
		if len(f.errors()) != 0 || f.sub.State().Stats.Heals != 0 {
			t.Errorf("errors %v", f.errors())
		}
	})
}

func oneStep() protocol.Journey {
	return protocol.Journey{
		StartedAt: "2026-01-02T03:04:05.678Z", CompletedAt: "2026-01-02T03:04:05.678Z",
		Steps: []protocol.JourneyStep{{Type: protocol.StepDestination, Content: "there", MessageID: "m"}},
	}
}

// An unreachable host is reported, and the client reconnects to it.
func TestUnreachableHostIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		transport := &breakable{switchable: &switchable{target: host.Transport()}}
		m := &rewriter{next: transport}
		f := follow(t, host, m, nil)
		w := openWorld(t, host, nil)
		transport.set(roundTrip(unreachable))
		transport.breakStream()
		addAgent(t, w, "ada", nil) // wakes the reader, which finds its connection gone
		wait(t, time.Minute)
		if f.sub.State().Connected || !f.hasError(sdk.ErrUnreachable) {
			t.Errorf("connected %v, errors %v", f.sub.State().Connected, f.errors())
		}
		transport.set(host.Transport())
		wait(t, time.Minute)
		f.checkEqual()
		if stats := f.sub.State().Stats; stats.Reconnects == 0 || stats.FullReads != 1 {
			t.Errorf("stats %+v", stats)
		}
		seen := map[sdk.Verification]bool{}
		for _, s := range f.states() {
			seen[s.Verification] = true
		}
		if !maps.Equal(seen, map[sdk.Verification]bool{sdk.Unread: true, sdk.Verified: true}) {
			t.Errorf("states %v", seen)
		}
		f.checkOrder()
	})
}
