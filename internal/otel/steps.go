package otel

import (
	"cmp"
	"slices"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// call is a step: the call of a tool, a retrieval, or a hand-over to another agent. Tool
// is its name after the rules.
type call struct {
	*Span
	Tool string
}

// steps returns the steps of a run in order of time, without those that rules omit. What
// several spans report is one step.
func (g *gathered) steps(t *trace, rules *Rules) []call {
	spans := g.distinct(t)
	spans = append(spans, g.saidOnly(spans)...)
	slices.SortStableFunc(spans, func(a, b *Span) int { return a.Start.Compare(b.Start) })
	var calls []call
	for _, s := range spans {
		list, service, prefix := rules.Tools, "", ""
		if s.Kind == AgentRun || s.handsOver {
			if len(calls) > 0 && calls[len(calls)-1].to(s.Tool) {
				continue
			}
			handOver := *s
			handOver.Kind, s = AgentRun, &handOver
			list, service, prefix = rules.Agents, s.Service, "handoff to "
		}
		if name, kept := rename(list, s.Tool, service); kept {
			calls = append(calls, call{s, cutRunes(prefix+name, protocol.MaxToolNameChars)})
		}
	}
	return calls
}

// to reports whether a call hands over to an agent.
func (c *call) to(agent string) bool {
	if c.handsOver {
		return c.Span.Tool == agent
	}
	tool := normal(c.Span.Tool)
	for _, verb := range []string{"transferto", "handoffto", "delegateto"} {
		if to, ok := strings.CutPrefix(tool, verb); ok && c.Kind == ToolCall {
			return to == "agent" || to == normal(agent)
		}
	}
	return false
}

// distinct merges the spans of one call: the request to an MCP server that carries it out,
// a span with the same id, and spans about its start and its end.
func (g *gathered) distinct(t *trace) []*Span {
	var found []*Span
	byID := map[string]*Span{}
	moments := map[string]*Span{}
	merge := func(into, s *Span) {
		into.Failed, into.Failure = into.Failed || s.Failed, cmp.Or(into.Failure, s.Failure)
		into.Arguments, into.Result = cmp.Or(into.Arguments, s.Arguments), cmp.Or(into.Result, s.Result)
		if s.End.After(into.End) {
			into.End = s.End
		}
	}
	for _, s := range g.calls {
		if s.Kind == ToolCall && t.carriesOut(s) {
			continue
		}
		if s.CallID != "" {
			if known := byID[s.CallID]; known != nil {
				merge(known, s)
				continue
			}
			byID[s.CallID] = s
		}
		if s.phase != "" {
			key := s.Parent + " " + s.base
			known := moments[key]
			if known != nil && !strings.HasPrefix(s.phase, "start") && s.phase != "begin" {
				merge(known, s)
				if known.Tool == known.name {
					known.Tool = known.base
				}
				switch s.phase {
				case "error", "failed", "failure":
					known.Failed = true
				case "finish", "finished", "end", "ended", "complete", "completed":
					delete(moments, key)
				}
				continue
			}
			moments[key] = s
		}
		found = append(found, s)
	}
	return found
}

// carriesOut reports whether a span is a part of the call of a tool above it: a call of the
// same tool, or the request to an MCP server under whose name the tool is known.
func (t *trace) carriesOut(s *Span) bool {
	for above := range t.above(s) {
		switch {
		case above.Kind == AgentRun && !above.frame:
			return false
		case above.Kind == ToolCall && (above.Tool == s.Tool || s.Server != "" && strings.HasSuffix(above.Tool, "_"+s.Tool)):
			return true
		}
	}
	return false
}

// saidOnly returns the calls in the messages of the run, or else of its models, that no
// span reports.
func (g *gathered) saidOnly(spans []*Span) []*Span {
	ids, names := map[string]bool{}, map[string]bool{}
	for _, s := range spans {
		if s.Kind == ToolCall && s.CallID == "" {
			return nil // a call in a message may be this one
		}
		ids[s.CallID] = true
		names[normal(s.Tool)] = true
	}
	from := []*Span{}
	if g.run != nil && !g.again && len(g.run.said) > 0 {
		from = append(from, g.run)
	} else {
		from = append(from, g.models...)
	}
	var found []*Span
	for _, s := range from {
		for _, one := range s.said {
			if one.ID != "" && ids[one.ID] || one.ID == "" && names[normal(one.Tool)] {
				continue
			}
			ids[one.ID] = true
			found = append(found, &Span{
				Kind: ToolCall, Tool: one.Tool, CallID: one.ID, ID: cmp.Or(one.ID, s.ID), Start: s.End, End: s.End, Arguments: one.Arguments, Result: given(one.Result),
			})
		}
	}
	return found
}
