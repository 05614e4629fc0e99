package host

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

func TestNodeLists(t *testing.T) {
	f := newFixture(t)
	main := f.main()
	one, two := f.player(main), f.agent(main)
	f.player(f.main())
	var nodes protocol.NodesReply
	f.get(protocol.PathNodes, as(main)).into(&nodes)
	if nodes.GenesisNodeID != worldtest.RootKey || nodes.MainNode.NodeID != main.id || nodes.MainNode.ParentNodeID != worldtest.RootKey ||
		nodes.MainNode.Kind != protocol.NodeKindMain || len(nodes.MainNode.AgentNodeIDs) != 2 {
		t.Errorf("the main node is %+v", nodes)
	}
	var agents protocol.AgentsReply
	r := f.get(protocol.PathAgents, as(main))
	r.into(&agents)
	byID := map[string]protocol.AgentRecord{}
	for _, a := range agents.Agents {
		byID[a.AgentID] = a
	}
	if len(byID) != 2 || byID[one.id].Name != "Ada" || byID[two.id].Name != "" || len(byID[one.id].ToolNames) != 1 {
		t.Errorf("the agents are %s", r.body)
	}
	if !bytes.Contains(r.body, []byte(`"toolNames":[]`)) {
		t.Errorf("an agent that never registered has no list of tools: %s", r.body)
	}
	if _, err := protocol.ParseTime(byID[one.id].CreatedAt); err != nil {
		t.Errorf("createdAt: %v", err)
	}
	var gone protocol.OKReply
	f.do(http.MethodDelete, protocol.PathAgents+"?id="+one.id, "ignored", as(main), with("Content-Type", "text/plain")).into(&gone)
	if !gone.OK || f.world.View().Tree.OccupantCount() != 1 {
		t.Errorf("deleted: %v, %d occupants remain", gone.OK, f.world.View().Tree.OccupantCount())
	}
	f.do(http.MethodDelete, protocol.PathAgents+"?id="+one.id, nil, as(main)).into(&gone)
	if gone.OK {
		t.Error("an agent was deleted twice")
	}
	f.do(http.MethodDelete, protocol.PathAgents, nil, as(main)).refused(protocol.CodeBodyInvalid)
	f.post(protocol.PathAgents, nil, as(main)).refused(protocol.CodeRemoved)
}

