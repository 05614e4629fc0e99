package host

import (
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// operations gives every rpc operation of the contract, with the rules that the
// contract has for it, its plan.
func operations() map[protocol.Op]*rules {
	plans := map[protocol.Op]func(*call) (action, error){
		protocol.OpGetWorldSnapshot:    planSnapshotReply,
		protocol.OpGetPlayerChainNode:  planChainNode,
		protocol.OpGetPlayerChainNodes: planChainNodes,
		protocol.OpGetPlayerChainProof: planChainProof,
		protocol.OpListInteractions:    planListInteractions,
		protocol.OpListJourneys:        planListJourneys,
		protocol.OpListEvents:          planListEvents,
		protocol.OpGetWorldSnapshotAt:  planSnapshotAt,
		protocol.OpListAnswering:       planListAnswering,
		protocol.OpListSpaceNodes:      planListSpaces,
		protocol.OpInspectSpace:        planInspectSpace,
		protocol.OpCreateSpace:         planCreateSpace,
		protocol.OpRemoveSpace: command(func(r protocol.SpaceRequest) world.Command {
			return world.RemoveSpace{SpaceRequest: r}
		}),
		protocol.OpRecordInteraction: command(func(r protocol.RecordInteractionRequest) world.Command {
			return world.RecordInteraction{RecordInteractionRequest: r}
		}),
		protocol.OpRecordJourney: command(func(r protocol.RecordJourneyRequest) world.Command {
			return world.RecordJourney{RecordJourneyRequest: r}
		}),
		protocol.OpRegisterSpaceNode: command(func(r protocol.RegisterSpaceRequest) world.Command {
			return world.RegisterSpace{RegisterSpaceRequest: r}
		}),
		protocol.OpAddSpaceAmenity: command(func(r protocol.AmenityRequest) world.Command {
			return world.AddAmenity{AmenityRequest: r}
		}),
		protocol.OpRemoveSpaceAmenity: command(func(r protocol.AmenityRequest) world.Command {
			return world.RemoveAmenity{AmenityRequest: r}
		}),
		protocol.OpIntercomCommand: planIntercomCommand,
		protocol.OpIntercomResponse: command(func(r protocol.IntercomResponse) world.Command {
			return world.IntercomResponse{IntercomResponse: r}
		}),
	}
	all := map[protocol.Op]*rules{}
	for _, o := range protocol.Operations() {
		if plan := plans[o.Op]; plan != nil {
			all[o.Op] = &rules{
				callers: o.Callers, ownerHash: o.OwnerHash, sid: o.Writes, repeatable: o.Writes, secret: o.Secret,
				withdraws: o.Op == protocol.OpRemoveSpace, plan: plan,
			}
		}
	}
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

// command is the plan of an operation whose payload is a command of the engine.
func command[T any](convert func(T) world.Command) func(*call) (action, error) {
	return func(c *call) (action, error) {
		request, err := payloadOf[T](c)
		if err != nil {
			return nil, err
		}
		return do(convert(request))
	}
}
