package otel

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrBusy is returned where spans come faster than their journeys are recorded: they
// can be sent again later.
var ErrBusy = errors.New("journeys wait to be recorded: send the spans again later")

// longestWay bounds the spans between a call and its run: traces may be made to be slow,
// and parents may go in circles.
const longestWay = 256

// waitingRuns bounds the runs that wait to be taken.
const waitingRuns = 256

// Limits bound a Collector. All are required.
type Limits struct {
	// Traces is how many are kept, Spans how many of one of them, and Bytes about how
	// much all of them take.
	Traces, Spans, Bytes int
	// Settle is how long nothing comes for a trace before its runs are complete.
	Settle time.Duration
	// Wait is how long spans wait for a parent that does not come, and how long a trace
	// is kept for spans that are late.
	Wait time.Duration
}

// Collector keeps spans until the runs that they belong to are complete. It may be
// used by several goroutines.
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
	// last is when spans came; open says that some of them are not recorded.
	last time.Time
	open bool
}

// NewCollector makes a collector; rules may be nil.
func NewCollector(limits Limits, rules *Rules) *Collector {
	if rules == nil {
		rules = &Rules{}
	}
	return &Collector{limits: limits, rules: rules, traces: map[string]*trace{}}
}

// Add keeps spans, which came at a time. A span that is there already is the same one,
// sent again. rejected counts those that did not fit into their trace. With ErrBusy
// none was kept.
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

// makeRoom lets traces go until there are at most so many and they fit: first those
// that are recorded, then those for which nothing came for the longest time, whose
// runs are recorded as far as they came.
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

// Flush returns all runs as far as they came, and forgets everything.
func (c *Collector) Flush() []Run {
	c.mu.Lock()
	for id := range c.traces {
		c.drop(id)
	}
	c.mu.Unlock()
	return c.Take(time.Time{})
}

// Lost returns how many spans did not fit into their traces.
func (c *Collector) Lost() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// whole reports whether no span that counts waits for a parent: programs export a
// tool call while the run that it belongs to goes on.
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

// runOf finds the run of an agent that a span is part of. missing says that the way to
// it is broken by a span that is not there.
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
