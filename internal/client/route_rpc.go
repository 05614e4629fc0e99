package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// readOp returns an rpc that changes nothing.
func (c *Client) readOp(op protocol.Op, payload any) *call {
	return &call{
		method: http.MethodPost, path: c.service.RPC(), limit: largeReply, world: true,
		body: protocol.RPCRequest{Op: op, Payload: payload},
	}
}

// writeOp returns an rpc that changes the world.
func (c *Client) writeOp(op protocol.Op, payload any) *call {
	return c.keyedWrite(c.service.RPC(), protocol.RPCRequest{Op: op, Payload: payload})
}

// WorldSnapshot reads the whole world and returns its JSON as the host sent it. The
// rev is the reply's; 0 if the host states none.
func (c *Client) WorldSnapshot(ctx context.Context) (text json.RawMessage, rev uint64, err error) {
	return c.WorldSnapshotFrom(ctx, 0)
}

// WorldSnapshotFrom reads the whole world as of a rev or a later one. A host that
// has not reached that rev yet is asked again after a moment.
func (c *Client) WorldSnapshotFrom(ctx context.Context, minRev uint64) (text json.RawMessage, rev uint64, err error) {
	k := c.readOp(protocol.OpGetWorldSnapshot, nil)
	k.minRev = minRev
	r, err := c.do(ctx, k)
	if err != nil {
		return nil, 0, err
	}
	reply, err := unpack[protocol.SnapshotReply](r.body)
	if err != nil {
		return nil, 0, unusable(k, err)
	}
	if len(reply.Snapshot) == 0 {
		return nil, 0, &ReplyError{Route: k.route(), Err: errors.New("it has no snapshot")}
	}
	return reply.Snapshot, r.rev, nil
}

// World reads the whole world as a chain, with the root that the host states. It is
// not verified yet.
func (c *Client) World(ctx context.Context) (*chain.Snapshot, chain.Stated, error) {
	text, _, err := c.WorldSnapshot(ctx)
	if err != nil {
		return nil, chain.Stated{}, err
	}
	world, stated, err := chain.ParseSnapshot(text)
	if err != nil {
		return nil, stated, fmt.Errorf("the host's snapshot: %w", err)
	}
	return world, stated, nil
}

// RecordInteraction records a chat line. Seq of the reply is nil if the text
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

// RecordActivity replaces what an agent's row says it does now.
func (c *Client) RecordActivity(
	ctx context.Context, r protocol.RecordActivityRequest,
) (*protocol.RecordActivityReply, error) {
	k := c.writeOp(protocol.OpRecordActivity, r)
	k.again, k.keyless = repeatSame, true
	return decode[protocol.RecordActivityReply](ctx, c, k)
}

// ListInteractions reads chat lines, newest last: as many as requested, in several
// requests if the host's pages are shorter.
func (c *Client) ListInteractions(ctx context.Context, r protocol.ListRequest) (*protocol.InteractionsReply, error) {
	var all protocol.InteractionsReply
	for more := true; more; {
		page, err := decode[protocol.InteractionsReply](ctx, c, c.readOp(protocol.OpListInteractions, r))
		if err != nil {
			return nil, err
		}
		all.Interactions, all.HasMore = append(page.Interactions, all.Interactions...), page.HasMore
		all.Damaged = append(page.Damaged, all.Damaged...)
		if more = page.HasMore && len(page.Interactions) > 0; more {
			more = continueBefore(&r, len(page.Interactions), page.Interactions[0].Seq)
		}
	}
	return &all, nil
}

// ListJourneys reads journeys as ListInteractions reads chat lines.
func (c *Client) ListJourneys(ctx context.Context, r protocol.ListRequest) (*protocol.JourneysReply, error) {
	var all protocol.JourneysReply
	for more := true; more; {
		page, err := decode[protocol.JourneysReply](ctx, c, c.readOp(protocol.OpListJourneys, r))
		if err != nil {
			return nil, err
		}
		all.Journeys, all.HasMore = append(page.Journeys, all.Journeys...), page.HasMore
		all.Damaged = append(page.Damaged, all.Damaged...)
		if more = page.HasMore && len(page.Journeys) > 0; more {
			more = continueBefore(&r, len(page.Journeys), page.Journeys[0].Seq)
		}
	}
	return &all, nil
}

// continueBefore changes the request to the one for the page before a page of n that begins
// at a seq. It reports whether that is needed.
func continueBefore(r *protocol.ListRequest, n int, first uint64) bool {
	r.Limit = cmp.Or(r.Limit, protocol.DefaultListLimit)
	r.Limit, r.BeforeSeq = r.Limit-n, &first
	return r.Limit > 0
}

// RegisterSpaceNode creates a space, as a main node.
func (c *Client) RegisterSpaceNode(ctx context.Context, r *protocol.RegisterSpaceRequest) (*protocol.SpaceReply, error) {
	return decode[protocol.SpaceReply](ctx, c, c.writeOp(protocol.OpRegisterSpaceNode, r))
}

// CreateSpace creates a space, its node and a structure on the map, as a main node.
// The reply has the node's phrase, which is shown only once.
func (c *Client) CreateSpace(ctx context.Context, r *protocol.CreateSpaceRequest) (*protocol.CreateSpaceReply, error) {
	return decode[protocol.CreateSpaceReply](ctx, c, c.writeOp(protocol.OpCreateSpace, r))
}

