package host

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/sharedstore"
)

// twoHosts returns hosts of one world; the second receives the first's writes only
// when it reads the store.
func twoHosts(t *testing.T) (first, second *fixture, link *sharedstore.Host) {
	server := sharedstore.NewServer(store.DefaultRetention(), time.Now)
	link = server.Host()
	link.NoFollow.Store(true)
	first = newFixture(t, func(s *setup) { s.journal = server.Host() })
	second = newFixture(t, func(s *setup) { s.journal = link })
	<-link.Following
	return first, second, link
}

func TestHostReadsStoreBeforeRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, _ := twoHosts(t)
		owner := first.main()
		player := first.agent(owner)
		second.post(first.play("/players"), registration(player.id), as(player)).ok()

		admin := world.Request{Caller: world.Caller{Admin: true}}
		if _, err := first.world.Do(context.Background(), admin, world.ResetSession{Reason: "test"}); err != nil {
			t.Fatal(err)
		}
		// The sid is one that the second host has not received.
		second.post(first.play("/players"), registration(player.id), as(player)).ok()
	})
}

// A refusal comes from the store's present state even if the host could give
// it at once from what it has received.
func TestChangesOfAnotherHostAreAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, _ := twoHosts(t)
		owner := first.main()
		agent := first.agent(owner)
		// The second host has received them now.
		second.post(first.play("/players"), registration(agent.id), as(agent)).ok()
		second.phrases = 100

		first.do(http.MethodDelete, protocol.PathAgents+"?id="+agent.id, nil, as(owner)).ok()
		again := map[string]any{"agentNodeId": agent.id, "agentNodePasswHash": agent.hash}
		second.post(protocol.PathAgentNode, again, as(owner)).ok()

		other := first.agent(owner)
		second.post(protocol.PathValidateNode, map[string]any{"nodeId": other.id}, as(owner)).ok()
		third := first.agent(owner)
		body := registration(third.id)
		body["passwHash"] = third.hash
		second.post(first.play("/players"), body, as(owner)).ok()

		stale := owner
		var reply protocol.APIKeyReply
		first.post(protocol.PathNodeAPIKey, map[string]any{}, as(owner)).into(&reply)
		owner.apiKey = reply.APIKey.Reveal()
		agent.apiKey = stale.apiKey
		second.post(first.play("/players"), registration(agent.id), as(agent)).refused(protocol.CodeAPIKeyInvalid)
		agent.apiKey = owner.apiKey
		second.post(first.play("/players"), registration(agent.id), as(agent)).ok()

		newNode := first.main()
		var token protocol.WatchTokenReply
		first.post(first.service.WatchToken()+"?sid="+first.world.View().SID, map[string]any{}, as(newNode)).into(&token)
		second.post(second.service.WatchSession(), map[string]any{"token": token.Token.Reveal()}).ok()
	})
}

// A key is replaced at every host at once, also for the one read that requires it;
// while the store is unreachable, reads continue with the key that the host knows.
func TestReplacedKeyIsRefusedAtAnotherHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, link := twoHosts(t)
		owner := first.main()
		session := func() *reply { return second.get(first.play("/session"), as(owner)) }
		session().ok()
		stale := owner
		var reply protocol.APIKeyReply
		first.post(protocol.PathNodeAPIKey, map[string]any{}, as(owner)).into(&reply)
		session().refused(protocol.CodeAPIKeyInvalid)
		owner.apiKey = reply.APIKey.Reveal()
		session().ok()

		first.post(protocol.PathNodeAPIKey, map[string]any{}, as(owner)).ok()
		link.Down.Store(true)
		session().ok()
		owner.apiKey = stale.apiKey
		session().refused(protocol.CodeStoreUnavailable)
		link.Down.Store(false)
	})
}

