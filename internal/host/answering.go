package host

import (
	"slices"
	"strings"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// askAgent sends a command to an agent. If the caller requests it, the command is
// refused at once when no program answers; other callers wait for the agent's answer,
// or for the host's own after the timeout.
func askAgent(c *call, request protocol.IntercomCommand) error {
	asked := world.IntercomCommand{IntercomCommand: request}
	if c.query().Get(protocol.QueryIfAnswering) == "1" {
		found := c.host.world.Answering(c.r.Context(), []string{request.ToPlayerID})
		asked.NotAnswering = found[request.ToPlayerID] == protocol.AnsweringNo
	}
	return c.carryOut(asked)
}

// sendAnswering reports for agents on the map whether a program answers.
func sendAnswering(c *call, request protocol.ListAnsweringRequest) error {
	v, registry := c.host.world.View(), c.host.world.Registry()
	c.setRev(v.Rev)
	found := c.host.world.Answering(c.r.Context(), request.PlayerIDs)
	reply := &protocol.ListAnsweringReply{Agents: protocol.List[protocol.AnsweringAgent]{}}
	for id, answering := range found {
		agent := protocol.AnsweringAgent{PlayerID: id, Answering: answering}
		if c.mayActFor(id) {
			agent.LeaseTTLSeconds = registry.Lease(id)
			if at := registry.Asked(id); !at.IsZero() {
				agent.AskedAt = protocol.FormatTime(at)
			}
		}
		reply.Agents = append(reply.Agents, agent)
	}
	slices.SortFunc(reply.Agents, func(a, b protocol.AnsweringAgent) int { return strings.Compare(a.PlayerID, b.PlayerID) })
	return c.send(reply)
}

// sendAgentCounts counts the agents on the map by their states.
func sendAgentCounts(c *call, _ protocol.EmptyRequest) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	return c.send(v.AgentCounts())
}

// mayActFor reports whether the caller is an agent, owns it or is the administrator.
func (c *call) mayActFor(agentID string) bool {
	if c.caller.Admin || c.caller.Unchecked {
		return true
	}
	node := c.host.world.Registry().Node(agentID)
	return c.node != nil && node != nil && (c.node.ID == node.ID || c.node.ID == node.Parent)
}
