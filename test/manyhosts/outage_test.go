//go:build full

package manyhosts

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// TestHostsSurviveStoreOutage stops Redis: every host reports that to writers within
// a second, and still serves readers; when Redis is back, no host needs a restart.
func TestHostsSurviveStoreOutage(t *testing.T) {
	t.Parallel()
	s := openSite(t, "always", 0)
	s.reset()
	f := s.subscribe(1, 0)
	for _, h := range s.hosts {
		// A host can only serve data that it has received.
		s.until(h, s.account.Main, s.reading(protocol.ServicePlay.Snapshot()), (*hostprocess.Answer).OK)
	}
	was := f.sub.State().Stats
	past := newHistory()
	watching, rest := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { past.watch(watching) })
	defer watch.Wait()
	defer rest()
	s.redis.Kill()
	stranger := hostprocess.Node{ID: strings.Repeat("ab", 32), Hash: strings.Repeat("cd", 32)}
	for i, h := range s.hosts {
		start, still := time.Now(), past.still.Load()
		a := s.ask(h, s.account.Main, s.placing("while it is away"))
		if took := time.Since(start) - time.Duration(past.still.Load()-still); a.Code != protocol.CodeStoreUnavailable || took > slowestRefusal {
			t.Errorf("host %d replies to a write with %d %s after %v", i, a.Status, a.Code, took)
		}
		// Its node may have just been created by another host.
		if a := s.ask(h, stranger, s.reading(protocol.ServicePlay.Session())); a.Code != protocol.CodeStoreUnavailable {
			t.Errorf("host %d replies to an unknown node with %d %s", i, a.Status, a.Code)
		}
		if a := s.ask(h, s.account.Main, s.reading(protocol.ServicePlay.Snapshot())); !a.OK() {
			t.Errorf("host %d replies to a read with %d %s", i, a.Status, a.Code)
		}
		s.until(h, s.admin, s.reading(protocol.PathReady), func(a *hostprocess.Answer) bool { return a.Status == http.StatusServiceUnavailable })
		s.until(h, s.admin, s.reading(protocol.PathMetrics), func(a *hostprocess.Answer) bool {
			return strings.Contains(string(a.Body), "\nplayctl_world_stale 1\n")
		})
	}
	s.redis.Restart()
	for _, h := range s.hosts {
		s.until(h, s.admin, s.reading(protocol.PathReady), (*hostprocess.Answer).OK)
		s.until(h, s.account.Main, s.placing("when it is back"), (*hostprocess.Answer).OK)
	}
	f.reach(s.settle(0))
	if now := f.sub.State().Stats; now.Reconnects != was.Reconnects || now.FullReads != was.FullReads {
		t.Errorf("a subscriber reconnected or read again: before %+v, afterwards %+v", was, now)
	}
}

// ask sends a request to a host, once.
func (s *site) ask(h *hostprocess.Host, n hostprocess.Node, r hostprocess.Request) *hostprocess.Answer {
	s.t.Helper()
	a, err := n.Do(s.t.Context(), s.client, h.URL(), r)
	s.must(err)
	return a
}

func (s *site) reading(path string) hostprocess.Request {
	return hostprocess.Request{Method: http.MethodGet, Path: path + "?sid=" + s.sid}
}

func (s *site) placing(name string) hostprocess.Request {
	return hostprocess.Request{
		Method: http.MethodPost, Path: protocol.ServicePlay.MCPRegister() + "?sid=" + s.sid, Body: map[string]any{"name": name},
	}
}
