package host

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// replaceAPIKey gives the calling main node another API key; the old one is
// invalid from then on.
func replaceAPIKey(c *call) error {
	key := creds.GenerateAPIKey()
	return c.carryOut(world.ReplaceAPIKey{APIKeyDigest: creds.SecretDigest(key), APIKey: key})
}

// deleteNode deletes the calling main node, or for the administrator any node,
// with everything that belongs to it.
func deleteNode(c *call, request protocol.DeleteNodeRequest) error {
	if !c.caller.Admin && request.ConfirmNodeID != c.caller.NodeID {
		return &protocol.Error{
			Code: protocol.CodeConfirmationMismatch, Field: "confirmNodeId",
			Message: "the field confirmNodeId is not the id of the calling node, so nothing was deleted",
		}
	}
	return c.carryOut(world.DeleteNode{NodeID: request.ConfirmNodeID})
}

// planDeleteAgent deletes one agent of the calling main node.
func planDeleteAgent(c *call) (action, error) {
	id := protocol.NormalizeNodeID(c.query().Get(protocol.QueryID))
	return endCommand(protocol.QueryID, id, "the agent to delete", world.DeleteAgent{AgentID: id})
}

// validateNode reports whether a node is as the client's request describes it. A
// negative answer is a reply and not an error.
func validateNode(c *call, request protocol.ValidateRequest) error {
	request.NodeID = cmp.Or(request.NodeID, c.caller.NodeID)
	if c.host.options.NoRepository {
		return c.send(&protocol.ValidateReply{OK: true, NodeKind: c.unknownKind(request)})
	}
	var reply *protocol.ValidateReply
	err := c.checkFresh(func() (err error) {
		if reply, err = c.validate(request); err == nil && !reply.OK {
			err = errNotValid
		}
		return err
	})
	if err != nil && !errors.Is(err, errNotValid) {
		return err
	}
	status := http.StatusOK
	if !reply.OK {
		status = http.StatusBadRequest
	}
	c.write(status, encode(reply))
	return nil
}

var errNotValid = errors.New("the node is not what the client expects")

func (c *call) validate(request protocol.ValidateRequest) (*protocol.ValidateReply, error) {
	node := c.host.world.Registry().Node(request.NodeID)
	if node != nil && !c.mayValidate(node) {
		return nil, protocol.Errorf(protocol.CodeForbidden, "a node can validate only itself, and a main node also its agents")
	}
	return c.validation(node, request), nil
}

func (c *call) mayValidate(node *world.Node) bool {
	return c.caller.Admin || node.ID == c.caller.NodeID || node.Parent == c.caller.NodeID && node.Kind == protocol.NodeKindAgent
}

// validation looks for the first property in which the node differs from the request.
func (c *call) validation(node *world.Node, request protocol.ValidateRequest) *protocol.ValidateReply {
	if node == nil {
		return &protocol.ValidateReply{Reason: protocol.ReasonNodeNotFound}
	}
	reply := &protocol.ValidateReply{NodeKind: node.Kind}
	switch {
	case request.RootKey != "" && request.RootKey != c.host.world.View().RootKey:
		reply.Reason = protocol.ReasonDerivativeMismatch
	case request.MainNodeID != "" && node.Kind == protocol.NodeKindAgent && request.MainNodeID != node.Parent:
		reply.Reason = protocol.ReasonAgentParentMismatch
	default:
		reply.OK = true
	}
	return reply
}

// unknownKind returns the kind of a node on a host without a repository: an agent if
// a main node is named as well, otherwise a main node.
func (c *call) unknownKind(request protocol.ValidateRequest) string {
	switch {
	case request.NodeID == c.host.world.View().RootKey:
		return protocol.NodeKindRoot
	case request.MainNodeID != "" && request.MainNodeID != request.NodeID:
		return protocol.NodeKindAgent
	}
	return protocol.NodeKindMain
}

// sendKeys lists the API keys of the calling main node.
func sendKeys(c *call) error {
	return c.send(&protocol.KeysReply{Keys: c.host.world.Keys(c.node)})
}

// createKey creates one more API key for the calling main node.
func createKey(c *call, request protocol.CreateKeyRequest) error {
	key := creds.GenerateAPIKey()
	return c.carryOut(world.CreateKey{CreateKeyRequest: request, Digest: creds.SecretDigest(key), APIKey: key})
}

// planRevokeKey revokes an API key of the calling main node.
func planRevokeKey(c *call) (action, error) {
	name := c.query().Get(protocol.QueryName)
	return endCommand(protocol.QueryName, name, "the API key to revoke", world.RevokeKey{Name: name})
}

// planLabel sets the label of one of the caller's nodes.
func planLabel(c *call) (action, error) {
	request, err := requestOf[protocol.LabelRequest](c)
	if err != nil {
		return nil, err
	}
	if err := checkLabel(request.Label); err != nil {
		return nil, err
	}
	return command(world.LabelNode{LabelRequest: request})
}

// checkLabel refuses an invalid label; an empty one removes the label.
func checkLabel(label string) error {
	if label == "" {
		return nil
	}
	if creds.CheckLabel(label) != nil {
		return protocol.FieldError("label", "must be characters that can be seen, without white space at its ends, not look like a node id, and not begin with "+protocol.PersonPrefix)
	}
	return nil
}

// invite creates an invitation.
func invite(c *call, request protocol.InviteRequest) error {
	if err := c.checkInviter(); err != nil {
		return err
	}
	token := creds.GenerateToken()
	return c.carryOut(world.Invite{
		InviteRequest: request, Digest: creds.SecretDigest(token), Token: token, URL: c.host.options.PublicURL,
	})
}

// checkInviter refuses main nodes where the operator lets only the administrator
// invite.
func (c *call) checkInviter() error {
	if !c.caller.Admin && !c.host.options.MainNodesInvite {
		return protocol.Errorf(protocol.CodeForbidden, "only the administrator can create invitations (the operator can set --main-nodes-invite)")
	}
	return nil
}

// sendInvitations lists the invitations of the calling main node, or for the
// administrator all of them.
func sendInvitations(c *call) error {
	return c.send(&protocol.InvitationsReply{Invitations: c.host.world.Registry().Invitations(c.caller.NodeID)})
}

// planRevokeInvitation revokes an invitation. A main node may revoke its own even
// if it may no longer create any.
func planRevokeInvitation(c *call) (action, error) {
	id := c.query().Get(protocol.QueryID)
	return endCommand(protocol.QueryID, id, "the invitation to revoke", world.RevokeInvitation{ID: id})
}
