package protocol

import "slices"

// Capability is an extension that a host offers.
type Capability string

// The capabilities of a session reply.
const (
	CapChainNodes   Capability = "chain-nodes"
	CapChainAtRev   Capability = "chain-at-rev"
	CapChainProof   Capability = "chain-proof"
	CapChainInline  Capability = "chain-inline"
	CapResume       Capability = "resume"
	CapInteractions Capability = "interactions"
	CapIdempotency  Capability = "idempotency"
	CapMinRev       Capability = "min-rev"
)

// SessionReply is the reply of `GET /api/play/session`. Everything but SID is
// absent on hosts without the extensions.
type SessionReply struct {
	SID          string       `json:"sid"`
	Rev          *uint64      `json:"rev,omitzero"`
	Seq          *uint64      `json:"seq,omitzero"`
	Capabilities []Capability `json:"capabilities,omitzero"`
}

// Has reports whether the host offers a capability.
func (r *SessionReply) Has(c Capability) bool {
	return slices.Contains(r.Capabilities, c)
}

// ResetReply is the reply of a session reset: the new session.
type ResetReply struct {
	SID string `json:"sid"`
}

// OKReply is the reply of what either happened or had nothing to do.
type OKReply struct {
	OK bool `json:"ok"`
}

// IDReply is the reply of what gave something an id.
type IDReply struct {
	ID string `json:"id"`
}

// RequestReply is the reply of `POST /api/play/assist-tool`: RequestID names the
// intercom events that answer it.
type RequestReply struct {
	OK        bool   `json:"ok"`
	RequestID string `json:"requestId"`
}
