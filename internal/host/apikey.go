package host

import (
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// checkAPIKey compares the key that was sent, in the header or else in a
// players body, with that of the caller's account. The administrator and
// viewers have no account.
func checkAPIKey(c *call) error {
	policy := c.host.options.APIKeys
	if !c.rules.apiKey || policy == APIKeysOff || c.node == nil {
		return nil
	}
	shown := protocol.NewSecret(c.r.Header.Get(protocol.HeaderAPIKey))
	if shown.IsZero() {
		shown = c.object.BodyAPIKey()
	}
	return c.checkFresh(func() error {
		stored, has := c.accountKey()
		if policy == APIKeysOptional && (!has || shown.IsZero()) {
			return nil
		}
		if !creds.AuthenticateSecret(stored, has, shown) {
			return protocol.Errorf(protocol.CodeAPIKeyInvalid, "the account's API key is missing or wrong: send it as x-api-key")
		}
		c.keyDigest = (*[32]byte)(&stored)
		return nil
	})
}

// accountKey is the digest of the API key of the caller's account: its own main
// node, or the one that owns it.
func (c *call) accountKey() (digest creds.Digest, has bool) {
	// The node is looked up again: its record may be newer than the caller's.
	id := c.node.ID
	if c.node.Kind != protocol.NodeKindMain {
		id = c.node.Parent
	}
	account := c.host.world.Registry().Node(id)
	if account == nil || len(account.APIKeyDigest) != len(digest) {
		return digest, false
	}
	copy(digest[:], account.APIKeyDigest)
	return digest, true
}
