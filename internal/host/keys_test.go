package host

import (
	"bytes"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
)

func (f *fixture) keys(who identity) map[string]protocol.KeyRecord {
	f.t.Helper()
	var reply protocol.KeysReply
	f.get(protocol.PathNodeAPIKeys, as(who)).into(&reply)
	byName := map[string]protocol.KeyRecord{}
	for _, k := range reply.Keys {
		byName[k.Name] = k
	}
	return byName
}

func (f *fixture) newKey(who identity, body map[string]any) identity {
	f.t.Helper()
	var reply protocol.CreateKeyReply
	f.post(protocol.PathNodeAPIKeys, body, as(who)).into(&reply)
	who.apiKey = reply.APIKey.Reveal()
	return who
}

func TestSeveralAPIKeysAreValidAtOnce(t *testing.T) {
	t.Parallel()
	var clock atomic.Int64
	clock.Store(time.Now().UnixMilli())
	f := newFixture(t, func(s *setup) { s.world.Now = func() time.Time { return time.UnixMilli(clock.Load()) } })
	main := f.main()
	agent := f.agent(main)
	register := func(key string) *reply {
		t.Helper()
		agent.apiKey = key
		return f.post(f.play("/players"), registration(agent.id), as(agent))
	}
	ci := f.newKey(main, map[string]any{"name": "ci", "expiresInSeconds": 120})
	register(ci.apiKey).ok()
	register(main.apiKey).ok()
	f.post(protocol.PathNodeAPIKeys, map[string]any{"name": "ci"}, as(main)).refused(protocol.CodeAPIKeyExists)
	f.post(protocol.PathNodeAPIKeys, map[string]any{"name": "default"}, as(main)).refused(protocol.CodeBodyInvalid)
	f.post(protocol.PathNodeAPIKeys, map[string]any{"name": "a b"}, as(main)).refused(protocol.CodeBodyInvalid)

	// The older route replaces the default key only.
	var second protocol.APIKeyReply
	f.post(protocol.PathNodeAPIKey, map[string]any{}, as(main)).into(&second)
	register(main.apiKey).refused(protocol.CodeAPIKeyInvalid)
	if at := f.keys(main)["default"].LastUsedAt; at != "" {
		t.Errorf("the key that replaced the default one was used at %s", at)
	}
	register(second.APIKey.Reveal()).ok()
	register(ci.apiKey).ok()

	// A use is listed at once.
	if list := f.keys(main); list["ci"].LastUsedAt != protocol.FormatTime(time.UnixMilli(clock.Load())) || list["default"].LastUsedAt == "" {
		t.Errorf("before they are stored the uses are %+v", list)
	}
	// A sweep stores the uses.
	clock.Add(time.Minute.Milliseconds())
	if err := f.world.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := f.keys(main)
	if len(list) != 2 || list["ci"].LastUsedAt == "" || list["ci"].CreatedAt == "" || list["default"].CreatedAt == "" || list["ci"].ExpiresAt == "" || list["default"].LastUsedAt == "" {
		t.Errorf("the keys are %+v", list)
	}
	clock.Add(time.Second.Milliseconds())
	register(ci.apiKey).ok()
	if at := f.keys(main)["ci"].LastUsedAt; at != protocol.FormatTime(time.UnixMilli(clock.Load())) {
		t.Errorf("a use within the hour is listed as %s", at)
	}
	clock.Add(time.Minute.Milliseconds())
	register(ci.apiKey).refused(protocol.CodeAPIKeyInvalid)

	// Without any key none is valid.
	var gone protocol.OKReply
	f.do(http.MethodDelete, protocol.PathNodeAPIKeys+"?name=default", nil, as(main)).into(&gone)
	register(second.APIKey.Reveal()).refused(protocol.CodeAPIKeyInvalid)
	register("").refused(protocol.CodeAPIKeyInvalid)
	if !gone.OK || len(f.keys(main)) != 1 {
		t.Errorf("the keys are %+v", f.keys(main))
	}
	f.do(http.MethodDelete, protocol.PathNodeAPIKeys+"?name=default", nil, as(main)).into(&gone)
	if gone.OK {
		t.Error("a key was revoked twice")
	}
	f.do(http.MethodDelete, protocol.PathNodeAPIKeys, nil, as(main)).refused(protocol.CodeBodyInvalid)
	f.get(protocol.PathNodeAPIKeys, as(agent)).refused(protocol.CodeForbidden)
}

