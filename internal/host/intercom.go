package host

import (
	"net/http"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// askers may speak to agents: every node, and people who may act.
const askers = nodes | actors

// intercomOperations are those by which agents are asked and answer.
func intercomOperations() map[protocol.Op]*rules {
	return map[protocol.Op]*rules{
		protocol.OpIntercomCommand: {
			callers: askers, sid: true, repeatable: true, plan: paid(protocol.ParseRequest[protocol.IntercomCommand],
				func(r protocol.IntercomCommand) world.Command { return world.IntercomCommand{IntercomCommand: r} }),
		},
		protocol.OpIntercomResponse: {
			callers: players, ownerHash: true, sid: true, repeatable: true, plan: paid(protocol.ParseRequest[protocol.IntercomResponse],
				func(r protocol.IntercomResponse) world.Command { return world.IntercomResponse{IntercomResponse: r} }),
		},
	}
}

// peopleRoutes are what people do to agents.
func peopleRoutes(s protocol.Service) []route {
	return []route{
		{
			method: http.MethodPost, path: s.AssistTool(), body: bodyNeeded,
			rules: rules{callers: askers, sid: true, repeatable: true, plan: parsed(protocol.ParseRequest[protocol.AssistToolRequest],
				func(r protocol.AssistToolRequest) world.Command { return world.AssistTool{AssistToolRequest: r} })},
		},
		{
			method: http.MethodPost, path: s.ProximityAction(), body: bodyNeeded,
			rules: rules{callers: askers, sid: true, repeatable: true, plan: parsed(protocol.ParseRequest[protocol.ProximityActionRequest],
				func(r protocol.ProximityActionRequest) world.Command {
					return world.ProximityAction{ProximityActionRequest: r}
				})},
		},
	}
}
