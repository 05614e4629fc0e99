package host

import (
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// routes returns the table of everything that the host answers except for the routes of
// health and metrics.
func (h *Host) routes() []route {
	return newRoutes(h.service, protocol.Routes(h.service), worldAnswers(h.service), watchAnswers(h.service), nodeAnswers())
}

// mounted returns the routes, with those of the world repeated under every service
// name of the host.
func (h *Host) mounted() []route {
	all := h.routes()
	if s := protocol.ServiceAgentPlay; h.options.Compat == CompatAgentPlay {
		all = append(all, newRoutes(s, s.Routes(), worldAnswers(s), watchAnswers(s))...)
	}
	return all
}

// routeAnswers says how the host answers routes, by their patterns.
type routeAnswers map[string]answer

// newRoutes joins the routes of the contract with their answers. It panics if the
// answers are not one for each route, apart from health and metrics.
func newRoutes(s protocol.Service, described []protocol.Route, sets ...routeAnswers) []route {
	all := routeAnswers{}
	for _, set := range sets {
		for pattern, a := range set {
			if _, there := all[pattern]; there {
				panic("host: two answers for " + pattern)
			}
			all[pattern] = a
		}
	}
	var routes []route
	for i := range described {
		d := &described[i]
		a, answered := all[d.Pattern()]
		delete(all, d.Pattern())
		switch {
		case !answered && d.Group == protocol.GroupUpkeep:
			continue
		case a.plan == nil && a.order == nil:
			panic("host: no answer for " + d.Pattern())
		case a.order == nil && d.Anyone:
			panic("host: the usual order of checks needs credentials, which " + d.Pattern() + " does not")
		}
		routes = append(routes, route{
			method: d.Method, path: d.Path, service: s, body: bodyOf(d), embed: a.embed, order: a.order,
			rules: rules{
				callers: d.Callers, ownerHash: d.OwnerHash, sid: d.SID, apiKey: d.APIKey, repeatable: d.Repeatable, secret: d.Secret,
				stream: d.Stream, ofNodes: a.ofNodes, withdraws: a.withdraws, repository: a.repository, plan: a.plan,
			},
		})
	}
	for pattern := range all {
		panic("host: an answer for " + pattern + ", which is no route of the contract")
	}
	return routes
}

func bodyOf(r *protocol.Route) bodyUse {
	switch {
	case r.Request == nil:
		return bodyIgnored
	case r.OptionalBody:
		return bodyOptional
	}
	return bodyNeeded
}

// worldAnswers says how the host answers the routes of the world, by their patterns.
// The rules of the rpc route are those of its operations.
func worldAnswers(s protocol.Service) routeAnswers {
	return routeAnswers{
		"GET " + s.Session():          {embed: true, ofNodes: true, plan: noBody(sendSession)},
		"GET " + s.Bootstrap():        {order: []step{checkMayBootstrap, sendBootstrap}},
		"POST " + s.Reset():           {withdraws: true, plan: planReset},
		"GET " + s.Snapshot():         {embed: true, plan: noBody(sendSnapshot)},
		"GET " + s.Events():           {embed: true, plan: noBody(sendEvents)},
		"POST " + s.Players():         {plan: planRegister},
		"POST " + s.Heartbeat():       {plan: decodeCommand[world.Heartbeat]},
		"POST " + s.Disconnect():      {plan: decodeCommand[world.Disconnect]},
		"POST " + s.MCPRegister():     {plan: decodeCommand[world.RegisterMCP]},
		"POST " + s.MCPUnregister():   {plan: decodeCommand[world.UnregisterMCP]},
		"POST " + s.RemoveOccupant():  {withdraws: true, plan: decodeCommand[world.RemoveOccupant]},
		"POST " + s.RPC():             {embed: true, order: rpcOrder()},
		"POST " + s.AssistTool():      {plan: decodeCommand[world.AssistTool]},
		"POST " + s.ProximityAction(): {plan: decodeCommand[world.ProximityAction]},
		"PUT " + s.Person():           {plan: decodeCommand[world.PutPerson]},
		"DELETE " + s.Person():        {plan: planRemovePerson},
	}
}

// nodeAnswers says how the host answers the routes without a service's name.
func nodeAnswers() routeAnswers {
	return routeAnswers{
		"GET " + protocol.PathOpenAPI:        openapiAnswer(),
		"POST " + protocol.PathNodes:         {order: creationOrder(), repository: true, plan: planCreateNode},
		"GET " + protocol.PathNodes:          {repository: true, ofNodes: true, plan: noBody(sendNodes)},
		"DELETE " + protocol.PathNodes:       {repository: true, withdraws: true, plan: decodeRequest(deleteNode)},
		"POST " + protocol.PathAgentNode:     {repository: true, plan: planCreateAgent},
		"POST " + protocol.PathValidateNode:  {ofNodes: true, plan: decodeRequest(validateNode)},
		"POST " + protocol.PathNodeLabel:     {repository: true, plan: planLabel},
		"POST " + protocol.PathNodeLimits:    {repository: true, plan: decodeCommand[world.SetLimits]},
		"POST " + protocol.PathNodeAPIKey:    {repository: true, withdraws: true, plan: noBody(replaceAPIKey)},
		"GET " + protocol.PathNodeAPIKeys:    {repository: true, ofNodes: true, plan: noBody(sendKeys)},
		"POST " + protocol.PathNodeAPIKeys:   {repository: true, plan: decodeRequest(createKey)},
		"DELETE " + protocol.PathNodeAPIKeys: {repository: true, withdraws: true, plan: planRevokeKey},
		"POST " + protocol.PathInvitations:   {repository: true, plan: decodeRequest(invite)},
		"GET " + protocol.PathInvitations:    {repository: true, ofNodes: true, plan: noBody(sendInvitations)},
		"DELETE " + protocol.PathInvitations: {repository: true, withdraws: true, plan: planRevokeInvitation},
		"GET " + protocol.PathBackup:         {plan: noBody(sendBackup)},
		"GET " + protocol.PathAgents:         {repository: true, ofNodes: true, plan: noBody(sendAgents)},
		"DELETE " + protocol.PathAgents:      {repository: true, withdraws: true, plan: planDeleteAgent},
		"POST " + protocol.PathAgents:        {plan: noBody(sendRemoved)},
	}
}

// planReset ends the session for everybody.
func planReset(*call) (action, error) {
	return command(world.ResetSession{Reason: "admin"})
}

// sendRemoved answers a route of the agent-play service that has no successor under
// its name.
func sendRemoved(*call) error {
	return protocol.Errorf(protocol.CodeRemoved, "agents are no longer created here: create an agent node at %s", protocol.PathAgentNode)
}
