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

func withHost(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }

// asOwnPage is a browser at the host's own page.
func asOwnPage(r *http.Request) {
	r.Host = "localhost:7420"
	r.Header.Set("Origin", "http://localhost:7420")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
}

func withCookies(cookies ...*http.Cookie) func(*http.Request) {
	return func(r *http.Request) {
		for _, c := range cookies {
			r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
		}
	}
}

// requestCookie requests a cookie.
func (f *fixture) requestCookie(token string, options ...func(*http.Request)) (*reply, *http.Cookie) {
	f.t.Helper()
	body := map[string]any{}
	if token != "" {
		body["token"] = token
	}
	r := f.post(f.service.WatchSession(), body, append([]func(*http.Request){asOwnPage}, options...)...)
	cookies := (&http.Response{Header: r.header}).Cookies()
	if len(cookies) == 0 {
		return r, nil
	}
	return r, cookies[0]
}

// watchCookie gets a cookie, which must have the given scope.
func (f *fixture) watchCookie(want protocol.WatchScope, token string, options ...func(*http.Request)) *http.Cookie {
	f.t.Helper()
	r, cookie := f.requestCookie(token, options...)
	var reply protocol.WatchSessionReply
	r.into(&reply)
	if reply.Scope != want || cookie == nil {
		f.t.Fatalf("the scope is %q and the cookie %v, want %q and a cookie", reply.Scope, cookie, want)
	}
	return cookie
}

// watchToken creates a watch token of a main node.
func (f *fixture) watchToken(owner identity) string {
	f.t.Helper()
	var reply protocol.WatchTokenReply
	f.post(f.service.WatchToken()+"?sid="+f.world.View().SID, map[string]any{}, as(owner)).into(&reply)
	if !strings.HasSuffix(reply.URL, "/play/watch") {
		f.t.Errorf("the page's address is %q", reply.URL)
	}
	return reply.Token.Reveal()
}

// TestWatchCookieScopes tries both scopes on every route and
// operation of the table.
func TestWatchCookieScopes(t *testing.T) {
	f := local(newFixture(t, func(s *setup) { s.host.WatchAccess = WatchPublic }))
	good := goodRequests(f)
	act := f.watchCookie(protocol.WatchScopeAct, "")
	watch := f.watchCookie(protocol.WatchScopeWatch, "", withHost("world.example:7420"))
	reads := map[string]bool{
		"GET /api/play/session": true, "GET /api/play/snapshot": true, "getWorldSnapshot": true, "getPlayerChainNode": true,
		"getPlayerChainNodes": true, "getPlayerChainProof": true, "listInteractions": true, "listJourneys": true,
		"listSpaceNodes": true, "inspectSpace": true, "listAnswering": true, "countAgents": true, "listEvents": true, "getWorldSnapshotAt": true,
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
				r := f.do(method, path+"?"+g.query+"&sid="+f.world.View().SID, body, asOwnPage, withCookies(cookie))
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

// TestWatchingWithoutToken checks which callers get which scope without a token.
func TestWatchingWithoutToken(t *testing.T) {
	const act, watch = protocol.WatchScopeAct, protocol.WatchScopeWatch
	cases := map[string]struct {
		access WatchAccess
		public string
		remote bool
		set    func(*http.Request)
		want   protocol.WatchScope
		code   protocol.Code
	}{
		"localhost":                         {set: withHost("localhost:7420"), want: act},
		"localhost in capitals":             {set: withHost("LOCALHOST"), want: act},
		"an address of loopback":            {set: withHost("127.8.9.1:80"), want: act},
		"an address of loopback, IPv6":      {set: withHost("[::1]:7420"), want: act},
		"a name set by the operator":        {set: withHost("box.local:7420"), want: act},
		"a foreign name":                    {set: withHost("rebound.example:7420"), code: protocol.CodeForbidden},
		"a name that starts with localhost": {set: withHost("localhost.rebound.example"), code: protocol.CodeForbidden},
		"the unspecified address":           {set: withHost("0.0.0.0:7420"), code: protocol.CodeForbidden},
		"no name":                           {set: withHost(""), code: protocol.CodeForbidden},
		"through a proxy":                   {set: with("X-Forwarded-For", "203.0.113.7"), code: protocol.CodeCredentialsMissing},
		"through another proxy":             {set: with("Via", "1.1 proxy"), code: protocol.CodeCredentialsMissing},
		"behind a public name":              {public: "https://play.example.org", set: anonymous, code: protocol.CodeCredentialsMissing},
		"behind a public name, by name":     {public: "https://play.example.org", set: withHost("play.example.org"), code: protocol.CodeCredentialsMissing},
		"with a public name of loopback":    {public: "http://localhost:7420", set: anonymous, want: act},
		"not on loopback":                   {remote: true, set: anonymous, code: protocol.CodeCredentialsMissing},
		"public, not on loopback":           {remote: true, access: WatchPublic, set: anonymous, want: watch},
		"public, through a proxy":           {access: WatchPublic, set: with("X-Forwarded-For", "203.0.113.7"), want: watch},
		"public, on loopback":               {access: WatchPublic, set: anonymous, want: act},
		"with a token only":                 {access: WatchToken, set: anonymous, code: protocol.CodeCredentialsMissing},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(s *setup) {
				s.host.WatchAccess, s.host.PublicURL, s.host.WatchNames = c.access, c.public, []string{"box.local"}
			})
			f.host.loopback.Store(!c.remote)
			// No Origin: this test is only about names.
			bare := func(r *http.Request) { r.Header.Del("Origin"); r.Header.Del("Sec-Fetch-Site") }
			r, cookie := f.requestCookie("", bare, c.set)
			if c.code != "" {
				r.refused(c.code)
				if cookie != nil {
					t.Error("a refusal set a cookie")
				}
				return
			}
			f.watchCookie(c.want, "", bare, c.set)
		})
	}
}

