package client

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/url"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// Bootstrap reads the data that a client needs before it has a node: the root key,
// and who may register. No credentials are needed if registration is open.
func (c *Client) Bootstrap(ctx context.Context) (*protocol.BootstrapReply, error) {
	return decode[protocol.BootstrapReply](ctx, c, &call{method: http.MethodGet, path: c.service.Bootstrap(), registers: true})
}

// InvitedBootstrap is Bootstrap with only the digest of the registration token, which is
// an invitation's. A host without that extension answers as if no token was sent.
func (c *Client) InvitedBootstrap(ctx context.Context) (*protocol.BootstrapReply, error) {
	if c.who.registration.IsZero() {
		return c.Bootstrap(ctx)
	}
	digest := creds.SecretDigest(c.who.registration)
	return decode[protocol.BootstrapReply](ctx, c, &call{
		method: http.MethodGet, path: c.service.Bootstrap(),
		header: http.Header{http.CanonicalHeaderKey(protocol.HeaderInvitationDigest): {hex.EncodeToString(digest[:])}},
	})
}

// CreateMainNode creates a main node. The reply has its first API key, which is
// shown only once. No credentials are needed.
func (c *Client) CreateMainNode(ctx context.Context, node Credentials) (*protocol.CreateNodeReply, error) {
	k := c.nodeWrite(http.MethodPost, protocol.PathNodes, protocol.CreateNodeRequest{
		Kind: protocol.NodeKindMain, NodeID: node.NodeID, PasswHash: node.Hash.Wire(),
	})
	k.registers = true
	return decode[protocol.CreateNodeReply](ctx, c, k)
}

// CreateAgentNode creates an agent node of the calling main node.
func (c *Client) CreateAgentNode(ctx context.Context, agent Credentials) (*protocol.AgentNodeReply, error) {
	return c.CreateLabeledAgent(ctx, agent, "")
}

// CreateLabeledAgent is CreateAgentNode with a label, for hosts that keep labels.
func (c *Client) CreateLabeledAgent(ctx context.Context, agent Credentials, label string) (*protocol.AgentNodeReply, error) {
	return decode[protocol.AgentNodeReply](ctx, c, c.nodeWrite(http.MethodPost, protocol.PathAgentNode,
		protocol.CreateAgentNodeRequest{
			Label: label,
			Kind:  protocol.NodeKindAgent, ParentNodeID: c.Node(),
			AgentNodeID: agent.NodeID, AgentNodePasswHash: agent.Hash.Wire(),
		}))
}

// Nodes lists the calling main node and its agent nodes.
func (c *Client) Nodes(ctx context.Context) (*protocol.NodesReply, error) {
	return decode[protocol.NodesReply](ctx, c,
		&call{method: http.MethodGet, path: protocol.PathNodes, limit: largeReply, query: c.labels()})
}

// labels requests labels. Hosts of the agent-play service get no query that they do
// not know.
func (c *Client) labels() url.Values {
	if c.service != protocol.ServicePlay {
		return nil
	}
	return url.Values{protocol.QueryLabels: {"true"}}
}

// LabelNode sets the label of the calling main node (nodeID "") or of one of its
// agents, or removes it (label "").
func (c *Client) LabelNode(ctx context.Context, nodeID, label string) (*protocol.LabelReply, error) {
	return decode[protocol.LabelReply](ctx, c, c.nodeWrite(http.MethodPost, protocol.PathNodeLabel,
		protocol.LabelRequest{NodeID: nodeID, Label: label}))
}

// Keys lists the API keys of the calling main node, the default one first.
func (c *Client) Keys(ctx context.Context) (*protocol.KeysReply, error) {
	return decode[protocol.KeysReply](ctx, c, &call{method: http.MethodGet, path: protocol.PathNodeAPIKeys})
}

// CreateKey creates another API key of the calling main node; the others stay
// valid.
func (c *Client) CreateKey(ctx context.Context, r protocol.CreateKeyRequest) (*protocol.CreateKeyReply, error) {
	return decode[protocol.CreateKeyReply](ctx, c, c.nodeWrite(http.MethodPost, protocol.PathNodeAPIKeys, r))
}

// RevokeKey revokes an API key of the calling main node. OK is false if it has no
// key of that name.
func (c *Client) RevokeKey(ctx context.Context, name string) (*protocol.OKReply, error) {
	return c.deleteOne(ctx, protocol.PathNodeAPIKeys, url.Values{protocol.QueryName: {name}})
}

