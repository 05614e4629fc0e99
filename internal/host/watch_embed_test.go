package host

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

const framer = "https://site.example"

// framed is a host whose page may be framed by pages of framer.
func framed(t *testing.T, access WatchAccess) *fixture {
	t.Helper()
	return newFixture(t, func(s *setup) {
		s.host.WatchAccess = access
		s.host.WatchEmbed = []string{framer + "/", "http://Box.example:8080"}
	})
}

// pass returns the pass that a page in a frame gets.
func (f *fixture) framePass(token string, options ...func(*http.Request)) (*reply, protocol.WatchSessionReply) {
	f.t.Helper()
	body := map[string]any{"framed": true}
	if token != "" {
		body["token"] = token
	}
	r := f.post(f.service.WatchSession(), body, append([]func(*http.Request){asOwnPage}, options...)...)
	var reply protocol.WatchSessionReply
	if r.status == http.StatusOK {
		r.into(&reply)
	}
	return r, reply
}

func withPass(pass protocol.WireSecret) func(*http.Request) {
	return with(protocol.HeaderWatchPass, pass.Reveal())
}

// TestOnlyListedOriginsMayFrameThePage compares the headers of the page with and without a list.
func TestOnlyListedOriginsMayFrameThePage(t *testing.T) {
	alone := newFixture(t).get("/play/watch").ok().header
	if p := alone.Get("Content-Security-Policy"); !strings.HasSuffix(p, "; frame-ancestors 'none'") || alone.Get("X-Frame-Options") != "DENY" {
		t.Errorf("without a list any origin may frame the page: %q", p)
	}
	in := framed(t, WatchPublic).get("/play/watch").ok().header
	p := in.Get("Content-Security-Policy")
	if !strings.HasSuffix(p, "; frame-ancestors "+framer+" http://box.example:8080") || in.Get("X-Frame-Options") != "" {
		t.Errorf("the listed origins may not frame the page: %q, X-Frame-Options %q", p, in.Get("X-Frame-Options"))
	}
	if strings.TrimSuffix(p, framer+" http://box.example:8080") != strings.TrimSuffix(alone.Get("Content-Security-Policy"), "'none'") {
		t.Errorf("the list changes more than who may frame the page: %q", p)
	}
}

// TestFramedPageUsesPassHeader lets the page read, but not act, and gives it no
// cookie.
func TestFramedPageUsesPassHeader(t *testing.T) {
	f := local(framed(t, WatchPublic))
	r, given := f.framePass("")
	if given.Scope != protocol.WatchScopeWatch || given.Pass.IsZero() || r.header.Get("Set-Cookie") != "" {
		t.Fatalf("on loopback, a framed page gets %+v and the cookie %q", given, r.header.Get("Set-Cookie"))
	}
	sid := f.world.View().SID
	f.get("/api/play/snapshot?sid="+sid, asOwnPage, withPass(given.Pass)).ok()
	f.get("/api/play/snapshot?sid="+sid, asOwnPage).refused(protocol.CodeCredentialsMissing)
	// The cookie of a page that may act, of the same browser, gives it nothing more.
	act := f.watchCookie(protocol.WatchScopeAct, "")
	body := `{"op":"intercomCommand","payload":` + goodRequests(f)["intercomCommand"].body + `}`
	f.post("/api/play/sdk/rpc?sid="+sid, body, asOwnPage, withCookies(act), withPass(given.Pass)).refused(protocol.CodeForbidden)
	// Nor does the value of that cookie as a pass, from any page.
	f.get("/api/play/snapshot?sid="+sid, asOwnPage, withPass(protocol.NewSecret(act.Value).Wire())).ok()
	for _, page := range []func(*http.Request){asOwnPage, asListedPage, func(*http.Request) {}} {
		f.post("/api/play/sdk/rpc?sid="+sid, body, page, withPass(protocol.NewSecret(act.Value).Wire())).refused(protocol.CodeForbidden)
		f.do(http.MethodPut, f.play("/person"), map[string]any{"name": "Ada", "x": 1, "y": 1}, page, withPass(protocol.NewSecret(act.Value).Wire())).refused(protocol.CodeForbidden)
	}
	f.get("/api/play/snapshot?sid="+sid, asOwnPage, withPass(protocol.NewSecret("none").Wire())).refused(protocol.CodeCredentialsInvalid)
}