func TestWatchingRequiresHostsOwnPage(t *testing.T) {
	f := local(newFixture(t, func(s *setup) { s.host.CORSOrigins = []string{"https://friend.example"} }))
	cookie := f.watchCookie(protocol.WatchScopeAct, "")
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
		r, given := f.requestCookie("", attack)
		r.refused(protocol.CodeForbidden)
		if given != nil {
			t.Errorf("%s got a cookie", name)
		}
		f.get(f.play("/snapshot"), asOwnPage, attack, withCookies(cookie)).refused(protocol.CodeForbidden)
		f.post(f.play("/assist-tool"), `{}`, asOwnPage, attack, withCookies(cookie)).refused(protocol.CodeForbidden)
	}
	f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie)).ok()
}

func TestWatchCookieAttributes(t *testing.T) {
	plain := local(newFixture(t)).watchCookie(protocol.WatchScopeAct, "")
	if plain.Name != "play_watch_7420" || !plain.HttpOnly || plain.Secure || plain.SameSite != http.SameSiteStrictMode ||
		plain.Path != "/" || plain.Domain != "" || plain.MaxAge < 43_000 || plain.MaxAge > 43_200 {
		t.Errorf("the cookie is %v", plain)
	}
	f := newFixture(t, func(s *setup) { s.host.PublicURL = "https://play.example.org" })
	secure := f.watchCookie(protocol.WatchScopeAct, f.watchToken(f.main()))
	if secure.Name != "__Host-play_watch" || !secure.Secure {
		t.Errorf("under TLS the cookie is %v", secure)
	}
	f = newFixture(t, func(s *setup) { s.host.PublicURL = "https://example.org/world" })
	below := f.watchCookie(protocol.WatchScopeAct, f.watchToken(f.main()), withHost("example.org"))
	if below.Name != "play_watch" || below.Path != "/world/" {
		t.Errorf("below a path the cookie is %v", below)
	}
}

