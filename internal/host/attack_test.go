package host

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// A caller that does not know the phrase learns nothing, not even which nodes exist.
func TestRefusalsDoNotRevealWhichNodesExist(t *testing.T) {
	f := newFixture(t)
	known := f.main()
	wrong := strings.Repeat("a", 64)
	answers := map[string]string{}
	for name, who := range map[string]identity{
		"an existing node with another hash": {id: known.id, hash: wrong},
		"an unknown node":                    {id: strings.Repeat("b", 64), hash: wrong},
		"the root node":                      {id: worldtest.RootKey, hash: wrong},
		"a hash in upper case":               {id: known.id, hash: strings.ToUpper(known.hash)},
		"a phrase instead of a hash":         {id: known.id, hash: "phrase number 1"},
	} {
		e := f.get(f.play("/snapshot"), as(who)).refused(protocol.CodeCredentialsInvalid)
		answers[e.Error] = name
	}
	if len(answers) != 1 {
		t.Errorf("the refusals differ: %v", answers)
	}
	// An id is trimmed and lower-cased, which does not bypass the hash.
	f.get(f.play("/snapshot"), as(identity{id: " " + strings.ToUpper(known.id) + " ", hash: known.hash})).ok()
	// The session's id proves nothing.
	f.get(f.play("/snapshot")).refused(protocol.CodeCredentialsMissing)
}

// An agent or a main node writes for a player that is not its own.
func TestWritesForForeignPlayerAreRefused(t *testing.T) {
	f := newFixture(t)
	mallory, alice := f.main(), f.main()
	victim, accomplice := f.player(alice), f.player(mallory)
	before := f.stateSummary()
	for _, who := range []identity{mallory, accomplice} {
		f.post(f.play("/players"), registration(victim.id), as(who)).refused(protocol.CodeForbidden)
		f.post(f.play("/players/heartbeat"), map[string]any{"playerId": victim.id, "connectionId": "c"}, as(who)).
			refused(protocol.CodeForbidden)
		f.post(f.play("/players/disconnect"), map[string]any{"playerId": victim.id}, as(who)).refused(protocol.CodeForbidden)
		f.rpc("recordInteraction", map[string]any{"playerId": victim.id, "role": "user", "text": "I am Alice"}, as(who)).
			refused(protocol.CodeForbidden)
	}
	claimed := registration(accomplice.id)
	claimed["mainNodeId"] = alice.id
	f.post(f.play("/players"), claimed, as(accomplice)).refused(protocol.CodeForbidden)
	f.do(http.MethodDelete, protocol.PathAgents+"?id="+victim.id, nil, as(mallory)).refused(protocol.CodeForbidden)
	f.post(protocol.PathValidateNode, map[string]any{"nodeId": victim.id}, as(mallory)).refused(protocol.CodeForbidden)
	f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": alice.id}, as(mallory)).
		refused(protocol.CodeConfirmationMismatch)
	fresh := f.newIdentity()
	f.post(protocol.PathAgentNode, map[string]any{
		"agentNodeId": fresh.id, "agentNodePasswHash": fresh.hash, "parentNodeId": alice.id,
	}, as(mallory)).refused(protocol.CodeForbidden)
	if after := f.stateSummary(); after != before {
		t.Errorf("the attempts changed the state: %s, before %s", after, before)
	}
}

// The owner's hash with the agent's id is valid for the requests of old clients,
// on a loopback listener, and for nothing else.
func TestOwnersHashReplacesAgentsHashOnLoopback(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	pair := as(identity{id: agent.id, hash: main.hash, apiKey: main.apiKey})
	f.post(f.play("/players"), registration(agent.id), pair).refused(protocol.CodeCredentialsInvalid)

	f.host.loopback.Store(true)
	f.post(f.play("/players"), registration(agent.id), pair).ok()
	f.post(protocol.PathValidateNode, map[string]any{}, pair).ok()
	f.rpc("recordInteraction", map[string]any{"playerId": agent.id, "role": "user", "text": "hi"}, pair).ok()
	shown := registration(agent.id)
	shown["passwHash"] = main.hash
	f.post(f.play("/players"), shown, pair).ok()
	for _, r := range []*reply{
		f.get("/api/play/session", pair),
		f.get(f.play("/snapshot"), pair),
		f.get(f.play("/events"), pair),
		f.get(protocol.PathAgents, pair),
		f.rpc("getWorldSnapshot", map[string]any{}, pair),
		f.rpc("listInteractions", map[string]any{}, pair),
	} {
		r.refused(protocol.CodeCredentialsInvalid)
	}
	// The hash of another node is worth nothing.
	other := f.main()
	f.post(f.play("/players"), registration(agent.id), as(identity{id: agent.id, hash: other.hash})).
		refused(protocol.CodeCredentialsInvalid)
}

