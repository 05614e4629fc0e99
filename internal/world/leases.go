package world

import (
	"slices"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// renewal is a lease that a command renewed without a record: a lost one only
// costs the holder a part of its term.
type renewal struct {
	playerID string
	lease    lease
}

// term is the lease's length in nanoseconds.
func (l *lease) term() int64 { return int64(l.TTLSeconds) * int64(time.Second) }

// renew starts a lease's term anew. Leases are replaced, never changed in place,
// so that a rollback finds the old one as it was.
func (s *state) renew(r *renewal, now int64) {
	next := r.lease
	next.deadline = now + next.term()
	s.leases[r.playerID] = &next
}

func (c Heartbeat) plan(p *planner) (any, error) {
	r := &c.HeartbeatRequest
	if _, err := p.agentFor(r.PlayerID); err != nil {
		return nil, err
	}
	l := p.st.leases[r.PlayerID]
	if l == nil || l.ConnectionID != r.ConnectionID || p.st.agent(r.PlayerID) == nil {
		return nil, protocol.Errorf(protocol.CodeLeaseUnknown,
			"the connection does not hold this agent: register it again")
	}
	next := lease{ConnectionID: l.ConnectionID, TTLSeconds: l.TTLSeconds}
	if r.LeaseTTLSeconds > 0 {
		next.TTLSeconds = r.LeaseTTLSeconds
	}
	reply := &protocol.HeartbeatReply{OK: true, LeaseTTLSeconds: next.TTLSeconds}
	if next.TTLSeconds != l.TTLSeconds {
		// A changed term is stored: a host that starts gives it in full.
		return reply, p.put(store.Leases, r.PlayerID, &next)
	}
	p.renewed = &renewal{playerID: r.PlayerID, lease: next}
	return reply, nil
}

func (c Disconnect) plan(p *planner) (any, error) {
	r := &c.DisconnectRequest
	if _, err := p.agentFor(r.PlayerID); err != nil {
		return nil, err
	}
	reply := &protocol.OKReply{OK: true}
	row := p.st.agent(r.PlayerID)
	if row == nil {
		return reply, nil
	}
	if l := p.st.leases[r.PlayerID]; r.ConnectionID != "" && (l == nil || l.ConnectionID != r.ConnectionID) {
		return reply, nil
	}
	return reply, p.takeOff(row, protocol.RemovedDisconnect)
}

// takeOff removes an agent's row and lease with the event that says why.
func (p *planner) takeOff(row *protocol.Agent, reason string) error {
	p.dropAgent(row)
	return p.emit(protocol.EventPlayerRemoved, &protocol.PlayerRemovedData{PlayerID: row.AgentID, Reason: reason})
}

func (p *planner) dropAgent(row *protocol.Agent) {
	p.dropRow(row.StableKey())
	if p.st.leases[row.AgentID] != nil {
		p.erase(store.Leases, row.AgentID)
	}
}

// over tells whether a deadline has passed: by the store's time where hosts
// share one, else by the monotonic clock.
func (p *planner) over(deadline int64, table store.Table, key string) bool {
	if p.round == nil {
		return deadline <= p.mono
	}
	return p.passed(store.Deadline{Table: table, Key: key})
}

// lapse removes one agent if its lease is still lapsed when it is planned.
type lapse struct{ playerID string }

func (c lapse) plan(p *planner) (any, error) {
	l := p.st.leases[c.playerID]
	if l == nil || !p.over(l.deadline, store.Leases, c.playerID) {
		return nil, nil //nolint:nilnil // The lease was renewed meanwhile: nothing to do, nothing to tell.
	}
	row := p.st.agent(c.playerID)
	if row == nil {
		p.erase(store.Leases, c.playerID)
		return nil, nil //nolint:nilnil // As above.
	}
	return nil, p.takeOff(row, protocol.RemovedLease)
}

// lapsed lists the players whose leases have run out, in a fixed order.
func (s *state) lapsed(now int64) []string {
	var ids []string
	for id, l := range s.leases {
		if l.deadline <= now {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
