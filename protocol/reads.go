package protocol

import (
	"encoding/json"
	"slices"
)

// SessionReply is the reply of `GET /api/play/session`. Everything except SID is
// absent on hosts without the extensions.
type SessionReply struct {
	SID string  `json:"sid" rule:"form=uuid"`
	Rev *uint64 `json:"rev,omitzero" rule:"sent"`
	Seq *uint64 `json:"seq,omitzero" rule:"sent"`
	// Capabilities are the extensions that the host has.
	Capabilities []Capability `json:"capabilities,omitzero" rule:"sent,enum=Capability,unique"`
}

// Has reports whether the host offers a capability.
func (r *SessionReply) Has(c Capability) bool {
	return slices.Contains(r.Capabilities, c)
}

// ResetReply is the reply of a session reset: the new session.
type ResetReply struct {
	SID string `json:"sid" rule:"form=uuid"`
}

// EmptyRequest is a payload or body whose content is ignored.
type EmptyRequest struct{}

// SnapshotReply is the reply of getWorldSnapshot. Snapshot stays raw, so that a
// host can send the text that it encoded once for a rev.
type SnapshotReply struct {
	Snapshot json.RawMessage `json:"snapshot" rule:"ref=Snapshot"`
}

// ChainNodeRequest is the payload of getPlayerChainNode. A text that is not a
// stable key is `stable_key_unknown`.
type ChainNodeRequest struct {
	StableKey string `json:"stableKey" rule:"form=stableKey,chars=MaxStableKeyChars"`
	// AtRev asks for the node as of a rev if it is still kept; the reply's rev is the
	// rev of the node.
	AtRev *uint64 `json:"atRev,omitzero"`
}

// ChainNodeReply is the reply of getPlayerChainNode. Node stays raw: a reader must
// see the exact text.
type ChainNodeReply struct {
	Node json.RawMessage `json:"node" rule:"ref=ChainNode"`
	// Rev is the rev that the node is of; absent on hosts that give none.
	Rev *uint64 `json:"rev,omitzero" rule:"sent"`
}

// ChainNodesRequest is the payload of getPlayerChainNodes.
type ChainNodesRequest struct {
	StableKeys List[string] `json:"stableKeys" rule:"form=stableKey,items=..MaxStableKeys,chars=MaxStableKeyChars,blank"`
	// AtRev asks for the nodes as of a rev if it is still kept; the reply's rev is the
	// rev of the nodes.
	AtRev *uint64 `json:"atRev,omitzero"`
}

func (r *ChainNodesRequest) check(f *fields) *Error {
	for i, key := range r.StableKeys {
		if err := stableKeyFault(elementField(f.obj.field("stableKeys"), i), key); err != nil {
			return err
		}
	}
	return nil
}

// ChainNodesReply is the reply of getPlayerChainNodes: the nodes in the order of
// the request, all as of Rev.
type ChainNodesReply struct {
	Nodes           List[json.RawMessage] `json:"nodes" rule:"ref=ChainNode,items=..MaxStableKeys"`
	Rev             uint64                `json:"rev"`
	MerkleRootHex   string                `json:"merkleRootHex" rule:"form=hex64"`
	MerkleLeafCount int                   `json:"merkleLeafCount" rule:"range=2.."`
}

// ChainProofRequest is the payload of getPlayerChainProof.
type ChainProofRequest struct {
	StableKey string `json:"stableKey" rule:"form=stableKey,chars=MaxStableKeyChars"`
}

// ProofStep is the sibling of one level of a proof, from the leaf upwards; Side
// is the sibling's.
type ProofStep struct {
	Side string `json:"side" rule:"enum=ProofSide"`
	Hex  string `json:"hex" rule:"form=hex64"`
}

// ChainProofReply is the reply of getPlayerChainProof.
type ChainProofReply struct {
	Node          json.RawMessage `json:"node" rule:"ref=ChainNode"`
	LeafIndex     int             `json:"leafIndex"`
	LeafDigestHex string          `json:"leafDigestHex" rule:"form=hex64"`
	// Path has the siblings from the leaf upward.
	Path            List[ProofStep] `json:"path"`
	MerkleRootHex   string          `json:"merkleRootHex" rule:"form=hex64"`
	MerkleLeafCount int             `json:"merkleLeafCount" rule:"range=2.."`
	Rev             uint64          `json:"rev"`
}

// WatchSessionRequest asks for the watch page's cookie.
type WatchSessionRequest struct {
	// Token proves the right to act; empty to watch only.
	Token WireSecret `json:"token,omitzero"`
	// Framed asks for a pass in the reply instead of a cookie: for a page in a frame, which can only watch.
	Framed bool `json:"framed,omitempty"`
}

// WatchScope is what a watch cookie allows.
type WatchScope string

// The scopes of watch cookies.
const (
	// WatchScopeWatch allows reads: session, snapshot, chain, events and listings.
	WatchScopeWatch WatchScope = "watch"
	// WatchScopeAct also allows assist-tool, proximity-action and intercomCommand.
	WatchScopeAct WatchScope = "act"
)

// WatchSessionReply is the reply of `POST /play/watch/session`. The cookie
// itself is in a header that scripts do not see.
type WatchSessionReply struct {
	Scope WatchScope `json:"scope" rule:"enum=WatchScope"`
	// ExpiresAt is when the cookie expires; the page then requests another.
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
	// Pass is the value of the header x-watch-pass for a page in a frame; only for a request with
	// framed.
	Pass WireSecret `json:"pass,omitzero"`
}

// WatchTokensReply is the reply of `GET /play/watch/token`: the caller's tokens that have not expired,
// the oldest first.
type WatchTokensReply struct {
	Tokens []WatchTokenRecord `json:"tokens"`
}

// WatchTokenRecord is one token. Its id is for `DELETE /play/watch/token` and gives nobody any right.
type WatchTokenRecord struct {
	// ID names the token where it is listed and revoked; it is not secret.
	ID        string `json:"id"`
	ExpiresAt string `json:"expiresAt"`
}

// WatchTokenReply is the reply of `POST /play/watch/token`. A link for a person is
// URL, "#token=" and Token: browsers do not send a fragment.
type WatchTokenReply struct {
	// Token is shown once: the host keeps only a hash of it.
	Token WireSecret `json:"token"`
	// URL is the watch page.
	URL string `json:"url"`
	// ExpiresAt is when the token expires, with the cookies created from it.
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
	// AllAddresses reports whether the host listens at every address of its machine,
	// not only at that of URL.
	AllAddresses bool `json:"allAddresses,omitempty"`
}