// Reports on nodes include the changes of every host, and a deleted node gets none: these
// changes have no rev, so no client could require one.
func TestNodesAreTheSameAtEveryHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, link := twoHosts(t)
		owner := first.main()
		agent := first.agent(owner)
		first.post(first.play("/players"), registration(agent.id), as(agent)).ok()
		validate := func(who identity) *reply {
			return second.post(protocol.PathValidateNode, map[string]any{}, as(who))
		}
		named := func(r *reply) bool { return strings.Contains(string(r.ok().body), agent.id) }
		all := func() *reply { return second.get(protocol.PathNodes+"?all=true", asAdmin) }
		own := func() *reply { return second.get(protocol.PathNodes, as(owner)) }
		list := func() *reply { return second.get(protocol.PathAgents, as(owner)) }
		if !named(all()) || !named(own()) || !named(list()) {
			t.Error("a new agent is not listed at the other host")
		}
		validate(agent).ok()
		first.do(http.MethodDelete, protocol.PathAgents+"?id="+agent.id, nil, as(owner)).ok()
		validate(agent).refused(protocol.CodeCredentialsInvalid)
		first.main()
		if named(all()) || named(own()) || named(list()) {
			t.Error("a deleted agent is listed at the other host")
		}

		// A node that deleted itself is refused at every host, for the repeat as well.
		erase := func(f *fixture) *reply {
			return f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": owner.id}, as(owner), with(protocol.HeaderIdempotencyKey, "gone"))
		}
		erase(first).ok()
		erase(second).refused(protocol.CodeCredentialsInvalid)
		again := first.main()
		second.get(protocol.PathAgents, as(again)).ok()
		link.Down.Store(true)
		second.get(protocol.PathAgents, as(again)).ok()
		link.Down.Store(false)
	})
}

// A main node, its token and its cookies end at every host at once, and the other
// host notices the end of each without a request for the ones before.
func TestDeletedNodeIsRefusedAtAnotherHost(t *testing.T) {
	for name, refused := range map[string]func(second *fixture, owner identity, cookie *http.Cookie, token string){
		"node": func(second *fixture, owner identity, _ *http.Cookie, _ string) {
			second.get(second.play("/session"), as(owner)).refused(protocol.CodeCredentialsInvalid)
		},
		"cookie": func(second *fixture, _ identity, cookie *http.Cookie, _ string) {
			second.get(second.play("/session"), asOwnPage, withCookies(cookie)).refused(protocol.CodeCredentialsInvalid)
		},
		"kept cookie": func(second *fixture, _ identity, cookie *http.Cookie, _ string) {
			r, again := second.requestCookie("", withCookies(cookie))
			if r.refused(protocol.CodeCredentialsMissing); again != nil {
				t.Error("a refusal set a cookie")
			}
		},
		"token": func(second *fixture, _ identity, _ *http.Cookie, token string) {
			second.cookieRefused(token, protocol.CodeCredentialsInvalid)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first, second, _ := twoHosts(t)
				second.host.options.APIKeys = APIKeysOff
				owner := first.main()
				token := first.watchToken(owner)
				cookie := second.watchCookie(protocol.WatchScopeAct, token)
				second.get(second.play("/session"), asOwnPage, withCookies(cookie)).ok()
				second.get(second.play("/session"), as(owner)).ok()
				first.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": owner.id}, as(owner)).ok()
				refused(second, owner, cookie, token)
			})
		})
	}
}

// A refusal has the rev of the state that it comes from, so that a client can request
// that state from another host.
func TestRefusalHasRevOfItsState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, _ := twoHosts(t)
		owner := first.main()
		agent := first.agent(owner)
		second.post(first.play("/players"), registration(agent.id), as(agent)).ok()
		second.phrases = 100
		before := second.world.View().Rev
		first.post(first.play("/players/disconnect"), map[string]any{"playerId": agent.id}, as(agent)).ok()
		line := map[string]any{"playerId": agent.id, "role": "user", "text": "Are you there?"}
		r := second.rpc("recordInteraction", line, as(agent))
		r.refused(protocol.CodePlayerUnknown)
		if got, want := r.header.Get("X-Play-Rev"), itoa(first.world.View().Rev); got != want {
			t.Errorf("the refusal has rev %s, the agent left with rev %s, after rev %d", got, want, before)
		}
	})
}

func TestHostWithoutStoreReportsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, link := twoHosts(t)
		owner, agent := first.main(), first.newIdentity()
		link.Down.Store(true)
		began := time.Now()
		reply := second.post(protocol.PathAgentNode, map[string]any{
			"agentNodeId": agent.id, "agentNodePasswHash": agent.hash,
		}, as(owner))
		if reply.status != http.StatusServiceUnavailable {
			t.Errorf("an unknown node got %d without the store, want 503", reply.status)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the reply took %v", took)
		}
		// A stream of an unknown node ends at once: after a 503 an EventSource would never
		// reconnect.
		second.get(second.play("/events"), as(agent)).endsAtOnce(t)
		link.Down.Store(false)
	})
}

func TestStreamGetsOneResyncAfterStoreRestart(t *testing.T) {
	server := sharedstore.NewServer(store.DefaultRetention(), time.Now)
	f := newFixture(t, func(s *setup) { s.journal = server.Host() })
	owner := f.main()
	agent := f.player(owner)
	n := f.serve()
	s := n.subscribe(as(owner), "")
	defer s.close()
	f.say(agent, "lost")
	s.event()
	server.Restart(1)
	fr := s.event()
	if fr.event != string(protocol.EventSessionResync) || fr.field(t, "reason") != world.ResyncRestarted || fr.seq(t) < 1<<20 {
		t.Fatalf("the event after the restart is %+v, want a resync", fr)
	}
	f.say(agent, "after")
	if fr = s.event(); fr.event != string(protocol.EventInteraction) || fr.field(t, "text") != "after" {
		t.Errorf("the event after the resync is %+v, want the next one", fr)
	}
}

// A stream ends at once with its node, at whichever host the node is deleted, even
// if the deletion causes no event; a watcher's stream ends with the main node of
// its link.
func TestStreamEndsWhenAnotherHostDeletesNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second, link := twoHosts(t)
		link.NoFollow.Store(false)
		main, host := first.main(), first.main()
		agent := first.agent(main)
		var token protocol.WatchTokenReply
		first.post(first.service.WatchToken()+"?sid="+first.world.View().SID, map[string]any{}, as(host)).into(&token)
		cookie := second.watchCookie(protocol.WatchScopeAct, token.Token.Reveal())
		n := second.serve()
		for name, c := range map[string]struct {
			who    func(*http.Request)
			remove func()
		}{
			"an agent": {as(agent), func() {
				first.do(http.MethodDelete, protocol.PathAgents+"?id="+agent.id, nil, as(main)).ok()
			}},
			"a watcher": {func(r *http.Request) { asOwnPage(r); withCookies(cookie)(r) }, func() {
				first.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": host.id}, as(host)).ok()
			}},
		} {
			s := n.subscribe(c.who, "")
			synctest.Wait()
			began := time.Now()
			c.remove()
			s.endedAfter(protocol.EventAgentSignal)
			s.close()
			if took := time.Since(began); took != 0 {
				t.Errorf("the stream of %s stayed open for another %s", name, took)
			}
		}
	})
}

// The lifetime of a cookie is measured by the store's clock, not by the host's.
func TestCookieExpiresByStoreClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := sharedstore.NewServer(store.DefaultRetention(), func() time.Time { return time.Now().Add(time.Hour) })
		f := newFixture(t, func(s *setup) { s.journal = server.Host() })
		cookie := f.watchCookie(protocol.WatchScopeAct, f.watchToken(f.main()))
		if got := time.Duration(cookie.MaxAge) * time.Second; got != world.WatchTerm {
			t.Errorf("the browser keeps the cookie for %v, want %v", got, world.WatchTerm)
		}
		f.get(f.play("/snapshot"), asOwnPage, withCookies(cookie)).ok()
	})
}
