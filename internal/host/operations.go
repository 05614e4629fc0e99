package host

import (
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// operations returns every rpc operation of the contract with its rules and its
// plan.
func operations() map[protocol.Op]*rules {
	plans := map[protocol.Op]func(*call) (action, error){
		protocol.OpGetWorldSnapshot:    given(sendSnapshotReply),
		protocol.OpGetPlayerChainNode:  given(sendChainNode),
		protocol.OpGetPlayerChainNodes: given(sendChainNodes),
		protocol.OpGetPlayerChainProof: given(sendChainProof),
		protocol.OpListInteractions:    given(sendInteractions),
		protocol.OpListJourneys:        given(sendJourneys),
		protocol.OpListEvents:          given(sendEventList),
		protocol.OpGetWorldSnapshotAt:  given(sendSnapshotAt),
		protocol.OpListAnswering:       given(sendAnswering),
		protocol.OpListSpaceNodes:      given(sendSpaces),
		protocol.OpInspectSpace:        given(sendSpace),
		protocol.OpCreateSpace:         given(createSpace),
		protocol.OpRemoveSpace:         parsed[world.RemoveSpace],
		protocol.OpRecordInteraction:   parsed[world.RecordInteraction],
		protocol.OpRecordJourney:       parsed[world.RecordJourney],
		protocol.OpRegisterSpaceNode:   parsed[world.RegisterSpace],
		protocol.OpAddSpaceAmenity:     parsed[world.AddAmenity],
		protocol.OpRemoveSpaceAmenity:  parsed[world.RemoveAmenity],
		protocol.OpIntercomCommand:     given(askAgent),
		protocol.OpIntercomResponse:    parsed[world.IntercomResponse],
	}
	all := map[protocol.Op]*rules{}
	for _, o := range protocol.Operations() {
		if plan := plans[o.Op]; plan != nil {
			all[o.Op] = &rules{
				callers: o.Callers, ownerHash: o.OwnerHash, sid: o.Writes, repeatable: o.Writes, secret: o.Secret,
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
