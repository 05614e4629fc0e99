package host

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

func TestUnknownPathsAndMethods(t *testing.T) {
	f := newFixture(t)
	for _, target := range []string{"/", "/api", "/api/", "/api/play", "/api/play/session/", "//api/nodes", "/api/./nodes", "/api/play/x", "/favicon.ico"} {
		f.get(target).refused(protocol.CodeNotFound)
		f.post(target, "ignored").refused(protocol.CodeNotFound)
	}
	for target, allow := range map[string]string{
		"/api/play/session": "GET, HEAD", "/api/play/sdk/rpc": "POST", protocol.PathNodes: "DELETE, GET, HEAD, POST",
		protocol.PathHealth: "GET, HEAD",
	} {
		r := f.do(http.MethodPut, target, "ignored")
		r.refused(protocol.CodeMethodNotAllowed)
		if got := r.header.Get("Allow"); got != allow {
			t.Errorf("%s allows %q, want %q", target, got, allow)
		}
	}
}

func TestEveryRequestHasItsOwnID(t *testing.T) {
	f := newFixture(t)
	seen := map[string]bool{}
	for range 100 {
		seen[f.get("/api/play/session", with("X-Request-Id", "made up")).header.Get("X-Request-Id")] = true
	}
	if len(seen) != 100 || seen["made up"] {
		t.Errorf("100 requests had %d ids", len(seen))
	}
}

// A defect answers 500 without a detail, and breaks the connection where the
// reply had started.
func TestPanicIsAnInternalError(t *testing.T) {
	f := newFixture(t)
	rec := httptest.NewRecorder()
	f.panicking(false).ServeHTTP(rec, f.request(http.MethodGet, "/broken", nil))
	r := &reply{t: t, what: "a panic", status: rec.Code, header: rec.Header(), body: rec.Body.Bytes()}
	r.refused(protocol.CodeInternal)
	if strings.Contains(string(r.body), worldtest.RootKey) {
		t.Errorf("the details leaked: %s", r.body)
	}
	defer func() {
		if p := recover(); p != http.ErrAbortHandler { //nolint:errorlint // net/http compares it so as well.
			t.Errorf("after the reply had started it panicked with %v, want http.ErrAbortHandler", p)
		}
	}()
	f.panicking(true).ServeHTTP(httptest.NewRecorder(), f.request(http.MethodGet, "/broken", nil))
}

// panicking is a route that panics, before or after its reply began.
func (f *fixture) panicking(started bool) http.Handler {
	rt := &route{path: "/broken"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{host: f.host, w: w, r: r, route: rt, rules: &rt.rules, began: time.Now()}
		f.host.handle(c, func(c *call) error {
			if started {
				c.write(http.StatusOK, []byte(`{"half`))
			}
			panic("the details of " + worldtest.RootKey)
		})
	})
}
