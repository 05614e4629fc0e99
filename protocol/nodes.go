package protocol

// BootstrapReply is the reply of `GET /api/play/bootstrap`.
type BootstrapReply struct {
	// RootKey is the key that node ids derive from, and the chain's genesis text.
	RootKey string `json:"rootKey"`
	// Registration says who may create a main node. The agent-play service omits it.
	Registration string `json:"registration,omitzero" rule:"enum=Registration"`
}

// CreateNodeRequest creates a main node, or the node of a space that the caller
// created.
type CreateNodeRequest struct {
	// Kind is main or space.
	Kind string `json:"kind,omitzero" rule:"enum=CreatedNodeKind,default=main"`
	// NodeID is the id of a main node.
	NodeID string `json:"nodeId,omitzero" rule:"form=node,when=kind:main,required"`
	// SpaceID is the space of a space node.
	SpaceID string `json:"spaceId,omitzero" rule:"form=id,when=kind:space,required"`
	// PasswHash may be absent for a space: the host then generates a phrase.
	PasswHash WireSecret `json:"passwHash,omitzero" rule:"form=hash,required=kind:main"`
}

// CreateNodeReply is the reply of `POST /api/nodes`.
type CreateNodeReply struct {
	NodeID string `json:"nodeId" rule:"form=hex64"`
	// APIKey is a new main node's first key. It is shown once: the host keeps only
	// a hash.
	APIKey WireSecret `json:"apiKey,omitzero"`
	// Phrase is the phrase that the host generated for a space. It is shown once.
	Phrase WireSecret `json:"phrase,omitzero"`
}

// CreateAgentNodeRequest creates an agent node of the calling main node.
type CreateAgentNodeRequest struct {
	// Kind is agent.
	Kind string `json:"kind,omitzero" rule:"const=agent,default=agent"`
	// ParentNodeID must be the caller if it is sent.
	ParentNodeID       string     `json:"parentNodeId,omitzero" rule:"form=node"`
	AgentNodeID        string     `json:"agentNodeId" rule:"form=node"`
	AgentNodePasswHash WireSecret `json:"agentNodePasswHash" rule:"form=hash"`
	// Label is the owner's name for the agent, which only the account and the
	// administrator see (extension).
	Label string `json:"label,omitzero" rule:"chars=MaxLabelChars"`
}

// AgentNodeReply is the reply of `POST /api/nodes/agent-node`.
type AgentNodeReply struct {
	AgentID string `json:"agentId" rule:"form=hex64"`
}

// APIKeyReply is the reply of `POST /api/nodes/api-key`.
type APIKeyReply struct {
	// APIKey is shown once: the host keeps only a hash.
	APIKey WireSecret `json:"apiKey"`
}

// DeleteNodeRequest deletes a node with everything that belongs to it.
type DeleteNodeRequest struct {
	// ConfirmNodeID is the caller's own id, or for an administrator the id of any node.
	ConfirmNodeID string `json:"confirmNodeId" rule:"form=account"`
}

// DeleteNodeReply is the reply of `DELETE /api/nodes`.
type DeleteNodeReply struct {
	OK                bool `json:"ok" rule:"const=true"`
	DeletedAgentCount int  `json:"deletedAgentCount"`
}

// ValidateRequest asks whether a node exists, derives from a root key and belongs
// to a main node. A malformed node id does not make the body invalid: such a node
// is not found.
type ValidateRequest struct {
	// NodeID is the node to validate, or the caller if absent.
	NodeID string `json:"nodeId,omitzero" rule:"form=account"`
	// RootKey may be any text.
	RootKey    string `json:"rootKey,omitzero" rule:"form=rootKey,bytes=MaxRootKeyBytes"`
	MainNodeID string `json:"mainNodeId,omitzero" rule:"form=account"`
}

// ValidateReply is the reply of `POST /api/nodes/validate`, with status 200 if
// OK and 400 if not.
type ValidateReply struct {
	OK       bool   `json:"ok"`
	Reason   string `json:"reason,omitzero" rule:"enum=ValidateReason"`
	NodeKind string `json:"nodeKind,omitzero" rule:"enum=NodeKind"`
}

