package otel

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// Parent is the name of the agent whose run this one is part of, empty for none, and
	// Group the program if the agent has another name.
	Parent, Group string
	// State is how the run ended: ActivityDone or ActivityFailed, or empty if it is not
	// known, or was reported before. Failure is the type of the error. Usage is what the
	// run used.
	State, Failure string
	Usage          protocol.Usage
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
	agent, service, conversation string
	// parent is the run of another agent that this one is part of, nil for none.
	parent *Span
	// run is nil for spans whose run is unknown.
	run    *Span
	inner  []*Span
	calls  []*Span
	models []*Span
	// again says that a part of the run was recorded already, and asAgent that models alone
	// are a run.
	again, asAgent bool
}

// runs returns the unrecorded runs of a trace, and marks them as recorded. With asAgent a
// program that traces its models only is an agent.
func (t *trace) runs(rules *Rules, asAgent bool) []Run {
	spans := slices.SortedFunc(maps.Values(t.spans), earlier)
	t.prepare()
	all := &groups{trace: t, only: t.only(), asAgent: asAgent, byKey: map[string]*gathered{}}
	for _, s := range spans {
		all.add(s)
	}
	var runs []Run
	for _, g := range all.order {
		if run, ok := g.finish(t, rules); ok {
			runs = append(runs, run)
		}
	}
	runs = append(runs, serversOf(spans, rules)...)
	for _, s := range spans {
		s.recorded = true
	}
	return runs
}

// earlier orders spans by time, and those with the same time, which is common for
// clocks of milliseconds, in the order of arrival: programs send them when they
// end.
func earlier(a, b *Span) int {
	return cmp.Or(a.Start.Compare(b.Start), cmp.Compare(a.order, b.order))
}

// groups are the runs of a trace, in order.
type groups struct {
	*trace

	only    map[string]*Span
	asAgent bool
	byKey   map[string]*gathered
	order   []*gathered
}

// add adds a span to the run that it is part of. Spans whose run is unknown belong to
// the only run of their trace, or of the agent that they name, else to a run of
// their own.
func (all *groups) add(s *Span) {
	switch s.Kind {
	case Other, Outcome, Chain:
		return
	case AgentRun:
		if !s.frame {
			run := all.outermost(s)
			all.of(run).add(s)
			all.handOver(run)
		}
		return
	case Retrieval:
		if all.callAbove(s) != nil {
			return // it is how the tool works
		}
	case ToolCall, Chat:
	}
	run, _ := all.runOf(s)
	if run == nil {
		run = all.only[s.Agent]
	}
	switch {
	case run != nil:
		all.of(all.outermost(run)).add(s)
	case s.Kind == ToolCall || s.Agent != "" && s.Kind == Chat || all.asAgent:
		name := cmp.Or(s.Agent, s.Service, unnamed)
		all.get("name "+name, &gathered{agent: name, service: s.Service, asAgent: all.asAgent}).add(s)
	}
}

// handOver adds a run as a step of the one that handed over to it, unless the call of a
// tool is that step.
func (all *groups) handOver(run *Span) {
	outer, _ := all.runOf(run)
	if outer == nil {
		return
	}
	outer = all.outermost(outer)
	if outer == run || outer.Agent == run.Agent {
		return
	}
	all.of(run).parent = outer
	if outer.recorded && run.recorded || all.callAbove(run) != nil {
		return
	}
	all.of(outer).add(&Span{
		Kind: AgentRun, Tool: cmp.Or(run.Agent, run.Service, unnamed), ID: run.ID, Service: run.Service, Start: run.Start, End: run.End,
		Failed: run.Failed, Failure: run.Failure,
	})
}

// callAbove returns the call of a tool that a span is below, in the same run.
func (t *trace) callAbove(s *Span) *Span {
	for above := range t.above(s) {
		switch {
		case above.Kind == ToolCall:
			return above
		case above.Kind == AgentRun && !above.frame:
			return nil
		}
	}
	return nil
}

func (all *groups) of(run *Span) *gathered {
	return all.get(run.ID, &gathered{agent: cmp.Or(run.Agent, run.Service, unnamed), service: run.Service, run: run})
}

func (all *groups) get(key string, fresh *gathered) *gathered {
	if all.byKey[key] == nil {
		all.byKey[key] = fresh
		all.order = append(all.order, fresh)
	}
	return all.byKey[key]
}