// ListSpaceNodes reads all spaces.
func (c *Client) ListSpaceNodes(ctx context.Context) (*protocol.SpacesReply, error) {
	return decode[protocol.SpacesReply](ctx, c, c.readOp(protocol.OpListSpaceNodes, nil))
}

// InspectSpace reads a space, with its log if the caller may see it.
func (c *Client) InspectSpace(ctx context.Context, spaceID string) (*protocol.InspectSpaceReply, error) {
	return decode[protocol.InspectSpaceReply](ctx, c,
		c.readOp(protocol.OpInspectSpace, protocol.SpaceRequest{SpaceID: spaceID}))
}

// RemoveSpace removes a space with its structure, its node and its log.
func (c *Client) RemoveSpace(ctx context.Context, spaceID string) (*protocol.OKReply, error) {
	return decode[protocol.OKReply](ctx, c,
		c.writeOp(protocol.OpRemoveSpace, protocol.SpaceRequest{SpaceID: spaceID}))
}

// AddSpaceAmenity adds an amenity to a space.
func (c *Client) AddSpaceAmenity(ctx context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error) {
	return decode[protocol.SpaceReply](ctx, c, c.writeOp(protocol.OpAddSpaceAmenity, r))
}

// RemoveSpaceAmenity removes an amenity from a space; the last one stays.
func (c *Client) RemoveSpaceAmenity(ctx context.Context, r protocol.AmenityRequest) (*protocol.SpaceReply, error) {
	return decode[protocol.SpaceReply](ctx, c, c.writeOp(protocol.OpRemoveSpaceAmenity, r))
}

// IntercomCommand sends a command to an agent. Its requestId makes a repeat
// harmless: the host answers the same and forwards it once. With ifAnswering, a
// host that knows that no program answers for the agent returns an error
// immediately.
func (c *Client) IntercomCommand(ctx context.Context, r *protocol.IntercomCommand, ifAnswering bool) (*protocol.OKReply, error) {
	k := c.writeOp(protocol.OpIntercomCommand, r)
	k.again = repeatSame
	if ifAnswering && c.service == protocol.ServicePlay {
		k.query = url.Values{protocol.QueryIfAnswering: {"1"}}
	}
	return decode[protocol.OKReply](ctx, c, k)
}

// ListEvents lists events of the session with the times of their commits. Not every
// host supports it.
func (c *Client) ListEvents(ctx context.Context, r *protocol.ListEventsRequest) (*protocol.ListEventsReply, error) {
	return decode[protocol.ListEventsReply](ctx, c, c.readOp(protocol.OpListEvents, r))
}

// CountAgents counts the agents on the map by their states.
func (c *Client) CountAgents(ctx context.Context) (*protocol.AgentCounts, error) {
	return decode[protocol.AgentCounts](ctx, c, c.readOp(protocol.OpCountAgents, protocol.EmptyRequest{}))
}

// ListAnswering reports whether programs answer for agents on the map, for all of
// them if none is named. Not every host supports it.
func (c *Client) ListAnswering(ctx context.Context, playerIDs ...string) (*protocol.ListAnsweringReply, error) {
	return decode[protocol.ListAnsweringReply](ctx, c,
		c.readOp(protocol.OpListAnswering, protocol.ListAnsweringRequest{PlayerIDs: playerIDs}))
}

// IntercomResponse answers a command, as the agent that received it.
func (c *Client) IntercomResponse(ctx context.Context, r *protocol.IntercomResponse) (*protocol.OKReply, error) {
	return decode[protocol.OKReply](ctx, c, c.writeOp(protocol.OpIntercomResponse, r))
}

// At says at which rev a chain node is read; the zero value is the present.
type At struct {
	// Rev is the requested rev. The host answers at it if it still can, else at its
	// present one: the reply says which.
	Rev uint64
	// Set distinguishes a Rev of 0 from none. Without it a Rev above 0 is the least
	// rev of the answer, for hosts that cannot answer at a given rev.
	Set bool
}

func (a At) pointer() *uint64 {
	if !a.Set {
		return nil
	}
	return &a.Rev
}

// ChainNode reads one node of the player chain. The caller checks whether it is the
// node of the key, with chain.AnswersFor.
func (c *Client) ChainNode(ctx context.Context, stableKey string, at At) (chain.NodeReply, error) {
	k := c.readOp(protocol.OpGetPlayerChainNode, protocol.ChainNodeRequest{StableKey: stableKey, AtRev: at.pointer()})
	k.minRev = at.Rev
	return parsed(ctx, c, k, chain.ParseNodeRPCBody)
}

// WithGenesis returns a snapshot of a host of the agent-play service with the
// host's genesis text: the snapshot itself has another text.
func (c *Client) WithGenesis(ctx context.Context, s *chain.Snapshot) (*chain.Snapshot, error) {
	if c.service == protocol.ServicePlay {
		return s, nil
	}
	reply, err := c.ChainNode(ctx, chain.GenesisStableKey, At{})
	if err != nil {
		return nil, fmt.Errorf("read the genesis node: %w", err)
	}
	if err := chain.AnswersFor(reply.Node, chain.GenesisStableKey); err != nil {
		return nil, err
	}
	return s.WithGenesis(reply.Node.Text), nil
}

// ChainNodes reads up to protocol.MaxStableKeys nodes at one rev.
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
