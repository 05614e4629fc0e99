package host

import (
	"encoding/hex"
	"errors"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// authenticateCreator requires credentials unless a main node is to be created, whose
// creator has none yet.
func authenticateCreator(c *call) error {
	if c.object.StringOr("kind", protocol.NodeKindMain) != protocol.NodeKindSpace {
		return nil
	}
	return authenticate(c)
}

// planCreateNode reads the node to create. The node id and hash in the body
// authenticate the caller of a registration.
func planCreateNode(c *call) (action, error) {
	request, err := requestOf[protocol.CreateNodeRequest](c)
	if err != nil {
		return nil, err
	}
	if request.Kind == protocol.NodeKindSpace {
		return createSpaceNode(request), nil
	}
	hash, err := creds.ParsePasswHash(request.PasswHash.Reveal())
	if err != nil {
		return nil, protocol.FieldError("passwHash", "must be 64 lower-case hex digits")
	}
	c.registrant = request.NodeID + ":" + hash.Reveal()
	return func(c *call) error { return c.createMainNode(request.NodeID, hash) }, nil
}

// createMainNode registers a main node and gives it its first API key.
func (c *call) createMainNode(nodeID string, hash creds.PasswHash) error {
	invitation, err := c.checkRegistration()
	if err != nil {
		return err
	}
	if err := c.checkDerives(nodeID, "nodeId", hash); err != nil {
		return err
	}
	key := creds.GenerateAPIKey()
	return c.carryOut(world.CreateMainNode{
		NodeID: nodeID, Digest: creds.StoredDigest(hash),
		APIKeyDigest: creds.SecretDigest(key), APIKey: key, Invitation: invitation,
	})
}

func planCreateAgent(c *call) (action, error) {
	request, err := requestOf[protocol.CreateAgentNodeRequest](c)
	if err != nil {
		return nil, err
	}
	hash, err := creds.ParsePasswHash(request.AgentNodePasswHash.Reveal())
	if err != nil {
		return nil, protocol.FieldError("agentNodePasswHash", "must be 64 lower-case hex digits")
	}
	if err := checkLabel(request.Label); err != nil {
		return nil, err
	}
	return func(c *call) error {
		if request.ParentNodeID != "" && request.ParentNodeID != c.caller.NodeID {
			return protocol.Errorf(protocol.CodeForbidden, "parentNodeId is not the calling main node, which can create agents only for itself")
		}
		if err := c.checkDerives(request.AgentNodeID, "agentNodeId", hash); err != nil {
			return err
		}
		return c.carryOut(world.CreateAgentNode{AgentNodeID: request.AgentNodeID, Label: request.Label, Digest: creds.StoredDigest(hash)})
	}, nil
}

// checkRegistration refuses a caller that neither the operator nor an invitation lets
// create a main node. It returns the digest of the invitation, if one is used.
func (c *call) checkRegistration() (invitation *[32]byte, err error) {
	o := &c.host.options
	if o.Registration == RegistrationOpen {
		return nil, nil //nolint:nilnil // Nobody has to be invited.
	}
	shown := protocol.NewSecret(c.r.Header.Get(protocol.HeaderRegistrationToken))
	switch {
	case o.Registration == RegistrationToken && creds.AuthenticateSecret(creds.SecretDigest(o.RegistrationToken), true, shown):
		return nil, nil //nolint:nilnil // As above.
	case !shown.IsZero():
		digest := creds.SecretDigest(shown)
		err := c.checkFresh(func() error { return c.checkInvitation(digest) })
		if protocol.HasCode(err, protocol.CodeRegistrationClosed) {
			c.delayGuess()
		}
		return (*[32]byte)(&digest), err
	case o.Registration == RegistrationToken:
		return nil, protocol.Errorf(protocol.CodeRegistrationClosed, "this host requires its registration token in the header x-registration-token")
	}
	return nil, protocol.Errorf(protocol.CodeRegistrationClosed, "this host accepts no new main nodes")
}

// checkInvitation refuses a token that is not a valid invitation.
func (c *call) checkInvitation(digest creds.Digest) error {
	o := &c.host.options
	i := c.host.world.Registry().Invitation(digest)
	switch {
	case i == nil && o.Registration == RegistrationClosed:
		return protocol.Errorf(protocol.CodeRegistrationClosed, "this host accepts no new main nodes")
	case i == nil:
		return protocol.Errorf(protocol.CodeRegistrationClosed, "the registration token is not this host's")
	case i.CreatedBy != "" && !o.MainNodesInvite:
		return protocol.Errorf(protocol.CodeRegistrationClosed, "this host accepts only the administrator's invitations")
	}
	return i.Check(c.host.world.Now())
}

// checkInvitationDigest refuses a text that is not the digest of a valid invitation's
// token. The digest gives access to the root key and nothing else.
func (c *call) checkInvitationDigest(text string) error {
	var digest creds.Digest
	if !protocol.ValidHex64(text) {
		c.delayGuess()
		return protocol.Errorf(protocol.CodeCredentialsInvalid, "the header x-invitation-digest must be 64 lower-case hex digits")
	}
	_, _ = hex.Decode(digest[:], []byte(text)) // It is valid.
	if err := c.host.refreshForRefusal(c.r.Context()); err != nil {
		return err // Another host may have used the invitation up.
	}
	refused := c.checkInvitation(digest)
	if refused == nil {
		return nil
	}
	if protocol.HasCode(refused, protocol.CodeRegistrationClosed) {
		c.delayGuess()
		return protocol.WrapError(protocol.CodeCredentialsInvalid, refused, "the digest is not that of an invitation that this host knows")
	}
	return protocol.WrapError(protocol.CodeCredentialsInvalid, refused, "%s", messageOf(refused))
}

// messageOf returns the text of a refusal whose code does not apply.
func messageOf(err error) string {
	if refused, ok := errors.AsType[*protocol.Error](err); ok {
		return refused.Message
	}
	return err.Error()
}

// checkMayBootstrap lets in a caller that may register, one that shows the digest of an
// invitation, a node, and the administrator.
func checkMayBootstrap(c *call) error {
	_, closed := c.checkRegistration()
	if closed == nil {
		return nil
	}
	digest := c.r.Header.Get(protocol.HeaderInvitationDigest)
	var wrong error
	if digest != "" {
		if wrong = c.checkInvitationDigest(digest); wrong == nil {
			return nil
		}
	}
	err := authenticate(c)
	switch {
	case !protocol.HasCode(err, protocol.CodeCredentialsMissing):
		return err
	case wrong != nil:
		return wrong
	case protocol.HasCode(closed, protocol.CodeInvitationUsed, protocol.CodeInvitationExpired):
		return closed
	}
	return protocol.WrapError(protocol.CodeCredentialsMissing, closed, "node credentials are required to read the root key: %s", messageOf(closed))
}

// sendBootstrap answers with the key that node ids derive from, before there is a node.
func sendBootstrap(c *call) error {
	return c.send(&protocol.BootstrapReply{
		RootKey: c.host.world.View().RootKey, Registration: string(c.host.options.Registration),
	})
}

// checkDerives derives the node id to check that it belongs to the hash. It is the
// last check, because it is the one that costs much, and is skipped for an id that
// is taken.
func (c *call) checkDerives(nodeID, field string, hash creds.PasswHash) error {
	if err := c.checkFresh(func() error { return c.checkFree(nodeID) }); err != nil {
		return err
	}
	derived, err := c.derive(hash)
	if err != nil {
		return err
	}
	if derived != nodeID {
		return &protocol.Error{
			Code: protocol.CodeNodeNotDerivable, Field: field,
			Message: "the field " + field + " does not derive from its passwHash under this host's root key",
		}
	}
	return nil
}

func (c *call) checkFree(nodeID string) error {
	if c.host.world.Registry().Node(nodeID) != nil || nodeID == c.host.world.View().RootKey {
		return protocol.Errorf(protocol.CodeNodeExists, "a node with this id already exists: use another phrase, or sign in with this one")
	}
	return nil
}

// derive computes a node id, within the limits of the caller's address and of the
// host.
func (c *call) derive(hash creds.PasswHash) (string, error) {
	if err := c.checkCreationRate(); err != nil {
		return "", err
	}
	nodeID, err := c.host.options.Deriver.NodeID(c.r.Context(), c.limitedAddress(), hash, c.host.world.View().RootKey)
	c.host.metrics.derived(err)
	return nodeID, err
}
