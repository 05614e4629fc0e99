package host

import (
	"context"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

func sendSpaces(c *call, _ protocol.EmptyRequest) error {
	v := c.host.world.View()
	c.setRev(v.Rev)
	var spaces [][]byte
	for _, leaf := range v.Tree.Spaces() {
		spaces = append(spaces, leaf.Payload())
	}
	c.writeList(append(appendItems([][]byte{[]byte(`{"spaces":[`)}, spaces), []byte("]}")))
	return nil
}

func sendSpace(c *call, request protocol.SpaceRequest) error {
	space, err := c.host.world.Space(c.r.Context(), request.SpaceID)
	if err != nil {
		return err
	}
	parts := [][]byte{[]byte(`{"space":`), encode(&space.Entry)}
	if c.maySeeLog(space) {
		log, err := c.readPage(func(ctx context.Context) ([][]byte, error) {
			return c.host.world.SpaceLog(ctx, request.SpaceID)
		})
		if err != nil {
			return err
		}
		parts = append(appendItems(append(parts, []byte(`,"log":[`)), log), []byte("]"))
	}
	c.writeParts(append(parts, closingBrace))
	return nil
}

// maySeeLog reports whether the caller is the space's own node, its creator or the
// administrator.
func (c *call) maySeeLog(space *world.Space) bool {
	id := c.caller.NodeID
	return c.caller.Admin || id != "" && (id == space.NodeID || id == space.Creator)
}

// createSpace creates a space with a node of its own, whose phrase the host
// generates and shows once.
func createSpace(c *call, request protocol.CreateSpaceRequest) error {
	phrase, nodeID, hash, err := c.newPhrase()
	if err != nil {
		return err
	}
	return c.carryOut(world.CreateSpace{
		CreateSpaceRequest: request, NodeID: nodeID, Digest: creds.StoredDigest(hash), Phrase: phrase,
	})
}

// createSpaceNode gives a space that the caller created a node of its own: the
// node of the hash in the body, or of a phrase that the host generates.
func createSpaceNode(request protocol.CreateNodeRequest) action {
	return func(c *call) error {
		space, err := c.host.world.Space(c.r.Context(), request.SpaceID)
		if err != nil {
			return err
		}
		switch {
		case space.Creator != c.caller.NodeID:
			return protocol.Errorf(protocol.CodeForbidden, "only the main node that created the space may give it a node")
		case space.NodeID != "":
			return protocol.Errorf(protocol.CodeNodeExists, "the space already has a node")
		}
		var phrase protocol.Secret
		var nodeID string
		var hash creds.PasswHash
		if request.PasswHash.IsZero() {
			phrase, nodeID, hash, err = c.newPhrase()
		} else if hash, err = creds.ParsePasswHash(request.PasswHash.Reveal()); err == nil {
			nodeID, err = c.derive(hash)
		}
		if err != nil {
			return err
		}
		return c.carryOut(world.CreateSpaceNode{
			SpaceID: request.SpaceID, NodeID: nodeID, Digest: creds.StoredDigest(hash), Phrase: phrase,
		})
	}
}

// newPhrase generates a phrase and derives its node.
func (c *call) newPhrase() (phrase protocol.Secret, nodeID string, hash creds.PasswHash, err error) {
	phrase = creds.GeneratePhrase()
	hash = creds.HashPhrase(phrase.Reveal())
	nodeID, err = c.derive(hash)
	return phrase, nodeID, hash, err
}
