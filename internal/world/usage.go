package world

import (
	"context"
	"fmt"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/replay"
	"github.com/playctl/playctl/protocol"
)

// account holds the amounts that an account uses, and its used rate (replay.Usage).
type account struct {
	Amounts
	Spent, At int64
}

// accountUsage is the usage of an account's history as a plan leaves it.
type accountUsage struct {
	account string
	replay.Usage
}

// usage returns the usage of an account's history in the store.
func (s *state) usage(name string) replay.Usage {
	a := s.accounts[name]
	if a == nil {
		return replay.Usage{}
	}
	return replay.Usage{Lines: a.Amounts[Lines], Journeys: a.Amounts[Journeys], Bytes: a.Amounts[Bytes], Spent: a.Spent, At: a.At}
}

// applyUsage applies the record of an account's history.
func (s *state) applyUsage(r *store.Record) error {
	next, err := replay.ParseUsage(r.Value)
	if err != nil {
		return fmt.Errorf("record %s/%s: %w", r.Table, r.Key, err)
	}
	name := string(r.Key)
	prev := s.usage(name)
	s.setUsage(name, next)
	s.undo = append(s.undo, func() { s.setUsage(name, prev) })
	return nil
}

func (s *state) setUsage(name string, next replay.Usage) {
	s.change(name, func(a *account) {
		s.used[Lines] += next.Lines - a.Amounts[Lines]
		s.used[Journeys] += next.Journeys - a.Amounts[Journeys]
		s.used[Bytes] += next.Bytes - a.Amounts[Bytes]
		a.Amounts[Lines], a.Amounts[Journeys], a.Amounts[Bytes] = next.Lines, next.Journeys, next.Bytes
		a.Spent, a.At = next.Spent, next.At
	})
}

// change changes an account, and removes it once all its amounts are zero.
func (s *state) change(name string, by func(*account)) {
	a := s.accounts[name]
	if a == nil {
		a = &account{}
		s.accounts[name] = a
	}
	if by(a); *a == (account{}) {
		delete(s.accounts, name)
		for _, h := range agentHistories {
			delete(s.cursors, cursor{h.order, name})
		}
	}
}

// accountOf returns the account that an agent's history counts toward. Without a
// repository it is the root node's.
func (s *state) accountOf(playerID string) string {
	if n := s.nodes[playerID]; n != nil && n.Parent != "" {
		return n.Parent
	}
	return s.RootKey
}

// usage returns the usage of an account, for the plan to change.
func (p *planner) usage(name string) *accountUsage {
	for i := range p.usages {
		if p.usages[i].account == name {
			return &p.usages[i]
		}
	}
	if p.usages == nil {
		p.usages = p.usageBuf[:0]
	}
	p.usages = append(p.usages, accountUsage{name, p.st.usage(name)})
	return &p.usages[len(p.usages)-1]
}

func (u *accountUsage) add(h history, n, size int) {
	switch h.counts { //nolint:exhaustive // logs of spaces are counted in bytes only
	case Lines:
		u.Lines += n
	case Journeys:
		u.Journeys += n
	}
	u.Bytes += size
}

func (u *accountUsage) of(q Quota) int {
	switch q { //nolint:exhaustive // the others are not histories
	case Lines:
		return u.Lines
	case Journeys:
		return u.Journeys
	}
	return u.Bytes
}

// stageUsages stages the usages that the plan changed.
func (p *planner) stageUsages() {
	for i := range p.usages {
		u := &p.usages[i]
		switch {
		case u.Usage == p.st.usage(u.account):
		case u.Usage == replay.Usage{}:
			p.erase(store.Usage, u.account)
		default:
			p.putBytes(store.Usage, []byte(u.account), u.Append(make([]byte, 0, 24)))
		}
	}
}

const (
	// rateBurst is how many seconds of its rate an account may use at once.
	rateBurst = 64
	// maxRate is more than any account writes in a second, so that a burst of it fits an
	// int64.
	maxRate = 1 << 40
)

