package host

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// On a host that checks no credentials, a page whose name resolves to this host,
// or of another origin, gets nothing and changes nothing.
func TestPagesOfOtherOrigins(t *testing.T) {
	open := func(t *testing.T, change ...func(*setup)) *fixture {
		return newFixture(t, append(change, func(s *setup) { s.host.NoRepository, s.world.NoRepository = true, true })...)
	}
	named := func(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }
	t.Run("a foreign name gets only health", func(t *testing.T) {
		f := open(t)
		before := f.stateSummary()
		for _, rt := range f.host.mounted() {
			body := any(nil)
			if rt.body != bodyIgnored {
				body = "{}"
			}
			f.do(rt.method, rt.path, body, named("evil.example:7420")).refused(protocol.CodeHostUnknown)
		}
		f.get(protocol.PathMetrics, named("evil.example")).refused(protocol.CodeHostUnknown)
		for _, path := range []string{"/", "/elsewhere", "/play/watch/"} {
			if rec := f.undescribed(path, named("evil.example")); rec.Code != http.StatusForbidden {
				t.Errorf("%s returns %d", path, rec.Code)
			}
		}
		for _, path := range []string{protocol.PathHealth, protocol.PathReady} {
			f.get(path, named("evil.example")).ok()
		}
		if after := f.stateSummary(); after != before {
			t.Errorf("refused requests changed the state: %s, before %s", after, before)
		}
	})
	t.Run("the ops listener gives foreign names only health", func(t *testing.T) {
		f := open(t, func(s *setup) { s.host.OpsAddress, s.host.Profiling = "127.0.0.1:0", true })
		statusOf := func(path string, options ...func(*http.Request)) int {
			rec := httptest.NewRecorder()
			f.host.ops.ServeHTTP(rec, f.request(http.MethodGet, path, nil, options...))
			return rec.Code
		}
		for _, path := range []string{
			protocol.PathMetrics, "/debug/pprof/", "/debug/pprof", "/debug/pprof/cmdline", "/debug/pprof/symbol", "/debug/pprof/heap",
			"//debug/pprof/cmdline", "/", "/elsewhere", "/" + protocol.PathHealth,
		} {
			for name, foreign := range map[string]func(*http.Request){"name": named("evil.example"), "page": with("Origin", "https://evil.example")} {
				if status := statusOf(path, foreign); status != http.StatusForbidden {
					t.Errorf("%s returns %d to a foreign %s", path, status, name)
				}
			}
		}
		for _, path := range []string{protocol.PathHealth, protocol.PathReady} {
			if status := statusOf(path, named("evil.example")); status != http.StatusOK {
				t.Errorf("%s returns %d", path, status)
			}
		}
		for _, path := range []string{protocol.PathMetrics, "/debug/pprof/", "/debug/pprof/cmdline"} {
			if status := statusOf(path); status != http.StatusOK {
				t.Errorf("%s returns %d to an allowed client", path, status)
			}
		}
	})
	t.Run("names", func(t *testing.T) {
		f := open(t, func(s *setup) {
			s.host.PublicURL, s.host.AllowHosts, s.host.WatchNames = "https://play.example.com", []string{"Inside.example"}, []string{"box.local"}
		})
		for host, known := range map[string]bool{
			"127.0.0.1:7420": true, "192.0.2.7": true, "[::1]:7420": true, "[2001:db8::1]": true, "localhost:7420": true, "playctl:7420": true,
			"play.example.com": true, "PLAY.example.com:443": true, "inside.example:1": true, "box.local": true,
			"": false, "localhost.": false, "evil.play.example.com": false, "example.com": false, "127.0.0.1.evil.example": false,
			"127.0.0.1.": false, "box.local.evil": false,
		} {
			r := f.get("/api/play/session", named(host))
			if known {
				r.ok()
			} else {
				r.refused(protocol.CodeHostUnknown)
			}
		}
	})
	t.Run("origins", func(t *testing.T) {
		f := open(t, func(s *setup) {
			s.host.PublicURL, s.host.CORSOrigins = "https://play.example.com", []string{"https://app.example.com"}
		})
		for origin, listed := range map[string]bool{
			"http://127.0.0.1": true, "https://play.example.com": true, "https://app.example.com": true,
			"https://evil.example": false, "null": false, "http://127.0.0.1:8080": false, "https://app.example.com.evil.example": false,
		} {
			for _, r := range []*reply{
				f.get("/api/play/session", with("Origin", origin)),
				f.post(f.play("/players"), registration("a"), with("Origin", origin)),
				f.post("/play/watch/token?sid="+f.world.View().SID, nil, with("Origin", origin)),
			} {
				if listed {
					r.ok()
				} else {
					r.refused(protocol.CodeOriginForbidden)
				}
			}
		}
		// A navigation that follows a link has another site as its source, but requests the host's
		// own page.
		f.get("/play/watch", with("Sec-Fetch-Site", "cross-site")).ok()
	})
	t.Run("a repository decides by credentials", func(t *testing.T) {
		f := newFixture(t)
		main := f.main()
		f.get("/api/play/session", as(main), named("world.example"), with("Origin", "https://app.example.com")).ok()
	})
}

// undescribed sends a request that the OpenAPI document need not describe.
func (f *fixture) undescribed(path string, options ...func(*http.Request)) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	f.handler.ServeHTTP(rec, f.request(http.MethodGet, path, nil, options...))
	return rec
}

// Every reply tells browsers not to guess its media type.
func TestHeadersOfEveryReply(t *testing.T) {
	f := newFixture(t)
	for _, path := range []string{"/api/play/session", "/play/watch", "/play/watch/", "/elsewhere", "//x", protocol.PathHealth, protocol.PathReady, protocol.PathMetrics} {
		header := f.undescribed(path).Header()
		if got := header.Values("X-Content-Type-Options"); len(got) != 1 || got[0] != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options is %q", path, got)
		}
		if got := header.Get("Strict-Transport-Security"); got != "" {
			t.Errorf("%s: without the option, Strict-Transport-Security is %q", path, got)
		}
	}
	f = newFixture(t, func(s *setup) { s.host.HSTS = true })
	secure := func(r *http.Request) { r.TLS = &tls.ConnectionState{} }
	if got := f.get("/api/play/session", secure).header.Get("Strict-Transport-Security"); got != hsts {
		t.Errorf("over TLS, Strict-Transport-Security is %q", got)
	}
	if got := f.get("/api/play/session").header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("without TLS, Strict-Transport-Security is %q", got)
	}
}
