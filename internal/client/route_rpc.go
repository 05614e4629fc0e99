package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/playctl/playctl/protocol"
)

// readOp is an rpc that changes nothing.
func (c *Client) readOp(op protocol.Op, payload any) *call {
	return &call{
		method: http.MethodPost, path: c.service.RPC(), limit: largeReply, world: true,
		body: protocol.RPCRequest{Op: op, Payload: payload},
	}
}

// writeOp is an rpc that changes the world.
func (c *Client) writeOp(op protocol.Op, payload any) *call {
	return c.keyedWrite(c.service.RPC(), protocol.RPCRequest{Op: op, Payload: payload})
}

// WorldSnapshot reads the whole world and gives its JSON as the host sent it.
// The rev is that of the reply; 0 on hosts that do not say.
func (c *Client) WorldSnapshot(ctx context.Context) (text json.RawMessage, rev uint64, err error) {
	return c.WorldSnapshotFrom(ctx, 0)
}

// WorldSnapshotFrom reads the whole world as of a rev or a later one. A host
// that has not got that far is given a moment, and asked again.
func (c *Client) WorldSnapshotFrom(ctx context.Context, minRev uint64) (text json.RawMessage, rev uint64, err error) {
	k := c.readOp(protocol.OpGetWorldSnapshot, nil)
	k.minRev = minRev
	r, err := c.do(ctx, k)
	if err != nil {
		return nil, 0, err
	}
	var reply protocol.SnapshotReply
	if err := c.unpack(r, k, &reply); err != nil {
		return nil, 0, err
	}
	if len(reply.Snapshot) == 0 {
		return nil, 0, &ReplyError{Route: k.route(), Err: errors.New("it has no snapshot")}
	}
	return reply.Snapshot, r.rev, nil
}

// RecordInteraction records a chat line. Seq of the reply is nil where the text
// was blank.
func (c *Client) RecordInteraction(
	ctx context.Context, r protocol.RecordInteractionRequest,
) (*protocol.RecordInteractionReply, error) {
	return decode[protocol.RecordInteractionReply](ctx, c, c.writeOp(protocol.OpRecordInteraction, r))
}

// RecordJourney records a journey.
func (c *Client) RecordJourney(
	ctx context.Context, r protocol.RecordJourneyRequest,
) (*protocol.RecordJourneyReply, error) {
	return decode[protocol.RecordJourneyReply](ctx, c, c.writeOp(protocol.OpRecordJourney, r))
}

// ListInteractions reads a page of chat lines, newest last.
func (c *Client) ListInteractions(ctx context.Context, r protocol.ListRequest) (*protocol.InteractionsReply, error) {
	return decode[protocol.InteractionsReply](ctx, c, c.readOp(protocol.OpListInteractions, r))
}

// ListJourneys reads a page of journeys, newest last.
func (c *Client) ListJourneys(ctx context.Context, r protocol.ListRequest) (*protocol.JourneysReply, error) {
	return decode[protocol.JourneysReply](ctx, c, c.readOp(protocol.OpListJourneys, r))
}
