package world

import (
	"slices"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

func (c CreateMainNode) plan(p *planner) (any, error) {
	if err := p.checkFree(c.NodeID); err != nil {
		return nil, err
	}
	if err := p.checkQuota("", Accounts); err != nil {
		return nil, err
	}
	if c.Invitation != nil {
		if err := p.useInvitation(*c.Invitation); err != nil {
			return nil, err
		}
	}
	now := p.now.UnixMilli()
	node := &Node{
		ID: c.NodeID, Kind: protocol.NodeKindMain, Digest: c.Digest[:], APIKeyDigest: c.APIKeyDigest[:],
		APIKeyCreatedAt: now, CreatedAt: now, UpdatedAt: now,
	}
	return &protocol.CreateNodeReply{NodeID: c.NodeID, APIKey: c.APIKey.Wire()}, p.put(store.Nodes, c.NodeID, node)
}

// checkFree refuses an id that is a node already. The root node has no record
// but its id is taken.
func (p *planner) checkFree(id string) error {
	if p.st.nodes[id] != nil || id == p.st.RootKey {
		return protocol.Errorf(protocol.CodeNodeExists,
			"a node with this id already exists: use another phrase, or sign in with this one")
	}
	return nil
}

func (c CreateAgentNode) plan(p *planner) (any, error) {
	owner, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	if err := p.checkFree(c.AgentNodeID); err != nil {
		return nil, err
	}
	if err := p.checkQuota(owner, Agents); err != nil {
		return nil, err
	}
	if err := p.checkLabel(owner, c.AgentNodeID, c.Label); err != nil {
		return nil, err
	}
	if p.st.usage(p.st.RootKey).Bytes > 0 {
		// Records written under this id while the host had no repository do not belong to this
		// agent.
		if err := p.forgetHistories(p.st.RootKey, c.AgentNodeID); err != nil {
			return nil, err
		}
	}
	now := p.now.UnixMilli()
	node := &Node{ID: c.AgentNodeID, Kind: protocol.NodeKindAgent, Parent: owner, Label: c.Label, Digest: c.Digest[:], CreatedAt: now, UpdatedAt: now}
	return &protocol.AgentNodeReply{AgentID: c.AgentNodeID}, p.put(store.Nodes, c.AgentNodeID, node)
}

func (c ReplaceAPIKey) plan(p *planner) (any, error) {
	id, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	next := *p.st.nodes[id]
	now := p.now.UnixMilli()
	next.APIKeyDigest, next.APIKeyCreatedAt, next.APIKeyUsedAt, next.UpdatedAt = c.APIKeyDigest[:], now, 0, now
	return &protocol.APIKeyReply{APIKey: c.APIKey.Wire()}, p.put(store.Nodes, id, &next)
}

func (c DeleteAgent) plan(p *planner) (any, error) {
	owner, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	node := p.st.nodes[c.AgentID]
	if node == nil || node.Kind != protocol.NodeKindAgent {
		return &protocol.OKReply{OK: false}, nil
	}
	if node.Parent != owner {
		return nil, protocol.Errorf(protocol.CodeForbidden, "the agent node belongs to another main node")
	}
	return &protocol.OKReply{OK: true}, p.deleteAgent(node)
}

// deleteAgent deletes an agent node, with the event where it was on the map.
func (p *planner) deleteAgent(node *Node) error {
	row := p.st.agent(node.ID)
	if err := p.deleteNode(node); err != nil {
		return err
	}
	if row == nil {
		return nil
	}
	return p.emit(protocol.EventPlayerRemoved, &protocol.PlayerRemovedData{PlayerID: node.ID, Reason: protocol.RemovedDeleted})
}

// deleteNode stages the removal of a node, of its rows and of its records, without
// an event.
func (p *planner) deleteNode(node *Node) error {
	p.erase(store.Nodes, node.ID)
	if node.Kind != protocol.NodeKindAgent {
		return nil
	}
	if p.st.aggregates[node.ID] != nil {
		p.erase(store.Aggregates, node.ID)
	}
	if row := p.st.agent(node.ID); row != nil {
		p.dropAgent(row)
	}
	return p.forgetHistories(node.Parent, node.ID)
}

func (c DeleteNode) plan(p *planner) (any, error) {
	node := p.st.nodes[c.NodeID]
	switch {
	case p.req.Caller.Admin && node == nil:
		return nil, protocol.Errorf(protocol.CodeNotFound, "there is no node with this id")
	case p.req.Caller.Admin:
	case node == nil || node.Kind != protocol.NodeKindMain || p.req.Caller.NodeID != c.NodeID:
		return nil, protocol.Errorf(protocol.CodeForbidden, "only a main node may delete itself; it deletes its agents one by one")
	}
	switch node.Kind {
	case protocol.NodeKindAgent:
		return &protocol.DeleteNodeReply{OK: true, DeletedAgentCount: 1}, p.deleteAgent(node)
	case protocol.NodeKindMain:
		return p.deleteAccount(node)
	}
	return &protocol.DeleteNodeReply{OK: true}, p.deleteSpaceNode(node)
}

// deleteSpaceNode deletes a space's node; the space stays and is its creator's.
func (p *planner) deleteSpaceNode(node *Node) error {
	if err := p.deleteNode(node); err != nil {
		return err
	}
	prev := p.st.spaces[node.SpaceID]
	if prev == nil {
		return nil
	}
	next := *prev
	next.NodeID, next.Entry.Owner.NodeID = "", prev.Creator
	return p.putSpace(&next, protocol.SpaceChanged, "lost its node")
}

// deleteAccount deletes a main node with everything that belongs to it: one change, one
// event.
func (p *planner) deleteAccount(node *Node) (any, error) {
	agents := agentsOf(p.st.nodes, p.st.children[node.ID])
	p.closed = node.ID
	for _, agent := range agents {
		if err := p.deleteNode(agent); err != nil {
			return nil, err
		}
	}
	for _, key := range p.st.placementsOf(node.ID) {
		p.dropRow(key)
	}
	for _, space := range p.st.spacesOf(node.ID) {
		if err := p.dropSpace(space); err != nil {
			return nil, err
		}
	}
	if err := p.forgetTokensOf(node.ID, 0); err != nil {
		return nil, err
	}
	p.revokeInvitations(node.ID)
	if err := p.deleteNode(node); err != nil {
		return nil, err
	}
	p.usage(node.ID).Usage = replay.Usage{}
	return &protocol.DeleteNodeReply{OK: true, DeletedAgentCount: len(agents)},
		p.signal(protocol.WorldPlayerID, protocol.SignalMetadata, &protocol.SignalReason{Reason: protocol.ReasonNodeDeleted})
}

// placementsOf lists the stable keys of a main node's mcp rows.
func (s *state) placementsOf(owner string) []string {
	var keys []string
	for at, id := range s.placements {
		if at.owner == owner {
			keys = append(keys, protocol.MCPKey(id))
		}
	}
	slices.Sort(keys)
	return keys
}
