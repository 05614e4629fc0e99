package world

import (
	"cmp"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

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
		return nil, protocol.Errorf(protocol.CodeForbidden, "a main node labels itself and its agents")
	}
	if err := p.checkLabel(owner, c.NodeID, c.Label); err != nil {
		return nil, err
	}
	next := *node
	next.Label, next.UpdatedAt = c.Label, p.now.UnixMilli()
	return &protocol.LabelReply{NodeID: node.ID, Label: c.Label}, p.put(store.Nodes, node.ID, &next)
}

// checkLabel refuses a label that another agent of the account has.
func (p *planner) checkLabel(owner, id, label string) error {
	if label == "" || id == owner {
		return nil
	}
	if has, taken := p.st.labels[agentLabel{owner, label}]; taken && has != id {
		return protocol.Errorf(protocol.CodeLabelExists, "another agent of the account has this label")
	}
	return nil
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
