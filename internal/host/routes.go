package host

import (
	"maps"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// routes returns the table of everything that the host answers except for health and
// metrics.
func (h *Host) routes() []route {
	all := worldRoutes(h.service)
	answers := nodeAnswers()
	answers["GET "+protocol.PathOpenAPI] = openapiAnswer()
	return append(all, joined(protocol.NodeRoutes(), answers)...)
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

// worldRoutes are the routes with the service's name in their paths.
func worldRoutes(s protocol.Service) []route {
	answers := worldAnswers(s)
	maps.Copy(answers, watchAnswers(s))
	all := joined(s.Routes(), answers)
	for i := range all {
		all[i].service = s
	}
	return all
}

// joined returns the routes of the contract that have an answer, with it.
func joined(routes []protocol.Route, answers map[string]route) []route {
	var all []route
	for i := range routes {
		described := &routes[i]
		rt, answered := answers[described.Pattern()]
		if !answered {
			continue
		}
		rt.method, rt.path, rt.body = described.Method, described.Path, bodyOf(described)
		rt.callers, rt.ownerHash, rt.sid = described.Callers, described.OwnerHash, described.SID
		rt.apiKey, rt.repeatable, rt.secret, rt.stream = described.APIKey, described.Repeatable, described.Secret, described.Stream
		all = append(all, rt)
	}
	return all
}

func bodyOf(r *protocol.Route) bodyUse {
	switch {
	case r.Request == nil:
		return bodyIgnored
	case r.Optional:
		return bodyOptional
	}
	return bodyNeeded
}

// worldAnswers says how the host answers the routes of the world, by their patterns.
// The rules of the rpc route are those of its operations.
func worldAnswers(s protocol.Service) map[string]route {
	return map[string]route{
		"GET " + s.Session():          {embed: true, rules: rules{ofNodes: true, plan: now(sendSession)}},
		"GET " + s.Bootstrap():        {order: []step{checkMayBootstrap, sendBootstrap}},
		"POST " + s.Reset():           {rules: rules{withdraws: true, plan: planReset}},
		"GET " + s.Snapshot():         {embed: true, rules: rules{plan: now(sendSnapshot)}},
		"GET " + s.Events():           {embed: true, rules: rules{plan: now(sendEvents)}},
		"POST " + s.Players():         {rules: rules{plan: planRegister}},
		"POST " + s.Heartbeat():       {rules: rules{plan: parsed[world.Heartbeat]}},
		"POST " + s.Disconnect():      {rules: rules{plan: parsed[world.Disconnect]}},
		"POST " + s.MCPRegister():     {rules: rules{plan: parsed[world.RegisterMCP]}},
		"POST " + s.MCPUnregister():   {rules: rules{plan: parsed[world.UnregisterMCP]}},
		"POST " + s.RemoveOccupant():  {rules: rules{withdraws: true, plan: parsed[world.RemoveOccupant]}},
		"POST " + s.RPC():             {embed: true, order: rpcOrder()},
		"POST " + s.AssistTool():      {rules: rules{plan: parsed[world.AssistTool]}},
		"POST " + s.ProximityAction(): {rules: rules{plan: parsed[world.ProximityAction]}},
		"PUT " + s.Person():           {rules: rules{plan: parsed[world.PutPerson]}},
		"DELETE " + s.Person():        {rules: rules{plan: planRemovePerson}},
	}
}

// nodeAnswers says how the host answers the routes of identities.
func nodeAnswers() map[string]route {
	return map[string]route{
		"POST " + protocol.PathNodes:         {order: creationOrder(), rules: rules{repository: true, plan: planCreateNode}},
		"GET " + protocol.PathNodes:          {rules: rules{repository: true, ofNodes: true, plan: now(sendNodes)}},
		"DELETE " + protocol.PathNodes:       {rules: rules{repository: true, withdraws: true, plan: given(deleteNode)}},
		"POST " + protocol.PathAgentNode:     {rules: rules{repository: true, plan: planCreateAgent}},
		"POST " + protocol.PathValidateNode:  {rules: rules{ofNodes: true, plan: given(validateNode)}},
		"POST " + protocol.PathNodeLabel:     {rules: rules{repository: true, plan: planLabel}},
		"POST " + protocol.PathNodeLimits:    {rules: rules{repository: true, plan: parsed[world.SetLimits]}},
		"POST " + protocol.PathNodeAPIKey:    {rules: rules{repository: true, withdraws: true, plan: now(replaceAPIKey)}},
		"GET " + protocol.PathNodeAPIKeys:    {rules: rules{repository: true, ofNodes: true, plan: now(sendKeys)}},
		"POST " + protocol.PathNodeAPIKeys:   {rules: rules{repository: true, plan: given(createKey)}},
		"DELETE " + protocol.PathNodeAPIKeys: {rules: rules{repository: true, withdraws: true, plan: planRevokeKey}},
		"POST " + protocol.PathInvitations:   {rules: rules{repository: true, plan: given(invite)}},
		"GET " + protocol.PathInvitations:    {rules: rules{repository: true, ofNodes: true, plan: now(sendInvitations)}},
		"DELETE " + protocol.PathInvitations: {rules: rules{repository: true, withdraws: true, plan: planRevokeInvitation}},
		"GET " + protocol.PathBackup:         {rules: rules{plan: now(sendBackup)}},
		"GET " + protocol.PathAgents:         {rules: rules{repository: true, ofNodes: true, plan: now(sendAgents)}},
		"DELETE " + protocol.PathAgents:      {rules: rules{repository: true, withdraws: true, plan: planDeleteAgent}},
		"POST " + protocol.PathAgents:        {rules: rules{plan: now(sendRemoved)}},
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
