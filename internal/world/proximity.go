package world

import (
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// ProximityAction tells an agent that somebody came near.
type ProximityAction struct {
	protocol.ProximityActionRequest
}

func (c ProximityAction) plan(p *planner) (any, error) {
	r := &c.ProximityActionRequest
	if err := p.checkAsker(r.FromPlayerID); err != nil {
		return nil, err
	}
	row, err := p.playerOnMap(r.ToPlayerID)
	if err != nil {
		return nil, err
	}
	reply := &protocol.OKReply{OK: true}
	if r.Action != protocol.ProximityZone && r.Action != protocol.ProximityYield {
		return reply, p.signal(r.ToPlayerID, r.Action, &protocol.SignalFrom{FromPlayerID: r.FromPlayerID})
	}
	return reply, p.countSignal(row, r.Action)
}

// checkAsker refuses a command from an agent that the caller neither is nor
// owns. A main node may ask as itself, and a label that starts with `__` is a
// person: anybody may speak for it.
func (p *planner) checkAsker(fromPlayerID string) error {
	node := p.st.nodes[fromPlayerID]
	asksItself := node != nil && node.Kind == protocol.NodeKindMain && fromPlayerID == p.req.Caller.NodeID
	if asksItself || protocol.IsPersonLabel(fromPlayerID) {
		return nil
	}
	_, err := p.agentFor(fromPlayerID)
	return err
}

// countSignal counts a zone or a yield in the agent's aggregate and its row.
func (p *planner) countSignal(prev *protocol.Agent, action string) error {
	var kept Aggregate
	if a := p.st.aggregates[prev.AgentID]; a != nil {
		kept = *a
	}
	row := *prev
	var data any
	if action == protocol.ProximityZone {
		kept.ZoneCount++
		row.ZoneCount, row.Flagged = kept.ZoneCount, kept.Flagged()
		row.OnZone = &protocol.ZoneMark{ZoneCount: kept.ZoneCount, Flagged: row.Flagged, At: p.at()}
		data = &protocol.SignalZone{ZoneCount: kept.ZoneCount, Flagged: row.Flagged}
	} else {
		kept.YieldCount++
		row.YieldCount = kept.YieldCount
		row.OnYield = &protocol.YieldMark{YieldCount: kept.YieldCount, At: p.at()}
		data = &protocol.SignalYield{YieldCount: kept.YieldCount}
	}
	kept.UpdatedAt = p.now.UnixMilli()
	if _, _, err := p.putRow(&row); err != nil {
		return err
	}
	if err := p.put(store.Aggregates, row.AgentID, &kept); err != nil {
		return err
	}
	return p.signal(row.AgentID, action, data)
}

func (p *planner) signal(playerID, kind string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the signal %s: %w", kind, err)
	}
	return p.emit(protocol.EventAgentSignal, &protocol.AgentSignalData{PlayerID: playerID, Kind: kind, Data: b})
}
