package sdk_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

func TestCopyFollowsNewHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := openHost(t), openHost(t)
		createEvents(t, first, func() {}) // its log is longer than the second one's will be
		transport := &switchable{target: first.Transport()}
		f := follow(t, first, &rewriter{next: transport}, nil)
		f.checkEqual()
		addAgent(t, openWorld(t, second, nil), "eve", nil)
		transport.set(second.Transport())
		if err := first.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Minute)
		f.host = second
		f.checkEqual()
		addAgent(t, openWorld(t, second, nil), "mallory", nil)
		f.checkEqual()
	})
}

// The other host's log ends exactly where the first one's did, so that it accepts
// the position as one of its own and has nothing to send.
func TestCopyFollowsNewHostAtSamePosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := openHost(t), openHost(t)
		addAgent(t, openWorld(t, first, nil), "ada", nil)
		addAgent(t, openWorld(t, second, nil), "eve", nil)
		transport := &switchable{target: first.Transport()}
		f := follow(t, first, &rewriter{next: transport}, nil)
		f.checkEqual()
		transport.set(second.Transport())
		if err := first.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		wait(t, time.Minute)
		f.host = second
		f.checkEqual()
	})
}

// A snapshot of the agent-play service names a different text than the genesis text
// from which its root is computed.
func TestSnapshotOfOlderServiceIsVerified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		addAgent(t, openWorld(t, host, nil), "ada", nil)
		other := &rewriter{t: t, next: host.Transport(), rpc: func(op protocol.Op, reply map[string]any) {
			if op == protocol.OpGetWorldSnapshot {
				reply["snapshot"].(map[string]any)["mainNodeId"] = "another node"
			}
		}}
		older := protocol.Service("agent-play")
		w := openWorld(t, host, func(o *sdk.Options) {
			o.Service = older
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				r = r.Clone(r.Context())
				r.URL.Path = strings.Replace(r.URL.Path, string(older), string(protocol.ServicePlay), 1)
				return other.RoundTrip(r)
			})
		})
		snapshot, err := w.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if on := slices.Collect(snapshot.Occupants()); len(on) != 1 {
			t.Errorf("on the map are %v", on)
		}
	})
}
