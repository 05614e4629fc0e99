package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// planReplaceAPIKey gives the calling main node another API key; the old one is
// worth nothing from then on.
func planReplaceAPIKey(*call) (action, error) {
	return func(c *call) error {
		if err := c.checkRepository(); err != nil {
			return err
		}
		key := creds.GenerateAPIKey()
		return c.carryOut(world.ReplaceAPIKey{APIKeyDigest: creds.SecretDigest(key), APIKey: key.Reveal()})
	}, nil
}

// planDeleteNode deletes the calling main node, or for the administrator any
// node, with all that hangs on it.
func planDeleteNode(c *call) (action, error) {
	request, bad := protocol.ParseRequest[protocol.DeleteNodeRequest](c.object)
	if bad != nil {
		return nil, bad
	}
	return func(c *call) error {
		if err := c.checkRepository(); err != nil {
			return err
		}
		if !c.caller.Admin && request.ConfirmNodeID != c.caller.NodeID {
			return &protocol.Error{
				Code: protocol.CodeConfirmationMismatch, Field: "confirmNodeId",
				Message: "the field confirmNodeId is not the id of the calling node, so nothing was deleted",
			}
		}
		return c.carryOut(world.DeleteNode{NodeID: request.ConfirmNodeID})
	}, nil
}

// planLimits gives a main node limits of its own.
func planLimits(c *call) (action, error) {
	request, bad := protocol.ParseRequest[protocol.NodeLimitsRequest](c.object)
	if bad != nil {
		return nil, bad
	}
	return func(c *call) error {
		if err := c.checkRepository(); err != nil {
			return err
		}
		return c.carryOut(world.SetLimits{NodeLimitsRequest: request})
	}, nil
}

// planDeleteAgent deletes one agent of the calling main node.
func planDeleteAgent(c *call) (action, error) {
	id := protocol.NormalizeNodeID(c.query().Get(protocol.QueryID))
	if id == "" {
		return nil, &protocol.Error{
			Code: protocol.CodeBodyInvalid, Field: protocol.QueryID,
			Message: "the query parameter id is missing: it names the agent to delete",
		}
	}
	return func(c *call) error {
		if err := c.checkRepository(); err != nil {
			return err
		}
		return c.carryOut(world.DeleteAgent{AgentID: id})
	}, nil
}

// sendNodes lists the caller's account, or for the administrator who asks for
// all of them, every node.
func sendNodes(c *call) error {
	if err := c.checkRepository(); err != nil {
		return err
	}
	all := c.query().Get(protocol.QueryAll) == "true"
	if all != c.caller.Admin {
		return protocol.Errorf(protocol.CodeForbidden,
			"a main node lists its own nodes; the administrator lists all of them, with ?all=true")
	}
	if all {
		if c.query().Get(protocol.QueryUsage) != "true" {
			return c.send(c.host.allNodes(c.wantsLabels()))
		}
		reply := c.host.allNodes(c.wantsLabels())
		for i := range reply.MainNodes {
			if n := c.host.world.Registry().Node(reply.MainNodes[i].NodeID); n != nil && len(n.Limits) > 0 {
				reply.MainNodes[i].Limits = n.OwnLimits()
			}
		}
		// Usage is the writer's, and left out while the store does not answer.
		if usage, err := c.host.world.Usage(c.r.Context()); err == nil {
			for i := range reply.MainNodes {
				used := usage[reply.MainNodes[i].NodeID]
				reply.MainNodes[i].Usage = used.Wire()
			}
		}
		return c.send(reply)
	}
	registry, root := c.host.world.Registry(), c.host.world.View().RootKey
	own := registry.Agents(c.caller.NodeID)
	if c.wantsLabels() {
		return c.send(&protocol.NodesReply{
			GenesisNodeID: root,
			MainNode:      mainRecord(c.node, root, own, true),
			AgentNodes:    agentRecords(registry, own, true),
		})
	}
	head, err := json.Marshal(&protocol.NodesReply{GenesisNodeID: root, MainNode: mainRecord(c.node, root, own, false)})
	if err != nil {
		return fmt.Errorf("encode the reply of a listing: %w", err)
	}
	// The agents are its last field.
	c.writeParts(append(appendItems([][]byte{bytes.TrimSuffix(head, []byte("]}"))}, sharedRecords(registry, own)), []byte("]}")))
	return nil
}

func (h *Host) allNodes(labels bool) *protocol.AllNodesReply {
	registry, root := h.world.Registry(), h.world.View().RootKey
	reply := &protocol.AllNodesReply{
		GenesisNodeID: root,
		AgentNodes:    agentRecords(registry, registry.All(protocol.NodeKindAgent), labels),
	}
	for _, n := range registry.All(protocol.NodeKindMain) {
		reply.MainNodes = append(reply.MainNodes, mainRecord(n, root, registry.Agents(n.ID), labels))
	}
	for _, n := range registry.All(protocol.NodeKindSpace) {
		reply.SpaceNodes = append(reply.SpaceNodes, protocol.SpaceNodeRecord{
			NodeID: n.ID, Kind: n.Kind, ParentNodeID: n.Parent, SpaceID: n.SpaceID, CreatedAt: formatMillis(n.CreatedAt),
		})
	}
	return reply
}

// wantsLabels reports whether the request asks for labels, which readers of older
// listings do not expect.
func (c *call) wantsLabels() bool { return c.query().Get(protocol.QueryLabels) == "true" }

