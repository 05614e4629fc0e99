package protocol

import (
	"encoding/json"
	"slices"
)

// Op is the name of an rpc operation.
type Op string

// The rpc operations.
const (
	OpGetWorldSnapshot    Op = "getWorldSnapshot"
	OpGetPlayerChainNode  Op = "getPlayerChainNode"
	OpGetPlayerChainNodes Op = "getPlayerChainNodes"
	OpGetPlayerChainProof Op = "getPlayerChainProof"
	OpRecordInteraction   Op = "recordInteraction"
	OpRecordJourney       Op = "recordJourney"
	OpListInteractions    Op = "listInteractions"
	OpListJourneys        Op = "listJourneys"
	OpRegisterSpaceNode   Op = "registerSpaceNode"
	OpCreateSpace         Op = "createSpace"
	OpListSpaceNodes      Op = "listSpaceNodes"
	OpInspectSpace        Op = "inspectSpace"
	OpRemoveSpace         Op = "removeSpace"
	OpAddSpaceAmenity     Op = "addSpaceAmenity"
	OpRemoveSpaceAmenity  Op = "removeSpaceAmenity"
	OpIntercomCommand     Op = "intercomCommand"
	OpIntercomResponse    Op = "intercomResponse"
)

var readOps = []Op{
	OpGetWorldSnapshot, OpGetPlayerChainNode, OpGetPlayerChainNodes, OpGetPlayerChainProof,
	OpListInteractions, OpListJourneys, OpListSpaceNodes, OpInspectSpace,
}

var writeOps = []Op{
	OpRecordInteraction, OpRecordJourney, OpRegisterSpaceNode, OpCreateSpace, OpRemoveSpace,
	OpAddSpaceAmenity, OpRemoveSpaceAmenity, OpIntercomCommand, OpIntercomResponse,
}

// Reads reports whether the operation only reads; such ones take no `sid`.
func (op Op) Reads() bool { return slices.Contains(readOps, op) }

// Known reports whether the operation is one of the contract's.
func (op Op) Known() bool { return slices.Contains(writeOps, op) || op.Reads() }

// Ops lists every operation, the reading ones first.
func Ops() []Op { return slices.Concat(readOps, writeOps) }

// RPCRequest is an rpc body as a client sends it.
type RPCRequest struct {
	Op Op `json:"op"`
	// Payload is the request type of the operation; nil for {}.
	Payload any `json:"payload"`
}

// MarshalJSON writes the envelope; a payload of nil is {}.
func (r RPCRequest) MarshalJSON() ([]byte, error) {
	type plain RPCRequest
	if r.Payload == nil {
		r.Payload = struct{}{}
	}
	return json.Marshal(plain(r))
}

// RPCCall is an rpc body as a host read it: the operation is known, the payload
// is not looked at yet, because `sid` and API key come before it.
type RPCCall struct {
	Op   Op
	body Object
}

// ParseRPC reads the envelope of an rpc. Its errors are `body_invalid` for an
// `op` that is absent or no string, and `op_unknown`.
func ParseRPC(o Object) (RPCCall, *Error) {
	f := readFields(o)
	op := Op(f.text("op", textRule{blank: true}))
	if err := f.err(); err != nil {
		return RPCCall{}, err
	}
	if !op.Known() {
		return RPCCall{}, &Error{Code: CodeOpUnknown, Message: "the field op names no operation of this host", Field: "op"}
	}
	return RPCCall{Op: op, body: o}, nil
}

// Payload opens the payload. One that is absent or null is {}: what an
// operation needs of it is then reported as missing by its own name.
func (c RPCCall) Payload() (Object, *Error) {
	f := readFields(c.body)
	payload, ok := f.object("payload", true)
	if !ok {
		return Object{path: "payload"}, f.err()
	}
	return payload.obj, nil
}