// Amounts are the amounts that an account uses, or its limits: agent nodes, spaces,
// MCP placements, open intercom requests, chat lines, journeys and bytes of history,
// bytes on the map and of agents' names, places on the map, and written bytes.
type Amounts struct {
	// Agents is a number of agent nodes.
	Agents *uint64 `json:"agents,omitzero"`
	// Spaces is a number of spaces.
	Spaces *uint64 `json:"spaces,omitzero"`
	// MCP is a number of MCP placements.
	MCP *uint64 `json:"mcp,omitzero"`
	// Requests is a number of open intercom requests.
	Requests *uint64 `json:"requests,omitzero"`
	// Lines is a number of stored chat lines.
	Lines *uint64 `json:"lines,omitzero"`
	// Journeys is a number of stored journeys.
	Journeys *uint64 `json:"journeys,omitzero"`
	// Bytes is a number of bytes of history.
	Bytes *uint64 `json:"bytes,omitzero"`
	// MapBytes is a number of bytes on the map: those of the rows of agents, MCP
	// placements and spaces in a snapshot.
	MapBytes *uint64 `json:"mapBytes,omitzero"`
	// AgentBytes is a number of bytes of the names of agents and their tools. The used
	// amount is present only for a query with agentBytes=true.
	AgentBytes *uint64 `json:"agentBytes,omitzero"`
	// Occupants is a number of places on the map, as a limit only.
	Occupants *uint64 `json:"occupants,omitzero"`
	// RateHistory is a number of bytes written to the world's store a second, as a limit
	// only.
	RateHistory *uint64 `json:"rateHistory,omitzero"`
}

// NodeLimitsRequest gives a main node limits of its own instead of the operator's
// for every account (extension).
type NodeLimitsRequest struct {
	NodeID string `json:"nodeId" rule:"form=account"`
	// Limits replace all of the node's own limits; 0 means no limit.
	Limits Amounts `json:"limits"`
}

// NodeLimitsReply is the reply of `POST /api/nodes/limits`.
type NodeLimitsReply struct {
	NodeID string `json:"nodeId" rule:"form=hex64"`
	// Limits are the account's own limits.
	Limits Amounts `json:"limits"`
}

// MainNodeRecord is a main node as listings show it.
type MainNodeRecord struct {
	NodeID string `json:"nodeId" rule:"form=hex64"`
	// Kind is main.
	Kind string `json:"kind" rule:"const=main"`
	// ParentNodeID is the root node.
	ParentNodeID string `json:"parentNodeId"`
	CreatedAt    string `json:"createdAt" rule:"form=stamp"`
	// AgentNodeIDs are the ids of its agent nodes.
	AgentNodeIDs List[string] `json:"agentNodeIds" rule:"form=hex64"`
	// Label is the owner's name for the node, if labels=true asks for it (extension).
	Label string `json:"label,omitzero"`
	// Usage is the amounts that the account uses, for the administrator (extension).
	Usage *Amounts `json:"usage,omitzero"`
	// Limits are the account's own limits, for the administrator (extension).
	Limits *Amounts `json:"limits,omitzero"`
}

// AgentRecord is an agent node as listings show it.
type AgentRecord struct {
	AgentID string `json:"agentId" rule:"form=hex64"`
	// Name is empty until the agent has registered.
	Name string `json:"name" rule:"blank"`
	// ToolNames are the tools of its last registration.
	ToolNames List[string] `json:"toolNames"`
	// ZoneCount is how many zone signals the agent has received.
	ZoneCount int64 `json:"zoneCount"`
	// YieldCount is how many yield signals the agent has received.
	YieldCount int64 `json:"yieldCount"`
	// Flagged is true once ZoneCount has reached 100.
	Flagged bool `json:"flagged"`
	// Label is the owner's name for the node, if labels=true asks for it (extension).
	Label     string `json:"label,omitzero"`
	CreatedAt string `json:"createdAt" rule:"form=stamp"`
	// UpdatedAt is when its record last changed.
	UpdatedAt string `json:"updatedAt" rule:"form=stamp"`
}

