package protocol

// CreateNodeReply is the reply of `POST /api/nodes`.
type CreateNodeReply struct {
	NodeID string `json:"nodeId"`
	// APIKey is a new main node's first key; it is shown once.
	APIKey WireSecret `json:"apiKey,omitzero"`
	// Phrase is the one that the host made for a space; it is shown once.
	Phrase WireSecret `json:"phrase,omitzero"`
}

// AgentNodeReply is the reply of `POST /api/nodes/agent-node`.
type AgentNodeReply struct {
	AgentID string `json:"agentId"`
}

// APIKeyReply is the reply of `POST /api/nodes/api-key`.
type APIKeyReply struct {
	APIKey WireSecret `json:"apiKey"`
}

// DeleteNodeReply is the reply of `DELETE /api/nodes`.
type DeleteNodeReply struct {
	OK                bool `json:"ok"`
	DeletedAgentCount int  `json:"deletedAgentCount"`
}

// The reasons why a validation fails.
const (
	ReasonNodeNotFound        = "node not found"
	ReasonDerivativeMismatch  = "derivative mismatch"
	ReasonAgentParentMismatch = "agent parent mismatch"
)

// ValidateReply is the reply of `POST /api/nodes/validate`, with status 200 if
// OK and 400 if not.
type ValidateReply struct {
	OK       bool   `json:"ok"`
	Reason   string `json:"reason,omitzero"`
	NodeKind string `json:"nodeKind,omitzero"`
}

// MainNodeRecord is a main node as listings show it.
type MainNodeRecord struct {
	NodeID string `json:"nodeId"`
	Kind   string `json:"kind"`
	// ParentNodeID is the root node.
	ParentNodeID string       `json:"parentNodeId"`
	CreatedAt    string       `json:"createdAt"`
	AgentNodeIDs List[string] `json:"agentNodeIds"`
}

// AgentRecord is an agent node as listings show it; Name is empty and ToolNames
// too until it registered.
type AgentRecord struct {
	AgentID    string       `json:"agentId"`
	Name       string       `json:"name"`
	ToolNames  List[string] `json:"toolNames"`
	ZoneCount  int64        `json:"zoneCount"`
	YieldCount int64        `json:"yieldCount"`
	Flagged    bool         `json:"flagged"`
	CreatedAt  string       `json:"createdAt"`
	UpdatedAt  string       `json:"updatedAt"`
}

// SpaceNodeRecord is the node of a space as an administrator's listing shows it.
type SpaceNodeRecord struct {
	NodeID string `json:"nodeId"`
	Kind   string `json:"kind"`
	// ParentNodeID is the main node that created the space.
	ParentNodeID string `json:"parentNodeId"`
	SpaceID      string `json:"spaceId"`
	CreatedAt    string `json:"createdAt"`
}

// NodesReply is the reply of `GET /api/nodes` for a main node.
type NodesReply struct {
	GenesisNodeID string            `json:"genesisNodeId"`
	MainNode      MainNodeRecord    `json:"mainNode"`
	AgentNodes    List[AgentRecord] `json:"agentNodes"`
}

// AllNodesReply is the reply of `GET /api/nodes?all=true` for an administrator.
type AllNodesReply struct {
	GenesisNodeID string                `json:"genesisNodeId"`
	MainNodes     List[MainNodeRecord]  `json:"mainNodes"`
	AgentNodes    List[AgentRecord]     `json:"agentNodes"`
	SpaceNodes    List[SpaceNodeRecord] `json:"spaceNodes"`
}

// AgentsReply is the reply of `GET /api/agents`.
type AgentsReply struct {
	Agents List[AgentRecord] `json:"agents"`
}
