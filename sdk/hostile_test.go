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
func TestALieIsHeardAndHealed(t *testing.T) {
	for name, lie := range lies() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				roots := map[uint64]chain.Digest{}
				remember(t, host, roots)
				var lying atomic.Bool
				m := &meddler{
					event: mapChange(func(data map[string]any) {
						if lying.Load() && lie.event != nil {
							lie.event(data)
						}
					}),
					rpc: func(op protocol.Op, reply map[string]any) {
						if lying.Load() && lie.rpc != nil {
							lie.rpc(op, reply)
						}
					},
				}
				f := follow(t, host, m, func(o *sdk.SubscribeOptions) { o.NoInline = lie.noInline })
				w := visit(t, host, nil)
				lying.Store(true)
				addAgent(t, w, "ada", nil)
				synctest.Wait()
				remember(t, host, roots)
				lying.Store(false)
				wait(t, 10*time.Second)
				f.equal()
				f.honest(roots)
				if len(f.errors()) > 0 != (lie.received != "") || !f.says(lie.received) && lie.received != "" {
					t.Errorf("errors %v, want %q", f.errors(), lie.received)
				}
				if stats := f.sub.State().Stats; stats.FullReads != lie.reads || stats.Heals != lie.heals {
					t.Errorf("stats %+v, want %d full reads and %d heals", stats, lie.reads, lie.heals)
				}
				addAgent(t, w, "bob", nil)
				f.equal()
			})
		})
	}
}

// The events of a host never agree with its snapshots: only what is verified is
// shown as verified, the error says that a repair does not help, and the host is
// not flooded with reads.
func TestAMismatchThatHealingDoesNotMend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		roots := map[uint64]chain.Digest{}
		remember(t, host, roots)
		m := &meddler{event: func(_ string, data map[string]any) { data["merkleRootHex"] = wrongRoot }}
		f := follow(t, host, m, nil)
		ada := addAgent(t, visit(t, host, nil), "ada", nil)
		synctest.Wait()
		remember(t, host, roots)
		for range 300 {
			if _, err := ada.Say(t.Context(), "again"); err != nil {
				t.Fatal(err)
			}
			wait(t, time.Second)
		}
		f.honest(roots)
		if !f.reports(sdk.ErrUnmended) {
			t.Errorf("errors %v", f.errors())
		}
		if reads := f.sub.State().Stats.FullReads; reads < 2 || reads > 40 {
			t.Errorf("%d full reads in five minutes", reads)
		}
	})
}

// The snapshot itself is wrong: it is shown, but not as verified, until it is
// correct.
func TestASnapshotThatDoesNotVerify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var lying atomic.Bool
		lying.Store(true)
		m := &meddler{rpc: func(_ protocol.Op, reply map[string]any) {
			if snapshot, ok := reply["snapshot"].(map[string]any); ok && lying.Load() {
				snapshot["merkleRootHex"] = wrongRoot
			}
		}}
		f := follow(t, host, m, nil)
		addAgent(t, visit(t, host, nil), "ada", nil)
		wait(t, 5*time.Minute)
		state := f.sub.State()
		if state.Verification != sdk.Mismatched || !f.reports(sdk.ErrUnmended) || state.Stats.FullReads > 30 {
			t.Errorf("state %+v, errors %v", state, f.errors())
		}
		for i, u := range f.updates() {
			if u.Verification == sdk.Verified {
				t.Errorf("update %d is shown as verified", i)
			}
		}
		lying.Store(false)
		wait(t, time.Minute)
		f.equal()
		w := visit(t, host, nil)
		if _, err := w.Snapshot(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Snapshots that cannot be parsed are refused.
func TestASnapshotThatCannotBeRead(t *testing.T) {
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
				w := visit(t, host, nil)
				addAgent(t, w, "ada", nil)
				var lying atomic.Bool
				lying.Store(true)
				f := follow(t, host, &meddler{rpc: func(op protocol.Op, reply map[string]any) {
					if lying.Load() && op == protocol.OpGetWorldSnapshot {
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
				lying.Store(false)
				wait(t, time.Minute)
				f.equal()
			})
		})
	}
}

// Event ids decrease without a resync: the client drops the connection and reads
// the copy again.
func TestIdsThatGoBackwardsAreHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var lying atomic.Bool
		f := follow(t, host, &meddler{line: func(line string) string {
			if lying.Load() && strings.HasPrefix(line, "id: ") {
				return "id: 1\n"
			}
			return line
		}}, nil)
		w := visit(t, host, nil)
		addAgent(t, w, "ada", nil)
		synctest.Wait()
		lying.Store(true)
		addAgent(t, w, "bob", nil)
		synctest.Wait()
		lying.Store(false)
		wait(t, 10*time.Second)
		f.equal()
		if !f.says("backwards") {
			t.Errorf("errors %v", f.errors())
		}
		addAgent(t, w, "eve", nil)
		f.equal()
	})
}

// Rows from a later rev put the copy ahead of the events. That is not a mismatch,
// but the copy is not shown as verified until the events arrive.
func TestACopyThatIsAheadOfItsEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := visit(t, host, nil)
		roots := map[uint64]chain.Digest{}
		remember(t, host, roots)
		var ada *sdk.Agent
		m := &meddler{session: without(protocol.CapChainAtRev)}
		m.next = roundTrip(func(r *http.Request) (*http.Response, error) {
			if operation(r) == protocol.OpGetPlayerChainNodes && ada != nil {
				late := ada
				ada = nil
				remember(t, host, roots)
				if _, err := late.RecordJourney(t.Context(), oneStep()); err != nil {
					t.Error(err)
				}
				remember(t, host, roots)
			}
			return host.Transport().RoundTrip(r)
		})
		f := follow(t, host, m, func(o *sdk.SubscribeOptions) { o.NoInline = true })
		held := addAgent(t, w, "ada", nil)
		f.equal()
		remember(t, host, roots)
		ada = held
		if _, err := w.RegisterMCP(t.Context(), sdk.MCP{Name: "tools"}); err != nil {
			t.Fatal(err)
		}
		f.equal()
		f.honest(roots)
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
func TestAHostThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		way := &breakable{exit: &exit{target: host.Transport()}}
		m := &meddler{next: way}
		f := follow(t, host, m, nil)
		w := visit(t, host, nil)
		way.set(roundTrip(gone))
		way.breakStream()
		addAgent(t, w, "ada", nil) // wakes the reader, which finds its connection gone
		wait(t, time.Minute)
		if f.sub.State().Connected || !f.reports(sdk.ErrUnreachable) {
			t.Errorf("connected %v, errors %v", f.sub.State().Connected, f.errors())
		}
		way.set(host.Transport())
		wait(t, time.Minute)
		f.equal()
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
		f.once()
	})
}
