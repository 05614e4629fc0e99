package world

import (
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// ProximityAction signals to an agent, or to a person, that another occupant came near.
type ProximityAction struct {
	protocol.ProximityActionRequest
}

func (c ProximityAction) plan(p *planner) (any, error) {
	r := &c.ProximityActionRequest
	person, err := p.checkNeighbor(r.FromPlayerID)
	if err != nil {
		return nil, err
	}
	reply := &protocol.OKReply{OK: true}
	if p.st.person(protocol.HumanKey(r.ToPlayerID)) != nil {
		if r.Action != protocol.ProximityChat {
			return nil, protocol.FieldError("action", "must be %s towards a person", protocol.ProximityChat)
		}
		return reply, p.signal(r.ToPlayerID, r.Action, &protocol.SignalFrom{FromPlayerID: r.FromPlayerID})
	}
	row, err := p.playerOnMap(r.ToPlayerID)
	if err != nil {
		return nil, err
	}
	if r.Action != protocol.ProximityZone && r.Action != protocol.ProximityYield {
		return reply, p.signal(r.ToPlayerID, r.Action, &protocol.SignalFrom{FromPlayerID: r.FromPlayerID})
	}
	return reply, p.countSignal(row, r.Action, person)
}

// checkNeighbor refuses a caller that may not act as fromPlayerID on the map. person is
// fromPlayerID if that is the caller's own person, else empty.
func (p *planner) checkNeighbor(fromPlayerID string) (person string, err error) {
	on := p.st.person(protocol.HumanKey(fromPlayerID)) != nil
	switch own := p.req.Caller.Viewer != "" && fromPlayerID == personID(p.req.Caller.Viewer); {
	case own && on:
		return fromPlayerID, nil
	case own:
		return "", protocol.Errorf(protocol.CodePlayerUnknown, "you are not on the map: put your person there first")
	case on:
		return "", protocol.Errorf(protocol.CodeForbidden, "only the viewer who owns this person may act for it")
	}
	return "", p.checkAsker(fromPlayerID)
}

// checkAsker refuses a command from an agent that the caller neither is nor owns.
// A main node may ask as itself, and any caller may speak for a person: a label
// that starts with `__`.
func (p *planner) checkAsker(fromPlayerID string) error {
	node := p.st.nodes[fromPlayerID]
	asksItself := node != nil && node.Kind == protocol.NodeKindMain && fromPlayerID == p.req.Caller.NodeID
	if asksItself || protocol.IsPersonLabel(fromPlayerID) {
		return nil
	}
	_, err := p.agentFor(fromPlayerID)
	return err
}

// countSignal counts a zone or a yield in the agent's aggregate and its row. person is
// the person on the map who caused it, empty for other callers.
func (p *planner) countSignal(prev *protocol.Agent, action, person string) error {
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
		data = &protocol.SignalZone{ZoneCount: kept.ZoneCount, Flagged: row.Flagged, FromPlayerID: person}
	} else {
		kept.YieldCount++
		row.YieldCount = kept.YieldCount
		row.OnYield = &protocol.YieldMark{YieldCount: kept.YieldCount, At: p.at()}
		data = &protocol.SignalYield{YieldCount: kept.YieldCount, FromPlayerID: person}
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