func (g *gathered) add(s *Span) {
	if g.conversation == "" || s == g.run {
		g.conversation = cmp.Or(s.Conversation, g.conversation)
	}
	switch {
	case s.recorded:
		g.again = true
	case s == g.run:
	case s.Kind == AgentRun && s.Tool == "":
		g.inner = append(g.inner, s)
	case s.Kind == Chat:
		g.models = append(g.models, s)
	default:
		g.calls = append(g.calls, s)
	}
}

// finish returns the run; false if there is nothing new, or if rules omit it.
func (g *gathered) finish(t *trace, rules *Rules) (Run, bool) {
	asked := g.asAgent && len(g.models) > 0
	fresh := !g.again && (asked || g.run != nil && !g.run.recorded)
	name, kept := rename(rules.Agents, g.agent, g.service)
	calls := g.steps(t, rules)
	if !kept || !fresh && !asked && len(calls) == 0 {
		return Run{}, false
	}
	run := Run{Agent: agentName(name)}
	start, end := g.times()
	run.Start = start
	g.relate(&run, rules)
	if fresh {
		run.Asked, run.Answered = g.said(rules)
		run.State, run.Usage = protocol.ActivityDone, g.usage(t, calls)
		if g.run != nil && g.run.Failed {
			run.State, run.Failure = protocol.ActivityFailed, g.run.errorType
		}
	}
	steps := []protocol.JourneyStep{{
		Type: protocol.StepOrigin, Content: cmp.Or(run.Asked, g.began(run.Agent, fresh)), MessageID: g.id() + "-in",
	}}
	left := stepsBytes
	run.Tools = toolsOf(calls)
	for _, c := range calls {
		if step, ok := c.step(rules, &left); ok && len(steps) < protocol.MaxJourneySteps-1 {
			steps = append(steps, step)
		}
	}
	steps = append(steps, protocol.JourneyStep{
		Type: protocol.StepDestination, Content: cmp.Or(run.Answered, g.ended(rules, calls, len(calls)-len(steps)+1)), MessageID: g.id() + "-out",
	})
	run.Journey = protocol.Journey{Steps: steps, StartedAt: protocol.FormatTime(start), CompletedAt: protocol.FormatTime(end)}
	return run, true
}

// relate sets the names of the agent that the run is part of, and of its program.
func (g *gathered) relate(run *Run, rules *Rules) {
	if g.parent != nil {
		name, kept := rename(rules.Agents, cmp.Or(g.parent.Agent, g.parent.Service, unnamed), g.parent.Service)
		if name = agentName(name); kept && name != run.Agent {
			run.Parent = name
		}
	}
	if group := cutRunes(g.service, protocol.MaxGroupChars); group != run.Agent && !strings.HasPrefix(group, "unknown_service") {
		run.Group = group
	}
}

// toolsOf returns the names of the tools, each once, that an agent may register.
func toolsOf(calls []call) (tools []string) {
	for _, c := range calls {
		if c.Kind == ToolCall && !slices.Contains(tools, c.Tool) && len(tools) < protocol.MaxToolNames-1 {
			tools = append(tools, c.Tool)
		}
	}
	return tools
}

func (g *gathered) all() []*Span {
	all := slices.Concat(g.inner, g.calls, g.models)
	if g.run != nil {
		all = append(all, g.run)
	}
	return all
}

// id identifies the run in its conversation, which links the runs of one.
func (g *gathered) id() string {
	id := ""
	for _, s := range g.all() {
		id = s.ID // all has the run last
	}
	if g.conversation == "" {
		return id
	}
	return g.conversation + "/" + id
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
	switch {
	case fresh:
		return "A run of " + name
	case g.again:
		return "More of a run of " + name
	}
	return "Tool calls of " + name
}

func (g *gathered) ended(rules *Rules, calls []call, omitted int) string {
	counts := map[Kind]int{}
	for _, c := range calls {
		counts[c.Kind]++
	}
	var parts []string
	for _, one := range []struct {
		kind       Kind
		name, many string
	}{{ToolCall, "tool call", "tool calls"}, {Retrieval, "retrieval", "retrievals"}, {AgentRun, "handoff", "handoffs"}} {
		switch n := counts[one.kind]; {
		case n == 1:
			parts = append(parts, "1 "+one.name)
		case n > 0 || one.kind == ToolCall && len(calls) == 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, one.many))
		}
	}
	many := strings.Join(parts, " and ")
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
