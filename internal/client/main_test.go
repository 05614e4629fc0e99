package client

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testHash  = "a3f1c0de00000000000000000000000000000000000000000000000000000001"
	testKey   = "pk_this-is-the-api-key"
	testAdmin = "pt_this-is-the-admin-token"
	testSID   = "1b4e28ba-2fa1-4d2b-883f-0016d3cca427"
)

// seen is one request that a test's host received.
type seen struct {
	method, path, sid, body string
	header                  http.Header
}

func (s *seen) key() string { return s.header.Get(protocol.HeaderIdempotencyKey) }

// answer writes the reply to the n-th request (from 1) of its route.
type answer func(w http.ResponseWriter, n int)

// testHost answers by route, records its requests, and serves a session.
type testHost struct {
	*httptest.Server
	mu       sync.Mutex
	routes   map[string]answer
	requests []seen
	counts   map[string]int
}

func newTestHost(t *testing.T, routes map[string]answer) *testHost {
	t.Helper()
	h := &testHost{routes: routes, counts: map[string]int{}}
	if routes["GET /api/play/session"] == nil {
		routes["GET /api/play/session"] = sessionOf(testSID, protocol.CapIdempotency)
	}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *testHost) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	route := r.Method + " " + r.URL.Path
	h.mu.Lock()
	h.counts[route]++
	n := h.counts[route]
	h.requests = append(h.requests, seen{r.Method, r.URL.Path, r.URL.Query().Get("sid"), string(body), r.Header.Clone()})
	reply := h.routes[route]
	h.mu.Unlock()
	if reply == nil {
		http.NotFound(w, r)
		return
	}
	reply(w, n)
}

// of returns the requests of a route.
func (h *testHost) of(route string) []seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []seen
	for _, r := range h.requests {
		if r.method+" "+r.path == route {
			found = append(found, r)
		}
	}
	return found
}

func sessionOf(sid string, caps ...protocol.Capability) answer {
	text, err := json.Marshal(protocol.SessionReply{SID: sid, Capabilities: caps})
	if err != nil {
		panic(err)
	}
	return ok(string(text))
}

func ok(body string) answer {
	return func(w http.ResponseWriter, _ int) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

func refuse(code protocol.Code) answer {
	return func(w http.ResponseWriter, _ int) {
		text, _ := json.Marshal(protocol.Errorf(code, "refused").Body("req-1"))
		w.WriteHeader(protocol.Status(code))
		_, _ = w.Write(text)
	}
}

// drop closes the connection without a reply.
func drop(w http.ResponseWriter, _ int) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// sequence answers the first request with the first answer and so on; the last one is
// repeated.
func sequence(answers ...answer) answer {
	return func(w http.ResponseWriter, n int) { answers[min(n, len(answers))-1](w, n) }
}

func testHashValue(t *testing.T) creds.PasswHash {
	t.Helper()
	hash, err := creds.ParsePasswHash(testHash)
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

// newTestClient returns a main node's client that repeats without delay.
func newTestClient(t *testing.T, h *testHost) *Client {
	t.Helper()
	c, err := New(Options{
		BaseURL:     h.URL,
		Credentials: Credentials{NodeID: strings.Repeat("ab", 32), Hash: testHashValue(t)},
		APIKey:      protocol.NewSecret(testKey),
		Retry:       retry.Policy{Attempts: 4, Backoff: retry.Backoff{First: 1, Max: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
