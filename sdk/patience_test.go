package sdk_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// At a host that sends no rev with its rows, unequal roots are a mismatch only
// after two seconds.
func TestUnequalRootsWithoutRevsAreMismatchAfterDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var sendWrong atomic.Bool
		m := &rewriter{
			session: without(),
			event: mapChange(func(data map[string]any) {
				delete(data, "rev")
				if sendWrong.Load() {
					data["merkleRootHex"] = wrongRoot
				}
			}),
			rpc: func(_ protocol.Op, reply map[string]any) { delete(reply, "rev") },
		}
		f := follow(t, host, m, func(o *sdk.SubscribeOptions) { o.NoInline = true })
		w := openWorld(t, host, nil)
		sendWrong.Store(true)
		addAgent(t, w, "ada", nil)
		wait(t, 2*time.Second-1)
		if state := f.sub.State(); state.Verification != sdk.CatchingUp || len(f.errors()) != 0 {
			t.Errorf("before two seconds: %v, errors %v", state.Verification, f.errors())
		}
		wait(t, 1)
		sendWrong.Store(false)
		f.checkEqual()
		if stats := f.sub.State().Stats; stats.Heals != 1 || len(f.errors()) != 1 {
			t.Errorf("stats %+v, errors %v", stats, f.errors())
		}
		// The next event arrives in time.
		sendWrong.Store(true)
		addAgent(t, w, "bob", nil)
		wait(t, time.Second)
		sendWrong.Store(false)
		addAgent(t, w, "eve", nil)
		f.checkEqual()
		wait(t, time.Minute)
		if stats := f.sub.State().Stats; stats.Heals != 1 {
			t.Errorf("stats %+v", stats)
		}
	})
}

// Some hosts send no headers before the first event. The subscriber does not hang,
// and misses no events.
func TestDelayedResponseHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		release := make(chan struct{})
		m := &rewriter{next: roundTrip(func(r *http.Request) (*http.Response, error) {
			response, err := host.Transport().RoundTrip(r)
			if r.URL.Path == protocol.ServicePlay.Events() {
				<-release
			}
			return response, err
		})}
		f := follow(t, host, m, nil)
		wait(t, 500*time.Millisecond-1)
		if len(f.updates()) != 0 {
			t.Error("the snapshot was read before the wait for headers ended")
		}
		wait(t, 1)
		f.checkEqual()
		if f.sub.State().Connected {
			t.Error("the subscription is connected")
		}
		addAgent(t, openWorld(t, host, nil), "ada", nil)
		close(release)
		f.checkEqual()
		if stats := f.sub.State().Stats; stats.FullReads != 1 || stats.Merges != 1 || !f.sub.State().Connected {
			t.Errorf("stats %+v", stats)
		}
	})
}