// The body's passwHash is checked although the headers authenticated the caller.
func TestRegistrationChecksHashInBody(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.agent(main)
	shown := registration(agent.id)
	shown["passwHash"] = f.newIdentity().hash
	f.post(f.play("/players"), shown, as(agent)).refused(protocol.CodeCredentialsInvalid)
	shown["passwHash"] = main.hash
	f.post(f.play("/players"), shown, as(agent)).refused(protocol.CodeCredentialsInvalid)
	f.post(f.play("/players"), shown, as(main)).ok()
	shown["passwHash"] = agent.hash
	f.post(f.play("/players"), shown, as(agent)).ok()
}

func TestAPIKeys(t *testing.T) {
	session := "/api/play/session"
	without := func(n identity) identity { n.apiKey = ""; return n }
	t.Run("required", func(t *testing.T) {
		f := newFixture(t)
		alice, bob := f.main(), f.main()
		agent := f.agent(alice)
		f.get(session, as(without(alice))).refused(protocol.CodeAPIKeyInvalid)
		f.get(session, as(identity{alice.id, alice.hash, bob.apiKey})).refused(protocol.CodeAPIKeyInvalid)
		f.get(session, as(agent)).ok()
		inBody := registration(agent.id)
		inBody["apiKey"] = alice.apiKey
		f.post(f.play("/players"), inBody, as(without(agent))).ok()
		// The header takes precedence, even if its key is wrong.
		f.post(f.play("/players"), inBody, as(agent), with(protocol.HeaderAPIKey, bob.apiKey)).refused(protocol.CodeAPIKeyInvalid)
		// A new key replaces the old at once.
		var next protocol.APIKeyReply
		f.post(protocol.PathNodeAPIKey, map[string]any{}, as(alice)).into(&next)
		f.get(session, as(alice)).refused(protocol.CodeAPIKeyInvalid)
		alice.apiKey = next.APIKey.Reveal()
		f.get(session, as(alice)).ok()
		f.get(session, asAdmin).ok()
	})
	t.Run("optional", func(t *testing.T) {
		f := newFixture(t, func(s *setup) { s.host.APIKeys = APIKeysOptional })
		alice := f.main()
		f.get(session, as(without(alice))).ok()
		f.get(session, as(identity{alice.id, alice.hash, "wrong"})).refused(protocol.CodeAPIKeyInvalid)
	})
	t.Run("off", func(t *testing.T) {
		f := newFixture(t, func(s *setup) { s.host.APIKeys = APIKeysOff })
		alice := f.main()
		f.get(session, as(identity{alice.id, alice.hash, "wrong"})).ok()
	})
}

func TestRegistrationModes(t *testing.T) {
	body := func(f *fixture) map[string]any {
		n := f.newIdentity()
		return map[string]any{"kind": "main", "nodeId": n.id, "passwHash": n.hash}
	}
	t.Run("closed", func(t *testing.T) {
		f := newFixture(t, func(s *setup) { s.host.Registration = RegistrationClosed })
		f.post(protocol.PathNodes, body(f)).refused(protocol.CodeRegistrationClosed)
	})
	t.Run("token", func(t *testing.T) {
		f := newFixture(t, func(s *setup) {
			s.host.Registration, s.host.RegistrationToken = RegistrationToken, protocol.NewSecret("let me in")
		})
		f.post(protocol.PathNodes, body(f)).refused(protocol.CodeRegistrationClosed)
		f.post(protocol.PathNodes, body(f), with(protocol.HeaderRegistrationToken, "guess")).refused(protocol.CodeRegistrationClosed)
		f.post(protocol.PathNodes, body(f), with(protocol.HeaderRegistrationToken, "let me in")).ok()
	})
}

