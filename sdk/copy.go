package sdk

import (
	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

// Snapshot is one state of a world with its chain; see chain.Snapshot.
type Snapshot = chain.Snapshot

// Verification is the state of verification of a copy of the world.
type Verification = chain.Verification

// WentBackError is the error of a host that went back to an earlier state; see
// chain.WentBackError.
type WentBackError = chain.WentBackError

// The states of verification of a copy.
const (
	// Unread: there is no copy yet.
	Unread = chain.Unread
	// Verified: root and leaf count were rebuilt from the copy and equal what
	// the host stated for this rev.
	Verified = chain.Verified
	// CatchingUp: some rows are newer than the last event; the copy is compared when
	// the events have caught up.
	CatchingUp = chain.CatchingUp
	// Mismatched: the copy differs from the host's. It is being read again.
	Mismatched = chain.Mismatched
	// Unverifiable: the host states no root, or verifying is turned off.
	Unverifiable = chain.Unverifiable
)

// The stable keys of the two leaves that every chain has.
const (
	GenesisStableKey = chain.GenesisStableKey
	HeaderStableKey  = chain.HeaderStableKey
)

// ParseFanoutNotify reads a `playerChainNotify`; see chain.ParseFanoutNotify.
func ParseFanoutNotify(jsonText []byte) (*protocol.Notify, error) {
	return chain.ParseFanoutNotify(jsonText)
}

// ParseFanoutNotifyFromSSEPayload reads the `playerChainNotify` of an event's
// data, nil if it has none; see chain.ParseFanoutNotifyFromSSEPayload.
func ParseFanoutNotifyFromSSEPayload(data []byte) (*protocol.Notify, error) {
	return chain.ParseFanoutNotifyFromSSEPayload(data)
}

// SortNodeRefsForSerializedFetch returns refs in the order in which nodes are read one by
// one; see chain.SortNodeRefsForSerializedFetch.
func SortNodeRefsForSerializedFetch(refs []protocol.NodeRef) []protocol.NodeRef {
	return chain.SortNodeRefsForSerializedFetch(refs)
}

// ParseNodeRPCBody reads the body of a reply to `getPlayerChainNode`; see
// chain.ParseNodeRPCBody.
func ParseNodeRPCBody(body []byte) (chain.NodeReply, error) { return chain.ParseNodeRPCBody(body) }

// MergeSnapshotWithNode returns the snapshot with one node merged in; the given one
// does not change. See chain.MergeSnapshotWithNode.
func MergeSnapshotWithNode(s *Snapshot, node protocol.ChainNode) (*Snapshot, error) {
	return chain.MergeSnapshotWithNode(s, node)
}
