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
	return end(protocol.QueryID, id, "the agent to delete", world.DeleteAgent{AgentID: id})
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

var errNotValid = errors.New("the node is not what the client thinks")

func (c *call) validate(request protocol.ValidateRequest) (*protocol.ValidateReply, error) {
	node := c.host.world.Registry().Node(request.NodeID)
	if node != nil && !c.mayValidate(node) {
		return nil, protocol.Errorf(protocol.CodeForbidden, "a node validates itself, and a main node its agents as well")
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
