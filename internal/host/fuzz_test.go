package host

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// FuzzRequest sends whole requests: any method, path, query, media type, caller
// and body. The host never answers with a 5xx, every refusal has the contract's
// form, none changes anything, and the host does not grow.
func FuzzRequest(f *testing.F) {
	fix := newFixture(f, func(s *setup) {
		// What the host may keep is little, so that what it keeps beside it shows.
		s.world.MemoryBudget, s.world.Limits.History, s.world.CheckpointEvery = 1<<20, 10, 64
		s.journal = memory.Open(store.Retention{Events: 100, Revs: 10})
	})
	size := growth{most: 64 << 20}
	// Nothing may change the world but the requests.
	fix.host.sweeper.stop()
	main := fix.main()
	callers := []func(*http.Request){func(*http.Request) {}, as(main), as(fix.player(main)), asAdmin}
	for _, g := range targets(fix) {
		f.Add(g.method, g.path, "", protocol.MediaTypeJSON, g.good.body, uint8(2), true)
	}
	for _, rt := range fix.host.routes() {
		f.Add(rt.method, rt.path, "", "", "", uint8(1), true)
	}
	f.Add("GET", "/api/play/snapshot", "x=%zz", "", "", uint8(1), true)
	f.Add("GET", "/api/play/events", "lastEventId=-1&inline=1", "", "", uint8(1), true)
	f.Add("DELETE", "/api/agents", "id=a&id=b", "", "", uint8(1), false)
	f.Add("OPTIONS", "//api/../nodes", "", "text/plain", "{}", uint8(3), false)
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string, who uint8, withSID bool) {
		r, err := http.NewRequestWithContext(context.Background(), method, "http://host/", strings.NewReader(body))
		if err != nil {
			return // It is no method: net/http would not have let it in.
		}
		r.URL.Path, r.URL.RawQuery = path, query
		if withSID {
			r.URL.RawQuery += "&sid=" + fix.world.View().SID
		}
		r.RemoteAddr = "127.0.0.1:40000"
		r.Header.Set("Content-Type", contentType)
		callers[int(who)%len(callers)](r)
		if strings.HasSuffix(path, "/events") {
			// Nobody stays for the stream.
			gone, cancel := context.WithCancel(r.Context())
			cancel()
			r = r.WithContext(gone)
		}
		size.check(t)
		here := *fix
		here.t = t
		before := here.mark()
		rec := httptest.NewRecorder()
		fix.handler.ServeHTTP(rec, r)
		if rec.Code >= 500 {
			t.Fatalf("%s %s: %d %s", method, r.URL, rec.Code, rec.Body)
		}
		if rec.Code >= 400 {
			if after := here.mark(); after != before {
				t.Fatalf("%s %s: refused with %d but %s became %s", method, r.URL, rec.Code, before, after)
			}
		}
	})
}

// growth finds out whether a process grows while it answers requests.
type growth struct {
	// most is how many bytes it may grow by.
	most int64

	requests   int
	heap       int64
	goroutines int
}

// check is called before each request, and measures before some of them.
func (g *growth) check(t *testing.T) {
	const measured = 5000
	if g.requests++; g.requests%measured != 1 {
		return
	}
	heap, goroutines := int64(worldtest.LiveHeap()), runtime.NumGoroutine()
	if g.requests == 1 {
		g.heap, g.goroutines = heap, goroutines
	}
	if heap > g.heap+g.most || goroutines > g.goroutines+20 {
		t.Fatalf("after %d requests the host has %d bytes and %d goroutines, before them %d and %d",
			g.requests, heap, goroutines, g.heap, g.goroutines)
	}
}
