package aql

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// useAgent chooses an agent, and has the host check that it may be called for.
func (in *Interpreter) useAgent(ctx context.Context, s UseAgentNode) (outcome, error) {
	ref, err := in.text(&s.Node)
	if err != nil {
		return outcome{}, err
	}
	agent, err := in.host.Agent(ref)
	if err != nil {
		return outcome{}, at(&s.Node, err)
	}
	proof := &s.Node
	if s.Passphrase != nil {
		proof = s.Passphrase
		phrase, err := in.phrase(s.Passphrase)
		if err != nil {
			return outcome{}, err
		}
		if agent.Caller, err = in.host.As(agent.ID, phrase); err != nil {
			return outcome{}, at(s.Passphrase, err)
		}
		agent.Owned = false
	}
	request := protocol.ValidateRequest{}
	if agent.Owned {
		request.NodeID = agent.ID
	}
	if err := validate(ctx, agent.Caller, request); err != nil {
		return outcome{}, at(proof, err)
	}
	in.agent = &agent
	return outcome{quiet: true, note: "Using the agent " + agent.Name + "."}, nil
}

// send says something as the used agent: an interaction of the role assistant.
func (in *Interpreter) send(ctx context.Context, s Send) (outcome, error) {
	text, secret, err := in.join(s.Text)
	if err != nil {
		return outcome{}, err
	}
	if secret {
		return outcome{}, errSecretValue
	}
	text = protocol.NormalizeText(text)
	reply, err := in.agent.Caller.RecordInteraction(ctx, protocol.RecordInteractionRequest{
		PlayerID: in.agent.ID, Role: protocol.RoleAssistant, Text: text,
	})
	if err != nil {
		return outcome{}, err
	}
	return outcome{data: &Sent{PlayerID: in.agent.ID, Text: text, Seq: reply.Seq}}, nil
}

func (in *Interpreter) inspectMain(ctx context.Context, s InspectMainNode) (outcome, error) {
	reply, err := in.host.Main().Nodes(ctx)
	if err != nil {
		return outcome{}, err
	}
	return reading(&InspectedMain{
		GenesisNodeID: reply.GenesisNodeID, MainNode: reply.MainNode, AgentNodes: reply.AgentNodes,
	}, s.Into), nil
}

// inspectAgent looks at an agent in the records of the main node and on the map.
func (in *Interpreter) inspectAgent(ctx context.Context, s InspectAgent) (outcome, error) {
	ref, err := in.agentRef(s.Agent)
	if err != nil {
		return outcome{}, err
	}
	snapshot, err := in.snapshot(ctx)
	if err != nil {
		return outcome{}, err
	}
	var records []protocol.AgentRecord
	if in.host.Main().Node() != "" {
		reply, err := in.host.Main().Nodes(ctx)
		if err != nil {
			return outcome{}, err
		}
		records = reply.AgentNodes
	}
	found, err := chooseAgent(records, snapshot.WorldMap.Occupants, ref)
	if err != nil {
		return outcome{}, at(s.Agent, err)
	}
	return reading(found, s.Into), nil
}

// agentRef is what an operand names: the id of an agent whose credentials are
// known, else what is written. nil is the agent in use.
func (in *Interpreter) agentRef(o *Operand) (string, error) {
	if o == nil {
		return in.agent.ID, nil
	}
	ref, err := in.text(o)
	if err != nil {
		return "", err
	}
	if known, err := in.host.Agent(ref); err == nil {
		return known.ID, nil
	}
	return ref, nil
}

// agentRow is what tells an agent's row on the map.
type agentRow struct {
	Kind    protocol.OccupantKind `json:"kind"`
	AgentID string                `json:"agentId"`
	Name    string                `json:"name"`
}

// chooseAgent finds an agent by its id, its name, or the beginning of its id.
func chooseAgent(records []protocol.AgentRecord, rows []json.RawMessage, ref string) (*InspectedAgent, error) {
	found := map[string]*InspectedAgent{}
	note := func(id, name string) *InspectedAgent {
		prefix := len(ref) >= leastPrefix && strings.HasPrefix(id, strings.ToLower(ref))
		if id != protocol.NormalizeAgentID(ref) && name != ref && !prefix {
			return &InspectedAgent{} // of no interest
		}
		if found[id] == nil {
			found[id] = &InspectedAgent{AgentID: id}
		}
		return found[id]
	}
	for i := range records {
		note(records[i].AgentID, records[i].Name).Node = &records[i]
	}
	for _, text := range rows {
		var row agentRow
		if err := protocol.Decode(text, &row); err == nil && row.Kind == protocol.KindAgent {
			note(row.AgentID, row.Name).Occupant = text
		}
	}
	if exact := found[protocol.NormalizeAgentID(ref)]; exact != nil {
		return exact, nil
	}
	if len(found) > 1 {
		return nil, fmt.Errorf("%d agents are called %s: name one by its id", len(found), quoted(ref))
	}
	for _, only := range found {
		return only, nil
	}
	return nil, protocol.Errorf(protocol.CodePlayerUnknown, "there is no agent %s of your main node or on the map", quoted(ref))
}
