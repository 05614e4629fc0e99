package host

import (
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

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
		return protocol.Errorf(protocol.CodeForbidden, "only the administrator invites here: the operator can let main nodes do it, too")
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
	return end(protocol.QueryID, id, "the invitation to revoke", world.RevokeInvitation{ID: id})
}
