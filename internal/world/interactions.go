package world

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/playctl/playctl/internal/store"
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
	if err := p.keep(interactionHistory, r.PlayerID, seq, line); err != nil {
		return nil, err
	}
	return &protocol.RecordInteractionReply{OK: true, Seq: &seq}, nil
}

// history is a kind of record that is kept for each agent, up to
// Limits.History of them.
type history struct {
	// byPlayer has the records by playerId and seq, order the playerIds by seq;
	// without an order nothing lists all of them.
	byPlayer, order store.Table
}

var (
	interactionHistory = history{byPlayer: store.Interactions, order: store.InteractionOrder}
	journeyHistory     = history{byPlayer: store.Journeys, order: store.JourneyOrder}
)

type historyKey struct {
	table    store.Table
	playerID string
}

// keep stages a record of a history and the removal of those that it pushes
// out.
func (p *planner) keep(h history, playerID string, seq uint64, value []byte) error {
	seqs, err := p.history(h, playerID)
	if err != nil {
		return err
	}
	p.putBytes(h.byPlayer, historyRecordKey(playerID, seq), value)
	if h.order != "" {
		p.putBytes(h.order, seqKey(seq), []byte(playerID))
	}
	for len(seqs) >= p.options.Limits.History {
		p.forget(h, playerID, seqs[0])
		seqs = seqs[1:]
	}
	return nil
}

func (p *planner) forget(h history, playerID string, seq uint64) {
	p.putBytes(h.byPlayer, historyRecordKey(playerID, seq), nil)
	if h.order != "" {
		p.putBytes(h.order, seqKey(seq), nil)
	}
}

// history is the seqs of a player's records, oldest first. They are read from
// the store once, when the player first needs them.
func (p *planner) history(h history, playerID string) ([]uint64, error) {
	key := historyKey{h.byPlayer, playerID}
	if seqs, known := p.st.histories[key]; known {
		return seqs, nil
	}
	seqs := []uint64{}
	prefix := historyPrefix(playerID)
	for pair, err := range p.options.Journal.Scan(p.ctx, h.byPlayer, store.Range{Prefix: prefix, KeysOnly: true}) {
		if err != nil {
			return nil, unavailable(err)
		}
		seqs = append(seqs, binary.BigEndian.Uint64(pair.Key[len(prefix):]))
	}
	p.st.histories[key] = seqs
	return seqs, nil
}

// applyHistory keeps the seqs of the histories that were read already.
func (s *state) applyHistory(r *store.Record) {
	if len(r.Key) < 9 {
		return
	}
	split := len(r.Key) - 8
	key := historyKey{r.Table, string(r.Key[:split-1])}
	prev, known := s.histories[key]
	if !known {
		return
	}
	seq := binary.BigEndian.Uint64(r.Key[split:])
	switch {
	case r.Value != nil && len(prev) > 0 && prev[len(prev)-1] >= seq:
		// It was read from the store, which was ahead of the state.
		return
	case r.Value != nil:
		s.histories[key] = append(prev, seq)
	case len(prev) > 0 && prev[0] == seq:
		s.histories[key] = prev[1:]
	default:
		// Not the oldest: the whole history is going. Read it again if it comes back.
		delete(s.histories, key)
	}
	s.undo = append(s.undo, func() { s.histories[key] = prev })
}

func (s *state) clearHistories(table store.Table) {
	prev := s.histories
	next := make(map[historyKey][]uint64, len(prev))
	for key, seqs := range prev {
		if key.table != table {
			next[key] = seqs
		}
	}
	s.histories = next
	s.undo = append(s.undo, func() { s.histories = prev })
}

func historyPrefix(playerID string) []byte { return append([]byte(playerID), 0) }

func historyRecordKey(playerID string, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(historyPrefix(playerID), seq)
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }
