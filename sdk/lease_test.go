package sdk_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// An agent stays on the map as long as its program runs: a heartbeat is sent after
// each third of the granted lease, not of the requested one.
func TestHeartbeatsKeepAgentOnMap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var beats []time.Time
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == protocol.ServicePlay.Heartbeat() {
					beats = append(beats, time.Now())
				}
				return host.Transport().RoundTrip(r)
			})
		})
		start := time.Now()
		addAgent(t, w, "ada", func(o *sdk.AgentOptions) { o.LeaseTTL = time.Hour }) // 300 s are granted
		if err := w.Hold().For(t.Context(), 30*time.Minute+time.Second); err != nil {
			t.Fatal(err)
		}
		if agentsOn(t, host)["ada"] == nil {
			t.Error("the agent is gone")
		}
		if len(beats) != 18 {
			t.Fatalf("%d heartbeats, want 18", len(beats))
		}
		for i, at := range beats {
			if want := time.Duration(i+1) * 100 * time.Second; at.Sub(start) != want {
				t.Errorf("heartbeat %d came after %v, want %v", i, at.Sub(start), want)
			}
		}
	})
}

// A heartbeat gets no answer, as on a connection that broke without notice: the next
// one renews the lease in time.
func TestUnansweredHeartbeatKeepsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		beats := 0
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == protocol.ServicePlay.Heartbeat() {
					if beats++; beats == 1 {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
				}
				return host.Transport().RoundTrip(r)
			})
		})
		addAgent(t, w, "ada", func(o *sdk.AgentOptions) { o.LeaseTTL = 15 * time.Second })
		wait(t, 16*time.Second)
		if agentsOn(t, host)["ada"] == nil || beats < 2 {
			t.Errorf("the lease expired after %d heartbeats", beats)
		}
	})
}

// The host is away for longer than the lease: the agent is back as soon as the host
// is.
func TestAgentReturnsAfterHostOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		transport := &switchable{target: host.Transport()}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
		addAgent(t, w, "ada", nil)
		transport.set(roundTrip(unreachable))
		wait(t, 3*time.Minute)
		if agentsOn(t, host)["ada"] != nil {
			t.Fatal("the lease did not expire")
		}
		transport.set(host.Transport())
		wait(t, time.Minute)
		if agentsOn(t, host)["ada"] == nil {
			t.Error("the agent did not come back")
		}
	})
}

// After a reset nothing of the old session remains, and the program's agents and
// placements are registered again automatically; the old id of a placement still
// names it.
func TestAgentsAndPlacementsRegisterAgainAfterReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		addAgent(t, w, "ada", nil)
		addAgent(t, w, "bob", func(o *sdk.AgentOptions) { o.Permanent = true })
		id, err := w.RegisterMCP(t.Context(), sdk.MCP{Name: "tools", URL: "https://example.org"})
		if err != nil {
			t.Fatal(err)
		}
		reset(t, host)
		if on := agentsOn(t, host); len(on) != 0 {
			t.Fatalf("on the map after the reset: %v", on)
		}
		wait(t, time.Minute)
		if on := agentsOn(t, host); on["ada"] == nil || on["bob"] == nil {
			t.Errorf("on the map: %v", on)
		}
		snapshot, err := w.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if servers := snapshot.MCPServers(); len(servers) != 1 || servers[0].Name != "tools" || servers[0].URL != "https://example.org" {
			t.Errorf("placements: %v", servers)
		}
		if found, err := w.UnregisterMCP(t.Context(), id); err != nil || !found {
			t.Errorf("UnregisterMCP with the old id = %v, %v", found, err)
		}
		wait(t, time.Minute)
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if on := agentsOn(t, host); len(on) != 0 {
			t.Errorf("on the map after Close: %v", on)
		}
	})
}

// The session has ended, and for a time there is no new one: the agent waits for
// it.
func TestAgentWaitsForNewSession(t *testing.T) {
	for name, without := range map[string]func(*http.Request, http.RoundTripper) (*http.Response, error){
		"the new one cannot be fetched": func(r *http.Request, host http.RoundTripper) (*http.Response, error) {
			if r.URL.Path == protocol.ServicePlay.Session() {
				return unreachable(r)
			}
			return host.RoundTrip(r)
		},
		"the new one is refused as well": func(r *http.Request, host http.RoundTripper) (*http.Response, error) {
			if r.URL.Path == protocol.ServicePlay.Session() {
				return host.RoundTrip(r)
			}
			return answer(http.StatusForbidden, `{"error":"over","code":"sid_invalid","requestId":"r"}`), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				host := openHost(t)
				transport := &switchable{target: host.Transport()}
				w := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
				a := addAgent(t, w, "ada", func(o *sdk.AgentOptions) {
					o.OnLost = func(err error) { t.Errorf("lost: %v", err) }
				})
				reset(t, host)
				transport.set(roundTrip(func(r *http.Request) (*http.Response, error) { return without(r, host.Transport()) }))
				wait(t, 3*time.Minute)
				transport.set(host.Transport())
				wait(t, time.Minute)
				if agentsOn(t, host)["ada"] == nil || a.Err() != nil {
					t.Errorf("the agent did not come back: %v", a.Err())
				}
			})
		})
	}
}

