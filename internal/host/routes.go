package host

import (
	"net/http"
	"slices"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// routes is the table of everything that the host answers except for health and
// metrics, as the protocol lists it.
func (h *Host) routes() []route {
	return slices.Concat(worldRoutes(h.service), []route{openapiRoute()}, nodeRoutes())
}

// mounted returns the routes, with those of the world repeated under every service
// name of the host.
func (h *Host) mounted() []route {
	all := h.routes()
	if h.options.Compat == CompatAgentPlay {
		all = append(all, worldRoutes(protocol.ServiceAgentPlay)...)
	}
	return all
}

// worldRoutes are the routes with the service's name in their paths. The rules of
// the rpc route are those of its operations.
func worldRoutes(s protocol.Service) []route {
	all := append([]route{
		{
			method: http.MethodGet, path: s.Session(), embed: true,
			rules: rules{callers: readers, apiKey: true, ofNodes: true, plan: now(sendSession)},
		},
		{method: http.MethodGet, path: s.Bootstrap(), order: []step{checkMayBootstrap, sendBootstrap}, rules: rules{callers: nodes | admins}},
		{
			method: http.MethodPost, path: s.Reset(), body: bodyOptional,
			rules: rules{callers: admins, sid: true, repeatable: true, withdraws: true, plan: planReset},
		},
		{
			method: http.MethodGet, path: s.Snapshot(), embed: true,
			rules: rules{callers: readers, sid: true, plan: now(sendSnapshot)},
		},
		{
			method: http.MethodGet, path: s.Events(), embed: true,
			rules: rules{callers: readers, sid: true, stream: true, plan: now(sendEvents)},
		},
		{
			method: http.MethodPost, path: s.Players(), body: bodyNeeded,
			rules: rules{callers: players, ownerHash: true, sid: true, apiKey: true, repeatable: true, plan: planRegister},
		},
		{
			method: http.MethodPost, path: s.Heartbeat(), body: bodyNeeded,
			rules: rules{callers: players, ownerHash: true, sid: true, plan: parsed[world.Heartbeat]},
		},
		{
			method: http.MethodPost, path: s.Disconnect(), body: bodyNeeded,
			rules: rules{callers: players, ownerHash: true, sid: true, repeatable: true, plan: parsed[world.Disconnect]},
		},
		{
			method: http.MethodPost, path: s.MCPRegister(), body: bodyNeeded,
			rules: rules{callers: mains, sid: true, apiKey: true, repeatable: true, plan: parsed[world.RegisterMCP]},
		},
		{
			method: http.MethodPost, path: s.MCPUnregister(), body: bodyNeeded,
			rules: rules{callers: mains, sid: true, repeatable: true, plan: parsed[world.UnregisterMCP]},
		},
		{
			method: http.MethodPost, path: s.RemoveOccupant(), body: bodyNeeded,
			rules: rules{callers: admins, sid: true, repeatable: true, withdraws: true, plan: parsed[world.RemoveOccupant]},
		},
		{method: http.MethodPost, path: s.RPC(), body: bodyNeeded, embed: true, order: rpcOrder(), rules: rules{callers: viewers, ownerHash: true}},
	}, slices.Concat(peopleRoutes(s), watchRoutes(s))...)
	for i := range all {
		all[i].service = s
	}
	return all
}

// nodeRoutes are the routes of identities, which belong to no session.
func nodeRoutes() []route {
	return slices.Concat(accountRoutes(), accessRoutes(), agentRoutes())
}

// accountRoutes are the routes of accounts: their nodes, labels and limits.
func accountRoutes() []route {
	return []route{
		{
			method: http.MethodPost, path: protocol.PathNodes, body: bodyNeeded, order: creationOrder(),
			rules: rules{callers: mains, repository: true, repeatable: true, secret: true, plan: planCreateNode},
		},
		{
			method: http.MethodGet, path: protocol.PathNodes,
			rules: rules{callers: mains | admins, repository: true, ofNodes: true, plan: now(sendNodes)},
		},
		{
			method: http.MethodDelete, path: protocol.PathNodes, body: bodyNeeded,
			rules: rules{callers: mains | admins, repository: true, repeatable: true, withdraws: true, plan: given(deleteNode)},
		},
		{
			method: http.MethodPost, path: protocol.PathAgentNode, body: bodyNeeded,
			rules: rules{callers: mains, repository: true, repeatable: true, plan: planCreateAgent},
		},
		{
			method: http.MethodPost, path: protocol.PathValidateNode, body: bodyNeeded,
			rules: rules{callers: nodes | admins, ownerHash: true, ofNodes: true, plan: given(validateNode)},
		},
		{
			method: http.MethodPost, path: protocol.PathNodeLabel, body: bodyNeeded,
			rules: rules{callers: mains, repository: true, repeatable: true, plan: planLabel},
		},
		{
			method: http.MethodPost, path: protocol.PathNodeLimits, body: bodyNeeded,
			rules: rules{callers: admins, repository: true, repeatable: true, plan: parsed[world.SetLimits]},
		},
	}
}

// accessRoutes are the routes of API keys and invitations.
func accessRoutes() []route {
	return []route{
		{
			method: http.MethodPost, path: protocol.PathNodeAPIKey, body: bodyOptional,
			rules: rules{callers: mains, repository: true, repeatable: true, secret: true, withdraws: true, plan: now(replaceAPIKey)},
		},
		{
			method: http.MethodGet, path: protocol.PathNodeAPIKeys,
			rules: rules{callers: mains, repository: true, ofNodes: true, plan: now(sendKeys)},
		},
		{
			method: http.MethodPost, path: protocol.PathNodeAPIKeys, body: bodyNeeded,
			rules: rules{callers: mains, repository: true, repeatable: true, secret: true, plan: given(createKey)},
		},
		{
			method: http.MethodDelete, path: protocol.PathNodeAPIKeys,
			rules: rules{callers: mains, repository: true, repeatable: true, withdraws: true, plan: planRevokeKey},
		},
		{
			method: http.MethodPost, path: protocol.PathInvitations, body: bodyOptional,
			rules: rules{callers: mains | admins, repository: true, repeatable: true, secret: true, plan: given(invite)},
		},
		{
			method: http.MethodGet, path: protocol.PathInvitations,
			rules: rules{callers: mains | admins, repository: true, ofNodes: true, plan: now(sendInvitations)},
		},
		{
			method: http.MethodDelete, path: protocol.PathInvitations,
			rules: rules{callers: mains | admins, repository: true, repeatable: true, withdraws: true, plan: planRevokeInvitation},
		},
	}
}

// agentRoutes are the administrator's backup and the routes of a main node's agents.
func agentRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: protocol.PathBackup,
			rules: rules{callers: admins, plan: now(sendBackup)},
		},
		{
			method: http.MethodGet, path: protocol.PathAgents,
			rules: rules{callers: mains, repository: true, ofNodes: true, plan: now(sendAgents)},
		},
		{
			method: http.MethodDelete, path: protocol.PathAgents,
			rules: rules{callers: mains, repository: true, repeatable: true, withdraws: true, plan: planDeleteAgent},
		},
		{
			method: http.MethodPost, path: protocol.PathAgents,
			rules: rules{callers: mains, plan: now(sendRemoved)},
		},
	}
}

// planReset ends the session for everybody.
func planReset(*call) (action, error) {
	return do(world.ResetSession{Reason: "admin"})
}

// sendRemoved answers a route of the agent-play service that has no successor under
// its name.
func sendRemoved(*call) error {
	return protocol.Errorf(protocol.CodeRemoved, "agents are no longer created here: create an agent node at %s", protocol.PathAgentNode)
}
