package world

import (
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// Caller is the authenticated caller of a request.
type Caller struct {
	// NodeID is the authenticated node; empty for a caller without credentials, a
	// viewer or the administrator. Without a repository it is the unchecked
	// `x-node-id`.
	NodeID string
	// OwnerHash reports whether the request came with an agent's id and its owner's
	// hash: NodeID is then the agent and it may do only what "Authentication and rights"
	// in the protocol reference allows.
	OwnerHash bool
	// Unchecked is true where there is no repository: NodeID is then the id that the
	// caller claims.
	Unchecked bool
	// Viewer is the id of a watch cookie, and empty for other callers.
	Viewer string
	// Admin is true for the administrator.
	Admin bool
}

// Request is the context in which a caller sent a command.
type Request struct {
	Caller Caller
	// SID is the session that the command is for; empty if the route needs
	// none. It is checked again when the command is planned.
	SID string
	// APIKeyDigest is the SHA-256 of the API key that authenticated the caller, nil
	// for none. The command is refused if its account no longer has that key.
	APIKeyDigest *[32]byte
	// BodyBytes is the length of the request's body, 0 for the world's own commands.
	BodyBytes int
	// Idempotency is nil when the caller sent no key.
	Idempotency *Idempotency
}

// Idempotency identifies a command that may be repeated.
type Idempotency struct {
	// Key is the hash of the caller and the key that it sent, and Caller the caller's
	// tag.
	Key    [32]byte
	Caller CallerTag
	// Fingerprint is the hash of method, path and body.
	Fingerprint [32]byte
	// Seal encrypts a reply that holds a secret; nil stores the reply as it is.
	Seal func(reply []byte) ([]byte, error)
}

// Reply is the outcome of a command that worked.
type Reply struct {
	// Rev is the rev of a view that includes the command.
	Rev uint64
	// Seq is the seq of the command's last event, 0 if it caused none.
	Seq uint64
	// Stored is the reply's JSON when the command was a repeat (sealed if the
	// first one was); Value is nil then.
	Stored []byte
	// Sealed reports whether Stored is encrypted.
	Sealed bool
	// Value is the wire reply.
	Value any
}

// JSON is the reply's body.
func (r *Reply) JSON() ([]byte, error) {
	if r.Stored != nil {
		return r.Stored, nil
	}
	body, err := json.Marshal(r.Value)
	if err != nil {
		return nil, fmt.Errorf("encode the reply %T: %w", r.Value, err)
	}
	return body, nil
}

// Command is one action that a caller requests. Its implementations are the
// exported structs of this package; each is named after the protocol's operation.
type Command interface {
	plan(p *planner) (reply any, err error)
}

// CreateMainNode creates a main node. APIKeyDigest is the SHA-256 of its first API
// key, and APIKey the key for the reply.
type CreateMainNode struct {
	NodeID       string
	Digest       [32]byte
	APIKeyDigest [32]byte
	APIKey       protocol.Secret
	// Invitation is the digest of the invitation that the registration uses; nil for
	// none.
	Invitation *[32]byte
}

// CreateAgentNode creates an agent node of the calling main node.
type CreateAgentNode struct {
	AgentNodeID string
	// Label is the owner's name for the agent, empty for none.
	Label  string
	Digest [32]byte
}

// ReplaceAPIKey gives the calling main node another API key.
type ReplaceAPIKey struct {
	APIKeyDigest [32]byte
	APIKey       protocol.Secret
}

// DeleteNode deletes the calling main node, or for the administrator any node,
// with everything that belongs to it.
type DeleteNode struct{ NodeID string }

// DeleteAgent deletes an agent node of the calling main node.
type DeleteAgent struct{ AgentID string }

// Register puts an agent on the map or updates its row.
type Register struct {
	protocol.RegisterRequest
	// PreviewURL is copied to the reply.
	PreviewURL string
}

// Heartbeat renews a lease. It is not journaled.
type Heartbeat struct{ protocol.HeartbeatRequest }

// Disconnect removes an agent from the map.
type Disconnect struct{ protocol.DisconnectRequest }

// RegisterMCP places or updates an MCP row of the calling main node.
type RegisterMCP struct{ protocol.MCPRegisterRequest }

// UnregisterMCP removes an MCP row.
type UnregisterMCP struct{ protocol.MCPUnregisterRequest }

// RecordInteraction records one chat line.
type RecordInteraction struct {
	protocol.RecordInteractionRequest
}

// RecordJourney records a journey.
type RecordJourney struct{ protocol.RecordJourneyRequest }

// RecordActivity replaces what an agent's row says it does now.
type RecordActivity struct{ protocol.RecordActivityRequest }

// RemoveOccupant is the administrator's removal of a row.
type RemoveOccupant struct{ protocol.RemoveOccupantRequest }

// ResetSession starts a new session.
type ResetSession struct{ Reason string }
