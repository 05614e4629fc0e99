package host

import (
	"net/http"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// peopleRoutes are what people do to agents.
func peopleRoutes(s protocol.Service) []route {
	return []route{
		{
			method: http.MethodPost, path: s.AssistTool(), body: bodyNeeded,
			rules: rules{callers: askers, sid: true, repeatable: true, plan: parsed(func(r protocol.AssistToolRequest) world.Command {
				return world.AssistTool{AssistToolRequest: r}
			})},
		},
		{
			method: http.MethodPost, path: s.ProximityAction(), body: bodyNeeded,
			rules: rules{callers: askers, sid: true, repeatable: true, plan: parsed(func(r protocol.ProximityActionRequest) world.Command {
				return world.ProximityAction{ProximityActionRequest: r}
			})},
		},
	}
}