func TestValidate(t *testing.T) {
	f := newFixture(t)
	main, other := f.main(), f.main()
	agent := f.agent(main)
	for name, c := range map[string]struct {
		who  identity
		body map[string]any
		want string
	}{
		"own main node":       {main, map[string]any{}, `{"ok":true,"nodeKind":"main"}`},
		"own agent node":      {agent, map[string]any{"rootKey": " " + worldtest.RootKey, "mainNodeId": main.id}, `{"ok":true,"nodeKind":"agent"}`},
		"agent of the caller": {main, map[string]any{"nodeId": agent.id, "mainNodeId": main.id}, `{"ok":true,"nodeKind":"agent"}`},
		"unknown":             {main, map[string]any{"nodeId": f.newIdentity().id}, `{"ok":false,"reason":"node not found"}`},
		"another root key":    {main, map[string]any{"rootKey": "other"}, `{"ok":false,"reason":"derivative mismatch","nodeKind":"main"}`},
		"agent with the wrong main node": {
			main, map[string]any{"nodeId": agent.id, "mainNodeId": other.id},
			`{"ok":false,"reason":"agent parent mismatch","nodeKind":"agent"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := f.post(protocol.PathValidateNode, c.body, as(c.who))
			var got, want map[string]any
			if json.Unmarshal(r.body, &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
				t.Fatalf("%d %s", r.status, r.body)
			}
			ok, _ := want["ok"].(bool)
			if string(r.body) != c.want || (r.status == http.StatusOK) != ok || !ok && r.status != http.StatusBadRequest {
				t.Errorf("%d %s, want %s", r.status, r.body, c.want)
			}
		})
	}
	f.post(protocol.PathValidateNode, map[string]any{"nodeId": other.id}, as(agent)).refused(protocol.CodeForbidden)
	f.post(protocol.PathValidateNode, map[string]any{"nodeId": main.id}, as(agent)).refused(protocol.CodeForbidden)
	f.post(protocol.PathValidateNode, map[string]any{"nodeId": agent.id}, asAdmin).ok()
}

func TestWithoutRepository(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.host.NoRepository, s.world.NoRepository = true, true })
	n := f.newIdentity()
	f.post(protocol.PathNodes, map[string]any{"nodeId": n.id, "passwHash": n.hash}).refused(protocol.CodeRepositoryOff)
	f.post(protocol.PathAgentNode, map[string]any{"agentNodeId": n.id, "agentNodePasswHash": n.hash}).refused(protocol.CodeRepositoryOff)
	for _, r := range []*reply{
		f.get(protocol.PathNodes), f.get(protocol.PathAgents), f.post(protocol.PathNodeAPIKey, map[string]any{}),
		f.do(http.MethodDelete, protocol.PathAgents+"?id=x", nil),
		f.do(http.MethodDelete, protocol.PathNodes, map[string]any{"confirmNodeId": "x"}),
	} {
		r.refused(protocol.CodeRepositoryOff)
	}
	f.get("/api/play/session").ok()
	var valid protocol.ValidateReply
	f.post(protocol.PathValidateNode, map[string]any{"nodeId": "a", "mainNodeId": "m"}).into(&valid)
	if !valid.OK || valid.NodeKind != protocol.NodeKindAgent {
		t.Errorf("validate: %+v", valid)
	}
	for player, c := range map[string]struct {
		named, header, owner string
	}{
		"by-body": {"Owner", "other", "owner"}, "by-header": {"", "other", "other"}, "by-nothing": {"", "", worldtest.RootKey},
	} {
		body := registration(player)
		if c.named != "" {
			body["mainNodeId"] = c.named
		}
		f.post(f.play("/players"), body, with(protocol.HeaderNodeID, c.header)).ok()
		if f.row(protocol.AgentKey(c.owner, player)) == nil {
			t.Errorf("%s is not on the map as an agent of %s", player, c.owner)
		}
	}
	f.get("/api/play/session", with(protocol.HeaderNodeID, "no:id")).refused(protocol.CodeCredentialsInvalid)
	// The administrator's token is checked nevertheless.
	f.post(f.play("/session/reset"), nil).refused(protocol.CodeForbidden)
	f.post(f.play("/session/reset"), nil, with("Authorization", "Bearer x")).refused(protocol.CodeCredentialsInvalid)
	f.post(f.play("/session/reset"), nil, asAdmin).ok()
}

func TestRegisterAndPlacements(t *testing.T) {
	f := newFixture(t, func(s *setup) { s.host.PublicURL = "https://play.example.org/" })
	main := f.main()
	agent := f.agent(main)
	var registered protocol.RegisterReply
	r := f.post(f.play("/players"), registration(agent.id), as(main))
	r.into(&registered)
	if registered.PlayerID != agent.id || registered.PreviewURL != "https://play.example.org/play/watch" ||
		!bytes.Contains(r.body, []byte(`"connectionId":null,"leaseTtlSeconds":null`)) {
		t.Errorf("registered as %s", r.body)
	}
	if r.header.Get("X-Play-Rev") != itoa(f.world.View().Rev) {
		t.Errorf("a write reports rev %s, the map is at %d", r.header.Get("X-Play-Rev"), f.world.View().Rev)
	}
	rev := f.world.View().Rev
	f.post(f.play("/players"), registration(agent.id), as(main)).ok()
	if now := f.world.View().Rev; now != rev {
		t.Errorf("an identical registration changed the rev from %d to %d", rev, now)
	}
	place := map[string]any{"name": "files", "url": "https://files.example.org/mcp"}
	var one, two protocol.IDReply
	f.post(f.play("/mcp/register"), place, as(main)).into(&one)
	place["url"] = "https://files.example.org/other"
	f.post(f.play("/mcp/register"), place, as(main)).into(&two)
	if one.ID == "" || one.ID != two.ID {
		t.Errorf("the same name got the ids %s and %s", one.ID, two.ID)
	}
	f.post(f.play("/mcp/unregister"), map[string]any{"id": one.ID}, as(f.main())).refused(protocol.CodeForbidden)
	var gone protocol.OKReply
	f.post(f.play("/mcp/unregister"), map[string]any{"id": one.ID}, as(main)).into(&gone)
	if !gone.OK {
		t.Error("the caller's placement was not removed")
	}
	f.post(f.play("/mcp/unregister"), map[string]any{"id": one.ID}, as(main)).into(&gone)
	if gone.OK {
		t.Error("a placement was removed twice")
	}
}