// TestPassRequiresWatchAccess requests a pass where nothing is free, and where no page may be
// framed.
func TestPassRequiresWatchAccess(t *testing.T) {
	f := framed(t, WatchLocal)
	r, _ := f.framePass("")
	r.refused(protocol.CodeCredentialsMissing)
	owner := f.main()
	link := f.watchToken(owner)
	r, given := f.framePass(link)
	r.ok()
	if given.Scope != protocol.WatchScopeWatch {
		t.Errorf("the pass for a token with scope act has scope %q", given.Scope)
	}
	sid := f.world.View().SID
	f.get("/api/play/snapshot?sid="+sid, asOwnPage, withPass(given.Pass)).ok()
	r, _ = newFixture(t, func(s *setup) { s.host.WatchAccess = WatchPublic }).framePass("")
	r.refused(protocol.CodeForbidden)
}

func TestPassExpiresAfterOneHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := framed(t, WatchPublic)
		_, given := f.framePass("")
		target := "/api/play/snapshot?sid=" + f.world.View().SID
		<-time.After(time.Hour - time.Second)
		f.get(target, asOwnPage, withPass(given.Pass)).ok()
		<-time.After(time.Second)
		f.get(target, asOwnPage, withPass(given.Pass)).refused(protocol.CodeCredentialsInvalid)
	})
}

// asListedPage is a browser at a page of a listed origin.
func asListedPage(r *http.Request) {
	r.Host = "localhost:7420"
	r.Header.Set("Origin", framer)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
}

// embedded are the routes that pages of listed origins may read.
var embedded = map[string]bool{
	"GET /play/watch/town.js": true, "POST /play/watch/session": true,
	"GET /api/play/session": true, "GET /api/play/snapshot": true, "GET /api/play/events": true, "POST /api/play/sdk/rpc": true,
}

// TestListedOriginsMayOnlyRead sends each route a preflight request.
func TestListedOriginsMayOnlyRead(t *testing.T) {
	for _, open := range []bool{false, true} {
		f := newFixture(t, func(s *setup) {
			s.host.WatchEmbed, s.host.NoRepository, s.world.NoRepository = []string{framer}, open, open
		})
		seen := 0
		for _, rt := range f.host.mounted() {
			path := strings.ReplaceAll(rt.path, "{name}", "a.js")
			for origin, listed := range map[string]bool{framer: true, "https://evil.example": false, framer + ".evil.example": false, "null": false} {
				r := httptest.NewRecorder()
				f.handler.ServeHTTP(r, f.request(http.MethodOptions, path, nil, asListedPage, with("Origin", origin), with("Access-Control-Request-Method", rt.method)))
				want := listed && embedded[rt.method+" "+rt.path]
				if want != (r.Code == http.StatusNoContent) || want != (r.Header().Get("Access-Control-Allow-Origin") == origin) {
					t.Errorf("%s %s from %s: %d, allowed is %q", rt.method, rt.path, origin, r.Code, r.Header().Get("Access-Control-Allow-Origin"))
				}
				if want {
					seen++
					if h := r.Header(); h.Get("Access-Control-Allow-Headers") != embedRequestHeaders || h.Get("Access-Control-Allow-Credentials") != "" || h.Get("Vary") != "Origin" {
						t.Errorf("the preflight reply of %s has %v", rt.path, h)
					}
				}
			}
		}
		if seen != len(embedded) {
			t.Errorf("%d routes are open to pages of listed origins, not %d", seen, len(embedded))
		}
	}
}

