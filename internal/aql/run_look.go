package aql

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/protocol"
)

// snapshot reads the whole world.
func (in *Interpreter) snapshot(ctx context.Context) (*protocol.Snapshot, error) {
	_, snapshot, err := in.rawSnapshot(ctx)
	return snapshot, err
}

func (in *Interpreter) rawSnapshot(ctx context.Context) (json.RawMessage, *protocol.Snapshot, error) {
	raw, _, err := in.host.Main().WorldSnapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	var snapshot protocol.Snapshot
	if err := protocol.Decode(raw, &snapshot); err != nil {
		return nil, nil, fmt.Errorf("read the snapshot: %w", err)
	}
	return raw, &snapshot, nil
}

func (in *Interpreter) fetch(ctx context.Context, s Fetch) (outcome, error) {
	raw, snapshot, err := in.rawSnapshot(ctx)
	if err != nil {
		return outcome{}, err
	}
	switch s.Verb {
	case "FETCH OCCUPANTS":
		return reading(append(Occupants{}, snapshot.WorldMap.Occupants...), s.Into), nil
	case "FETCH METADATA":
		return reading(metadata(snapshot), s.Into), nil
	}
	return reading(Snapshot(raw), s.Into), nil
}

func metadata(s *protocol.Snapshot) *Metadata {
	m := &Metadata{
		SID: s.SID, MainNodeID: s.MainNodeID, Rev: s.Rev, Seq: s.Seq,
		MerkleRootHex: s.MerkleRootHex, MerkleLeafCount: s.MerkleLeafCount,
		Bounds: s.WorldMap.Bounds, SpaceCount: len(s.Spaces), OccupantCounts: map[string]int{},
	}
	for _, text := range s.WorldMap.Occupants {
		var row agentRow
		if err := protocol.Decode(text, &row); err == nil {
			m.OccupantCounts[string(row.Kind)]++
		}
	}
	return m
}

// showList shows what the host or the interpreter has of a kind.
func (in *Interpreter) showList(ctx context.Context, s ShowList) (outcome, error) {
	main := in.host.Main()
	switch s.Verb {
	case "SHOW SPACES":
		reply, err := main.ListSpaceNodes(ctx)
		if err != nil {
			return outcome{}, err
		}
		return outcome{data: &SpaceList{Spaces: reply.Spaces}}, nil
	case "SHOW AGENTS":
		reply, err := main.Nodes(ctx)
		if err != nil {
			return outcome{}, err
		}
		return outcome{data: &AgentList{Agents: reply.AgentNodes}}, nil
	}
	state := &ConnectionState{Server: in.host.Server(), Context: in.host.Context(), MainNode: main.Node()}
	if in.space != nil {
		state.SpaceID = in.space.id
	}
	if in.agent != nil {
		state.AgentID = in.agent.ID
	}
	return outcome{data: state}, nil
}

const showVariables Verb = "SHOW VARIABLES"