func TestAPIKeysPerAccountAreLimited(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	main := f.main()
	for n := range 32 {
		f.newKey(main, map[string]any{"name": string(rune('A' + n))})
	}
	f.post(protocol.PathNodeAPIKeys, map[string]any{"name": "more"}, as(main)).refused(protocol.CodeAPIKeyLimit)
}

// Only the account and the administrator see labels, and only in replies to requests
// that ask for them.
func TestLabels(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	main, other := f.main(), f.main()
	n := f.newIdentity()
	f.post(protocol.PathAgentNode, map[string]any{"agentNodeId": n.id, "agentNodePasswHash": n.hash, "label": "Ada at work"}, as(main)).ok()
	second := f.player(main)
	label := func(id, text string) *reply {
		body := map[string]any{"nodeId": id, "label": text}
		if id == "" {
			delete(body, "nodeId")
		}
		return f.post(protocol.PathNodeLabel, body, as(main))
	}
	label(second.id, "Ada at work").refused(protocol.CodeLabelExists)
	label(second.id, " ").refused(protocol.CodeBodyInvalid)
	for _, text := range []string{"__human__", "__x", "\u200b", "\u3164", "A\u200dda", "a\nb", "\u0301", second.id, main.id[:12]} {
		label(second.id, text).refused(protocol.CodeBodyInvalid)
	}
	// Lists show other nodes, also those of other accounts on the map, by these digits.
	stranger := f.player(other)
	for _, text := range []string{n.id[:12], strings.ToUpper(n.id[:20]), stranger.id[:12]} {
		label(second.id, text).refused(protocol.CodeBodyInvalid)
	}
	f.do(http.MethodDelete, protocol.PathAgents+"?id="+stranger.id, nil, as(other)).ok()
	label("", n.id[:12]).refused(protocol.CodeBodyInvalid)
	for _, text := range []string{second.id[:12], n.id[:11], "202611271830", "👩\u200d💻", "علی\u200cرضا", "Eve"} {
		label(second.id, text).ok()
	}
	label("", "the account").ok()
	label(other.id, "mine").refused(protocol.CodeForbidden)
	f.post(protocol.PathNodeLabel, map[string]any{"nodeId": n.id, "label": "x"}, as(other)).refused(protocol.CodeForbidden)

	var nodes protocol.NodesReply
	f.get(protocol.PathNodes+"?labels=true", as(main)).into(&nodes)
	byID := func(list []protocol.AgentRecord) map[string]string {
		labels := map[string]string{}
		for _, a := range list {
			labels[a.AgentID] = a.Label
		}
		return labels
	}
	want := map[string]string{n.id: "Ada at work", second.id: "Eve"}
	if nodes.MainNode.Label != "the account" || !maps.Equal(byID(nodes.AgentNodes), want) {
		t.Errorf("the nodes are %+v", nodes)
	}
	var agents protocol.AgentsReply
	f.get(protocol.PathAgents+"?labels=true", as(main)).into(&agents)
	var all protocol.AllNodesReply
	f.get(protocol.PathNodes+"?all=true&labels=true", asAdmin).into(&all)
	if !maps.Equal(byID(agents.Agents), want) || !maps.Equal(byID(all.AgentNodes), want) {
		t.Errorf("the agents are %+v, for the administrator %+v", agents, all.AgentNodes)
	}
	sid := "?sid=" + f.world.View().SID
	for path, who := range map[string]func(*http.Request){
		protocol.PathNodes: as(main), protocol.PathAgents: as(main), protocol.PathNodes + "?all=true": asAdmin,
		"/api/play/snapshot" + sid: as(main),
	} {
		if r := f.get(path, who).ok(); bytes.Contains(r.body, []byte("label")) || bytes.Contains(r.body, []byte("Eve")) {
			t.Errorf("%s returns %s", path, r.body)
		}
	}
	label(second.id, "").ok()
	label(n.id, "Eve").ok()
}
