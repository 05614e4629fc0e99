package otel

import "cmp"

// prepare evaluates what only the relations of spans say: which tool calls failed according
// to the spans below them, which spans are runs of agents or calls of tools although
// nothing in them says so, and which runs are frames. New spans may change that.
func (t *trace) prepare() {
	if t.prepared {
		return
	}
	t.prepared = true
	for _, s := range t.spans {
		s.frame = false
		if call := t.spans[s.Parent]; s.Kind == Outcome && s.Failed && call != nil && call.Kind == ToolCall {
			call.Failed, call.Failure = true, cmp.Or(call.Failure, s.Failure)
		}
	}
	t.findSubagents()
	t.findCandidates()
	t.findExperts()
	t.findChains()
	t.findTools()
	for _, run := range t.frames() {
		run.frame = true
	}
}

// findSubagents turns the execution of a tool call into a run if an agent of its own
// reports spans below it, as in Claude Code.
func (t *trace) findSubagents() {
	for _, s := range t.spans {
		within := t.spans[s.Parent]
		if s.subagent == "" || within == nil || within.subagent == s.subagent || within.Kind != Outcome {
			continue
		}
		within.Kind = AgentRun
		within.Agent = subagentOf(within, t.spans[within.Parent])
	}
}

// subagentOf returns the name of the agent in the execution of a tool call.
func subagentOf(within, call *Span) string {
	if name := within.subagentName; name != "" {
		return name
	}
	if call != nil && call.subagentName != "" {
		return call.subagentName
	}
	return cmp.Or(within.Service, unnamed) + " subagent"
}

// findCandidates turns spans that name an agent, and have calls of tools or models below
// them, into runs.
func (t *trace) findCandidates() {
	for _, s := range t.spans {
		if s.Kind != ToolCall && s.Kind != Chat || s.candidate {
			continue
		}
		for above := range t.above(s) {
			if above.Kind == AgentRun {
				break
			}
			if above.candidate {
				above.Kind, above.candidate = AgentRun, false
				break
			}
		}
	}
}

// work is what a node of a graph does.
type work struct{ calls, models bool }

// findExperts turns the visits of a graph's nodes that are agents of their own into runs,
// and the graph that visits them into a run that hands over to them.
func (t *trace) findExperts() {
	nodes := t.workOfNodes()
	names := map[string]bool{}
	for node, does := range nodes {
		if does.calls && does.models {
			names[node.name] = true
		}
	}
	for node, does := range nodes {
		if !expertNames.MatchString(node.name) && (len(names) < 2 || !does.calls || !does.models) {
			continue
		}
		node.Kind, node.Agent = AgentRun, node.name
		_, missing := t.runOf(node)
		if top := t.topmost(node); top != nil && !missing && !generic(top.name) {
			top.Kind, top.Agent = AgentRun, top.name
		}
	}
}

// workOfNodes returns the visits of nodes below which tools or models are called, in no run
// of an agent.
func (t *trace) workOfNodes() map[*Span]work {
	nodes := map[*Span]work{}
	for _, s := range t.spans {
		if s.Kind != ToolCall && s.Kind != Chat {
			continue
		}
		for above := range t.above(s) {
			if above.Kind == AgentRun {
				break
			}
			if above.Kind == Chain && above.node && !generic(above.name) {
				does := nodes[above]
				nodes[above] = work{does.calls || s.Kind == ToolCall, does.models || s.Kind == Chat}
			}
		}
	}
	return nodes
}

// findChains turns the outermost parts of programs that call tools, in no run of an agent,
// into runs.
func (t *trace) findChains() {
	for _, s := range t.spans {
		if s.Kind != ToolCall {
			continue
		}
		if run, missing := t.runOf(s); run != nil || missing {
			continue
		}
		if top := t.topmost(s); top != nil {
			top.Kind = AgentRun
		}
	}
}

// topmost returns the outermost chain above a span, below any run of an agent; nil if there
// is none.
func (t *trace) topmost(s *Span) *Span {
	var top *Span
	for above := range t.above(s) {
		if above.Kind == AgentRun {
			break
		}
		if above.Kind == Chain {
			top = above
		}
	}
	return top
}

// findTools turns spans below runs of agents that have the name of a tool into calls.
func (t *trace) findTools() {
	for _, s := range t.spans {
		if s.Kind == Other && s.Tool != "" && s.Server == "" {
			if run, _ := t.runOf(s); run != nil {
				s.Kind = ToolCall
			}
		}
	}
}

// above returns the spans above a span, the nearest first.
func (t *trace) above(s *Span) func(yield func(*Span) bool) {
	return func(yield func(*Span) bool) {
		at := s
		for range longestWay {
			parent := t.spans[at.Parent]
			if parent == nil || parent == s || !yield(parent) {
				return
			}
			at = parent
		}
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
		for _, agent := range []string{"", outer.Agent} {
			if found, there := only[agent]; there && found != outer {
				only[agent] = nil
				continue
			}
			only[agent] = outer
		}
	}
	return only
}

// outermost follows runs of the same agent, and those without a name inside a run:
// frameworks report one run at several levels.
func (t *trace) outermost(run *Span) *Span {
	for range mostLevels {
		outer, _ := t.runOf(run)
		if outer == nil || outer.Agent != run.Agent && run.Agent != "" || outer == run {
			return run
		}
		run = outer
	}
	return run
}
