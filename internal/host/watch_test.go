package host

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// local makes the fixture's host behave as if it listens on loopback.
func local(f *fixture) *fixture {
	f.host.loopback.Store(true)
	return f
}

func called(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }

// byPage is a browser at the host's own page.
func byPage(r *http.Request) {
	r.Host = "localhost:7420"
	r.Header.Set("Origin", "http://localhost:7420")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
}

func showing(cookies ...*http.Cookie) func(*http.Request) {
	return func(r *http.Request) {
		for _, c := range cookies {
			r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
	}
}

// enter requests a cookie.
func (f *fixture) enter(token string, options ...func(*http.Request)) (*reply, *http.Cookie) {
	f.t.Helper()
	body := map[string]any{}
	if token != "" {
		body["token"] = token
	}
	r := f.post(f.service.WatchSession(), body, append([]func(*http.Request){byPage}, options...)...)
	cookies := (&http.Response{Header: r.header}).Cookies()
	if len(cookies) == 0 {
		return r, nil
	}
	return r, cookies[0]
}

// watcher gets a cookie, which must have the given scope.
func (f *fixture) watcher(want protocol.WatchScope, token string, options ...func(*http.Request)) *http.Cookie {
	f.t.Helper()
	r, cookie := f.enter(token, options...)
	var reply protocol.WatchSessionReply
	r.into(&reply)
	if reply.Scope != want || cookie == nil {
		f.t.Fatalf("the scope is %q and the cookie %v, want %q and a cookie", reply.Scope, cookie, want)
	}
	return cookie
}

// link creates a watch token of a main node.
func (f *fixture) link(owner identity) string {
	f.t.Helper()
	var reply protocol.WatchTokenReply
	f.post(f.service.WatchToken()+"?sid="+f.world.View().SID, map[string]any{}, as(owner)).into(&reply)
	if !strings.HasSuffix(reply.URL, "/play/watch") {
		f.t.Errorf("the page's address is %q", reply.URL)
	}
	return reply.Token.Reveal()
}

// TestWatchCookieCountsWhereItShould tries both scopes on every route and
// operation of the table.
func TestWatchCookieCountsWhereItShould(t *testing.T) {
	f := local(newFixture(t, func(s *setup) { s.host.WatchAccess = WatchPublic }))
	good := goodRequests(f)
	act := f.watcher(protocol.WatchScopeAct, "")
	watch := f.watcher(protocol.WatchScopeWatch, "", called("world.example:7420"))
	reads := map[string]bool{
		"GET /api/play/session": true, "GET /api/play/snapshot": true, "getWorldSnapshot": true, "getPlayerChainNode": true,
		"getPlayerChainNodes": true, "getPlayerChainProof": true, "listInteractions": true, "listJourneys": true,
		"listSpaceNodes": true, "inspectSpace": true, "listAnswering": true, "listEvents": true, "getWorldSnapshotAt": true,
	}
	acts := map[string]bool{
		"POST /api/play/assist-tool": true, "POST /api/play/proximity-action": true, "intercomCommand": true,
		"PUT /api/play/person": true, "DELETE /api/play/person": true,
	}
	for name, g := range good {
		method, path, isRoute := strings.Cut(name, " ")
		if strings.HasPrefix(path, "/play/watch/session") || name == "POST /api/nodes" {
			continue // These routes need no credentials.
		}
		for scope, cookie := range map[string]*http.Cookie{"watch": watch, "act": act} {
			t.Run(name+"/"+scope, func(t *testing.T) {
				var body any = g.body
				if !isRoute {
					method, path, body = http.MethodPost, "/api/play/sdk/rpc", `{"op":"`+name+`","payload":`+g.body+`}`
				} else if g.body == "" {
					body = nil
				}
				r := f.do(method, path+"?"+g.query+"&sid="+f.world.View().SID, body, byPage, showing(cookie))
				r.t = t
				switch {
				case reads[name], acts[name] && scope == "act":
					r.ok()
				case acts[name], !isRoute:
					r.refused(protocol.CodeForbidden)
				default:
					r.refused(protocol.CodeCredentialsMissing)
				}
			})
		}
	}
}

// TestFreeWatching checks which callers get which scope without a token.
func TestFreeWatching(t *testing.T) {
	const act, watch = protocol.WatchScopeAct, protocol.WatchScopeWatch
	cases := map[string]struct {
		access WatchAccess
		public string
		remote bool
		set    func(*http.Request)
		want   protocol.WatchScope
		code   protocol.Code
	}{
		"localhost":                      {set: called("localhost:7420"), want: act},
		"localhost in capitals":          {set: called("LOCALHOST"), want: act},
		"an address of loopback":         {set: called("127.8.9.1:80"), want: act},
		"an address of loopback, IPv6":   {set: called("[::1]:7420"), want: act},
		"a name of the operator's":       {set: called("box.local:7420"), want: act},
		"the name of a stranger":         {set: called("rebound.example:7420"), code: protocol.CodeForbidden},
		"a name that begins like it":     {set: called("localhost.rebound.example"), code: protocol.CodeForbidden},
		"any address":                    {set: called("0.0.0.0:7420"), code: protocol.CodeForbidden},
		"no name":                        {set: called(""), code: protocol.CodeForbidden},
		"through a proxy":                {set: with("X-Forwarded-For", "203.0.113.7"), code: protocol.CodeCredentialsMissing},
		"through another proxy":          {set: with("Via", "1.1 proxy"), code: protocol.CodeCredentialsMissing},
		"behind a public name":           {public: "https://play.example.org", set: nobody, code: protocol.CodeCredentialsMissing},
		"behind a public name, by name":  {public: "https://play.example.org", set: called("play.example.org"), code: protocol.CodeCredentialsMissing},
		"with a public name of loopback": {public: "http://localhost:7420", set: nobody, want: act},
		"elsewhere":                      {remote: true, set: nobody, code: protocol.CodeCredentialsMissing},
		"elsewhere, public":              {remote: true, access: WatchPublic, set: nobody, want: watch},
		"public, through a proxy":        {access: WatchPublic, set: with("X-Forwarded-For", "203.0.113.7"), want: watch},
		"public, at home":                {access: WatchPublic, set: nobody, want: act},
		"with a token only":              {access: WatchToken, set: nobody, code: protocol.CodeCredentialsMissing},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(s *setup) {
				s.host.WatchAccess, s.host.PublicURL, s.host.WatchNames = c.access, c.public, []string{"box.local"}
			})
			f.host.loopback.Store(!c.remote)
			// No Origin: this test is only about names.
			bare := func(r *http.Request) { r.Header.Del("Origin"); r.Header.Del("Sec-Fetch-Site") }
			r, cookie := f.enter("", bare, c.set)
			if c.code != "" {
				r.refused(c.code)
				if cookie != nil {
					t.Error("a refusal gave a cookie")
				}
				return
			}
			f.watcher(c.want, "", bare, c.set)
		})
	}
}