// A derivation costs 64 MiB and a fifth of a second, so only the creation of a
// node that does not exist may cause one.
func TestDerivationOnlyOnCreation(t *testing.T) {
	var derived atomic.Int64
	f := newFixture(t, func(s *setup) {
		s.deriver.Derive = func(hash creds.PasswHash, root string) (string, error) {
			derived.Add(1)
			return worldtest.CheapID(hash, root)
		}
	})
	main := f.main()
	agent := f.agent(main)
	if got := derived.Load(); got != 2 {
		t.Fatalf("two creations caused %d derivations", got)
	}
	f.post(protocol.PathNodes, map[string]any{"nodeId": main.id, "passwHash": main.hash}).refused(protocol.CodeNodeExists)
	f.post(protocol.PathNodes, map[string]any{"nodeId": agent.id, "passwHash": agent.hash}).refused(protocol.CodeNodeExists)
	f.post(protocol.PathNodes, map[string]any{"nodeId": worldtest.RootKey, "passwHash": main.hash}).refused(protocol.CodeNodeExists)
	f.post(protocol.PathAgentNode, map[string]any{"agentNodeId": main.id, "agentNodePasswHash": main.hash}, as(main)).
		refused(protocol.CodeNodeExists)
	f.get("/api/play/session", as(main)).ok()
	f.get("/api/play/session", as(identity{main.id, agent.hash, ""})).refused(protocol.CodeCredentialsInvalid)
	f.post(f.play("/players"), registration(agent.id), as(main)).ok()
	if got := derived.Load(); got != 2 {
		t.Errorf("%d derivations, want 2, one for each creation", got)
	}
	stolen := f.newIdentity()
	f.post(protocol.PathNodes, map[string]any{"nodeId": stolen.id, "passwHash": main.hash}).refused(protocol.CodeNodeNotDerivable)
}

// When the limits of running and waiting derivations are reached, the next caller
// is refused and not queued.
func TestDerivationsBeyondLimitAreRefused(t *testing.T) {
	running, release := make(chan struct{}), make(chan struct{})
	f := newFixture(t, func(s *setup) {
		s.deriver.Running, s.deriver.Waiting = 1, -1
		s.deriver.Derive = func(hash creds.PasswHash, root string) (string, error) {
			running <- struct{}{}
			<-release
			return worldtest.CheapID(hash, root)
		}
	})
	first, second := f.newIdentity(), f.newIdentity()
	var done sync.WaitGroup
	done.Go(func() {
		f.post(protocol.PathNodes, map[string]any{"nodeId": first.id, "passwHash": first.hash}).ok()
	})
	<-running
	r := f.post(protocol.PathNodes, map[string]any{"nodeId": second.id, "passwHash": second.hash})
	r.refused(protocol.CodeRateLimited)
	if r.header.Get("Retry-After") == "" {
		t.Error("the refusal has no Retry-After")
	}
	close(release)
	done.Wait()
}

// Two accounts race for one agent id: one gets it, the other is refused.
func TestConcurrentClaimsOfAgentIDHaveOneOwner(t *testing.T) {
	f := newFixture(t)
	owners := []identity{f.main(), f.main()}
	for range 20 {
		raced := f.newIdentity()
		replies := make([]*reply, len(owners))
		var all sync.WaitGroup
		for i, owner := range owners {
			all.Go(func() {
				replies[i] = f.post(protocol.PathAgentNode,
					map[string]any{"agentNodeId": raced.id, "agentNodePasswHash": raced.hash}, as(owner))
			})
		}
		all.Wait()
		node := f.world.Registry().Node(raced.id)
		for i, r := range replies {
			if node.Parent == owners[i].id {
				r.ok()
			} else {
				r.refused(protocol.CodeNodeExists)
			}
		}
	}
}

// A deleted account's credentials are invalid; the id can be created again with
// the phrase, and starts empty.
func TestDeletedAccountCredentialsAreInvalid(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	var deleted protocol.DeleteNodeReply
	f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": main.id}, as(main)).into(&deleted)
	if deleted.DeletedAgentCount != 1 {
		t.Errorf("deleted %d agents, want 1", deleted.DeletedAgentCount)
	}
	for _, who := range []identity{main, agent} {
		f.get("/api/play/session", as(who)).refused(protocol.CodeCredentialsInvalid)
	}
	if row := f.row(protocol.AgentKey(main.id, agent.id)); row != nil {
		t.Errorf("its agent is still on the map: %s", row)
	}
	f.post(protocol.PathNodes, map[string]any{"nodeId": main.id, "passwHash": main.hash}).ok()
	f.get("/api/play/session", as(main)).refused(protocol.CodeAPIKeyInvalid)
	f.get(protocol.PathAgents, as(main)).ok()
}

