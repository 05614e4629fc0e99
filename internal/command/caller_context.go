package command

import (
	"context"
	"slices"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// SavesCredentials reports whether the context holds the main node that calls, so that new
// credentials of the node can be saved there.
func (c *Caller) SavesCredentials() bool {
	return c.Context != nil && c.Context.Main != nil && c.Context.Main.NodeID == c.Main.NodeID
}

// CallerOf returns the account of a context as the caller.
func CallerOf(c *creds.Context) *Caller {
	return &Caller{
		Context: c, Server: c.ServerURL, Service: c.Service,
		Main: client.Credentials{NodeID: c.Main.NodeID, Hash: c.Main.PasswHash}, APIKey: c.Main.APIKey,
	}
}

// AgentsOnly reports whether the run has credentials of agents but none of their account.
func (c *Caller) AgentsOnly() bool { return len(c.agentsOnly()) > 0 }

// agentsOnly returns the agents of a run without their account, the acting one first.
func (c *Caller) agentsOnly() []creds.Agent {
	if !c.Main.IsZero() {
		return nil
	}
	agents := c.here().Agents()
	if i := slices.IndexFunc(agents, func(agent creds.Agent) bool { return agent.NodeID == c.acting }); i > 0 {
		agents[0], agents[i] = agents[i], agents[0]
	}
	return agents
}

// Reader returns the node for requests that every node may send: the main node, else an
// agent of a context without a main node.
func (c *Caller) Reader() client.Credentials {
	if agents := c.agentsOnly(); len(agents) > 0 {
		return nodeOf(agents[0])
	}
	return c.Main
}

// nodeOf returns the credentials of an agent.
func nodeOf(agent creds.Agent) client.Credentials {
	return client.Credentials{NodeID: agent.NodeID, Hash: agent.PasswHash}
}

// Owns reports whether an agent on the map is the caller's: of its account, or one whose
// credentials it has.
func (c *Caller) Owns(row *protocol.Agent) bool {
	if c.AgentsOnly() {
		_, known := c.Known(row.AgentID)
		return known
	}
	return row.NodeID == c.Main.NodeID
}

// Known returns the agent of the context with a label or an id.
func (c *Caller) Known(ref string) (agent creds.Agent, known bool) {
	if c.Context == nil {
		return creds.Agent{}, false
	}
	agent, err := c.Context.Agent(ref)
	return agent, err == nil
}

// here returns the context if it is for the called host, else an empty one.
func (c *Caller) here() *creds.Context {
	if c.Context == nil || c.Context.ServerURL != c.Server {
		return &creds.Context{}
	}
	return c.Context
}

// RootKey returns the root key of the called host in the context, "" for none.
func (c *Caller) RootKey() string { return c.here().RootKey }

// Fingerprint returns the fingerprint of the certificate that the context trusts for the
// called host, "" if the system's certificates decide.
func (c *Caller) Fingerprint() string { return c.here().Fingerprint }

// ReloadAPIKey reads the API key of the caller's context again: another run may have
// replaced the key there, and the previous key may have been revoked. A key from the
// environment does not change.
func (c *Caller) ReloadAPIKey(context.Context) (protocol.Secret, error) {
	if c.Context == nil || c.Main.NodeID != c.Context.MainNodeID() || !c.APIKey.Equal(c.Context.AccountKey()) {
		return protocol.Secret{}, nil
	}
	return c.Store.KeyNow(c.Context)
}

// Change alters the caller's context in the credentials file, if the context holds the
// caller's node.
func (c *Caller) Change(ctx context.Context, alter func(*creds.Context) error) error {
	if !c.SavesCredentials() {
		return nil
	}
	return c.Store.Update(context.WithoutCancel(ctx), func(file *creds.File) error {
		target, err := file.Context(c.Context.Name)
		if err != nil {
			return err
		}
		return alter(target)
	})
}