func TestWatchingIsForTheHostsOwnPages(t *testing.T) {
	f := local(newFixture(t, func(s *setup) { s.host.CORSOrigins = []string{"https://friend.example"} }))
	cookie := f.watcher(protocol.WatchScopeAct, "")
	attacks := map[string]map[string]string{
		"another site":              {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
		"another port of this name": {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:9999"},
		"an old browser":            {"Sec-Fetch-Site": "", "Origin": "https://evil.example"},
		"a page without an origin":  {"Sec-Fetch-Site": "", "Origin": "null"},
		"an origin for programs":    {"Sec-Fetch-Site": "cross-site", "Origin": "https://friend.example"},
	}
	for name, headers := range attacks {
		attack := func(r *http.Request) {
			for k, v := range headers {
				if r.Header.Del(k); v != "" {
					r.Header.Set(k, v)
				}
			}
		}
		r, given := f.enter("", attack)
		r.refused(protocol.CodeForbidden)
		if given != nil {
			t.Errorf("%s got a cookie", name)
		}
		f.get(f.play("/snapshot"), byPage, attack, showing(cookie)).refused(protocol.CodeForbidden)
		f.post(f.play("/assist-tool"), `{}`, byPage, attack, showing(cookie)).refused(protocol.CodeForbidden)
	}
	f.get(f.play("/snapshot"), byPage, showing(cookie)).ok()
}

func TestAWatchCookieIsSetAsItShould(t *testing.T) {
	plain := local(newFixture(t)).watcher(protocol.WatchScopeAct, "")
	if plain.Name != "play_watch_7420" || !plain.HttpOnly || plain.Secure || plain.SameSite != http.SameSiteStrictMode ||
		plain.Path != "/" || plain.Domain != "" || plain.MaxAge < 43_000 || plain.MaxAge > 43_200 {
		t.Errorf("the cookie is %v", plain)
	}
	f := newFixture(t, func(s *setup) { s.host.PublicURL = "https://play.example.org" })
	secure := f.watcher(protocol.WatchScopeAct, f.link(f.main()))
	if secure.Name != "__Host-play_watch" || !secure.Secure {
		t.Errorf("under TLS the cookie is %v", secure)
	}
	f = newFixture(t, func(s *setup) { s.host.PublicURL = "https://example.org/world" })
	below := f.watcher(protocol.WatchScopeAct, f.link(f.main()), called("example.org"))
	if below.Name != "play_watch" || below.Path != "/world/" {
		t.Errorf("below a path the cookie is %v", below)
	}
}

// TestWatchTokenAndItsCookieEndWithTheNode follows a link from its creation to its end.
func TestWatchTokenAndItsCookieEndWithTheNode(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	token := f.link(owner)
	f.enterRefused("pt_wrong", protocol.CodeCredentialsInvalid)
	f.enterRefused("", protocol.CodeCredentialsMissing)
	cookie := f.watcher(protocol.WatchScopeAct, token)
	read := func() *reply { return f.get(f.play("/snapshot"), byPage, showing(cookie)) }
	read().ok()
	// A page that is loaded again has lost the token and keeps its cookie.
	r, again := f.enter("", showing(cookie))
	if r.ok(); again != nil || !strings.Contains(string(r.body), `"scope":"act"`) {
		t.Errorf("the second exchange gave %s and the cookie %v", r.body, again)
	}
	f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": owner.id}, as(owner)).ok()
	read().refused(protocol.CodeCredentialsInvalid)
	f.enterRefused(token, protocol.CodeCredentialsInvalid)
}

// revoke ends the token at an index of the account's list.
func (f *fixture) revoke(owner identity, place int) {
	f.t.Helper()
	var list protocol.WatchTokensReply
	f.get(f.service.WatchToken(), as(owner)).into(&list)
	var done protocol.OKReply
	target := f.service.WatchToken() + "?sid=" + f.world.View().SID + "&id=" + list.Tokens[place].ID
	f.do(http.MethodDelete, target, nil, as(f.main())).into(&done)
	if done.OK {
		f.t.Error("somebody else revoked a token")
	}
	f.do(http.MethodDelete, target, nil, as(owner)).into(&done)
	if !done.OK {
		f.t.Error("the token was not revoked")
	}
}

func (f *fixture) enterRefused(token string, code protocol.Code, options ...func(*http.Request)) {
	f.t.Helper()
	r, cookie := f.enter(token, options...)
	if r.refused(code); cookie != nil {
		f.t.Error("a refusal gave a cookie")
	}
}

// TestWatchCookiesThatAreNotGood sends forged, foreign and expired cookies, and ended free ones.
func TestWatchCookiesThatAreNotGood(t *testing.T) {
	f, other := local(newFixture(t)), local(newFixture(t))
	mine := f.watcher(protocol.WatchScopeAct, "")
	foreign := other.watcher(protocol.WatchScopeAct, "")
	key := *f.host.passKeys.key.Load()
	ended := &pass{viewer: newViewer(), scope: protocol.WatchScopeAct, expires: time.Now().Add(-time.Millisecond), free: true}
	nobodys := &pass{viewer: newViewer(), scope: protocol.WatchScopeAct, expires: time.Now().Add(time.Hour), owner: "gone", ownerSince: 1}
	flipped := []byte(mine.Value)
	flipped[4] ^= 1
	for name, value := range map[string]string{
		"another world's": foreign.Value, "changed": string(flipped), "cut": mine.Value[:len(mine.Value)-1], "empty": "",
		"ended": ended.seal(key), "of a node that is gone": nobodys.seal(key), "long": strings.Repeat("A", 4000),
	} {
		t.Run(name, func(t *testing.T) {
			r := f.get(f.play("/snapshot"), byPage, showing(&http.Cookie{Name: mine.Name, Value: value}))
			r.t = t
			r.refused(protocol.CodeCredentialsInvalid)
		})
	}
	f.get(f.play("/snapshot"), byPage, showing(mine)).ok()
	// Free access is checked with every request.
	f.get(f.play("/snapshot"), byPage, showing(mine), with("X-Forwarded-For", "203.0.113.7")).refused(protocol.CodeCredentialsInvalid)
	f.get(f.play("/snapshot"), byPage, showing(mine), called("rebound.example:7420"), with("Origin", "http://rebound.example:7420")).
		refused(protocol.CodeCredentialsInvalid)
	f.host.loopback.Store(false)
	f.get(f.play("/snapshot"), byPage, showing(mine)).refused(protocol.CodeCredentialsInvalid)
}

// TestNodeCredentialsWinOverACookie checks that no cookie makes up for wrong credentials.
func TestNodeCredentialsWinOverACookie(t *testing.T) {
	f := local(newFixture(t))
	cookie := f.watcher(protocol.WatchScopeAct, "")
	wrong := as(identity{id: strings.Repeat("0", 64), hash: strings.Repeat("0", 64)})
	f.get(f.play("/snapshot"), byPage, showing(cookie), wrong).refused(protocol.CodeCredentialsInvalid)
	f.get(f.play("/snapshot"), byPage, showing(cookie), with("Authorization", "Bearer no")).refused(protocol.CodeCredentialsInvalid)
}

// TestAViewerSeesItsOwnAnswers lets one viewer ask and another watch.
func TestAViewerSeesItsOwnAnswers(t *testing.T) {
	f := local(newFixture(t))
	agent := f.player(f.main())
	asker, other := f.watcher(protocol.WatchScopeAct, ""), f.watcher(protocol.WatchScopeAct, "")
	var asked protocol.RequestReply
	f.post(f.play("/assist-tool"), map[string]any{"targetPlayerId": agent.id, "toolName": "chat_tool", "args": map[string]any{}},
		byPage, showing(asker)).into(&asked)
	for e, err := range f.world.History(t.Context(), 0, f.world.View().Seq) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind != string(protocol.EventIntercom) {
			continue
		}
		if !e.VisibleTo(f.viewerOf(asker)) || e.VisibleTo(f.viewerOf(other)) {
			t.Error("the event is not for the viewer that asked and no other viewer")
		}
	}
	// A viewer may not speak for an agent.
	f.post(f.play("/proximity-action"), map[string]any{"fromPlayerId": agent.id, "toPlayerId": agent.id, "action": "chat"},
		byPage, showing(asker)).refused(protocol.CodeForbidden)
}

func (f *fixture) viewerOf(cookie *http.Cookie) world.Caller {
	f.t.Helper()
	p := openPass(*f.host.passKeys.key.Load(), cookie.Value)
	if p == nil {
		f.t.Fatal("the cookie is not this world's")
	}
	return world.Caller{Viewer: p.label()}
}

// TestNothingOfAWatchSessionIsLogged looks for tokens and cookies in the log.
func TestNothingOfAWatchSessionIsLogged(t *testing.T) {
	var log bytes.Buffer
	f := newFixture(t, func(s *setup) {
		s.host.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s.host.AccessLog = true
	})
	token := f.link(f.main())
	cookie := f.watcher(protocol.WatchScopeAct, token)
	f.get(f.play("/snapshot"), byPage, showing(cookie)).ok()
	f.enterRefused(token+"x", protocol.CodeCredentialsInvalid)
	if text := log.String(); strings.Contains(text, token) || strings.Contains(text, cookie.Value) || !strings.Contains(text, "viewer:") {
		t.Error("the log has a token or a cookie, or lacks the viewer")
	}
}

// TestStreamsOfACookieEndWithIt ends a stream by time, and one by deleting its main node.
func TestStreamsOfACookieEndWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left = 10 * time.Minute
		f := newFixture(t)
		owner := f.main()
		cookie := f.watcher(protocol.WatchScopeAct, f.link(owner))
		n := f.serve()
		open := func(value string) *subscription {
			return n.subscribe(func(r *http.Request) {
				byPage(r)
				showing(&http.Cookie{Name: cookie.Name, Value: value})(r)
			}, "")
		}
		short := openPass(*f.host.passKeys.key.Load(), cookie.Value)
		if short == nil {
			t.Fatal("the cookie is not this world's")
		}
		short.expires = time.Now().Add(left)
		began := time.Now()
		s := open(short.seal(*f.host.passKeys.key.Load()))
		s.ended()
		s.close()
		if took := time.Since(began); took != left {
			t.Errorf("a cookie that was good for %s had its stream for %s", left, took)
		}
		s = open(cookie.Value)
		other := f.watcher(protocol.WatchScopeAct, f.link(owner))
		began = time.Now()
		f.revoke(owner, 0)
		s.ended()
		s.close()
		if took := time.Since(began); took != 0 {
			t.Errorf("a cookie whose token was revoked had its stream for another %s", took)
		}
		f.get(f.play("/snapshot"), byPage, showing(cookie)).refused(protocol.CodeCredentialsInvalid)
		f.enterRefused("", protocol.CodeCredentialsMissing, showing(cookie))
		f.get(f.play("/snapshot"), byPage, showing(other)).ok()
		s = open(other.Value)
		began = time.Now()
		f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": owner.id}, as(owner)).ok()
		s.endedAfter(protocol.EventAgentSignal)
		s.close()
		if took := time.Since(began); took != 0 {
			t.Errorf("a cookie whose main node was deleted had its stream for another %s", took)
		}
	})
}
