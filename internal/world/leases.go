package world

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// lease keeps an agent, by its connection, or a person, who has none, on the map.
// Leases of agents are stored by id, those of people by stable key, which no id
// can equal. The deadline is the store's.
type lease struct {
	ConnectionID string `json:"connectionId"`
	TTLSeconds   int    `json:"ttlSeconds"`
}

// term is the lease's length.
func (l *lease) term() time.Duration { return time.Duration(l.TTLSeconds) * time.Second }

func (c Heartbeat) plan(p *planner) (any, error) {
	r := &c.HeartbeatRequest
	if _, err := p.agentFor(r.PlayerID); err != nil {
		return nil, err
	}
	l, err := p.leaseOf(r.PlayerID, r.ConnectionID)
	if err != nil {
		return nil, err
	}
	next := lease{ConnectionID: l.ConnectionID, TTLSeconds: l.TTLSeconds}
	if r.LeaseTTLSeconds > 0 {
		next.TTLSeconds = r.LeaseTTLSeconds
	}
	reply := &protocol.HeartbeatReply{OK: true, LeaseTTLSeconds: next.TTLSeconds}
	if next.TTLSeconds != l.TTLSeconds {
		// A changed term is stored: a host that starts grants it in full.
		return reply, p.put(store.Leases, r.PlayerID, &next)
	}
	p.renewals = append(p.renewals, renewalOf(store.Leases, r.PlayerID, next.term()))
	return reply, nil
}

// leaseOf returns the lease with which a connection holds an agent on the map, or the
// refusal that the connection holds none.
func (p *planner) leaseOf(playerID, connectionID string) (*lease, error) {
	l := p.st.leases[playerID]
	if l == nil || l.ConnectionID != connectionID || p.st.agent(playerID) == nil {
		return nil, protocol.Errorf(protocol.CodeLeaseUnknown, "the connection does not hold this agent: register it again")
	}
	return l, nil
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
	p.dropLease(row.AgentID)
}

// dropLease removes the lease of an agent or a person, if there is one.
func (p *planner) dropLease(key string) {
	if p.st.leases[key] != nil {
		p.erase(store.Leases, key)
	}
}

// expireLease removes one agent or person if its lease is still expired when it is
// planned.
type expireLease struct{ key string }

func (c expireLease) plan(p *planner) (any, error) {
	l := p.st.leases[c.key]
	if l == nil || !p.passed(store.Deadline{Table: store.Leases, Key: c.key}) {
		return nil, nil //nolint:nilnil // The lease was renewed meanwhile: nothing to do and no event.
	}
	if row := p.st.agent(c.key); row != nil {
		return nil, p.takeOff(row, protocol.RemovedLease)
	}
	if row := p.st.person(c.key); row != nil {
		return nil, p.takePersonOff(row, protocol.RemovedLease)
	}
	p.erase(store.Leases, c.key)
	return nil, nil //nolint:nilnil // As above.
}

// deadlines records the deadlines that a plan renews or relies on.
func (l *commitLoop) deadlines(p *planner, plan *stagedPlan) error {
	plan.renewals, plan.expired, plan.fence = p.renewals, p.expired, p.fence
	for _, r := range plan.renewals {
		l.renew(r.Deadline)
	}
	if plan.entry == nil {
		return nil
	}
	for i := range plan.entry.Records {
		record := &plan.entry.Records[i]
		if err := SetTerm(record); err != nil {
			return err
		}
		if record.Term > 0 {
			l.renew(store.Deadline{Table: record.Table, Key: string(record.Key)})
		}
	}
	return nil
}

func (l *commitLoop) renew(d store.Deadline) {
	if l.renewed == nil {
		l.renewed = map[store.Deadline]bool{}
	}
	l.renewed[d] = true
}

func renewalOf(table store.Table, key string, term time.Duration) store.Renewal {
	return store.Renewal{Deadline: store.Deadline{Table: table, Key: key}, Term: term}
}

// deadlines returns the deadlines of all records that have one, each with its full term.
func (s *state) deadlines() []store.Renewal {
	all := make([]store.Renewal, 0, len(s.leases)+len(s.intercoms))
	for id, l := range s.leases {
		all = append(all, renewalOf(store.Leases, id, l.term()))
	}
	for id := range s.intercoms {
		all = append(all, renewalOf(store.Intercom, openIntercomKey(id), intercomTerm))
	}
	return all
}

// SetTerm gives a record of a lease or of an open intercom request the term of its
// deadline, which the store keeps, and leaves every other record unchanged. It
// fails on a lease that cannot be read.
func SetTerm(r *store.Record) error {
	switch {
	case r.Value == nil:
	case r.Table == store.Leases:
		var l lease
		if err := json.Unmarshal(r.Value, &l); err != nil {
			return fmt.Errorf("record %s/%s: %w: %w", r.Table, r.Key, store.ErrCorrupt, err)
		}
		r.Term = l.term()
	case r.Table == store.Intercom && strings.HasPrefix(string(r.Key), openIntercom):
		r.Term = intercomTerm
	}
	return nil
}

// passed reports whether the plan may assume that a deadline has passed, which the
// commit checks again by the store's time.
func (p *planner) passed(d store.Deadline) bool {
	if p.loop.notDue[d] || p.loop.renewed[d] {
		return false
	}
	p.expired = append(p.expired, d)
	return true
}
