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
func TestUnequalRootsWithoutRevsAreGivenTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var lying atomic.Bool
		m := &meddler{
			session: without(),
			event: mapChange(func(data map[string]any) {
				delete(data, "rev")
				if lying.Load() {
					data["merkleRootHex"] = wrongRoot
				}
			}),
			rpc: func(_ protocol.Op, reply map[string]any) { delete(reply, "rev") },
		}
		f := follow(t, host, m, func(o *sdk.SubscribeOptions) { o.NoInline = true })
		w := visit(t, host, nil)
		lying.Store(true)
		addAgent(t, w, "ada", nil)
		wait(t, 2*time.Second-1)
		if state := f.sub.State(); state.Verification != sdk.CatchingUp || len(f.errors()) != 0 {
			t.Errorf("before two seconds: %v, errors %v", state.Verification, f.errors())
		}
		wait(t, 1)
		lying.Store(false)
		f.equal()
		if stats := f.sub.State().Stats; stats.Heals != 1 || len(f.errors()) != 1 {
			t.Errorf("stats %+v, errors %v", stats, f.errors())
		}
		// The next event arrives in time.
		lying.Store(true)
		addAgent(t, w, "bob", nil)
		wait(t, time.Second)
		lying.Store(false)
		addAgent(t, w, "eve", nil)
		f.equal()
		wait(t, time.Minute)
		if stats := f.sub.State().Stats; stats.Heals != 1 {
			t.Errorf("stats %+v", stats)
		}
	})
}

// Some hosts send no headers before the first event. The subscriber does not hang,
// and misses no events.
func TestHeadersThatAreHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		release := make(chan struct{})
		m := &meddler{next: roundTrip(func(r *http.Request) (*http.Response, error) {
			response, err := host.Transport().RoundTrip(r)
			if r.URL.Path == protocol.ServicePlay.Events() {
				<-release
			}
			return response, err
		})}
		f := follow(t, host, m, nil)
		wait(t, 500*time.Millisecond-1)
		if len(f.updates()) != 0 {
			t.Error("the snapshot was read before the headers had their time")
		}
		wait(t, 1)
		f.equal()
		if f.sub.State().Connected {
			t.Error("it is connected")
		}
		addAgent(t, visit(t, host, nil), "ada", nil)
		close(release)
		f.equal()
		if stats := f.sub.State().Stats; stats.FullReads != 1 || stats.Merges != 1 || !f.sub.State().Connected {
			t.Errorf("stats %+v", stats)
		}
	})
}
