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
	OpListInteractions    Op = "listInteractions"
	OpListJourneys        Op = "listJourneys"
	OpListEvents          Op = "listEvents"
	OpGetWorldSnapshotAt  Op = "getWorldSnapshotAt"
	OpListAnswering       Op = "listAnswering"
	OpCountAgents         Op = "countAgents"
	OpListSpaceNodes      Op = "listSpaceNodes"
	OpInspectSpace        Op = "inspectSpace"
	OpRecordInteraction   Op = "recordInteraction"
	OpRecordJourney       Op = "recordJourney"
	OpRecordActivity      Op = "recordActivity"
	OpRegisterSpaceNode   Op = "registerSpaceNode"
	OpCreateSpace         Op = "createSpace"
	OpRemoveSpace         Op = "removeSpace"
	OpAddSpaceAmenity     Op = "addSpaceAmenity"
	OpRemoveSpaceAmenity  Op = "removeSpaceAmenity"
	OpIntercomCommand     Op = "intercomCommand"
	OpIntercomResponse    Op = "intercomResponse"
)

// Operation describes one rpc operation.
type Operation struct {
	Op Op
	// Writes reports whether the operation changes something: it then needs the `sid`,
	// and accepts an idempotency key unless Newest is true.
	Writes bool
	// Newest reports whether only the newest call counts: a client retries with its
	// newest payload instead of repeating an old one.
	Newest bool
	// Callers may use it.
	Callers Callers
	// OwnerHash reports whether an agent's id with its owner's hash is accepted.
	OwnerHash bool
	// Secret reports whether the reply holds a secret.
	Secret bool
	// Extension is the capability of hosts that have the operation; empty if
	// every host has it.
	Extension Capability
	// Request and Reply are zero values of the payload's and the reply's types.
	Request, Reply any
	// Summary is one sentence for a person.
	Summary string
}

// Operations returns every operation, the reading ones first.
func Operations() []Operation { return slices.Clone(operations) }

