package sdk_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// Events between the opening of the stream and the snapshot are in both. They are
// applied once.
func TestEventsInSnapshotAreAppliedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		m := &rewriter{next: roundTrip(func(r *http.Request) (*http.Response, error) {
			if operation(r) == protocol.OpGetWorldSnapshot {
				wait(t, 300*time.Millisecond)
			}
			return host.Transport().RoundTrip(r)
		})}
		f := follow(t, host, m, nil)
		addAgent(t, w, "ada", nil)
		if err := addAgent(t, w, "bob", nil).Disconnect(t.Context()); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Second)
		f.checkEqual()
		stats := f.sub.State().Stats
		if stats.Events != 3 || stats.Merges != 0 || stats.FullReads != 1 || len(f.errors()) != 0 {
			t.Errorf("stats %+v, errors %v", stats, f.errors())
		}
	})
}

// An intermediary removes the position from which the stream resumes: the host's
// cursor shows that events were missed.
func TestRemovedResumePositionIsDetected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		transport := &breakable{
			switchable: &switchable{target: host.Transport()},
			ask:        func(r *http.Request) { r.Header.Del(protocol.HeaderLastEventID) },
		}
		f := follow(t, host, &rewriter{next: transport}, nil)
		transport.breakStream()
		addAgent(t, w, "ada", nil) // wakes the reader, which finds its stream broken
		addAgent(t, w, "bob", nil)
		wait(t, 10*time.Second)
		f.checkEqual()
		if stats := f.sub.State().Stats; stats.FullReads != 2 || stats.Heals != 0 || stats.Reconnects != 1 {
			t.Errorf("stats %+v", stats)
		}
	})
}

// A lost log starts again, with lower numbers than the copy has seen, and the host
// gives no other sign of it.
func TestRestartedLogWithoutCursorIsDetected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := openHost(t), openHost(t)
		createEvents(t, first, func() {})
		addAgent(t, openWorld(t, second, nil), "eve", nil)
		var cursor atomic.Bool
		transport := &breakable{
			switchable: &switchable{target: first.Transport()},
			ask:        func(r *http.Request) { cursor.Store(r.Header.Get(protocol.HeaderLastEventID) != "") },
		}
		f := follow(t, first, &rewriter{next: transport, line: func(line string) string {
			if strings.HasPrefix(line, "id: ") && cursor.Swap(false) {
				return ""
			}
			return line
		}}, nil)
		transport.set(second.Transport())
		if err := first.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Minute)
		f.host = second
		f.checkEqual()
	})
}

// A resync causes one full read, not two.
func TestResyncCausesOneFullRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		w := openWorld(t, host, nil)
		transport := &breakable{
			switchable: &switchable{target: host.Transport()},
			ask: func(r *http.Request) {
				if r.Header.Get(protocol.HeaderLastEventID) != "" {
					r.Header.Set(protocol.HeaderLastEventID, "999999") // ahead of the log
				}
			},
		}
		f := follow(t, host, &rewriter{next: transport}, nil)
		transport.breakStream()
		addAgent(t, w, "ada", nil)
		wait(t, 10*time.Second)
		f.checkEqual()
		resynced := false
		for _, e := range f.events() {
			resynced = resynced || e.Kind == protocol.EventSessionResync
		}
		if stats := f.sub.State().Stats; !resynced || stats.FullReads != 2 {
			t.Errorf("resynced %v, stats %+v", resynced, stats)
		}
	})
}

// The session changes between the host's reply to a registration and the moment
// when the world keeps the agent: no later event would make it register again.
func TestSessionChangeDuringRegistration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var w *sdk.RemotePlayWorld
		var changed atomic.Bool
		w = openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				response, err := host.Transport().RoundTrip(r)
				if r.URL.Path == protocol.ServicePlay.Players() && !changed.Swap(true) {
					reset(t, host)
					if _, err := w.Connect(t.Context()); err != nil {
						t.Error(err)
					}
				}
				return response, err
			})
		})
		addAgent(t, w, "ada", func(o *sdk.AgentOptions) { o.Permanent = true })
		synctest.Wait()
		if agentsOn(t, host)["ada"] == nil {
			t.Error("the agent is not in the new session")
		}
	})
}

// A failed registration is repeated until it succeeds, also for an agent that sends
// no heartbeats.
func TestFailedRegistrationIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var away atomic.Bool
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if away.Load() && r.URL.Path == protocol.ServicePlay.Players() {
					return answer(http.StatusBadRequest, `{"error":"full","code":"occupant_limit","requestId":"r"}`), nil
				}
				return host.Transport().RoundTrip(r)
			})
		})
		addAgent(t, w, "ada", func(o *sdk.AgentOptions) { o.Permanent = true })
		away.Store(true)
		reset(t, host)
		if _, err := w.RegisterMCP(t.Context(), sdk.MCP{Name: "tools"}); err != nil {
			t.Fatal(err) // it notices the new session
		}
		wait(t, 5*time.Minute)
		away.Store(false)
		wait(t, 20*time.Second)
		if agentsOn(t, host)["ada"] == nil {
			t.Error("the agent did not come back")
		}
	})
}
