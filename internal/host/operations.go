package host

import (
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// operations returns every rpc operation of the contract with its rules and its
// plan.
func operations() map[protocol.Op]*rules {
	plans := map[protocol.Op]func(*call) (action, error){
		protocol.OpGetWorldSnapshot:    decodeRequest(sendSnapshotReply),
		protocol.OpGetPlayerChainNode:  decodeRequest(sendChainNode),
		protocol.OpGetPlayerChainNodes: decodeRequest(sendChainNodes),
		protocol.OpGetPlayerChainProof: decodeRequest(sendChainProof),
		protocol.OpListInteractions:    decodeRequest(sendInteractions),
		protocol.OpListJourneys:        decodeRequest(sendJourneys),
		protocol.OpListEvents:          decodeRequest(sendEventList),
		protocol.OpGetWorldSnapshotAt:  decodeRequest(sendSnapshotAt),
		protocol.OpListAnswering:       decodeRequest(sendAnswering),
		protocol.OpCountAgents:         decodeRequest(sendAgentCounts),
		protocol.OpListSpaceNodes:      decodeRequest(sendSpaces),
		protocol.OpInspectSpace:        decodeRequest(sendSpace),
		protocol.OpCreateSpace:         decodeRequest(createSpace),
		protocol.OpRemoveSpace:         decodeCommand[world.RemoveSpace],
		protocol.OpRecordInteraction:   decodeCommand[world.RecordInteraction],
		protocol.OpRecordJourney:       decodeCommand[world.RecordJourney],
		protocol.OpRecordActivity:      decodeCommand[world.RecordActivity],
		protocol.OpRegisterSpaceNode:   decodeCommand[world.RegisterSpace],
		protocol.OpAddSpaceAmenity:     decodeCommand[world.AddAmenity],
		protocol.OpRemoveSpaceAmenity:  decodeCommand[world.RemoveAmenity],
		protocol.OpIntercomCommand:     decodeRequest(askAgent),
		protocol.OpIntercomResponse:    decodeCommand[world.IntercomResponse],
	}
	all := map[protocol.Op]*rules{}
	for _, o := range protocol.Operations() {
		if plan := plans[o.Op]; plan != nil {
			all[o.Op] = &rules{
				callers: o.Callers, ownerHash: o.OwnerHash, sid: o.Writes, repeatable: o.Writes && !o.Newest, secret: o.Secret,
				withdraws: o.Op == protocol.OpRemoveSpace, repository: o.Op == protocol.OpCreateSpace, plan: plan,
			}
		}
	}
	return all
}

// selectOperation applies the rules of the operation that the body names.
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
	// The route accepted the agent's id with its owner's hash for the few operations that
	// allow it.
	if c.caller.OwnerHash && !chosen.ownerHash {
		return wrongCredentials()
	}
	return nil
}
