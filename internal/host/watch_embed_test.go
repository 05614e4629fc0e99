package host

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
)

const framer = "https://site.example"

// framed is a host whose page pages of framer may show.
func framed(t *testing.T, access WatchAccess) *fixture {
	t.Helper()
	return newFixture(t, func(s *setup) {
		s.host.WatchAccess = access
		s.host.WatchEmbed = []string{framer + "/", "http://Box.example:8080"}
	})
}

// pass is what a page in a frame gets.
func (f *fixture) framePass(token string, options ...func(*http.Request)) (*reply, protocol.WatchSessionReply) {
	f.t.Helper()
	body := map[string]any{"framed": true}
	if token != "" {
		body["token"] = token
	}
	r := f.post(f.service.WatchSession(), body, append([]func(*http.Request){byPage}, options...)...)
	var reply protocol.WatchSessionReply
	if r.status == http.StatusOK {
		r.into(&reply)
	}
	return r, reply
}

func passing(pass protocol.WireSecret) func(*http.Request) {
	return with(protocol.HeaderWatchPass, pass.Reveal())
}

// TestOnlyListedOriginsMayFrameThePage compares the headers of the page with and without a list.
func TestOnlyListedOriginsMayFrameThePage(t *testing.T) {
	alone := newFixture(t).get("/play/watch").ok().header
	if p := alone.Get("Content-Security-Policy"); !strings.HasSuffix(p, "; frame-ancestors 'none'") || alone.Get("X-Frame-Options") != "DENY" {
		t.Errorf("without a list anybody may frame the page: %q", p)
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

// TestAPageInAFrameWatchesByAHeader has it read, never act, and be given no cookie.
func TestAPageInAFrameWatchesByAHeader(t *testing.T) {
	f := local(framed(t, WatchPublic))
	r, given := f.framePass("")
	if given.Scope != protocol.WatchScopeWatch || given.Pass.IsZero() || r.header.Get("Set-Cookie") != "" {
		t.Fatalf("on loopback, where all is free, a page in a frame gets %+v and the cookie %q", given, r.header.Get("Set-Cookie"))
	}
	sid := f.world.View().SID
	f.get("/api/play/snapshot?sid="+sid, byPage, passing(given.Pass)).ok()
	f.get("/api/play/snapshot?sid="+sid, byPage).refused(protocol.CodeCredentialsMissing)
	// The cookie of a page that may act, of the same browser, gives it nothing more.
	act := f.watcher(protocol.WatchScopeAct, "")
	body := `{"op":"intercomCommand","payload":` + goodRequests(f)["intercomCommand"].body + `}`
	f.post("/api/play/sdk/rpc?sid="+sid, body, byPage, showing(act), passing(given.Pass)).refused(protocol.CodeForbidden)
	f.get("/api/play/snapshot?sid="+sid, byPage, passing(protocol.NewSecret("none").Wire())).refused(protocol.CodeCredentialsInvalid)
}

// TestAPassNeedsWhatWatchingNeeds asks for one where nothing is free, and where no page may be framed.
func TestAPassNeedsWhatWatchingNeeds(t *testing.T) {
	f := framed(t, WatchLocal)
	r, _ := f.framePass("")
	r.refused(protocol.CodeCredentialsMissing)
	owner := f.main()
	link := f.link(owner)
	r, given := f.framePass(link)
	r.ok()
	if given.Scope != protocol.WatchScopeWatch {
		t.Errorf("the pass for a token that may act is good for %q", given.Scope)
	}
	sid := f.world.View().SID
	f.get("/api/play/snapshot?sid="+sid, byPage, passing(given.Pass)).ok()
	r, _ = newFixture(t, func(s *setup) { s.host.WatchAccess = WatchPublic }).framePass("")
	r.refused(protocol.CodeForbidden)
}

func TestAPassEndsAfterAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := framed(t, WatchPublic)
		_, given := f.framePass("")
		target := "/api/play/snapshot?sid=" + f.world.View().SID
		<-time.After(time.Hour - time.Second)
		f.get(target, byPage, passing(given.Pass)).ok()
		<-time.After(time.Second)
		f.get(target, byPage, passing(given.Pass)).refused(protocol.CodeCredentialsInvalid)
	})
}
