package protocol

// The kinds of nodes.
const (
	NodeKindRoot  = "root"
	NodeKindMain  = "main"
	NodeKindAgent = "agent"
	NodeKindSpace = "space"
)

// CreateNodeRequest makes a main node, or the node of a space that the caller
// created.
type CreateNodeRequest struct {
	// Kind is NodeKindMain or NodeKindSpace, the former when absent.
	Kind string `json:"kind,omitzero"`
	// NodeID is a main node's.
	NodeID string `json:"nodeId,omitzero"`
	// SpaceID is a space node's.
	SpaceID string `json:"spaceId,omitzero"`
	// PasswHash may be absent for a space: the host then makes a phrase.
	PasswHash WireSecret `json:"passwHash,omitzero"`
}

// ParseCreateNode reads the body of `POST /api/nodes`.
func ParseCreateNode(o Object) (CreateNodeRequest, *Error) {
	f := readFields(o)
	r := CreateNodeRequest{Kind: f.oneOf("kind", true, NodeKindMain, NodeKindSpace)}
	if r.Kind == NodeKindSpace {
		r.SpaceID = f.id("spaceId", false)
		r.PasswHash = f.passwHash("passwHash", true)
		return r, f.err()
	}
	r.Kind = NodeKindMain
	r.NodeID = f.nodeID("nodeId", false)
	r.PasswHash = f.passwHash("passwHash", false)
	return r, f.err()
}

// CreateAgentNodeRequest makes an agent node of the calling main node.
type CreateAgentNodeRequest struct {
	// Kind is NodeKindAgent.
	Kind string `json:"kind,omitzero"`
	// ParentNodeID must be the caller when it is sent.
	ParentNodeID       string     `json:"parentNodeId,omitzero"`
	AgentNodeID        string     `json:"agentNodeId"`
	AgentNodePasswHash WireSecret `json:"agentNodePasswHash"`
}

// ParseCreateAgentNode reads the body of `POST /api/nodes/agent-node`.
func ParseCreateAgentNode(o Object) (CreateAgentNodeRequest, *Error) {
	f := readFields(o)
	f.oneOf("kind", true, NodeKindAgent)
	r := CreateAgentNodeRequest{
		Kind:               NodeKindAgent,
		ParentNodeID:       f.nodeID("parentNodeId", true),
		AgentNodeID:        f.nodeID("agentNodeId", false),
		AgentNodePasswHash: f.passwHash("agentNodePasswHash", false),
	}
	return r, f.err()
}

// DeleteNodeRequest deletes a node with everything it holds. ConfirmNodeID
// repeats the caller's own id, or is any node's from an administrator.
type DeleteNodeRequest struct {
	ConfirmNodeID string `json:"confirmNodeId"`
}

// ParseDeleteNode reads the body of `DELETE /api/nodes`.
func ParseDeleteNode(o Object) (DeleteNodeRequest, *Error) {
	f := readFields(o)
	r := DeleteNodeRequest{ConfirmNodeID: f.accountID("confirmNodeId", false)}
	return r, f.err()
}

// ValidateRequest asks whether a node exists, derives from a root key and
// belongs to a main node. Every field may be absent; NodeID is then the caller.
type ValidateRequest struct {
	NodeID     string `json:"nodeId,omitzero"`
	RootKey    string `json:"rootKey,omitzero"`
	MainNodeID string `json:"mainNodeId,omitzero"`
}

// ParseValidate reads the body of `POST /api/nodes/validate`. A node id that
// could not be one is no fault of the body: such a node is not found.
func ParseValidate(o Object) (ValidateRequest, *Error) {
	f := readFields(o)
	r := ValidateRequest{
		NodeID: f.accountID("nodeId", true),
		// A root key may be any text.
		RootKey:    NormalizeNodeID(f.text("rootKey", textRule{bytes: maxRootKeyBytes, optional: true})),
		MainNodeID: f.accountID("mainNodeId", true),
	}
	return r, f.err()
}

// maxRootKeyBytes bounds the root key of a validation; the contract sets no
// limit, and root files hold 64 hex digits.
const maxRootKeyBytes = 4096
