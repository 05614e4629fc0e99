package host

import (
	"time"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// sendNodes lists the caller's account, or for the administrator who asks for
// all of them, every node.
func sendNodes(c *call) error {
	if err := c.checkRepository(); err != nil {
		return err
	}
	all := c.query().Get(protocol.QueryAll) == "true"
	if all != c.caller.Admin {
		return protocol.Errorf(protocol.CodeForbidden,
			"a main node lists its own nodes; the administrator lists all of them, with ?all=true")
	}
	if all {
		return c.send(c.host.allNodes())
	}
	registry, root := c.host.world.Registry(), c.host.world.View().RootKey
	own := registry.Agents(c.caller.NodeID)
	return c.send(&protocol.NodesReply{
		GenesisNodeID: root,
		MainNode:      mainRecord(c.node, root, own),
		AgentNodes:    agentRecords(registry, own),
	})
}

func (h *Host) allNodes() *protocol.AllNodesReply {
	registry, root := h.world.Registry(), h.world.View().RootKey
	reply := &protocol.AllNodesReply{
		GenesisNodeID: root,
		AgentNodes:    agentRecords(registry, registry.All(protocol.NodeKindAgent)),
	}
	for _, n := range registry.All(protocol.NodeKindMain) {
		reply.MainNodes = append(reply.MainNodes, mainRecord(n, root, registry.Agents(n.ID)))
	}
	for _, n := range registry.All(protocol.NodeKindSpace) {
		reply.SpaceNodes = append(reply.SpaceNodes, protocol.SpaceNodeRecord{
			NodeID: n.ID, Kind: n.Kind, ParentNodeID: n.Parent, SpaceID: n.SpaceID, CreatedAt: formatMillis(n.CreatedAt),
		})
	}
	return reply
}

// sendAgents lists the caller's agents.
func sendAgents(c *call) error {
	if err := c.checkRepository(); err != nil {
		return err
	}
	registry := c.host.world.Registry()
	return c.send(&protocol.AgentsReply{Agents: agentRecords(registry, registry.Agents(c.caller.NodeID))})
}

func mainRecord(n *world.Node, root string, own []*world.Node) protocol.MainNodeRecord {
	r := protocol.MainNodeRecord{
		NodeID: n.ID, Kind: n.Kind, ParentNodeID: root, CreatedAt: formatMillis(n.CreatedAt),
	}
	for _, a := range own {
		r.AgentNodeIDs = append(r.AgentNodeIDs, a.ID)
	}
	return r
}

// agentRecords joins agent nodes with what is kept of them.
func agentRecords(registry *world.Registry, own []*world.Node) []protocol.AgentRecord {
	records := make([]protocol.AgentRecord, 0, len(own))
	for _, n := range own {
		r := protocol.AgentRecord{
			AgentID: n.ID, CreatedAt: formatMillis(n.CreatedAt), UpdatedAt: formatMillis(n.UpdatedAt),
		}
		if a := registry.Aggregate(n.ID); a != nil {
			r.Name, r.ToolNames = a.Name, a.ToolNames
			r.ZoneCount, r.YieldCount, r.Flagged = a.ZoneCount, a.YieldCount, a.Flagged()
			r.UpdatedAt = formatMillis(max(a.UpdatedAt, n.UpdatedAt))
		}
		records = append(records, r)
	}
	return records
}

func formatMillis(ms int64) string { return protocol.FormatTime(time.UnixMilli(ms)) }
