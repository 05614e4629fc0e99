package world

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Node is one identity of the repository. The root node has no record.
type Node struct {
	ID string `json:"id"`
	// Kind is protocol.NodeKindMain, NodeKindAgent or NodeKindSpace.
	Kind string `json:"kind"`
	// Parent is the main node that owns an agent or created a space.
	Parent string `json:"parent,omitempty"`
	// Digest is the SHA-256 of the passwHash.
	Digest []byte `json:"digest"`
	// APIKeyDigest is the SHA-256 of a main node's API key; empty for none.
	APIKeyDigest []byte `json:"apiKeyDigest,omitempty"`
	// APIKeyCreatedAt and APIKeyUsedAt are when that key was created and last used, as
	// for APIKeys, the account's other keys.
	APIKeyCreatedAt int64    `json:"apiKeyCreatedAt,omitempty"`
	APIKeyUsedAt    int64    `json:"apiKeyUsedAt,omitempty"`
	APIKeys         []APIKey `json:"apiKeys,omitempty"`
	// Label is its owner's name for it.
	Label string `json:"label,omitempty"`
	// SpaceID is the space of a space node.
	SpaceID string `json:"spaceId,omitempty"`
	// Limits are a main node's own, by Quota.Label and the labels of limitFields.
	Limits map[string]int `json:"limits,omitempty"`
	// CreatedAt and UpdatedAt are milliseconds since the Unix epoch.
	CreatedAt int64 `json:"createdAt"`
	UpdatedAt int64 `json:"updatedAt"`
}

// Registry gives readers the committed records: nodes, aggregates, leases, invitations,
// and when agents were asked. Records are replaced, never changed in place.
type Registry struct {
	mu         sync.RWMutex
	nodes      map[string]*Node
	children   map[string]map[string]struct{}
	aggregates map[string]*Aggregate
	leases     map[string]*lease
	// invitations are by the digests of their tokens.
	invitations map[string]*Invitation
	// asked is when agents were last asked, in milliseconds since the Unix epoch.
	asked map[string]int64
	// removed is closed, and replaced, when a node is gone.
	removed chan struct{}

	// records are the encoded records of agents, which readers share. Each is dropped
	// with the node or the aggregate that it was encoded from.
	sharing sync.Mutex
	records map[string][]byte
}

func newRegistry(s *state) *Registry {
	r := &Registry{removed: make(chan struct{}), asked: map[string]int64{}, records: map[string][]byte{}}
	r.replace(s)
	return r
}

// replace loads all nodes and aggregates of a state.
func (r *Registry) replace(s *state) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes, r.aggregates, r.leases = maps.Clone(s.nodes), maps.Clone(s.aggregates), maps.Clone(s.leases)
	r.invitations = maps.Clone(s.invitations)
	r.children = map[string]map[string]struct{}{}
	for id, n := range s.nodes {
		replaceChild(r.children, id, nil, n)
	}
	r.dropRecords("")
	// Some nodes may have been removed.
	r.signalRemoval()
}

// signalRemoval wakes the goroutines that wait for the removal of a node; it is
// called with the lock held.
func (r *Registry) signalRemoval() {
	close(r.removed)
	r.removed = make(chan struct{})
}

// Removed is closed when the next node or watch token is gone, at whichever host it was deleted.
func (r *Registry) Removed() <-chan struct{} {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.removed
}

// Node returns a node, nil if there is none.
func (r *Registry) Node(id string) *Node {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.nodes[id]
}

// queueAccount returns the account under which a caller's commands are queued: its main
// node, or its id if the main node is not known.
func (r *Registry) queueAccount(c *Caller) string {
	if c.NodeID == "" {
		return noAccount
	}
	if n := r.Node(c.NodeID); n != nil && n.Parent != "" {
		return n.Parent
	}
	return c.NodeID
}

// KeysAndInvitations counts the API keys that accounts have besides the default one, and
// the invitations, used up and expired ones included.
func (r *Registry) KeysAndInvitations() (keys, invitations int) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, n := range r.nodes {
		keys += len(n.APIKeys)
	}
	return keys, len(r.invitations)
}

// Record returns the record that encode produces from an agent node and its aggregate,
// nil if there is no such node. All readers share it, so encode must always be the
// same function.
func (r *Registry) Record(agentID string, encode func(*Node, *Aggregate) []byte) []byte {
	// The lock is held so that nothing changes between reading the node and caching its
	// record.
	r.mu.RLock()
	defer r.mu.RUnlock()
	node := r.nodes[agentID]
	if node == nil {
		return nil
	}
	r.sharing.Lock()
	defer r.sharing.Unlock()
	if r.records[agentID] == nil {
		r.records[agentID] = encode(node, r.aggregates[agentID])
	}
	return r.records[agentID]
}

