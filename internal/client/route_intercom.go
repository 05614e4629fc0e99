package client

import (
	"context"

	"github.com/playctl/playctl/protocol"
)

// IntercomCommand asks an agent for something. Its requestId makes a repeat
// harmless: the host answers the same and tells nobody twice.
func (c *Client) IntercomCommand(ctx context.Context, r *protocol.IntercomCommand) (*protocol.OKReply, error) {
	k := c.writeOp(protocol.OpIntercomCommand, r)
	k.again = repeatSame
	return decode[protocol.OKReply](ctx, c, k)
}

// IntercomResponse answers a command, as the agent that was asked.
func (c *Client) IntercomResponse(ctx context.Context, r *protocol.IntercomResponse) (*protocol.OKReply, error) {
	return decode[protocol.OKReply](ctx, c, c.writeOp(protocol.OpIntercomResponse, r))
}