// TestPageOfListedOriginRequiresPass lets the page read with a pass, never act, and get neither a
// cookie nor the access of a cookie.
func TestPageOfListedOriginRequiresPass(t *testing.T) {
	for _, open := range []bool{false, true} {
		f := local(newFixture(t, func(s *setup) {
			s.host.WatchEmbed, s.host.NoRepository, s.world.NoRepository = []string{framer}, open, open
		}))
		target := "/api/play/snapshot?sid=" + f.world.View().SID
		var given protocol.WatchSessionReply
		r := f.post(f.service.WatchSession(), `{"framed":true}`, asListedPage).ok()
		r.into(&given)
		if given.Scope != protocol.WatchScopeWatch || r.header.Get("Access-Control-Allow-Origin") != framer || r.header.Get("Set-Cookie") != "" {
			t.Fatalf("a page of a listed origin gets %+v and %v", given, r.header)
		}
		if r = f.get(target, asListedPage, withPass(given.Pass)).ok(); r.header.Get("Access-Control-Allow-Origin") != framer {
			t.Errorf("the page cannot read the snapshot: %v", r.header)
		}
		const ask = `{"op":"intercomCommand","payload":{"requestId":"r","mainNodeId":"m","fromPlayerId":"__human__","toPlayerId":"a","kind":"chat","text":"Hi"}}`
		f.post("/api/play/sdk/rpc?sid="+f.world.View().SID, ask, asListedPage, withPass(given.Pass)).refused(protocol.CodeForbidden)
		f.post("/api/play/sdk/rpc?sid="+f.world.View().SID, ask, asListedPage).refused(protocol.CodeCredentialsMissing)
		f.get(target, asListedPage).refused(protocol.CodeCredentialsMissing)
		f.get(target, asListedPage, withPass(protocol.NewSecret("none").Wire())).refused(protocol.CodeCredentialsInvalid)
		f.get(target, asListedPage, withPass(given.Pass), with("Origin", "https://evil.example")).refusedAny(protocol.CodeForbidden, protocol.CodeOriginForbidden)
		// A cookie that the browser sends along, as it does to another port of the same name, does not
		// count either.
		act := f.watchCookie(protocol.WatchScopeAct, "")
		f.get(target, asListedPage, withCookies(act)).refusedAny(protocol.CodeForbidden, protocol.CodeCredentialsMissing)
		for _, body := range []string{`{}`, `{"framed":false}`} {
			r := f.post(f.service.WatchSession(), body, asListedPage, withPass(given.Pass))
			r.refused(protocol.CodeForbidden)
			if r.header.Get("Set-Cookie") != "" {
				t.Errorf("a page of another origin gets the cookie %q", r.header.Get("Set-Cookie"))
			}
		}
		// A foreign name that resolves to this host is not a listed origin.
		f.post(f.service.WatchSession(), `{"framed":true}`, asListedPage, withHost("evil.example")).refusedAny(protocol.CodeHostUnknown, protocol.CodeCredentialsMissing)
	}
}

// refusedAny checks that a reply is a refusal with one of two codes.
func (r *reply) refusedAny(one, other protocol.Code) {
	r.t.Helper()
	var e protocol.ErrorBody
	_ = json.Unmarshal(r.body, &e)
	if code := e.Code; r.status < 400 || code != one && code != other {
		r.t.Errorf("the reply is %d %s, not %s or %s", r.status, r.body, one, other)
	}
}

// TestTownScriptIsServedToListedOrigins loads the script, which is one file.
func TestTownScriptIsServedToListedOrigins(t *testing.T) {
	f := framed(t, WatchPublic)
	r := f.get("/play/watch/town.js", asListedPage).ok()
	if r.header.Get("Content-Type") != "text/javascript; charset=utf-8" || r.header.Get("Cache-Control") != cachePage ||
		r.header.Get("Access-Control-Allow-Origin") != framer || len(r.body) == 0 {
		t.Errorf("the script has the headers %v", r.header)
	}
	if parts := regexp.MustCompile(`import\(?\s*["'\x60]`).FindString(string(r.body)); parts != "" {
		t.Errorf("the script loads further files: %s", parts)
	}
}
