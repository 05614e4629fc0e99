package world

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/protocol"
)

func (c RecordJourney) plan(p *planner) (any, error) {
	r := &c.RecordJourneyRequest
	if _, err := p.agentFor(r.PlayerID); err != nil {
		return nil, err
	}
	prev, err := p.playerOnMap(r.PlayerID)
	if err != nil {
		return nil, err
	}
	update := &protocol.LastUpdate{PlayerID: r.PlayerID, Journey: r.Journey, Path: p.path(prev, r.Journey.Steps)}
	own, err := chain.AppendLastUpdate(nil, update)
	if err != nil {
		return nil, err
	}
	if err := p.checkRateOfJourney(prev, own); err != nil {
		return nil, err
	}
	row := *prev
	row.Stationary, row.LastUpdate = false, update
	_, changed, err := p.putRow(&row)
	if err != nil {
		return nil, err
	}
	if err := p.checkMapBytes(p.st.accountOf(r.PlayerID)); err != nil {
		return nil, err
	}
	seq := p.nextSeq()
	p.emitBytes(protocol.EventJourney, own)
	if err := p.signal(r.PlayerID, protocol.SignalJourney, &protocol.SignalSteps{StepCount: len(r.Journey.Steps)}); err != nil {
		return nil, err
	}
	if err := p.keep(journeyHistory, p.st.accountOf(r.PlayerID), r.PlayerID, seq, journeyRecord(own, p.at(), seq)); err != nil {
		return nil, err
	}
	rev := p.st.Rev
	if changed {
		rev++
	}
	return &protocol.RecordJourneyReply{OK: true, Rev: &rev}, nil
}

// journeyMargin is more than a journey writes besides itself and the agent's row: keys,
// and the signal that one was recorded.
const journeyMargin = 1 << 10

// checkRateOfJourney refuses a journey that exceeds its account's rate before its row
// and its record are encoded. A journey may have a megabyte, and some programs send
// them without a pause. A row that has the same journey already is not written.
func (p *planner) checkRateOfJourney(prev *protocol.Agent, own []byte) error {
	size := len(own)
	if leaf := p.st.Tree.Get(prev.StableKey()); leaf == nil || !bytes.Contains(leaf.Payload(), own) {
		rest := *prev
		rest.LastUpdate = nil
		row, err := chain.AppendOccupant(nil, &rest)
		if err != nil {
			return fmt.Errorf("encode the row of %s: %w", prev.StableKey(), err)
		}
		size += len(row) + len(own)
	}
	_, _, err := p.checkRate(size, size+journeyMargin)
	return err
}

// journeyRecord is a journey as the listing returns it.
func journeyRecord(own []byte, at string, seq uint64) []byte {
	b := make([]byte, 0, len(own)+64)
	b = append(b, own[:len(own)-1]...)
	b = append(b, `,"at":"`...)
	b = append(b, at...)
	b = append(b, `","seq":`...)
	b = strconv.AppendUint(b, seq, 10)
	return append(b, '}')
}

// path gives each step its place. A tool whose name has an amenity of a structure
// in it is used there. Every other tool has a place of its own, the same for all
// agents, so that a viewer sees which agent uses which tool; journeys start and
// end where the agent stands.
func (p *planner) path(row *protocol.Agent, steps []protocol.JourneyStep) []protocol.PathStep {
	path := make([]protocol.PathStep, len(steps))
	structures := p.structures()
	for i := range steps {
		at := protocol.PathStep{
			JourneyStep: protocol.JourneyStep{Type: steps[i].Type},
			X:           row.X, Y: row.Y, StructureID: "agent:" + row.AgentID,
		}
		if steps[i].Type == protocol.StepStructure {
			if s := structureFor(structures, steps[i].ToolName); s != nil {
				at.X, at.Y, at.StructureID = s.X, s.Y, s.ID
			} else {
				c := p.st.grid.place("tool:"+steps[i].ToolName, func(cell) bool { return false })
				at.X, at.Y = float64(c.x), float64(c.y)
			}
		}
		at.JourneyStep = steps[i]
		path[i] = at
	}
	return path
}

// structures lists the structures on the map in the order of their keys, once
// for all steps of a journey.
func (p *planner) structures() []*protocol.Structure {
	var found []*protocol.Structure
	for _, leaf := range p.st.Tree.Occupants() {
		if s, ok := p.st.rows[leaf.Key()].(*protocol.Structure); ok {
			found = append(found, s)
		}
	}
	return found
}

// structureFor is the structure whose amenity a tool's name has in it; of
// several, the first.
func structureFor(structures []*protocol.Structure, toolName string) *protocol.Structure {
	for _, s := range structures {
		for _, amenity := range s.Amenities {
			if strings.Contains(toolName, amenity) {
				return s
			}
		}
	}
	return nil
}

func (c RecordInteraction) plan(p *planner) (any, error) {
	r := &c.RecordInteractionRequest
	if _, err := p.agentFor(r.PlayerID); err != nil {
		return nil, err
	}
	if _, err := p.playerOnMap(r.PlayerID); err != nil {
		return nil, err
	}
	if r.Text == "" {
		return &protocol.RecordInteractionReply{OK: true}, nil
	}
	seq := p.nextSeq()
	line, err := json.Marshal(&protocol.Interaction{
		PlayerID: r.PlayerID, Role: r.Role, Text: r.Text, At: p.at(), Seq: seq,
	})
	if err != nil {
		return nil, fmt.Errorf("encode an interaction: %w", err)
	}
	p.emitBytes(protocol.EventInteraction, line)
	if err := p.keep(interactionHistory, p.st.accountOf(r.PlayerID), r.PlayerID, seq, line); err != nil {
		return nil, err
	}
	return &protocol.RecordInteractionReply{OK: true, Seq: &seq}, nil
}