func TestAdministrator(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	agent := f.player(main)
	f.get("/api/play/session", with("Authorization", "Bearer nobody")).refused(protocol.CodeCredentialsInvalid)
	f.get("/api/play/session", with("Authorization", "Bearer")).refused(protocol.CodeCredentialsMissing)
	f.get("/api/play/session", with("Authorization", "bearer "+adminToken)).ok()
	f.get("/api/play/session", as(main), with("Authorization", "Basic bmdpbng6")).ok()
	f.get(f.play("/snapshot"), asAdmin).ok()
	f.post(f.play("/players"), registration(agent.id), asAdmin).refused(protocol.CodeForbidden)
	f.post(f.play("/occupants/remove"), map[string]any{"stableKey": protocol.AgentKey(main.id, agent.id)}, asAdmin).ok()
	var all protocol.AllNodesReply
	f.get(protocol.PathNodes+"?all=true", asAdmin).into(&all)
	if len(all.MainNodes) != 1 || len(all.AgentNodes) != 1 {
		t.Errorf("all nodes: %+v", all)
	}
	f.get(protocol.PathNodes, asAdmin).refused(protocol.CodeForbidden)
	f.get(protocol.PathNodes+"?all=true", as(main)).refused(protocol.CodeForbidden)
	f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": agent.id}, asAdmin).ok()
	f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": agent.id}, asAdmin).refused(protocol.CodeNotFound)

	none := newFixture(t, func(s *setup) { s.host.AdminToken = protocol.Secret{} })
	none.get("/api/play/session", with("Authorization", "Bearer ")).refused(protocol.CodeCredentialsInvalid)
	none.get("/api/play/session", with("Authorization", "Bearer x")).refused(protocol.CodeCredentialsInvalid)
}

// The log, the metrics and the events contain no secret.
func TestSecretsStayOutOfLogsAndReplies(t *testing.T) {
	var mu sync.Mutex
	var logged bytes.Buffer
	f := newFixture(t, func(s *setup) {
		s.host.AccessLog = true
		s.host.Logger = slog.New(slog.NewTextHandler(writerFunc(func(b []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return logged.Write(b)
		}), &slog.HandlerOptions{Level: slog.LevelDebug}))
		s.host.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	main := f.main()
	agent := f.player(main)
	shown := registration(agent.id)
	shown["passwHash"], shown["apiKey"] = agent.hash, main.apiKey
	shown["realtimeWebrtc"] = map[string]any{"clientSecret": "client-secret-of-a-call"}
	replies := []*reply{
		f.post(f.play("/players"), shown, as(agent)),
		f.get(f.play("/snapshot"), as(main)),
		f.get(f.play("/snapshot"), asAdmin),
		f.get(protocol.PathNodes, as(main)),
		f.get(protocol.PathNodes+"?all=true", asAdmin),
		f.get(protocol.PathAgents, as(main)),
		f.get("/metrics"),
		f.get(f.play("/snapshot"), as(identity{main.id, agent.hash, ""})),
		f.post(f.play("/players"), `{"passwHash":"`+agent.hash+`","name":`, as(agent)),
		f.post(f.play("/players"), map[string]any{"passwHash": "  " + agent.hash}, as(agent)),
		f.get("/no/such/"+"route", as(agent)),
	}
	texts := map[string]string{}
	for _, r := range replies {
		texts[r.what] = string(r.body)
	}
	for e, err := range f.world.History(context.Background(), 0, f.world.Events().Head()) {
		if err != nil {
			t.Fatal(err)
		}
		texts["event "+itoa(e.Seq)] = string(frameOf(e, true))
	}
	mu.Lock()
	texts["the log"] = logged.String()
	mu.Unlock()
	if !strings.Contains(texts["the log"], "path=/api/play/snapshot") {
		t.Fatalf("the access log lacks the requests: %s", texts["the log"])
	}
	for where, text := range texts {
		for name, secret := range map[string]string{
			"the main node's hash": main.hash, "the agent's hash": agent.hash, "the API key": main.apiKey,
			"the administrator's token": adminToken, "a client secret": "client-secret-of-a-call",
		} {
			if strings.Contains(text, secret) {
				t.Errorf("%s contains %s: %s", where, name, text)
			}
		}
	}
	if strings.Contains(texts["the log"], f.world.View().SID) {
		t.Error("the log contains the sid")
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(b []byte) (int, error) { return w(b) }