var operations = []Operation{
	{
		Op: OpGetWorldSnapshot, Callers: CallerReaders, Request: EmptyRequest{}, Reply: SnapshotReply{},
		Summary: "Reads the whole world at one rev.",
	},
	{
		Op: OpGetPlayerChainNode, Callers: CallerReaders, Request: ChainNodeRequest{}, Reply: ChainNodeReply{},
		Summary: "Reads one node of the player chain.",
	},
	{
		Op: OpGetPlayerChainNodes, Callers: CallerReaders, Extension: CapChainNodes, Request: ChainNodesRequest{}, Reply: ChainNodesReply{},
		Summary: "Reads several nodes of the player chain, all at one rev.",
	},
	{
		Op: OpGetPlayerChainProof, Callers: CallerReaders, Extension: CapChainProof, Request: ChainProofRequest{}, Reply: ChainProofReply{},
		Summary: "Reads a node with the siblings that prove it.",
	},
	{
		Op: OpListInteractions, Callers: CallerReaders, Extension: CapInteractions, Request: ListRequest{}, Reply: InteractionsReply{},
		Summary: "Lists chat lines, newest last.",
	},
	{
		Op: OpListJourneys, Callers: CallerReaders, Extension: CapInteractions, Request: ListRequest{}, Reply: JourneysReply{},
		Summary: "Lists journeys, newest last.",
	},
	{
		Op: OpListEvents, Callers: CallerReaders, Request: ListEventsRequest{}, Reply: ListEventsReply{},
		Summary: "Lists events of this session with the time of their commit; an extension without a capability, so other hosts answer `op_unknown`.",
	},
	{
		Op: OpGetWorldSnapshotAt, Callers: CallerReaders, Request: SnapshotAtRequest{}, Reply: SnapshotReply{},
		Summary: "Reads a map of the past as a whole, from which events lead on; an extension without a capability, as `listEvents`.",
	},
	{
		Op: OpListAnswering, Callers: CallerReaders, Request: ListAnsweringRequest{}, Reply: ListAnsweringReply{},
		Summary: "Lists whether programs answer for agents on the map; an extension without a capability, so other hosts answer `op_unknown`.",
	},
	{
		Op: OpCountAgents, Callers: CallerReaders, Request: EmptyRequest{}, Reply: AgentCounts{},
		Summary: "Counts the agents on the map by their states, for readers that need no rows; an extension without a capability, as `listAnswering`.",
	},
	{
		Op: OpListSpaceNodes, Callers: CallerReaders, Request: EmptyRequest{}, Reply: SpacesReply{},
		Summary: "Lists the spaces.",
	},
	{
		Op: OpInspectSpace, Callers: CallerReaders, Request: SpaceRequest{}, Reply: InspectSpaceReply{},
		Summary: "Reads a space, with its log for those who may see it.",
	},
	{
		Op: OpRecordInteraction, Writes: true, Callers: CallerPlayers, OwnerHash: true,
		Request: RecordInteractionRequest{}, Reply: RecordInteractionReply{}, Summary: "Records a chat line.",
	},
	{
		Op: OpRecordJourney, Writes: true, Callers: CallerPlayers, OwnerHash: true,
		Request: RecordJourneyRequest{}, Reply: RecordJourneyReply{}, Summary: "Records what an agent did to answer a message.",
	},
	{
		Op: OpRecordActivity, Writes: true, Newest: true, Callers: CallerPlayers, OwnerHash: true, Extension: CapActivity,
		Request: RecordActivityRequest{}, Reply: RecordActivityReply{},
		Summary: "Replaces what an agent's row says it does now.",
	},
	{
		Op: OpRegisterSpaceNode, Writes: true, Callers: CallerMain, Request: RegisterSpaceRequest{}, Reply: SpaceReply{},
		Summary: "Creates a space without a place on the map.",
	},
	{
		Op: OpCreateSpace, Writes: true, Callers: CallerMain, Secret: true, Request: CreateSpaceRequest{}, Reply: CreateSpaceReply{},
		Summary: "Creates a space with a node of its own and a structure on the map.",
	},
	{
		Op: OpRemoveSpace, Writes: true, Callers: CallerMain | CallerAdmin, Request: SpaceRequest{}, Reply: OKReply{},
		Summary: "Removes a space with its structure, its node and its log.",
	},
	{
		Op: OpAddSpaceAmenity, Writes: true, Callers: CallerMain | CallerSpace, Request: AmenityRequest{}, Reply: SpaceReply{},
		Summary: "Adds an amenity to a space.",
	},
	{
		Op: OpRemoveSpaceAmenity, Writes: true, Callers: CallerMain | CallerSpace, Request: AmenityRequest{}, Reply: SpaceReply{},
		Summary: "Removes an amenity from a space; the last one stays.",
	},
	{
		Op: OpIntercomCommand, Writes: true, Callers: CallerAskers, Request: IntercomCommand{}, Reply: DoneReply{},
		Summary: "Asks an agent.",
	},
	{
		Op: OpIntercomResponse, Writes: true, Callers: CallerPlayers, OwnerHash: true, Request: IntercomResponse{}, Reply: DoneReply{},
		Summary: "Answers a command of the intercom.",
	},
}

// operation returns an operation's description, nil for an unknown one.
func (op Op) operation() *Operation {
	for i := range operations {
		if operations[i].Op == op {
			return &operations[i]
		}
	}
	return nil
}

// Reads reports whether the operation only reads; it then takes no `sid`.
func (op Op) Reads() bool {
	o := op.operation()
	return o != nil && !o.Writes
}

// Known reports whether the operation is one of the contract's.
func (op Op) Known() bool { return op.operation() != nil }

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

// RPCCall is an rpc body as a host reads it: the operation is known, the payload
// is not parsed yet, because `sid` and API key are checked before it.
type RPCCall struct {
	Op   Op
	body Object
}

// ParseRPC reads the envelope of an rpc. Its errors are `body_invalid` for an
// `op` that is absent or not a string, and `op_unknown`.
func ParseRPC(o Object) (RPCCall, *Error) {
	f := fields{obj: o}
	text, _ := f.present("op", kindString, false)
	if f.err != nil {
		return RPCCall{}, f.err
	}
	op := Op(stringOf(text))
	if !op.Known() {
		return RPCCall{}, &Error{Code: CodeOpUnknown, Message: "the field op names no operation of this host", Field: "op"}
	}
	return RPCCall{Op: op, body: o}, nil
}

// Payload parses the payload. An absent or null payload is {}: a required field is
// then reported as missing by its own name.
func (c RPCCall) Payload() (Object, *Error) {
	f := fields{obj: c.body}
	text, ok := f.present("payload", kindObject, true)
	if !ok {
		return Object{path: "payload"}, f.err
	}
	return c.body.object("payload", text), nil
}