// SpaceNodeRecord is the node of a space as an administrator's listing shows it.
type SpaceNodeRecord struct {
	NodeID string `json:"nodeId" rule:"form=hex64"`
	// Kind is space.
	Kind string `json:"kind" rule:"const=space"`
	// ParentNodeID is the main node that created the space.
	ParentNodeID string `json:"parentNodeId" rule:"form=hex64"`
	SpaceID      string `json:"spaceId" rule:"form=id"`
	CreatedAt    string `json:"createdAt" rule:"form=stamp"`
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

// DefaultKeyName is the name of the API key that a main node gets with its account,
// and that `POST /api/nodes/api-key` replaces.
const DefaultKeyName = "default"

// CreateKeyRequest creates one more API key of an account (extension).
type CreateKeyRequest struct {
	// Name is any name except `default` and those of the account's other keys.
	Name string `json:"name" rule:"form=keyName"`
	// ExpiresInSeconds is how long the key is valid; without limit if absent.
	ExpiresInSeconds int `json:"expiresInSeconds,omitzero" rule:"range=MinKeySeconds..MaxKeySeconds"`
}

// CreateKeyReply is the reply of `POST /api/nodes/api-keys`.
type CreateKeyReply struct {
	Name string `json:"name" rule:"form=id"`
	// APIKey is shown once: the host keeps only a hash.
	APIKey    WireSecret `json:"apiKey"`
	ExpiresAt string     `json:"expiresAt,omitzero" rule:"form=stamp"`
}

// KeyRecord is an API key as listings show it.
type KeyRecord struct {
	// Name names the key within its account.
	Name string `json:"name" rule:"form=id"`
	// CreatedAt is absent for a default key that was created before hosts stored the time.
	CreatedAt string `json:"createdAt,omitzero" rule:"form=stamp"`
	// ExpiresAt is absent for a key that does not expire.
	ExpiresAt string `json:"expiresAt,omitzero" rule:"form=stamp"`
	// LastUsedAt is absent for a key that was never used; it may be an hour behind.
	LastUsedAt string `json:"lastUsedAt,omitzero" rule:"form=stamp"`
}

// KeysReply is the reply of `GET /api/nodes/api-keys`.
type KeysReply struct {
	Keys List[KeyRecord] `json:"keys"`
}

// LabelRequest sets the label of one of the caller's nodes (extension).
type LabelRequest struct {
	// NodeID is one of the caller's agents, or the caller itself if absent.
	NodeID string `json:"nodeId,omitzero" rule:"form=account"`
	// Label is the new label; empty to remove it.
	Label string `json:"label" rule:"blank,chars=MaxLabelChars"`
}

// LabelReply is the reply of `POST /api/nodes/label`.
type LabelReply struct {
	NodeID string `json:"nodeId" rule:"form=hex64"`
	Label  string `json:"label" rule:"blank"`
}

// InviteRequest creates an invitation: a registration token for a number of main
// nodes until it expires (extension).
type InviteRequest struct {
	// ExpiresInSeconds is how long the invitation is valid.
	ExpiresInSeconds int `json:"expiresInSeconds,omitzero" rule:"range=MinInvitationSeconds..MaxInvitationSeconds,default=DefaultInvitationSeconds"`
	// Uses is how many main nodes it may create.
	Uses int `json:"uses,omitzero" rule:"range=1..MaxInvitationUses,default=DefaultInvitationUses"`
}

// InviteReply is the reply of `POST /api/nodes/invitations`.
type InviteReply struct {
	// ID names the invitation among the others; it is not secret.
	ID string `json:"id"`
	// Token is the value for x-registration-token. It is shown once: the host keeps
	// only a hash of it.
	Token WireSecret `json:"token"`
	// RootKey is the host's root key.
	RootKey string `json:"rootKey"`
	// URL is the public address that the operator set.
	URL       string `json:"url,omitzero"`
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
	Uses      int    `json:"uses" rule:"range=1..MaxInvitationUses"`
}

// InvitationRecord is an invitation as listings show it.
type InvitationRecord struct {
	// ID names the invitation where it is listed and revoked; it is not secret.
	ID string `json:"id"`
	// CreatedBy is the main node that created it; absent if the administrator did.
	CreatedBy string `json:"createdBy,omitzero" rule:"form=hex64"`
	CreatedAt string `json:"createdAt" rule:"form=stamp"`
	ExpiresAt string `json:"expiresAt" rule:"form=stamp"`
	// Uses is how many main nodes it may create.
	Uses int `json:"uses" rule:"range=1..MaxInvitationUses"`
	// Used is how many it has created.
	Used int `json:"used"`
}

// InvitationsReply is the reply of `GET /api/nodes/invitations`.
type InvitationsReply struct {
	Invitations List[InvitationRecord] `json:"invitations"`
}
