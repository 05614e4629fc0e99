package sdk_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// placementsAfterReset returns the placements on the map a minute after a reset that the
// program has noticed.
func placementsAfterReset(t *testing.T, host *playworld.PlayWorld, w *sdk.RemotePlayWorld) []protocol.MCPServer {
	t.Helper()
	reset(t, host)
	if _, err := w.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait(t, time.Minute)
	snapshot, err := w.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snapshot.MCPServers()
}

// A placement that is removed while others register again stays removed.
func TestPlacementRemovedDuringRenewalStaysRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var w *sdk.RemotePlayWorld
		ids := map[string]string{}
		var removed string
		w = openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == protocol.ServicePlay.MCPRegister() && len(ids) == 2 && removed == "" {
					text, err := io.ReadAll(r.Body)
					if err != nil {
						return nil, err
					}
					removed = "one"
					if strings.Contains(string(text), removed) {
						removed = "two"
					}
					r.Body = io.NopCloser(bytes.NewReader(text))
					if _, err := w.UnregisterMCP(t.Context(), ids[removed]); err != nil {
						t.Error(err)
					}
				}
				return host.Transport().RoundTrip(r)
			})
		})
		for _, name := range []string{"one", "two"} {
			id, err := w.RegisterMCP(t.Context(), sdk.MCP{Name: name})
			if err != nil {
				t.Fatal(err)
			}
			ids[name] = id
		}
		if servers := placementsAfterReset(t, host, w); len(servers) != 1 || servers[0].Name == removed || removed == "" {
			t.Errorf("%q was removed, on the map are %v", removed, servers)
		}
	})
}

// A placement that is removed while it registers again itself does not come back.
func TestPlacementRemovedDuringItsOwnRenewalStaysRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := openHost(t)
		var w *sdk.RemotePlayWorld
		id, removed := "", false
		w = openWorld(t, host, func(o *sdk.Options) {
			o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path == protocol.ServicePlay.MCPRegister() && id != "" && !removed {
					removed = true
					if _, err := w.UnregisterMCP(t.Context(), id); err != nil {
						t.Error(err)
					}
				}
				return host.Transport().RoundTrip(r)
			})
		})
		var err error
		id, err = w.RegisterMCP(t.Context(), sdk.MCP{Name: "one"})
		if err != nil {
			t.Fatal(err)
		}
		if servers := placementsAfterReset(t, host, w); len(servers) != 0 || !removed {
			t.Errorf("it was removed (%v), on the map are %v", removed, servers)
		}
	})
}
