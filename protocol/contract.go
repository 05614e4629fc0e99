// Package protocol holds the wire contract between a world host and its
// clients: rows, snapshots, events, requests, replies, error codes, limits and
// the strict JSON reading that a host applies to bodies. It does no I/O.
package protocol

import (
	"slices"
	"strings"
)

//go:generate go run ../internal/gen/contract

// Enum is a named list of the words that a field may hold.
type Enum struct {
	Name  string
	Words []string
}

// Enums lists every enumeration of the contract. Fields refer to them by name.
func Enums() []Enum { return slices.Clone(enums) }

var enums = []Enum{
	{"ActivityState", ActivityStates()},
	{"Amenity", []string{AmenityShop, AmenitySupermarket, AmenityCarWash}},
	{"Answering", []string{AnsweringYes, AnsweringNo, AnsweringUnknown}},
	{"Capability", words(Capabilities())},
	{"CreatedNodeKind", []string{NodeKindMain, NodeKindSpace}},
	{"InteractionRole", []string{RoleUser, RoleAssistant, RoleTool}},
	{"IntercomAnswer", []string{IntercomStream, IntercomCompleted, IntercomFailed}},
	{"IntercomKind", []string{IntercomAssist, IntercomChat, IntercomRealtime}},
	{"IntercomStatus", []string{IntercomStarted, IntercomForwarded, IntercomStream, IntercomCompleted, IntercomFailed}},
	{"MessageKind", []string{MessageText, MessageAudio, MessageMedia}},
	{"NodeKind", []string{NodeKindRoot, NodeKindMain, NodeKindAgent, NodeKindSpace}},
	{"OccupantKind", words([]OccupantKind{KindAgent, KindMCP, KindHuman, KindStructure})},
	{"PersonRemoval", []string{RemovedDisconnect, RemovedLease, RemovedAdmin}},
	{"PlacementRemoval", []string{RemovedUnregister, RemovedAdmin}},
	{"PlayerRemoval", []string{RemovedDisconnect, RemovedLease, RemovedDeleted, RemovedAdmin}},
	{"ProofSide", []string{SideLeft, SideRight}},
	{"ProximityAction", []string{ProximityAssist, ProximityChat, ProximityZone, ProximityYield}},
	{"Registration", []string{RegistrationOpen, RegistrationToken, RegistrationClosed}},
	{"ResyncReason", []string{"too_old", "ahead", "before_reset", "gap", "store_restarted", "damaged", "not_a_number"}},
	{"SpaceAction", []string{SpaceCreated, SpaceChanged, SpaceRemoved}},
	{"StepType", []string{StepOrigin, StepStructure, StepDestination}},
	{"Switch", []string{P2AOn, P2AOff}},
	{"ValidateReason", []string{ReasonNodeNotFound, ReasonDerivativeMismatch, ReasonAgentParentMismatch}},
	{"WatchScope", words([]WatchScope{WatchScopeWatch, WatchScopeAct})},
}

func words[T ~string](list []T) []string {
	plain := make([]string, len(list))
	for i, w := range list {
		plain[i] = string(w)
	}
	return plain
}

// Amenities lists the amenities that a space can have.
func Amenities() []string { return []string{AmenityShop, AmenitySupermarket, AmenityCarWash} }

// The roles of an interaction.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// The kinds of an intercom command and its events.
const (
	IntercomAssist   = "assist"
	IntercomChat     = "chat"
	IntercomRealtime = "realtime"
)

// The statuses of intercom events. The last three are those of a response.
const (
	IntercomStarted   = "started"
	IntercomForwarded = "forwarded"
	IntercomStream    = "stream"
	IntercomCompleted = "completed"
	IntercomFailed    = "failed"
)

// The values of a result's `messageKind`.
const (
	MessageText  = "text"
	MessageAudio = "audio"
	MessageMedia = "media"
)

// The kinds of nodes.
const (
	NodeKindRoot  = "root"
	NodeKindMain  = "main"
	NodeKindAgent = "agent"
	NodeKindSpace = "space"
)

// Whether a program answers for an agent.
const (
	AnsweringYes     = "yes"
	AnsweringNo      = "no"
	AnsweringUnknown = "unknown"
)