// Another host with nothing in its store answers at the same address.
func TestAgentMovesToHostWithEmptyStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := openHost(t), openHost(t)
		transport := &switchable{target: first.Transport()}
		w := openWorld(t, first, func(o *sdk.Options) { o.Transport = transport })
		addAgent(t, w, "ada", nil)
		transport.set(second.Transport())
		wait(t, time.Minute)
		if agentsOn(t, second)["ada"] == nil {
			t.Error("the agent did not move")
		}
	})
}

// When an agent is added again, the newer registration holds it; the end of the
// older one removes nothing.
func TestNewerRegistrationHoldsAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		older := addAgent(t, w, "ada", func(o *sdk.AgentOptions) { o.Permanent = true })
		newer := addAgent(t, w, "ada", func(o *sdk.AgentOptions) { o.Name = "Ada again" })
		if err := older.Disconnect(t.Context()); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Hour)
		if row := agentsOn(t, host)["ada"]; row == nil || row.Name != "Ada again" || newer.Err() != nil {
			t.Errorf("row %+v, error %v", row, newer.Err())
		}
	})
}

// If a host no longer accepts the agent's credentials, the agent is lost, and this
// is reported once.
func TestRefusedAgentIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		transport := &switchable{target: host.Transport()}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
		var lost []error
		a := addAgent(t, w, "ada", func(o *sdk.AgentOptions) {
			o.OnLost = func(err error) { lost = append(lost, err) }
		})
		calls := 0
		transport.set(roundTrip(func(*http.Request) (*http.Response, error) {
			calls++
			return answer(http.StatusUnauthorized, `{"error":"who?","code":"credentials_invalid","requestId":"r"}`), nil
		}))
		wait(t, time.Hour)
		if len(lost) != 1 || !protocol.HasCode(lost[0], protocol.CodeCredentialsInvalid) || !errors.Is(a.Err(), lost[0]) || calls != 1 {
			t.Errorf("lost %v, Err %v, %d calls", lost, a.Err(), calls)
		}
	})
}

// Two programs that keep one agent each report it once, after one read of the map.
func TestTwoProgramsHoldOneAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var reads, warnings [2]int
		for i := range 2 {
			w := openWorld(t, host, func(o *sdk.Options) {
				o.OnWarning = func(text string) {
					if strings.Contains(text, "another program") {
						warnings[i]++
					}
				}
				o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
					if operation(r) == protocol.OpGetWorldSnapshot {
						reads[i]++
					}
					return host.Transport().RoundTrip(r)
				})
			})
			addAgent(t, w, "ada", nil)
		}
		wait(t, 10*time.Minute)
		if reads != [2]int{1, 1} || warnings != reads {
			t.Errorf("read the map %v times, warned %v times", reads, warnings)
		}
	})
}

// OnLost may disconnect the agent.
func TestOnLostMayDisconnectAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		transport := &switchable{target: host.Transport()}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
		var a *sdk.Agent
		disconnected := make(chan error, 1)
		a = addAgent(t, w, "ada", func(o *sdk.AgentOptions) {
			o.OnLost = func(error) { disconnected <- a.Disconnect(t.Context()) }
		})
		transport.set(roundTrip(func(*http.Request) (*http.Response, error) {
			return answer(http.StatusUnauthorized, `{"error":"who?","code":"credentials_invalid","requestId":"r"}`), nil
		}))
		if err := <-disconnected; !protocol.HasCode(err, protocol.CodeCredentialsInvalid) {
			t.Errorf("Disconnect = %v", err)
		}
	})
}

// A program whose host is gone still ends soon, and reports which agents stay until
// their leases expire.
func TestCloseWithUnreachableHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		transport := &switchable{target: host.Transport()}
		w := openWorld(t, host, func(o *sdk.Options) { o.Transport = transport })
		addAgent(t, w, "ada", nil)
		transport.set(roundTrip(unreachable))
		start := time.Now()
		err := w.Close(context.Background())
		if !errors.Is(err, sdk.ErrUnreachable) || !strings.Contains(err.Error(), "ada") {
			t.Errorf("Close = %v", err)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("Close took %v", took)
		}
	})
}

func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := openWorld(t, openHost(t), nil)
		start := time.Now()
		if err := w.Hold().For(t.Context(), time.Hour); err != nil || time.Since(start) != time.Hour {
			t.Errorf("For an hour: %v after %v", err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := w.Hold().Forever(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Forever: %v", err)
		}
		blockingChat := make(chan error)
		go func() { blockingChat <- w.Hold().For(t.Context(), time.Hour) }()
		synctest.Wait()
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := <-blockingChat; !errors.Is(err, sdk.ErrClosed) {
			t.Errorf("For in a closed world: %v", err)
		}
	})
}

// wait advances the time of a bubble.
func wait(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	defer timer.Stop()
	<-timer.C
	synctest.Wait()
}