// AllNodes lists every node, as the administrator.
func (c *Client) AllNodes(ctx context.Context) (*protocol.AllNodesReply, error) {
	return decode[protocol.AllNodesReply](ctx, c, &call{
		method: http.MethodGet, path: protocol.PathNodes, limit: largeReply,
		query: url.Values{
			protocol.QueryAll: {"true"}, protocol.QueryUsage: {"true"}, protocol.QueryAgentBytes: {"true"}, protocol.QueryLabels: {"true"},
		},
	})
}

// Agents lists the agent nodes of the calling main node.
func (c *Client) Agents(ctx context.Context) (*protocol.AgentsReply, error) {
	return decode[protocol.AgentsReply](ctx, c,
		&call{method: http.MethodGet, path: protocol.PathAgents, limit: largeReply, query: c.labels()})
}

// LimitNode sets limits of one main node, as the administrator.
func (c *Client) LimitNode(ctx context.Context, r protocol.NodeLimitsRequest) (*protocol.NodeLimitsReply, error) {
	return decode[protocol.NodeLimitsReply](ctx, c, c.nodeWrite(http.MethodPost, protocol.PathNodeLimits, r))
}

// Invite creates an invitation, as the administrator or a main node with that
// right.
func (c *Client) Invite(ctx context.Context, r protocol.InviteRequest) (*protocol.InviteReply, error) {
	return decode[protocol.InviteReply](ctx, c, c.nodeWrite(http.MethodPost, protocol.PathInvitations, r))
}

// Invitations lists the invitations of the calling main node, or all as the
// administrator.
func (c *Client) Invitations(ctx context.Context) (*protocol.InvitationsReply, error) {
	return decode[protocol.InvitationsReply](ctx, c,
		&call{method: http.MethodGet, path: protocol.PathInvitations, limit: largeReply})
}

// RevokeInvitation revokes an invitation. OK is false if the caller has none with
// that id.
func (c *Client) RevokeInvitation(ctx context.Context, id string) (*protocol.OKReply, error) {
	return c.deleteOne(ctx, protocol.PathInvitations, url.Values{protocol.QueryID: {id}})
}

// DeleteNode deletes the calling main node with everything it owns, or as the
// administrator any node; confirm repeats the id. If a repeat after a lost answer
// finds that the caller no longer exists, the call succeeds: the count in the reply
// is then 0.
func (c *Client) DeleteNode(ctx context.Context, confirm string) (*protocol.DeleteNodeReply, error) {
	k := c.nodeWrite(http.MethodDelete, protocol.PathNodes, protocol.DeleteNodeRequest{ConfirmNodeID: confirm})
	k.gone = !c.who.node.IsZero() && protocol.NormalizeNodeID(confirm) == c.who.node.NodeID
	return decode[protocol.DeleteNodeReply](ctx, c, k)
}

// DeleteAgent deletes an agent node of the calling main node. OK is false if
// no node has that id.
func (c *Client) DeleteAgent(ctx context.Context, agentID string) (*protocol.OKReply, error) {
	return c.deleteOne(ctx, protocol.PathAgents, url.Values{protocol.QueryID: {agentID}})
}

// ValidateNode checks whether a node exists, derives from a root key and belongs to
// a main node. A negative answer is a reply with OK false, not an error.
func (c *Client) ValidateNode(ctx context.Context, r protocol.ValidateRequest) (*protocol.ValidateReply, error) {
	k := &call{
		method: http.MethodPost, path: protocol.PathValidateNode, body: r, again: repeatSame, keyless: true,
		accept: []int{http.StatusBadRequest},
	}
	reply, err := c.do(ctx, k)
	if err != nil {
		return nil, err
	}
	v, err := unpack[protocol.ValidateReply](reply.body)
	if err != nil {
		return nil, unusable(k, err)
	}
	if reply.status == http.StatusBadRequest && (v.OK || v.Reason == "") {
		// The other kind of 400: the request was wrong.
		return nil, c.refusal(reply.status, reply.header, reply.body)
	}
	return v, nil
}

// CreateAPIKey replaces the API key of the calling main node; the one before is
// invalid from then on.
func (c *Client) CreateAPIKey(ctx context.Context) (*protocol.APIKeyReply, error) {
	return decode[protocol.APIKeyReply](ctx, c,
		c.nodeWrite(http.MethodPost, protocol.PathNodeAPIKey, struct{}{}))
}

// nodeWrite returns a write of the repository of nodes; these need no session.
func (c *Client) nodeWrite(method, path string, body any) *call {
	return &call{method: method, path: path, body: body, again: repeatKeyed}
}

// deleteOne deletes what a query names.
func (c *Client) deleteOne(ctx context.Context, path string, query url.Values) (*protocol.OKReply, error) {
	k := c.nodeWrite(http.MethodDelete, path, nil)
	k.query = query
	return decode[protocol.OKReply](ctx, c, k)
}
