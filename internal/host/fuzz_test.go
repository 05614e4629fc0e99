package host

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/memory"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// fuzzedHeaders are headers, by number, of which a fuzzed request has one.
var fuzzedHeaders = []string{
	"", protocol.HeaderIdempotencyKey, protocol.HeaderMinRev, protocol.HeaderLastEventID, protocol.HeaderAPIKey,
	protocol.HeaderRegistrationToken, protocol.HeaderNodeID, "X-Forwarded-For", "Host", "Origin", "Sec-Fetch-Site", "Accept-Encoding",
	"Authorization", "Cookie", "If-None-Match", "Access-Control-Request-Method",
}

// trustedProxy is an address whose X-Forwarded-For counts.
const trustedProxy = "192.0.2.9"

// addHeader adds a header to a request, and reports whether net/http would let it in.
func addHeader(r *http.Request, name, value string) bool {
	switch name {
	case "":
		return true
	case "Host":
		r.Host = value
		return httpguts.ValidHostHeader(value)
	case "X-Forwarded-For":
		r.RemoteAddr = trustedProxy + ":40000"
	}
	r.Header.Set(name, value)
	return httpguts.ValidHeaderFieldValue(value)
}

// callersOfEachKind are callers of each kind, as functions that add their credentials to a request.
func callersOfEachKind(fix *fixture) []func(*http.Request) {
	main := fix.main()
	var space protocol.CreateSpaceReply
	fix.rpc("createSpace", map[string]any{"name": "Corner", "designKey": "d", "ownerDisplayName": "Ada"}, as(main)).into(&space)
	node := identity{id: space.NodeID, hash: creds.HashPhrase(space.Phrase.Reveal()).Reveal(), apiKey: main.apiKey}
	cookie := fix.watchCookie(protocol.WatchScopeAct, fix.watchToken(main))
	all := []func(*http.Request){
		func(*http.Request) {}, as(main), as(fix.player(main)), asAdmin, as(node),
		func(r *http.Request) {
			asOwnPage(r)
			r.AddCookie(cookie)
		},
	}
	for _, caller := range all[1:] {
		fix.get(fix.play("/snapshot"), caller).ok()
	}
	return all
}

// FuzzRequest sends whole requests: any method, path, query, media type, caller,
// body, and one more header. The host never answers with a 5xx, every refusal has the
// contract's form, none changes anything, and the host does not grow.
func FuzzRequest(f *testing.F) {
	fix := newFixture(f, func(s *setup) {
		// The host's caches are small, so that other growth shows.
		s.world.MemoryBudget, s.world.Limits.History, s.world.CheckpointEvery = 1<<20, 10, 64
		s.journal = memory.Open(store.Retention{Events: 100, Revs: 10})
		s.host.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(trustedProxy + "/32")}
		s.host.CORSOrigins = []string{"https://app.example.com"}
	})
	size := growth{most: 64 << 20}
	// Only the requests may change the world.
	fix.host.sweeper.stop()
	callers := callersOfEachKind(fix)
	for _, g := range targets(fix) {
		f.Add(g.method, g.path, "", protocol.MediaTypeJSON, g.good.body, uint8(2), true, uint8(0), "")
	}
	for _, rt := range fix.host.routes() {
		f.Add(rt.method, rt.path, "", "", "", uint8(1), true, uint8(0), "")
	}
	f.Add("GET", "/api/play/snapshot", "x=%zz", "", "", uint8(1), true, uint8(0), "")
	f.Add("GET", "/api/play/events", "lastEventId=-1&inline=1", "", "", uint8(1), true, uint8(0), "")
	f.Add("DELETE", "/api/agents", "id=a&id=b", "", "", uint8(1), false, uint8(0), "")
	f.Add("OPTIONS", "//api/../nodes", "", "text/plain", "{}", uint8(3), false, uint8(0), "")
	for i, value := range []string{
		"", "key", "1", "1", "ak_", "reg", "a", "198.51.100.7, 203.0.113.1", "evil.example", "https://app.example.com", "cross-site", "gzip;q=0, *",
		"Bearer x", "playctl_watch=x", "\"1\"", "POST",
	} {
		f.Add("POST", "/api/play/sdk/rpc", "", protocol.MediaTypeJSON, `{"op":"getWorldSnapshot"}`, uint8(4), true, uint8(i), value)
		f.Add("GET", "/api/play/session", "", "", "", uint8(5), false, uint8(i), value)
	}
	f.Fuzz(func(t *testing.T, method, path, query, contentType, body string, who uint8, withSID bool, header uint8, value string) {
		r, err := http.NewRequestWithContext(context.Background(), method, "http://host/", strings.NewReader(body))
		if err != nil {
			return // net/http would refuse this method.
		}
		r.URL.Path, r.URL.RawQuery = path, query
		if withSID {
			r.URL.RawQuery += "&sid=" + fix.world.View().SID
		}
		r.RemoteAddr = "127.0.0.1:40000"
		r.Header.Set("Content-Type", contentType)
		callers[int(who)%len(callers)](r)
		name := fuzzedHeaders[int(header)%len(fuzzedHeaders)]
		if !addHeader(r, name, value) {
			return
		}
		if strings.HasSuffix(path, "/events") || name == protocol.HeaderMinRev && isAhead(fix, value) {
			// The client does not wait for the stream, or for a rev that does not come.
			gone, cancel := context.WithCancel(r.Context())
			cancel()
			r = r.WithContext(gone)
		}
		size.check(t)
		here := *fix
		here.t = t
		before := here.stateSummary()
		rec := httptest.NewRecorder()
		fix.handler.ServeHTTP(rec, r)
		if rec.Code >= 500 {
			t.Fatalf("%s %s: %d %s", method, r.URL, rec.Code, rec.Body)
		}
		if rec.Code >= 400 {
			if !isRefusal(rec) {
				t.Fatalf("%s %s: %d not in the contract's form: %s", method, r.URL, rec.Code, rec.Body)
			}
			if after := here.stateSummary(); after != before {
				t.Fatalf("%s %s: refused with %d but %s became %s", method, r.URL, rec.Code, before, after)
			}
		}
	})
}

// isRefusal reports whether a reply is an error of the contract, or a negative
// validation.
func isRefusal(rec *httptest.ResponseRecorder) bool {
	var e struct {
		protocol.ErrorBody
		protocol.ValidateReply
	}
	if json.Unmarshal(rec.Body.Bytes(), &e) != nil || rec.Header().Get("Content-Type") != protocol.MediaTypeJSON {
		return false
	}
	if rec.Code == http.StatusBadRequest && e.Code == "" {
		return e.Reason != "" && !e.OK
	}
	return protocol.Status(e.Code) == rec.Code && e.Error != "" && e.RequestID != "" && e.RequestID == rec.Header().Get("X-Request-Id")
}

// isAhead reports whether a rev is ahead of the world's.
func isAhead(fix *fixture, text string) bool {
	rev, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	return err == nil && rev > fix.world.View().Rev
}

// growth detects whether the process grows while it answers requests.
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
