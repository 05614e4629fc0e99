package host

import (
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// planRegister reads a registration and checks the agent's secret if the body
// contains one.
func planRegister(c *call) (action, error) {
	request, err := requestOf[protocol.RegisterRequest](c)
	if err != nil {
		return nil, err
	}
	shown := request.PasswHash.Reveal()
	// The secrets are not passed on.
	request.PasswHash, request.APIKey = protocol.WireSecret{}, protocol.WireSecret{}
	if err := c.checkFresh(func() error { return c.checkShownHash(request.AgentID, shown) }); err != nil {
		return nil, err
	}
	return command(world.Register{RegisterRequest: request, PreviewURL: c.host.URL() + c.route.service.Watch()})
}

// checkShownHash compares the body's passwHash with the agent's digest, or with
// its owner's where the owner acts.
func (c *call) checkShownHash(agentID, shown string) error {
	if shown == "" || c.host.options.NoRepository {
		return nil
	}
	hash, err := creds.ParsePasswHash(shown)
	if err != nil {
		return protocol.FieldError("passwHash", "must be 64 lower-case hex digits")
	}
	agent := c.host.world.Registry().Node(agentID)
	if creds.Authenticate(digestOf(agent), agent != nil, hash) {
		return nil
	}
	if agent != nil && c.actsAsOwner(agent) {
		owner := c.host.world.Registry().Node(agent.Parent)
		if creds.Authenticate(digestOf(owner), owner != nil, hash) {
			return nil
		}
	}
	return protocol.Errorf(protocol.CodeCredentialsInvalid, "the passwHash of the body is not the agent's")
}

// actsAsOwner reports whether the caller is the agent's main node, or sent its
// hash with the agent's id.
func (c *call) actsAsOwner(agent *world.Node) bool {
	return c.caller.NodeID == agent.Parent || c.caller.OwnerHash && c.caller.NodeID == agent.ID
}

// planRemovePerson removes the caller's own person.
func planRemovePerson(*call) (action, error) { return command(world.RemovePerson{}) }
