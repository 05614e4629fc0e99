package host

import (
	"encoding/json"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// viewAt is the view that a read at a rev is answered from: that rev's where it
// is still kept, else the present one.
func (c *call) viewAt(rev *uint64) *world.View {
	v := c.host.world.View()
	if rev != nil {
		v = c.host.world.ViewAt(*rev)
	}
	c.setRev(v.Rev)
	return v
}

func planChainNode(c *call) (action, error) {
	request, err := payloadOf[protocol.ChainNodeRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		v := c.viewAt(request.AtRev)
		node, err := v.Node(request.StableKey)
		if err != nil {
			return err
		}
		return c.send(&protocol.ChainNodeReply{Node: node, Rev: &v.Rev})
	}, nil
}

func planChainNodes(c *call) (action, error) {
	request, err := payloadOf[protocol.ChainNodesRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		v := c.viewAt(request.AtRev)
		nodes := make([]json.RawMessage, len(request.StableKeys))
		for i, key := range request.StableKeys {
			if nodes[i], err = v.Node(key); err != nil {
				return err
			}
		}
		return c.send(&protocol.ChainNodesReply{
			Nodes: nodes, Rev: v.Rev, MerkleRootHex: v.Tree.Root().String(), MerkleLeafCount: v.Tree.Len(),
		})
	}, nil
}

func planChainProof(c *call) (action, error) {
	request, err := payloadOf[protocol.ChainProofRequest](c)
	if err != nil {
		return nil, err
	}
	return func(c *call) error {
		v := c.viewAt(nil)
		proof, there := v.Tree.Proof(request.StableKey)
		if !there {
			return protocol.Errorf(protocol.CodeNotFound, "there is no leaf with this stable key now")
		}
		node, err := v.Node(request.StableKey)
		if err != nil {
			return err
		}
		reply := &protocol.ChainProofReply{
			Node: node, LeafIndex: proof.LeafIndex, LeafDigestHex: proof.LeafDigestHex.String(),
			MerkleRootHex: proof.MerkleRootHex.String(), MerkleLeafCount: proof.MerkleLeafCount, Rev: v.Rev,
		}
		for _, s := range proof.Path {
			reply.Path = append(reply.Path, protocol.ProofStep{Side: s.Side, Hex: s.Hex.String()})
		}
		return c.send(reply)
	}, nil
}
