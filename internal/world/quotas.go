package world

import (
	"math"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// Quota is a kind of resource that the operator limits for each account and for
// all accounts together.
type Quota int

// The quotas.
const (
	// Accounts are main nodes, which are limited only in total.
	Accounts Quota = iota
	Agents
	Spaces
	MCPServers
	// Requests are the open intercom requests of an account.
	Requests
	// Lines, Journeys and Bytes measure the account's history in the store: new lines
	// and journeys replace the oldest ones.
	Lines
	Journeys
	Bytes
	// IdempotencyKeys and ClosedRequests, which are answered or expired intercom requests,
	// are ids that identify a repeat. Each caller has its own; new ones replace the
	// oldest.
	IdempotencyKeys
	ClosedRequests
	// AgentBytes are the memory for the names of agents and of their tools, also while
	// the agents are off the map: new names replace the oldest of these.
	AgentBytes
	// MapBytes are the canonical size of an account's rows on the map: of its agents, its
	// MCP placements and its spaces with their structures. Only changes that add or enlarge
	// a row are refused.
	MapBytes
	quotaCount
)

// Amounts are the used amount, or the limit, of each Quota.
type Amounts [quotaCount]int

// quotas are their names for people and for programs, the codes of refusals (none where
// the oldest are dropped), and the defaults of a host's limits for each
// account and for all.
var quotas = [quotaCount]struct {
	name, label    string
	code           protocol.Code
	account, world int
}{
	Accounts:   {"accounts", "accounts", protocol.CodeAccountLimit, 0, 100_000},
	Agents:     {"agents", "agents", protocol.CodeAgentLimit, 0, 100_000},
	Spaces:     {"spaces", "spaces", protocol.CodeSpaceLimit, 100, 1_000},
	MCPServers: {"MCP placements", "mcp", protocol.CodeMCPLimit, 100, 0},
	Requests:   {"open intercom requests", "requests", protocol.CodeIntercomLimit, 1_000, 10_000},
	Lines:      {"chat lines", "lines", protocol.CodeStorageLimit, 100_000, 1_000_000},
	Journeys:   {"journeys", "journeys", protocol.CodeStorageLimit, 100_000, 1_000_000},
	Bytes:      {"bytes of history", "bytes", protocol.CodeStorageLimit, 256 << 20, 4 << 30},

	IdempotencyKeys: {"idempotency keys", "idempotency-keys", "", 100_000, 1_000_000},
	ClosedRequests:  {"closed intercom requests", "closed-requests", "", 100_000, 1_000_000},
	AgentBytes:      {"bytes of agents' names", "agent-bytes", protocol.CodeStorageLimit, 32 << 20, 64 << 20},
	MapBytes:        {"bytes on the map", "map-bytes", protocol.CodeStorageLimit, 2 << 20, 4 << 20},
}

// String returns the name of what is counted, for people.
func (q Quota) String() string { return quotas[q].name }

// Label returns its name in flags and metrics.
func (q Quota) Label() string { return quotas[q].label }

// Defaults returns a host's limits for each account and for all together; 0 for none.
func (q Quota) Defaults() (account, world int) { return quotas[q].account, quotas[q].world }

// Holder returns the kind of holder of the limit, a caller or an account, for people.
func (q Quota) Holder() string {
	if q == IdempotencyKeys || q == ClosedRequests {
		return "caller"
	}
	return "account"
}

// Quotas lists all of them.
func Quotas() []Quota {
	all := make([]Quota, quotaCount)
	for i := range all {
		all[i] = Quota(i)
	}
	return all
}

// checkQuota refuses one more if an account, or all of them together, are at the
// operator's limit.
func (p *planner) checkQuota(account string, q Quota) error {
	of := quotas[q]
	if limit := p.limit(account, q); limit > 0 && p.st.usedBy(account)[q] >= limit {
		return protocol.Errorf(of.code, "the account has reached its limit of %d %s: remove some, or ask the operator for more", limit, of.name)
	}
	if limit := p.options.Limits.World[q]; limit > 0 && p.st.used[q] >= limit {
		return protocol.Errorf(of.code, "the world has reached its limit of %d %s for all accounts together", limit, of.name)
	}
	return nil
}

// checkMapBytes refuses a plan that adds rows of an account to the map, or enlarges
// them, where the account or all of them would have more bytes there than the operator
// allows.
func (p *planner) checkMapBytes(account string) error {
	more, own := 0, 0
	for i := range p.entry.Rows {
		r := &p.entry.Rows[i]
		by := len(r.JSON) - p.st.sizeOnMap(r.Key)
		if more += by; r.JSON != nil {
			own += by
		}
	}
	const refusal = "this does not fit: the limit is %d %s for %s, which has %d: remove some, or ask the operator for more"
	limit, used := p.limit(account, MapBytes), p.st.usedBy(account)[MapBytes]
	if limit > 0 && own > 0 && used+own > limit {
		return protocol.Errorf(protocol.CodeStorageLimit, refusal, limit, MapBytes, ofOne, used)
	}
	limit, used = p.options.Limits.World[MapBytes], p.st.used[MapBytes]
	if limit > 0 && more > 0 && used+more > limit {
		return protocol.Errorf(protocol.CodeStorageLimit, refusal, limit, MapBytes, ofAll, used)
	}
	return nil
}

// limit returns an account's limit; 0 for none.
func (p *planner) limit(account string, q Quota) int {
	return p.ownOr(account, quotas[q].label, p.options.Limits.Account[q])
}

// ownOr returns an account's own limit with a label, otherwise the limit for every
// account.
func (p *planner) ownOr(account, label string, every int) int {
	if n := p.st.nodes[account]; n != nil {
		return n.limitOr(label, every)
	}
	return every
}

// limitOr returns a main node's own limit with a label, otherwise the limit for every
// account.
func (n *Node) limitOr(label string, every int) int {
	if own, has := n.Limits[label]; has {
		return own
	}
	return every
}

// SetLimits gives a main node limits of its own instead of Limits.Account.
type SetLimits struct{ protocol.NodeLimitsRequest }

func (c SetLimits) plan(p *planner) (any, error) {
	if err := p.checkAdmin(); err != nil {
		return nil, err
	}
	node := p.st.nodes[c.NodeID]
	if node == nil || node.Kind != protocol.NodeKindMain {
		return nil, protocol.Errorf(protocol.CodeNotFound, "there is no main node with this id")
	}
	next := *node
	next.Limits = map[string]int{}
	for label, field := range limitFields(&c.Limits) {
		if *field != nil {
			next.Limits[label] = int(min(**field, math.MaxInt))
		}
	}
	every := p.options.Limits.HistoryRate
	if node.limitOr(rateHistoryLabel, every) != next.limitOr(rateHistoryLabel, every) {
		// Bytes written at a higher rate would take too long to be regained at a lower one.
		u := p.usage(c.NodeID)
		u.Spent, u.At = 0, 0
	}
	return &protocol.NodeLimitsReply{NodeID: c.NodeID, Limits: *next.OwnLimits()}, p.put(store.Nodes, c.NodeID, &next)
}

// usageFields returns the fields of the wire amounts that are counted for each account.
func usageFields(a *protocol.Amounts) map[Quota]**uint64 {
	return map[Quota]**uint64{
		Agents: &a.Agents, Spaces: &a.Spaces, MCPServers: &a.MCP, Requests: &a.Requests,
		Lines: &a.Lines, Journeys: &a.Journeys, Bytes: &a.Bytes, MapBytes: &a.MapBytes,
	}
}

// The labels of an account's own limits that belong to no Quota.
const (
	occupantsLabel   = "occupants"
	rateHistoryLabel = "rate-history"
)

// limitFields returns the fields of the wire amounts for which an account may have
// limits of its own, by the labels of Node.Limits.
func limitFields(a *protocol.Amounts) map[string]**uint64 {
	all := map[string]**uint64{
		AgentBytes.Label(): &a.AgentBytes, occupantsLabel: &a.Occupants, rateHistoryLabel: &a.RateHistory,
	}
	for q, field := range usageFields(a) {
		all[q.Label()] = field
	}
	return all
}

// OwnLimits returns the limits that are a main node's own.
func (n *Node) OwnLimits() *protocol.Amounts {
	own := &protocol.Amounts{}
	for label, field := range limitFields(own) {
		if limit, has := n.Limits[label]; has {
			*field = new(uint64(limit))
		}
	}
	return own
}

// Wire returns the amounts in wire form.
func (a *Amounts) Wire() *protocol.Amounts {
	wire := &protocol.Amounts{}
	for q, field := range usageFields(wire) {
		*field = new(uint64(a[q]))
	}
	return wire
}

// usedBy returns the amounts that an account uses.
func (s *state) usedBy(account string) Amounts {
	if a := s.accounts[account]; a != nil {
		return a.Amounts
	}
	return Amounts{}
}

// count adds to the amount that an account uses.
func (s *state) count(name string, q Quota, by int) {
	s.used[q] += by
	s.change(name, func(a *account) { a.Amounts[q] += by })
}

// Used returns the amounts that all accounts together use.
func (w *World) Used() Amounts {
	w.replica.mu.Lock()
	defer w.replica.mu.Unlock()
	used := w.replica.used
	for i, of := range rememberedKinds {
		used[of.quota] = int(w.remembered[i].Load())
	}
	return used
}

// OccupantCounts returns how many agents and MCP placements are on the map, and how
// many people.
func (w *World) OccupantCounts() (occupants, people int) {
	w.replica.mu.Lock()
	defer w.replica.mu.Unlock()
	return w.replica.occupantCount, w.replica.personCount
}

// Limits returns the operator's limits.
func (w *World) Limits() Limits { return w.options.Limits }

// countNode counts main nodes for all, agents for their owners.
func (s *state) countNode(n *Node, by int) {
	switch {
	case n == nil:
	case n.Kind == protocol.NodeKindMain:
		s.count(n.ID, Accounts, by)
	case n.Kind == protocol.NodeKindAgent:
		s.count(n.Parent, Agents, by)
	}
}

func (s *state) setSpace(id string, next *Space) {
	if next != nil {
		next.Size = s.sizeOnMap(next.Entry.StableKey()) + s.sizeOnMap(protocol.StructureKeyPrefix+next.StructureID)
	}
	setCounted(s, s.spaces, id, next, func(v *Space, by int) {
		s.count(v.Creator, Spaces, by)
		s.count(v.Creator, MapBytes, by*v.Size)
	})
}

func (s *state) setIntercom(id string, next *intercom) {
	setCounted(s, s.intercoms, id, next, func(v *intercom, by int) { s.count(v.Account, Requests, by) })
}

// setCounted is setUndoable for items that count toward an account's quota: 1 for an
// added item, and -1 for a removed one.
func setCounted[V any](s *state, m map[string]*V, id string, next *V, count func(v *V, by int)) {
	replace := func(prev, next *V) {
		if prev != nil {
			count(prev, -1)
		}
		if next != nil {
			count(next, 1)
		}
		put(m, id, next)
	}
	prev := m[id]
	replace(prev, next)
	s.undo = append(s.undo, func() { replace(next, prev) })
}

// account returns the main node that a caller is or belongs to, or the identity of a
// caller without a node.
func (p *planner) account() string {
	if n := p.st.nodes[p.req.Caller.NodeID]; n != nil && n.Parent != "" {
		return n.Parent
	}
	return p.req.Caller.identity()
}
