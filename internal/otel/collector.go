package otel

import (
	"cmp"
	"container/list"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrBusy is returned if spans arrive faster than their journeys are recorded: they
// can be sent again later.
var ErrBusy = errors.New("journeys wait to be recorded: send the spans again later")

// longestWay bounds the number of spans between a call and its run: traces may be
// crafted to be slow, and parents may form a cycle.
const longestWay = 128

// waitingRuns bounds the runs that wait for Take.
const waitingRuns = 256

// Limits bound a Collector. All are required.
type Limits struct {
	// Traces is the number of kept traces, Spans the number of spans in one of them,
	// and Bytes about the size of all of them.
	Traces, Spans, Bytes int
	// Settle is the time without new spans after which the runs of a trace are
	// complete.
	Settle time.Duration
	// Wait is how long spans wait for a missing parent, and how long a trace is kept
	// for late spans.
	Wait time.Duration
}

// Collector keeps spans until their runs are complete. It may be used by several
// goroutines.
type Collector struct {
	// AsAgent makes an agent of each program that traces its models only. It is set before
	// the first Add.
	AsAgent bool

	limits Limits
	rules  *Rules

	mu     sync.Mutex
	traces map[string]*trace
	// open has the traces with spans that are not recorded, and done the others; those
	// without new spans for the longest time are first.
	open, done *list.List
	bytes      int
	ready      []Run
	lost       int
	// programs are those that report spans, and hidden those that nothing shows.
	programs map[string]*program
	hidden   []Hidden
}

// trace is the spans of one trace.
type trace struct {
	id    string
	spans map[string]*Span
	bytes int
	// last is the time of the latest spans, and at the place in the list of open or done
	// traces.
	last time.Time
	open bool
	at   *list.Element
	// working are the agents whose runs were found not to have ended.
	working []string
	// waits says that a span waits for its parent, and prepared that the relations of the
	// spans are evaluated, both since the latest spans.
	waits, prepared bool
}

// NewCollector returns a new collector; rules may be nil.
func NewCollector(limits Limits, rules *Rules) *Collector {
	if rules == nil {
		rules = &Rules{}
	}
	return &Collector{limits: limits, rules: rules, traces: map[string]*trace{}, open: list.New(), done: list.New(), programs: map[string]*program{}}
}

// Add keeps spans that arrived at a time. A span that it has already is the same
// one, sent again. rejected counts the spans that exceed the limit of their trace, and
// those for which there was no room because too many runs wait for Take. With ErrBusy none
// was kept.
func (c *Collector) Add(now time.Time, spans []*Span) (rejected int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) >= waitingRuns {
		return 0, ErrBusy
	}
	for _, s := range spans {
		if len(c.ready) >= waitingRuns || !c.keep(now, s) {
			rejected++
		}
	}
	c.lost += rejected
	return rejected, nil
}

// keep keeps a span; false if its trace is full.
func (c *Collector) keep(now time.Time, s *Span) bool {
	t := c.traces[s.Trace]
	if t == nil {
		c.makeRoom(c.limits.Traces - 1)
		t = &trace{id: s.Trace, spans: map[string]*Span{}, open: true}
		t.at = c.open.PushBack(t)
		c.traces[s.Trace] = t
	}
	if _, there := t.spans[s.ID]; there {
		return true
	}
	if len(t.spans) >= c.limits.Spans {
		return false
	}
	s.order = len(t.spans)
	t.spans[s.ID] = s
	t.bytes += s.size()
	c.bytes += s.size()
	c.list(t).Remove(t.at)
	t.last, t.open, t.waits, t.prepared = now, true, false, false
	t.at = c.open.PushBack(t)
	c.makeRoom(c.limits.Traces)
	return true
}

func (c *Collector) list(t *trace) *list.List {
	if t.open {
		return c.open
	}
	return c.done
}

// makeRoom drops traces until there are at most that many and they fit: first the
// recorded ones, then those without new spans for the longest time, whose
// incomplete runs are recorded.
func (c *Collector) makeRoom(most int) {
	for len(c.traces) > most || c.bytes > c.limits.Bytes {
		oldest := c.done.Front()
		if oldest == nil {
			oldest = c.open.Front()
		}
		if oldest == nil {
			return
		}
		c.drop(oldest.Value.(*trace)) //nolint:forcetypeassert // the lists have traces only
	}
}

func (c *Collector) drop(t *trace) {
	if t.open {
		c.complete(t)
	}
	c.list(t).Remove(t.at)
	c.bytes -= t.bytes
	delete(c.traces, t.id)
}

// record records the runs of a trace, which is kept for late spans.
func (c *Collector) record(t *trace) {
	c.complete(t)
	c.open.Remove(t.at)
	t.open, t.working = false, nil
	t.at = c.done.PushBack(t)
}

// Take returns the runs that are complete at a time, each once.
func (c *Collector) Take(now time.Time) []Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.traces {
		quiet := now.Sub(t.last)
		switch {
		case quiet >= c.limits.Wait:
			c.drop(t)
		case t.open && !t.waits && quiet >= c.limits.Settle:
			if t.waits = !t.whole(); !t.waits {
				c.record(t)
				continue
			}
			t.working = t.agents(c.rules)
		}
	}
	c.findHidden()
	ready := c.ready
	c.ready = nil
	slices.SortStableFunc(ready, func(a, b Run) int { return a.Start.Compare(b.Start) })
	return ready
}

// Working returns the names of agents whose runs have not ended, as far as the spans of
// these name them, sorted.
func (c *Collector) Working() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, t := range c.traces {
		names = append(names, t.working...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// agents returns the names of the agents of the spans that are not recorded: an agent
// without a name is that of its program.
func (t *trace) agents(rules *Rules) []string {
	var names []string
	for _, s := range t.spans {
		if s.recorded || s.Kind != ToolCall && s.Kind != Chat && s.Kind != AgentRun {
			continue
		}
		name, kept := rename(rules.Agents, cmp.Or(s.Agent, s.Service, unnamed), s.Service)
		if name = agentName(name); kept && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Flush returns all runs, even incomplete ones, and drops all traces.
func (c *Collector) Flush() []Run {
	c.mu.Lock()
	for _, t := range c.traces {
		c.drop(t)
	}
	c.mu.Unlock()
	return c.Take(time.Time{})
}

// Lost returns the number of rejected spans.
func (c *Collector) Lost() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// whole reports whether no relevant span waits for a parent: programs export a tool
// call before its run has ended.
func (t *trace) whole() bool {
	t.prepare()
	for _, s := range t.spans {
		if s.Kind == Other || s.Kind == AgentRun || s.Kind == Outcome || s.Kind == Chain || s.recorded {
			continue
		}
		if _, missing := t.runOf(s); missing {
			return false
		}
	}
	return true
}

// runOf finds the run of an agent that a span is part of. missing says that a span
// on the path to it is missing.
func (t *trace) runOf(s *Span) (run *Span, missing bool) {
	at := s
	for range longestWay {
		if at.Parent == "" {
			break
		}
		parent := t.spans[at.Parent]
		if parent == nil {
			return nil, true
		}
		if parent.Kind == AgentRun && !parent.frame {
			return parent, false
		}
		at = parent
	}
	return nil, false
}
