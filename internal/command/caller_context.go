package command

import (
	"context"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// SavesCredentials reports whether the context holds the main node that calls, so that new
// credentials of the node can be saved there.
func (c *Caller) SavesCredentials() bool {
	return c.Context != nil && c.Context.Main != nil && c.Context.Main.NodeID == c.Main.NodeID
}

// Reader returns the node that reads the world: the main node, else an agent of a context
// without a main node.
func (c *Caller) Reader() client.Credentials {
	if agents := c.here().Agents(); c.Main.IsZero() && len(agents) > 0 {
		return client.Credentials{NodeID: agents[0].NodeID, Hash: agents[0].PasswHash}
	}
	return c.Main
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