// charge deducts the bytes that the command writes from the rate of the caller's
// account, or refuses the command if they exceed it for now.
func (p *planner) charge() error {
	size := p.writes()
	name, spent, err := p.checkRate(size, size)
	if err != nil || name == "" {
		return err
	}
	u := p.usage(name)
	u.Spent, u.At = spent+int64(size), p.now.UnixMilli()
	return nil
}

// checkRate refuses a command that writes at least least bytes if they exceed the rate
// of the caller's account for now. The refusal's Retry-After is computed for the most
// that the command writes, so that a caller that waits is not refused again. It returns
// that account, "" where nothing is charged, and what it has used of its burst.
func (p *planner) checkRate(least, most int) (name string, spent int64, err error) {
	if name = p.payer(); name == "" {
		return "", 0, nil
	}
	rate := min(int64(p.ownOr(name, rateHistoryLabel, p.options.Limits.HistoryRate)), maxRate)
	if rate <= 0 || least == 0 || name == p.closed {
		return "", 0, nil
	}
	u, burst := p.usage(name), rateBurst*rate
	if since := max(0, p.now.UnixMilli()-u.At); since <= u.Spent*1000/rate {
		spent = max(0, u.Spent-since*rate/1000)
	}
	if spent == 0 || spent+int64(least) <= burst {
		return name, spent, nil
	}
	e := protocol.Errorf(protocol.CodeRateLimited,
		"the account exceeded its limit of %d bytes a second written to the world's store (--rate-history): retry after the time in Retry-After", rate)
	e.RetryAfter = time.Duration(min(spent+int64(most)-burst, spent)) * time.Second / time.Duration(rate)
	return name, spent, e
}

// payer returns the account whose rate the command counts toward: the caller's.
// Callers that have no node, such as viewers, share the root node's. It is empty for
// the administrator, for the world's own commands, and for the creation of a main
// node, which has a rate of its own.
func (p *planner) payer() string {
	c := &p.req.Caller
	if c.Admin || *c == (Caller{}) {
		return ""
	}
	switch n := p.st.nodes[c.NodeID]; {
	case n == nil:
		return p.st.RootKey
	case n.Parent != "":
		return n.Parent
	default:
		return n.ID
	}
}

// writes returns how many bytes the command adds to the store. A chat line, which is in
// an event and in a record, counts once; removals are free.
func (p *planner) writes() int {
	rows, events, records := 0, 0, 0
	for i := range p.entry.Rows {
		if r := &p.entry.Rows[i]; r.JSON != nil {
			rows += len(r.Key) + len(r.JSON)
		}
	}
	for i := range p.entry.Events {
		e := &p.entry.Events[i]
		events += len(e.Kind) + len(e.Data)
		for _, who := range e.Audience {
			events += len(who)
		}
	}
	for i := range p.entry.Records {
		if r := &p.entry.Records[i]; r.Value != nil {
			records += len(r.Key) + len(r.Value)
		}
	}
	return rows + max(events, records)
}

// readUsage asks the writer for the amounts of the named accounts, or of all.
type readUsage struct{ names []string }

func (c readUsage) plan(p *planner) (any, error) {
	found := make(map[string]Amounts, len(c.names))
	for _, name := range c.names {
		if a := p.st.accounts[name]; a != nil {
			found[name] = a.Amounts
		}
	}
	if len(c.names) == 0 {
		for name, a := range p.st.accounts {
			found[name] = a.Amounts
		}
	}
	return found, nil
}

// Usage returns the amounts of the named accounts, or of all, without accounts that use
// nothing.
func (w *World) Usage(ctx context.Context, names ...string) (map[string]Amounts, error) {
	reply, err := w.Do(ctx, Request{}, readUsage{names})
	if err != nil {
		return nil, err
	}
	return reply.Value.(map[string]Amounts), nil //nolint:forcetypeassert // readUsage replies with this type.
}
