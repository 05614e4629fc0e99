package sdk

import (
	"context"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
)

// GetPlayerChainNode reads one node of the player chain, such as the row whose stable
// key is "agent:<nodeId>:<agentId>". If the host states the rev of the row, Rev is
// not nil. A key without a row is a removed row, or an Error with the code
// stable_key_unknown; a node for another key is refused.
func (w *RemotePlayWorld) GetPlayerChainNode(ctx context.Context, stableKey string) (chain.NodeReply, error) {
	ctx, done, err := w.begin(ctx)
	if err != nil {
		return chain.NodeReply{}, err
	}
	defer done()
	reply, err := w.client.ChainNode(ctx, stableKey, client.At{})
	if err != nil {
		return chain.NodeReply{}, err
	}
	return reply, chain.AnswersFor(reply.Node, stableKey)
}