// sendAgents lists the caller's agents.
func sendAgents(c *call) error {
	if err := c.checkRepository(); err != nil {
		return err
	}
	registry := c.host.world.Registry()
	if c.wantsLabels() {
		return c.send(&protocol.AgentsReply{Agents: agentRecords(registry, registry.Agents(c.caller.NodeID), true)})
	}
	records := sharedRecords(registry, registry.Agents(c.caller.NodeID))
	c.writeParts(append(appendItems([][]byte{[]byte(`{"agents":[`)}, records), []byte("]}")))
	return nil
}

// sharedRecords are the records of agents as JSON, which all readers share.
func sharedRecords(registry *world.Registry, own []*world.Node) [][]byte {
	records := make([][]byte, 0, len(own))
	for _, n := range own {
		if record := registry.Record(n.ID, encodeAgentRecord); record != nil {
			records = append(records, record)
		}
	}
	return records
}

func encodeAgentRecord(n *world.Node, a *world.Aggregate) []byte {
	b, err := json.Marshal(agentRecord(n, a))
	if err != nil {
		// Plain values always marshal.
		panic(err)
	}
	return b
}

func mainRecord(n *world.Node, root string, own []*world.Node, labels bool) protocol.MainNodeRecord {
	r := protocol.MainNodeRecord{
		NodeID: n.ID, Kind: n.Kind, ParentNodeID: root, CreatedAt: formatMillis(n.CreatedAt),
	}
	if labels {
		r.Label = n.Label
	}
	for _, a := range own {
		r.AgentNodeIDs = append(r.AgentNodeIDs, a.ID)
	}
	return r
}

// agentRecords joins agent nodes with what is kept of them.
func agentRecords(registry *world.Registry, own []*world.Node, labels bool) []protocol.AgentRecord {
	records := make([]protocol.AgentRecord, 0, len(own))
	for _, n := range own {
		record := agentRecord(n, registry.Aggregate(n.ID))
		if labels {
			record.Label = n.Label
		}
		records = append(records, record)
	}
	return records
}

func agentRecord(n *world.Node, a *world.Aggregate) protocol.AgentRecord {
	r := protocol.AgentRecord{
		AgentID: n.ID, CreatedAt: formatMillis(n.CreatedAt), UpdatedAt: formatMillis(n.UpdatedAt),
	}
	if a != nil {
		r.Name, r.ToolNames = a.Name, a.ToolNames
		r.ZoneCount, r.YieldCount, r.Flagged = a.ZoneCount, a.YieldCount, a.Flagged()
		r.UpdatedAt = formatMillis(max(a.UpdatedAt, n.UpdatedAt))
	}
	return r
}

func formatMillis(ms int64) string { return protocol.FormatTime(time.UnixMilli(ms)) }

// planValidate reports whether a node is what a client thinks it is. A no is a
// reply of its own kind and not an error.
func planValidate(c *call) (action, error) {
	request, bad := protocol.ParseRequest[protocol.ValidateRequest](c.object)
	if bad != nil {
		return nil, bad
	}
	return func(c *call) error {
		if request.NodeID == "" {
			request.NodeID = c.caller.NodeID
		}
		if c.host.options.NoRepository {
			return c.send(&protocol.ValidateReply{OK: true, NodeKind: c.unknownKind(request)})
		}
		var reply *protocol.ValidateReply
		err := c.checkFresh(func() (err error) {
			if reply, err = c.validate(request); err == nil && !reply.OK {
				err = errNotValid
			}
			return err
		})
		if err != nil && !errors.Is(err, errNotValid) {
			return err
		}
		return c.sendValidation(reply)
	}, nil
}

var errNotValid = errors.New("the node is not what the client thinks")

func (c *call) validate(request protocol.ValidateRequest) (*protocol.ValidateReply, error) {
	node := c.host.world.Registry().Node(request.NodeID)
	if node != nil && !c.mayValidate(node) {
		return nil, protocol.Errorf(protocol.CodeForbidden, "a node validates itself, and a main node its agents as well")
	}
	return c.validation(node, request), nil
}

func (c *call) mayValidate(node *world.Node) bool {
	return c.caller.Admin || node.ID == c.caller.NodeID || node.Parent == c.caller.NodeID && node.Kind == protocol.NodeKindAgent
}

// validation looks for the first thing that is not as the client thinks.
func (c *call) validation(node *world.Node, request protocol.ValidateRequest) *protocol.ValidateReply {
	if node == nil {
		return &protocol.ValidateReply{Reason: protocol.ReasonNodeNotFound}
	}
	reply := &protocol.ValidateReply{NodeKind: node.Kind}
	switch {
	case request.RootKey != "" && request.RootKey != c.host.world.View().RootKey:
		reply.Reason = protocol.ReasonDerivativeMismatch
	case request.MainNodeID != "" && node.Kind == protocol.NodeKindAgent && request.MainNodeID != node.Parent:
		reply.Reason = protocol.ReasonAgentParentMismatch
	default:
		reply.OK = true
	}
	return reply
}

// unknownKind is what a host without a repository says that a node is: an agent
// where a main node is named beside it, else a main node.
func (c *call) unknownKind(request protocol.ValidateRequest) string {
	switch {
	case request.NodeID == c.host.world.View().RootKey:
		return protocol.NodeKindRoot
	case request.MainNodeID != "" && request.MainNodeID != request.NodeID:
		return protocol.NodeKindAgent
	}
	return protocol.NodeKindMain
}

func (c *call) sendValidation(reply *protocol.ValidateReply) error {
	b, err := json.Marshal(reply)
	if err != nil {
		return fmt.Errorf("encode a validation: %w", err)
	}
	status := http.StatusOK
	if !reply.OK {
		status = http.StatusBadRequest
	}
	c.write(status, b)
	return nil
}
