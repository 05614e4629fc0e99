package otel

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrBusy is returned if spans arrive faster than their journeys are recorded: they
// can be sent again later.
var ErrBusy = errors.New("journeys wait to be recorded: send the spans again later")

// longestWay bounds the number of spans between a call and its run: traces may be
// crafted to be slow, and parents may form a cycle.
const longestWay = 256

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
	limits Limits
	rules  *Rules

	mu     sync.Mutex
	traces map[string]*trace
	bytes  int
	ready  []Run
	lost   int
}

// trace is the spans of one trace.
type trace struct {
	spans map[string]*Span
	bytes int
	// last is the time of the latest spans; open says that some spans are not
	// recorded.
	last time.Time
	open bool
}

// NewCollector returns a new collector; rules may be nil.
func NewCollector(limits Limits, rules *Rules) *Collector {
	if rules == nil {
		rules = &Rules{}
	}
	return &Collector{limits: limits, rules: rules, traces: map[string]*trace{}}
}

// Add keeps spans that arrived at a time. A span that it has already is the same
// one, sent again. rejected counts the spans that exceed the limit of their trace.
// With ErrBusy none was kept.
func (c *Collector) Add(now time.Time, spans []*Span) (rejected int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.ready) >= waitingRuns {
		return 0, ErrBusy
	}
	for _, s := range spans {
		t := c.traces[s.Trace]
		if t == nil {
			c.makeRoom(c.limits.Traces - 1)
			t = &trace{spans: map[string]*Span{}}
			c.traces[s.Trace] = t
		}
		if _, there := t.spans[s.ID]; there {
			continue
		}
		if len(t.spans) >= c.limits.Spans {
			rejected++
			continue
		}
		s.order = len(t.spans)
		t.spans[s.ID] = s
		t.bytes += s.size()
		c.bytes += s.size()
		t.last, t.open = now, true
	}
	c.lost += rejected
	c.makeRoom(c.limits.Traces)
	return rejected, nil
}

// makeRoom drops traces until there are at most that many and they fit: first the
// recorded ones, then those without new spans for the longest time, whose
// incomplete runs are recorded.
func (c *Collector) makeRoom(most int) {
	if len(c.traces) <= most && c.bytes <= c.limits.Bytes {
		return
	}
	ids := slices.SortedFunc(maps.Keys(c.traces), func(a, b string) int {
		left, right := c.traces[a], c.traces[b]
		if left.open != right.open {
			if right.open {
				return -1
			}
			return 1
		}
		return left.last.Compare(right.last)
	})
	for _, id := range ids {
		if len(c.traces) <= most && c.bytes <= c.limits.Bytes {
			return
		}
		c.drop(id)
	}
}

func (c *Collector) drop(id string) {
	t := c.traces[id]
	if t.open {
		c.ready = append(c.ready, t.runs(c.rules)...)
	}
	c.bytes -= t.bytes
	delete(c.traces, id)
}

// Take returns the runs that are complete at a time, each once.
func (c *Collector) Take(now time.Time) []Run {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, t := range c.traces {
		quiet := now.Sub(t.last)
		switch {
		case quiet >= c.limits.Wait:
			c.drop(id)
		case t.open && quiet >= c.limits.Settle && t.whole():
			c.ready = append(c.ready, t.runs(c.rules)...)
			t.open = false
		}
	}
	ready := c.ready
	c.ready = nil
	slices.SortStableFunc(ready, func(a, b Run) int { return a.Start.Compare(b.Start) })
	return ready
}

// Flush returns all runs, even incomplete ones, and drops all traces.
func (c *Collector) Flush() []Run {
	c.mu.Lock()
	for id := range c.traces {
		c.drop(id)
	}
	c.mu.Unlock()
	return c.Take(time.Time{})
}

// Lost returns the number of spans that exceeded the limits of their traces.
func (c *Collector) Lost() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// whole reports whether no relevant span waits for a parent: programs export a tool
// call before its run has ended.
func (t *trace) whole() bool {
	for _, s := range t.spans {
		if s.Kind == Other || s.Kind == AgentRun || s.Kind == Outcome || s.recorded {
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
