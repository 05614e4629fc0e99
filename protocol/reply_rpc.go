package protocol

import "encoding/json"

// SnapshotReply is the reply of getWorldSnapshot. Snapshot stays raw, so that a
// host can send the text that it encoded once for a rev.
type SnapshotReply struct {
	Snapshot json.RawMessage `json:"snapshot"`
}

// RecordInteractionReply is the reply of recordInteraction; Seq is nil when
// there was nothing to record.
type RecordInteractionReply struct {
	OK  bool    `json:"ok"`
	Seq *uint64 `json:"seq,omitzero"`
}

// RecordJourneyReply is the reply of recordJourney.
type RecordJourneyReply struct {
	OK  bool    `json:"ok"`
	Rev *uint64 `json:"rev,omitzero"`
}

// Interaction is one recorded chat line. At is RFC 3339, Seq its event's.
type Interaction struct {
	PlayerID string `json:"playerId"`
	Role     string `json:"role"`
	Text     string `json:"text"`
	At       string `json:"at"`
	Seq      uint64 `json:"seq"`
}

// InteractionsReply is the reply of listInteractions, newest last.
type InteractionsReply struct {
	Interactions List[Interaction] `json:"interactions"`
	HasMore      bool              `json:"hasMore"`
}

// JourneyRecord is one recorded journey with the places of its steps.
type JourneyRecord struct {
	PlayerID string         `json:"playerId"`
	Journey  Journey        `json:"journey"`
	Path     List[PathStep] `json:"path"`
	At       string         `json:"at"`
	Seq      uint64         `json:"seq"`
}

// JourneysReply is the reply of listJourneys, newest last.
type JourneysReply struct {
	Journeys List[JourneyRecord] `json:"journeys"`
	HasMore  bool                `json:"hasMore"`
}

// ChainNodeReply is the reply of getPlayerChainNode. Node stays raw: a reader
// must see exactly what came. Rev is nil on hosts that give none.
type ChainNodeReply struct {
	Node json.RawMessage `json:"node"`
	Rev  *uint64         `json:"rev,omitzero"`
}

// ChainNodesReply is the reply of getPlayerChainNodes: the nodes in the order
// asked, all as of Rev.
type ChainNodesReply struct {
	Nodes           List[json.RawMessage] `json:"nodes"`
	Rev             uint64                `json:"rev"`
	MerkleRootHex   string                `json:"merkleRootHex"`
	MerkleLeafCount int                   `json:"merkleLeafCount"`
}

// The sides of a proof's siblings.
const (
	SideLeft  = "left"
	SideRight = "right"
)

// ProofStep is the sibling of one level of a proof, from the leaf upwards; Side
// is the sibling's.
type ProofStep struct {
	Side string `json:"side"`
	Hex  string `json:"hex"`
}

// ChainProofReply is the reply of getPlayerChainProof.
type ChainProofReply struct {
	Node            json.RawMessage `json:"node"`
	LeafIndex       int             `json:"leafIndex"`
	LeafDigestHex   string          `json:"leafDigestHex"`
	Path            List[ProofStep] `json:"path"`
	MerkleRootHex   string          `json:"merkleRootHex"`
	MerkleLeafCount int             `json:"merkleLeafCount"`
	Rev             uint64          `json:"rev"`
}