// The values of `enableP2a`.
const (
	P2AOn  = "on"
	P2AOff = "off"
)

// The reasons why an occupant left the map.
const (
	RemovedDisconnect = "disconnect"
	RemovedLease      = "lease"
	RemovedDeleted    = "deleted"
	RemovedUnregister = "unregister"
	RemovedAdmin      = "admin"
)

// The sides of a proof's siblings.
const (
	SideLeft  = "left"
	SideRight = "right"
)

// The actions of a proximity signal, which are its event's kinds as well.
const (
	ProximityAssist = "assist"
	ProximityChat   = "chat"
	ProximityZone   = "zone"
	ProximityYield  = "yield"
)

// The actions on a space.
const (
	SpaceCreated = "created"
	SpaceChanged = "changed"
	SpaceRemoved = "removed"
)

// Who may create a main node on a host.
const (
	RegistrationOpen   = "open"
	RegistrationToken  = "token"
	RegistrationClosed = "closed"
)

// The reasons why a validation fails.
const (
	ReasonNodeNotFound        = "node not found"
	ReasonDerivativeMismatch  = "derivative mismatch"
	ReasonAgentParentMismatch = "agent parent mismatch"
)

// Capability is an extension that a host offers.
type Capability string

// The capabilities of a session reply.
const (
	// CapChainNodes: offers getPlayerChainNodes, which reads several nodes at one rev.
	CapChainNodes Capability = "chain-nodes"
	// CapChainAtRev: answers reads of the chain as of an older rev.
	CapChainAtRev Capability = "chain-at-rev"
	// CapChainProof: offers getPlayerChainProof.
	CapChainProof Capability = "chain-proof"
	// CapChainInline: puts the changed nodes into the events of a stream with `inline=1`.
	CapChainInline Capability = "chain-inline"
	// CapResume: numbers events and resumes streams after the last event that a client saw.
	CapResume Capability = "resume"
	// CapInteractions: offers listInteractions and listJourneys.
	CapInteractions Capability = "interactions"
	// CapIdempotency: accepts the header `idempotency-key`.
	CapIdempotency Capability = "idempotency"
	// CapMinRev: accepts the header `x-play-min-rev`.
	CapMinRev Capability = "min-rev"
	// CapPerson: lets people who may act have a row of their own on the map.
	CapPerson Capability = "person"
	// CapActivity: rows say what agents do now; offers recordActivity.
	CapActivity Capability = "activity"
)

// Capabilities returns every extension of the contract, which is what a host of
// this version offers.
func Capabilities() []Capability {
	return []Capability{
		CapChainNodes, CapChainAtRev, CapChainProof, CapChainInline, CapResume, CapInteractions, CapIdempotency, CapMinRev,
		CapPerson, CapActivity,
	}
}

// Callers is a set of kinds of callers.
type Callers uint8

// The kinds of callers.
const (
	CallerMain Callers = 1 << iota
	CallerAgent
	CallerSpace
	CallerAdmin
	// CallerWatcher has a watch cookie or pass with the scope watch, CallerActor a
	// watch cookie with the scope act, which may also ask agents and have a person on
	// the map.
	CallerWatcher
	CallerActor
)

// Sets of callers that routes and operations have in common.
const (
	// CallerNodes have a node's credentials.
	CallerNodes = CallerMain | CallerAgent | CallerSpace
	// CallerReaders may read everything that any caller may read.
	CallerReaders = CallerNodes | CallerAdmin | CallerWatcher | CallerActor
	// CallerPlayers are an agent node and the main node that owns it; the engine
	// decides which of them may act for which player.
	CallerPlayers = CallerMain | CallerAgent
	// CallerAskers may speak to agents: every node, and viewers with the scope act.
	CallerAskers = CallerNodes | CallerActor
)

// String lists the kinds for an error's sentence.
func (c Callers) String() string {
	var names []string
	for _, k := range []struct {
		kind Callers
		name string
	}{
		{CallerMain, "a main node"},
		{CallerAgent, "an agent node"},
		{CallerSpace, "a space node"},
		{CallerAdmin, "the administrator"},
		{CallerActor, "a viewer who may act"},
	} {
		if c&k.kind != 0 {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, " or ")
}
