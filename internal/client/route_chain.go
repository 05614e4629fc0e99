package client

import (
	"context"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// At says as of which rev a chain node is read; the zero value is the present.
type At struct {
	// Rev is the rev that is wanted. The host answers as of it if it still can,
	// else as of its present one: the reply says which.
	Rev uint64
	// Set makes a Rev of 0 count.
	Set bool
}

// AtRev asks for the node as of a rev.
func AtRev(rev uint64) At { return At{Rev: rev, Set: true} }

func (a At) pointer() *uint64 {
	if !a.Set {
		return nil
	}
	return &a.Rev
}

// ChainNode reads one node of the player chain. Whether it answers for the key
// is for the caller to check, with chain.AnswersFor.
func (c *Client) ChainNode(ctx context.Context, stableKey string, at At) (chain.NodeReply, error) {
	k := c.readOp(protocol.OpGetPlayerChainNode, protocol.ChainNodeRequest{StableKey: stableKey, AtRev: at.pointer()})
	k.minRev = at.Rev
	return parsed(ctx, c, k, chain.ParseNodeRPCBody)
}

// ChainNodes reads up to protocol.MaxStableKeys nodes as of one rev.
func (c *Client) ChainNodes(ctx context.Context, stableKeys []string, at At) (chain.NodesReply, error) {
	k := c.readOp(protocol.OpGetPlayerChainNodes, protocol.ChainNodesRequest{StableKeys: stableKeys, AtRev: at.pointer()})
	k.minRev = at.Rev
	return parsed(ctx, c, k, chain.ParseNodesRPCBody)
}

// ChainProof reads a node with the proof that it is in the tree. The proof is
// not verified yet.
func (c *Client) ChainProof(ctx context.Context, stableKey string) (chain.ProofReply, error) {
	k := c.readOp(protocol.OpGetPlayerChainProof, protocol.ChainProofRequest{StableKey: stableKey})
	return parsed(ctx, c, k, chain.ParseProofRPCBody)
}

// parsed makes a call and reads its reply with one of the chain's strict
// readers.
func parsed[T any](ctx context.Context, c *Client, k *call, parse func([]byte) (T, error)) (T, error) {
	var none T
	r, err := c.do(ctx, k)
	if err != nil {
		return none, err
	}
	v, err := parse(r.body)
	if err != nil {
		return none, &ReplyError{Route: k.route(), RequestID: c.who.scrub(r.header.Get("X-Request-Id")), Err: err}
	}
	return v, nil
}
