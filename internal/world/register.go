package world

import (
	"slices"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

func (c Register) plan(p *planner) (any, error) {
	r := &c.RegisterRequest
	node, err := p.agentFor(r.AgentID)
	if err != nil {
		return nil, err
	}
	owner, err := p.ownerOf(node, r.MainNodeID)
	if err != nil {
		return nil, err
	}
	row := c.row(p, owner)
	if prev := p.st.agent(r.AgentID); prev == nil {
		if err := p.checkRoom(owner); err != nil {
			return nil, err
		}
		row.X, row.Y = p.placeNew(row.StableKey())
	} else if prev.NodeID != owner {
		// Only without a repository can the owner change; the row's key does too.
		p.dropRow(prev.StableKey())
	}
	if err := p.show(row); err != nil {
		return nil, err
	}
	if err := p.checkMapBytes(owner); err != nil {
		return nil, err
	}
	if err := p.remember(r); err != nil {
		return nil, err
	}
	if err := p.hold(r); err != nil {
		return nil, err
	}
	return c.reply(row), nil
}

// ownerOf returns the main node that owns an agent's row.
func (p *planner) ownerOf(node *Node, mainNodeID string) (string, error) {
	if node != nil {
		if mainNodeID != "" && mainNodeID != node.Parent {
			return "", protocol.Errorf(protocol.CodeForbidden, "mainNodeId is not the main node that owns this agent")
		}
		return node.Parent, nil
	}
	if mainNodeID != "" {
		return mainNodeID, nil
	}
	return p.mainCaller()
}

// row builds the agent's row from the registration and from the world's records of
// the agent.
func (c Register) row(p *planner, owner string) *protocol.Agent {
	r := &c.RegisterRequest
	row := &protocol.Agent{Stationary: true}
	if prev := p.st.agent(r.AgentID); prev != nil {
		*row = *prev
	} else if a := p.st.aggregates[r.AgentID]; a != nil {
		row.ZoneCount, row.YieldCount, row.Flagged = a.ZoneCount, a.YieldCount, a.Flagged()
	}
	row.NodeID, row.AgentID, row.Name, row.Platform = owner, r.AgentID, r.Name, r.Type
	row.ToolNames = slices.Clone(r.Agent.ToolNames)
	row.AssistToolNames = r.Agent.AssistToolNames()
	row.AssistTools = r.Agent.AssistTools
	row.HasChatTool = slices.Contains(row.ToolNames, protocol.ChatTool)
	row.EnableP2A = r.EnableP2A
	row.RealtimeInstructions = r.RealtimeInstructions
	row.ParentID, row.Group = r.ParentID, r.Group
	return row
}

// show puts the row on the map with its event; an identical row causes none.
func (p *planner) show(row *protocol.Agent) error {
	encoded, changed, err := p.putRow(row)
	if err != nil || !changed {
		return err
	}
	p.emitBytes(protocol.EventPlayerAdded, wrapObject("player", encoded))
	return nil
}

// remember keeps the names by which the agent is listed when it is off the map.
func (p *planner) remember(r *protocol.RegisterRequest) error {
	var next Aggregate
	if prev := p.st.aggregates[r.AgentID]; prev != nil {
		if prev.Name == r.Name && slices.Equal(prev.ToolNames, r.Agent.ToolNames) {
			return nil
		}
		next = *prev
	}
	next.Name, next.ToolNames, next.UpdatedAt = r.Name, r.Agent.ToolNames, p.now.UnixMilli()
	if err := p.makeRoomForNames(r.AgentID, &next); err != nil {
		return err
	}
	return p.put(store.Aggregates, r.AgentID, &next)
}

// hold makes the registration's connection the agent's only one, or drops the
// lease if the registration has none.
func (p *planner) hold(r *protocol.RegisterRequest) error {
	if r.ConnectionID == "" {
		p.dropLease(r.AgentID)
		return nil
	}
	return p.holdFor(r.AgentID, lease{ConnectionID: r.ConnectionID, TTLSeconds: r.LeaseTTLSeconds})
}

// holdFor gives a row a lease. An unchanged one is renewed without a record.
func (p *planner) holdFor(key string, next lease) error {
	if prev := p.st.leases[key]; prev != nil && *prev == next {
		p.renewals = append(p.renewals, renewalOf(store.Leases, key, next.term()))
		return nil
	}
	return p.put(store.Leases, key, &next)
}

func (c Register) reply(row *protocol.Agent) *protocol.RegisterReply {
	r := &c.RegisterRequest
	reply := &protocol.RegisterReply{
		PlayerID:   r.AgentID,
		PreviewURL: c.PreviewURL,
		RegisteredAgent: protocol.RegisteredAgent{
			AgentID: r.AgentID, Name: row.Name, ToolNames: row.ToolNames,
			ZoneCount: row.ZoneCount, YieldCount: row.YieldCount, Flagged: row.Flagged,
		},
		EnableP2A: row.EnableP2A,
	}
	if r.ConnectionID != "" {
		reply.ConnectionID, reply.LeaseTTLSeconds = &r.ConnectionID, &r.LeaseTTLSeconds
	}
	return reply
}

// wrapObject returns a JSON object with one field.
func wrapObject(name string, value []byte) []byte {
	b := make([]byte, 0, len(name)+len(value)+6)
	b = append(b, `{"`...)
	b = append(b, name...)
	b = append(b, `":`...)
	b = append(b, value...)
	return append(b, '}')
}
