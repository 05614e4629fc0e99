package world

import (
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/protocol"
)

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
