package host

import (
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

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
	return end(protocol.QueryName, name, "the API key to revoke", world.RevokeKey{Name: name})
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
	return do(world.LabelNode{LabelRequest: request})
}

// checkLabel refuses an invalid label; an empty one removes the label.
func checkLabel(label string) error {
	if label == "" {
		return nil
	}
	if creds.CheckLabel(label) != nil {
		return protocol.FieldError("label", "must be printable characters without white space at its ends, and not look like a node id")
	}
	return nil
}