// TestWatchTokenAndCookieEndWithNode follows a link from its creation to its end.
func TestWatchTokenAndCookieEndWithNode(t *testing.T) {
	f := newFixture(t)
	owner := f.main()
	token := f.watchToken(owner)
	f.cookieRefused("pt_wrong", protocol.CodeCredentialsInvalid)
	f.cookieRefused("", protocol.CodeCredentialsMissing)
	cookie := f.watchCookie(protocol.WatchScopeAct, token)
	read := func() *reply { return f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie)) }
	read().ok()
	// A page that is loaded again has lost the token and keeps its cookie.
	r, again := f.requestCookie("", withCookies(cookie))
	if r.ok(); again != nil || !strings.Contains(string(r.body), `"scope":"act"`) {
		t.Errorf("the second exchange returned %s and the cookie %v", r.body, again)
	}
	f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": owner.id}, as(owner)).ok()
	read().refused(protocol.CodeCredentialsInvalid)
	f.cookieRefused(token, protocol.CodeCredentialsInvalid)
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
		f.t.Error("another account revoked the token")
	}
	f.do(http.MethodDelete, target, nil, as(owner)).into(&done)
	if !done.OK {
		f.t.Error("the token was not revoked")
	}
}

func (f *fixture) cookieRefused(token string, code protocol.Code, options ...func(*http.Request)) {
	f.t.Helper()
	r, cookie := f.requestCookie(token, options...)
	if r.refused(code); cookie != nil {
		f.t.Error("a refusal set a cookie")
	}
}

// TestInvalidWatchCookiesAreRefused sends forged, foreign and expired cookies, and ended free ones.
func TestInvalidWatchCookiesAreRefused(t *testing.T) {
	f, other := local(newFixture(t)), local(newFixture(t))
	mine := f.watchCookie(protocol.WatchScopeAct, "")
	foreign := other.watchCookie(protocol.WatchScopeAct, "")
	key := *f.host.passKeys.key.Load()
	ended := &pass{viewer: newViewer(), scope: protocol.WatchScopeAct, expires: time.Now().Add(-time.Millisecond), free: true}
	orphaned := &pass{viewer: newViewer(), scope: protocol.WatchScopeAct, expires: time.Now().Add(time.Hour), owner: "gone", ownerSince: 1}
	flipped := []byte(mine.Value)
	flipped[4] ^= 1
	for name, value := range map[string]string{
		"of another world": foreign.Value, "changed": string(flipped), "truncated": mine.Value[:len(mine.Value)-1], "empty": "",
		"expired": ended.seal(key), "of a deleted node": orphaned.seal(key), "long": strings.Repeat("A", 4000),
	} {
		t.Run(name, func(t *testing.T) {
			r := f.get(f.play("/snapshot"), asOwnPage, withCookies(&http.Cookie{Name: mine.Name, Value: value}))
			r.t = t
			r.refused(protocol.CodeCredentialsInvalid)
		})
	}
	f.get(f.play("/snapshot"), asOwnPage, withCookies(mine)).ok()
	// Free access is checked with every request.
	f.get(f.play("/snapshot"), asOwnPage, withCookies(mine), with("X-Forwarded-For", "203.0.113.7")).refused(protocol.CodeCredentialsInvalid)
	f.get(f.play("/snapshot"), asOwnPage, withCookies(mine), withHost("rebound.example:7420"), with("Origin", "http://rebound.example:7420")).
		refused(protocol.CodeCredentialsInvalid)
	f.host.loopback.Store(false)
	f.get(f.play("/snapshot"), asOwnPage, withCookies(mine)).refused(protocol.CodeCredentialsInvalid)
}

// TestNodeCredentialsPrecedeCookie checks that no cookie makes up for wrong credentials.
func TestNodeCredentialsPrecedeCookie(t *testing.T) {
	f := local(newFixture(t))
	cookie := f.watchCookie(protocol.WatchScopeAct, "")
	wrong := as(identity{id: strings.Repeat("0", 64), hash: strings.Repeat("0", 64)})
	f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie), wrong).refused(protocol.CodeCredentialsInvalid)
	f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie), with("Authorization", "Bearer no")).refused(protocol.CodeCredentialsInvalid)
}

