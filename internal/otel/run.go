package otel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/playctl/playctl/protocol"
)

// Run is one run of an agent: a journey, and the other data that the world shows of
// it.
type Run struct {
	// Agent is the agent's name.
	Agent string
	// Start is when it began.
	Start   time.Time
	Journey protocol.Journey
	// Tools are the names of the called tools, and Servers the MCP servers, each once.
	Tools   []string
	Servers []Server
	// Asked and Answered are the question and the answer, empty without content.
	Asked, Answered string
}

// Server is an MCP server.
type Server struct{ Name, URL string }

// mostLevels bounds the levels at which one run is reported.
const mostLevels = 16

// unnamed is the name of an agent without a known name.
const unnamed = "unnamed"

// gathered are the spans of one run that are not recorded yet.
type gathered struct {
	agent, service string
	// run is nil for spans whose run is unknown.
	run    *Span
	inner  []*Span
	calls  []*Span
	models []*Span
	// again says that a part of the run was recorded already.
	again bool
}

// runs returns the unrecorded runs of a trace, and marks them as recorded.
func (t *trace) runs(rules *Rules) []Run {
	spans := slices.SortedFunc(maps.Values(t.spans), earlier)
	t.prepare()
	only := t.only()
	groups, order := map[string]*gathered{}, []*gathered(nil)
	for _, s := range spans {
		key, g := t.group(s, groups, only)
		if g == nil {
			continue
		}
		if groups[key] == nil {
			groups[key] = g
			order = append(order, g)
		}
		g.add(s)
	}
	var runs []Run
	for _, g := range order {
		if run, ok := g.finish(rules); ok {
			runs = append(runs, run)
		}
	}
	runs = append(runs, serversOf(spans, rules)...)
	for _, s := range spans {
		s.recorded = true
	}
	return runs
}

// prepare evaluates relations of spans: which tool calls failed according to the
// spans below them, and which runs are frames.
func (t *trace) prepare() {
	for _, s := range t.spans {
		s.frame = false
		if call := t.spans[s.Parent]; s.Kind == Outcome && s.Failed && call != nil && call.Kind == ToolCall {
			call.Failed, call.Failure = true, cmp.Or(call.Failure, s.Failure)
		}
	}
	for _, run := range t.frames() {
		run.frame = true
	}
}

// frames returns the runs without a name that have runs of agents below them, and
// neither called a tool nor a model themselves.
func (t *trace) frames() []*Span {
	busy := map[*Span]bool{}
	for _, s := range t.spans {
		if s.Kind == ToolCall || s.Kind == Chat {
			run, _ := t.runOf(s)
			busy[run] = true
		}
	}
	var frames []*Span
	for _, s := range t.spans {
		if s.Kind != AgentRun || s.Agent == "" {
			continue
		}
		for run, _ := t.runOf(s); run != nil && run.Agent == "" && !busy[run]; run, _ = t.runOf(run) {
			busy[run] = true // once is enough, and runs may be in a circle
			frames = append(frames, run)
		}
	}
	return frames
}

// earlier orders spans by time, and those with the same time, which is common for
// clocks of milliseconds, in the order of arrival: programs send them when they
// end.
func earlier(a, b *Span) int {
	return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.order, b.order))
}

// group finds the run that a span is part of. Spans whose run is unknown belong to
// the only run of their trace, or of the agent that they name, else to a run of
// their own.
func (t *trace) group(s *Span, groups map[string]*gathered, only map[string]*Span) (string, *gathered) {
	if s.Kind == Other || s.Kind == Outcome || s.frame {
		return "", nil
	}
	run := s
	if s.Kind != AgentRun {
		run, _ = t.runOf(s)
	}
	if run == nil {
		run = only[s.Agent]
	}
	if run == nil && s.Kind == Chat && s.Agent == "" {
		return "", nil // a model that is asked by no agent
	}
	name := cmp.Or(s.Agent, s.Service, unnamed)
	key, g := "name "+name, &gathered{agent: name, service: s.Service}
	if run != nil {
		run = t.outermost(run)
		key, g = run.ID, &gathered{agent: cmp.Or(run.Agent, run.Service, unnamed), service: run.Service, run: run}
	}
	if known := groups[key]; known != nil {
		g = known
	}
	return key, g
}

// only returns the runs to which spans without a parent belong: the only one of
// each named agent, and under no name the only one of the trace; nil if there are
// more.
func (t *trace) only() map[string]*Span {
	only := map[string]*Span{}
	for _, run := range t.spans {
		if run.Kind != AgentRun || run.frame {
			continue
		}
		outer := t.outermost(run)
		for _, agent := range []string{"", run.Agent} {
			if found, there := only[agent]; there && found != outer {
				only[agent] = nil
				continue
			}
			only[agent] = outer
		}
	}
	return only
}

// outermost follows runs of the same agent: frameworks report one run at several levels.
func (t *trace) outermost(run *Span) *Span {
	for range mostLevels {
		outer, _ := t.runOf(run)
		if outer == nil || outer.Agent != run.Agent || outer == run {
			return run
		}
		run = outer
	}
	return run
}

func (g *gathered) add(s *Span) {
	switch {
	case s.recorded:
		g.again = true
	case s == g.run:
	case s.Kind == AgentRun:
		g.inner = append(g.inner, s)
	case s.Kind == ToolCall:
		g.calls = append(g.calls, s)
	case s.Kind == Chat:
		g.models = append(g.models, s)
	}
}

