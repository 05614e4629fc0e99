package host

import (
	"maps"

	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// operations is the table of the rpc operations of section 7 of the protocol.
// A plan reads the payload instead of the body.
func operations() map[protocol.Op]*rules {
	read := func(plan func(*call) (action, error)) *rules { return &rules{callers: readers, plan: plan} }
	all := map[protocol.Op]*rules{
		protocol.OpGetWorldSnapshot:    read(planSnapshotReply),
		protocol.OpGetPlayerChainNode:  read(planChainNode),
		protocol.OpGetPlayerChainNodes: read(planChainNodes),
		protocol.OpGetPlayerChainProof: read(planChainProof),
		protocol.OpListInteractions:    read(planListInteractions),
		protocol.OpListJourneys:        read(planListJourneys),
		protocol.OpRecordInteraction: {
			callers: players, ownerHash: true, sid: true, repeatable: true, plan: paid(protocol.ParseRequest[protocol.RecordInteractionRequest],
				func(r protocol.RecordInteractionRequest) world.Command {
					return world.RecordInteraction{RecordInteractionRequest: r}
				}),
		},
		protocol.OpRecordJourney: {
			callers: players, ownerHash: true, sid: true, repeatable: true, plan: paid(protocol.ParseRequest[protocol.RecordJourneyRequest],
				func(r protocol.RecordJourneyRequest) world.Command {
					return world.RecordJourney{RecordJourneyRequest: r}
				}),
		},
	}
	maps.Copy(all, spaceOperations())
	maps.Copy(all, intercomOperations())
	return all
}

// selectOperation takes over the rules of the operation that the body names.
func selectOperation(c *call) error {
	request, bad := protocol.ParseRPC(c.object)
	if bad != nil {
		return bad
	}
	chosen, known := c.host.operations[request.Op]
	if !known {
		return &protocol.Error{Code: protocol.CodeOpUnknown, Message: "the field op names no operation of this host", Field: "op"}
	}
	c.op, c.rules, c.rpc = string(request.Op), chosen, request
	// The route let the pair in for the few operations that take it.
	if c.caller.OwnerHash && !chosen.ownerHash {
		return wrongCredentials()
	}
	return nil
}

// payload opens the payload for a parser.
func (c *call) payload() (protocol.Object, error) {
	object, bad := c.rpc.Payload()
	if bad != nil {
		return object, bad
	}
	return object, nil
}

// payloadOf reads the payload of an operation.
func payloadOf[T any](c *call) (T, error) {
	var none T
	object, err := c.payload()
	if err != nil {
		return none, err
	}
	request, bad := protocol.ParseRequest[T](object)
	if bad != nil {
		return none, bad
	}
	return request, nil
}

// paid is parsed for an operation's payload.
func paid[T any](parse func(protocol.Object) (T, *protocol.Error), command func(T) world.Command) func(*call) (action, error) {
	return func(c *call) (action, error) {
		request, err := payloadOf[T](c)
		if err != nil {
			return nil, err
		}
		return do(command(request))
	}
}