// TestViewerSeesOnlyItsOwnAnswers lets one viewer ask and another watch.
func TestViewerSeesOnlyItsOwnAnswers(t *testing.T) {
	f := local(newFixture(t))
	agent := f.player(f.main())
	asker, other := f.watchCookie(protocol.WatchScopeAct, ""), f.watchCookie(protocol.WatchScopeAct, "")
	var asked protocol.RequestReply
	f.post(f.play("/assist-tool"), map[string]any{"targetPlayerId": agent.id, "toolName": "chat_tool", "args": map[string]any{}},
		asOwnPage, withCookies(asker)).into(&asked)
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
		asOwnPage, withCookies(asker)).refused(protocol.CodeForbidden)
}

func (f *fixture) viewerOf(cookie *http.Cookie) world.Caller {
	f.t.Helper()
	p := openPass(*f.host.passKeys.key.Load(), cookie.Value)
	if p == nil {
		f.t.Fatal("the cookie is not of this world")
	}
	return world.Caller{Viewer: p.label()}
}

// TestWatchSecretsAreNotLogged looks for tokens and cookies in the log.
func TestWatchSecretsAreNotLogged(t *testing.T) {
	var log bytes.Buffer
	f := newFixture(t, func(s *setup) {
		s.host.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		s.host.AccessLog = true
	})
	token := f.watchToken(f.main())
	cookie := f.watchCookie(protocol.WatchScopeAct, token)
	f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie)).ok()
	f.cookieRefused(token+"x", protocol.CodeCredentialsInvalid)
	if text := log.String(); strings.Contains(text, token) || strings.Contains(text, cookie.Value) || !strings.Contains(text, "viewer:") {
		t.Error("the log has a token or a cookie, or lacks the viewer")
	}
}

// TestStreamsEndWithTheirCookie ends a stream by time, and one by deleting its main node.
func TestStreamsEndWithTheirCookie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left = 10 * time.Minute
		f := newFixture(t)
		owner := f.main()
		cookie := f.watchCookie(protocol.WatchScopeAct, f.watchToken(owner))
		n := f.serve()
		open := func(value string) *subscription {
			return n.subscribe(func(r *http.Request) {
				asOwnPage(r)
				withCookies(&http.Cookie{Name: cookie.Name, Value: value})(r)
			}, "")
		}
		short := openPass(*f.host.passKeys.key.Load(), cookie.Value)
		if short == nil {
			t.Fatal("the cookie is not of this world")
		}
		short.expires = time.Now().Add(left)
		began := time.Now()
		s := open(short.seal(*f.host.passKeys.key.Load()))
		s.ended()
		s.close()
		if took := time.Since(began); took != left {
			t.Errorf("the stream of a cookie valid for %s stayed open for %s", left, took)
		}
		s = open(cookie.Value)
		other := f.watchCookie(protocol.WatchScopeAct, f.watchToken(owner))
		began = time.Now()
		f.revoke(owner, 0)
		s.ended()
		s.close()
		if took := time.Since(began); took != 0 {
			t.Errorf("the stream of a revoked token's cookie stayed open for another %s", took)
		}
		f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie)).refused(protocol.CodeCredentialsInvalid)
		f.cookieRefused("", protocol.CodeCredentialsMissing, withCookies(cookie))
		f.get(f.play("/snapshot"), asOwnPage, withCookies(other)).ok()
		s = open(other.Value)
		began = time.Now()
		f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": owner.id}, as(owner)).ok()
		s.endedAfter(protocol.EventAgentSignal)
		s.close()
		if took := time.Since(began); took != 0 {
			t.Errorf("the stream of a deleted main node's cookie stayed open for another %s", took)
		}
	})
}
