package host

import (
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// planDeleteNode deletes the calling main node, or for the administrator any
// node, with all that hangs on it.
func planDeleteNode(c *call) (action, error) {
	request, bad := protocol.ParseRequest[protocol.DeleteNodeRequest](c.object)
	if bad != nil {
		return nil, bad
	}
	return func(c *call) error {
		if err := c.checkRepository(); err != nil {
			return err
		}
		if !c.caller.Admin && request.ConfirmNodeID != c.caller.NodeID {
			return &protocol.Error{
				Code: protocol.CodeConfirmationMismatch, Field: "confirmNodeId",
				Message: "the field confirmNodeId is not the id of the calling node, so nothing was deleted",
			}
		}
		return c.carryOut(world.DeleteNode{NodeID: request.ConfirmNodeID})
	}, nil
}

// planDeleteAgent deletes one agent of the calling main node.
func planDeleteAgent(c *call) (action, error) {
	id := protocol.NormalizeNodeID(c.query().Get(protocol.QueryID))
	if id == "" {
		return nil, &protocol.Error{
			Code: protocol.CodeBodyInvalid, Field: protocol.QueryID,
			Message: "the query parameter id is missing: it names the agent to delete",
		}
	}
	return func(c *call) error {
		if err := c.checkRepository(); err != nil {
			return err
		}
		return c.carryOut(world.DeleteAgent{AgentID: id})
	}, nil
}