// finish returns the run; false if there is nothing new, or if rules omit it.
func (g *gathered) finish(rules *Rules) (Run, bool) {
	fresh := g.run != nil && !g.run.recorded && !g.again
	name, kept := rename(rules.Agents, g.agent, g.service)
	calls := g.distinct(rules)
	if !kept || !fresh && len(calls) == 0 {
		return Run{}, false
	}
	run := Run{Agent: agentName(name)}
	start, end := g.times()
	run.Start = start
	if fresh {
		run.Asked, run.Answered = g.said(rules)
	}
	steps := []protocol.JourneyStep{{
		Type: protocol.StepOrigin, Content: cmp.Or(run.Asked, g.began(run.Agent, fresh)), MessageID: g.id() + "-in",
	}}
	left := stepsBytes
	for _, c := range calls {
		if !slices.Contains(run.Tools, c.Tool) && len(run.Tools) < protocol.MaxToolNames-1 {
			run.Tools = append(run.Tools, c.Tool)
		}
		if step, ok := c.step(rules, &left); ok && len(steps) < protocol.MaxJourneySteps-1 {
			steps = append(steps, step)
		}
	}
	steps = append(steps, protocol.JourneyStep{
		Type: protocol.StepDestination, Content: cmp.Or(run.Answered, g.ended(rules, len(calls), len(calls)-len(steps)+1)), MessageID: g.id() + "-out",
	})
	run.Journey = protocol.Journey{Steps: steps, StartedAt: protocol.FormatTime(start), CompletedAt: protocol.FormatTime(end)}
	return run, true
}

// call is a tool call with the tool's name after the rules.
type call struct {
	*Span
	Tool string
}

// distinct returns the calls that are steps: not those that rules omit, and not the
// request to an MCP server that carries out a call of the same tool.
func (g *gathered) distinct(rules *Rules) []call {
	byID := map[string]*Span{}
	for _, s := range g.calls {
		byID[s.ID] = s
	}
	var calls []call
	for _, s := range g.calls {
		if outer := byID[s.Parent]; outer != nil && outer.Tool == s.Tool && outer != s {
			continue
		}
		if name, kept := rename(rules.Tools, s.Tool, ""); kept {
			calls = append(calls, call{s, cutRunes(name, protocol.MaxToolNameChars)})
		}
	}
	return calls
}

func (g *gathered) all() []*Span {
	all := slices.Concat(g.inner, g.calls, g.models)
	if g.run != nil {
		all = append(all, g.run)
	}
	return all
}

func (g *gathered) id() string {
	if g.run != nil {
		return g.run.ID
	}
	return g.calls[0].ID
}

// times returns the start and the end of the run; spans without a time are ignored.
func (g *gathered) times() (start, end time.Time) {
	spans := g.all()
	if g.run != nil && !g.run.Start.IsZero() && !g.again {
		spans = []*Span{g.run}
	}
	for _, s := range spans {
		if !s.Start.IsZero() && (start.IsZero() || s.Start.Before(start)) {
			start = s.Start
		}
		if s.End.After(end) {
			end = s.End
		}
	}
	if start.IsZero() {
		start = time.Unix(0, 0).UTC()
	}
	if end.Before(start) {
		end = start
	}
	return start, end
}

// said returns the input and output of the run, else the input of its first model
// and the output of its last.
func (g *gathered) said(rules *Rules) (asked, answered string) {
	if g.run != nil {
		asked, answered = g.run.Input, g.run.Output
	}
	for _, m := range g.models {
		asked = cmp.Or(asked, m.Input)
	}
	for _, m := range slices.Backward(g.models) {
		answered = cmp.Or(answered, m.Output)
	}
	return text(rules, asked), text(rules, answered)
}

// began and ended describe the run without content.
func (g *gathered) began(name string, fresh bool) string {
	if !fresh {
		return "More of a run of " + name
	}
	return "A run of " + name
}

func (g *gathered) ended(rules *Rules, calls, omitted int) string {
	many := fmt.Sprintf("%d tool calls", calls)
	if calls == 1 {
		many = "1 tool call"
	}
	if omitted > 0 {
		many += fmt.Sprintf(", of which %d are left out", omitted)
	}
	if g.run == nil || !g.run.Failed {
		return "Done after " + many
	}
	if g.run.Failure == "" {
		return "Failed after " + many
	}
	return text(rules, "Failed after "+many+": "+g.run.Failure)
}

// serversOf returns the unrecorded MCP servers of a trace, as a run without an
// agent.
func serversOf(spans []*Span, rules *Rules) []Run {
	var run Run
	for _, s := range spans {
		if s.Server == "" || s.recorded {
			continue
		}
		name, kept := rename(rules.Servers, s.Server, "")
		server := Server{Name: cutRunes(name, protocol.MaxNameChars)}
		if rule := apply(rules.Servers, s.Server, ""); rule != nil {
			server.URL = rule.URL
		}
		if kept && server.Name != "" && !slices.Contains(run.Servers, server) {
			run.Servers = append(run.Servers, server)
		}
	}
	if len(run.Servers) == 0 {
		return nil
	}
	return []Run{run}
}