// dropRecords drops the record of an agent, or all of them.
func (r *Registry) dropRecords(id string) {
	r.sharing.Lock()
	defer r.sharing.Unlock()
	if id == "" {
		clear(r.records)
	}
	delete(r.records, id)
}

// Agents lists a main node's agent nodes, the oldest first.
func (r *Registry) Agents(mainID string) []*Node {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return agentsOf(r.nodes, r.children[mainID])
}

// agentsOf lists the agents among a main node's nodes, the oldest first.
func agentsOf(nodes map[string]*Node, children map[string]struct{}) []*Node {
	agents := make([]*Node, 0, len(children))
	for id := range children {
		if n := nodes[id]; n.Kind == protocol.NodeKindAgent {
			agents = append(agents, n)
		}
	}
	sortNodes(agents)
	return agents
}

// All lists the nodes of a kind, the oldest first.
func (r *Registry) All(kind string) []*Node {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var nodes []*Node
	for _, n := range r.nodes {
		if n.Kind == kind {
			nodes = append(nodes, n)
		}
	}
	sortNodes(nodes)
	return nodes
}

// update loads the changes of an entry's records from the state that they were
// applied to.
func (r *Registry) update(records []store.Record, s *state) {
	if !slices.ContainsFunc(records, inRegistry) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	gone := false
	for i := range records {
		switch id := string(records[i].Key); records[i].Table {
		case store.Nodes:
			gone = gone || records[i].Value == nil
			replaceChild(r.children, id, r.nodes[id], s.nodes[id])
			put(r.nodes, id, s.nodes[id])
			r.dropRecords(id)
		case store.WatchTokens:
			gone = gone || records[i].Value == nil
		case store.Invitations:
			put(r.invitations, id, s.invitations[id])
		case store.Aggregates:
			put(r.aggregates, id, s.aggregates[id])
			r.dropRecords(id)
		default:
			r.take(&records[i], s)
		}
	}
	if gone {
		r.signalRemoval()
	}
}

// inRegistry reports whether a record changes the registry.
func inRegistry(r store.Record) bool {
	switch r.Table { //nolint:exhaustive // the others are not the registry's
	case store.Nodes, store.Aggregates, store.Leases, store.Intercom, store.Invitations:
		return true
	case store.WatchTokens:
		return r.Value == nil
	}
	return false
}

func sortNodes(nodes []*Node) {
	slices.SortFunc(nodes, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// LabelNode sets or removes the label of the calling main node or one of its agents.
type LabelNode struct{ protocol.LabelRequest }

func (c LabelNode) plan(p *planner) (any, error) {
	owner, err := p.mainCaller()
	if err != nil {
		return nil, err
	}
	c.NodeID = cmp.Or(c.NodeID, owner)
	node := p.st.nodes[c.NodeID]
	if node == nil || c.NodeID != owner && (node.Parent != owner || node.Kind != protocol.NodeKindAgent) {
		return nil, protocol.Errorf(protocol.CodeForbidden, "a main node can label only itself and its agents")
	}
	if err := p.checkLabel(owner, c.NodeID, c.Label); err != nil {
		return nil, err
	}
	next := *node
	next.Label, next.UpdatedAt = c.Label, p.now.UnixMilli()
	return &protocol.LabelReply{NodeID: node.ID, Label: c.Label}, p.put(store.Nodes, node.ID, &next)
}

// checkLabel refuses a label that another agent of the account has, or under which lists
// show another node.
func (p *planner) checkLabel(owner, id, label string) error {
	isOther := func(other string) bool { return other != id && protocol.ShownAs(other, label) }
	if isOther(owner) || anyKey(p.st.children[owner], isOther) || anyKey(p.st.players, isOther) {
		return protocol.FieldError("label", "must not be the digits under which lists show another node")
	}
	if label == "" || id == owner {
		return nil
	}
	if has, taken := p.st.labels[agentLabel{owner, label}]; taken && has != id {
		return protocol.Errorf(protocol.CodeLabelExists, "another agent of the account has this label")
	}
	return nil
}

func anyKey[V any](in map[string]V, holds func(string) bool) bool {
	for key := range in {
		if holds(key) {
			return true
		}
	}
	return false
}

// agentLabel identifies an agent of an account that has a label.
type agentLabel struct{ account, label string }

// replaceLabel updates the index of agents by label.
func (s *state) replaceLabel(id string, prev, next *Node) {
	if prev != nil && s.labels[agentLabel{prev.Parent, prev.Label}] == id {
		delete(s.labels, agentLabel{prev.Parent, prev.Label})
	}
	if next != nil && next.Kind == protocol.NodeKindAgent && next.Label != "" {
		s.labels[agentLabel{next.Parent, next.Label}] = id
	}
}
