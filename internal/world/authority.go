package world

import (
	"github.com/playctl/playctl/protocol"
)

// checkSession refuses a command for another session than the live one.
func (p *planner) checkSession() error {
	if p.req.SID != "" && p.req.SID != p.st.SID {
		return protocol.Errorf(protocol.CodeSIDInvalid,
			"the session has ended: fetch the new one from the session route and repeat the request with its sid")
	}
	return nil
}

// checkCaller refuses a node that was deleted after the host authenticated it.
func (p *planner) checkCaller() error {
	c := &p.req.Caller
	if p.options.NoRepository || c.Admin || c.NodeID == "" {
		return nil
	}
	if p.st.nodes[c.NodeID] == nil {
		return protocol.Errorf(protocol.CodeCredentialsInvalid, "the node does not exist or its secret is wrong")
	}
	return nil
}

// checkAPIKey refuses a key that was replaced after the host compared it.
func (p *planner) checkAPIKey() error {
	shown := p.req.APIKeyDigest
	if shown == nil {
		return nil
	}
	account := p.st.nodes[p.req.Caller.NodeID]
	if account != nil && account.Parent != "" {
		account = p.st.nodes[account.Parent]
	}
	if !account.AcceptsKey(*shown, p.now) {
		return protocol.Errorf(protocol.CodeAPIKeyInvalid, "the account's API key is missing or wrong: send it as x-api-key")
	}
	return nil
}

// agentFor checks that the caller is the agent or owns it, and returns the
// agent's node; nil without a repository.
func (p *planner) agentFor(playerID string) (*Node, error) {
	if p.options.NoRepository {
		return nil, nil //nolint:nilnil // Without a repository no agent has a node.
	}
	caller := p.req.Caller.NodeID
	node := p.st.nodes[playerID]
	if node == nil || node.Kind != protocol.NodeKindAgent || caller == "" || (caller != node.ID && caller != node.Parent) {
		return nil, protocol.Errorf(protocol.CodeForbidden,
			"only the agent itself or the main node that owns it may act for this playerId")
	}
	return node, nil
}

// mainCaller returns the id of the calling main node. Without a repository it
// is the id that the caller named, else the root key.
func (p *planner) mainCaller() (string, error) {
	id := p.req.Caller.NodeID
	if p.options.NoRepository {
		if id == "" {
			return p.st.RootKey, nil
		}
		return id, nil
	}
	node := p.st.nodes[id]
	if node == nil || node.Kind != protocol.NodeKindMain {
		return "", protocol.Errorf(protocol.CodeForbidden, "only a main node may do this")
	}
	return id, nil
}

// playerOnMap returns an agent's row, or the refusal that it has none.
func (p *planner) playerOnMap(playerID string) (*protocol.Agent, error) {
	row := p.st.agent(playerID)
	if row == nil {
		return nil, protocol.Errorf(protocol.CodePlayerUnknown,
			"the agent is not on the map: register it first")
	}
	return row, nil
}

// checkRoom refuses another row if the map or its owner's share is full.
func (p *planner) checkRoom(owner string) error {
	limits := &p.options.Limits
	if p.st.occupants >= limits.Occupants {
		return protocol.Errorf(protocol.CodeOccupantLimit,
			"the map is full: the limit is %d agents and MCP placements", limits.Occupants)
	}
	if limit := p.ownOr(owner, occupantsLabel, limits.OccupantsPerOwner); limit > 0 && p.st.owned[owner] >= limit {
		return protocol.Errorf(protocol.CodeOccupantLimit,
			"this main node has reached its limit of %d occupants on the map", limit)
	}
	return nil
}
