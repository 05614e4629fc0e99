package otel

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

// A framework and the library of the model report one request, and the run states its total
// as well.
func TestUsageIsCountedOnce(t *testing.T) {
	t.Parallel()
	c := NewCollector(largeLimits(), nil)
	used := func(in, out float64) *protocol.Usage {
		return &protocol.Usage{InputTokens: &in, OutputTokens: &out, CostUSD: new(in / 10)}
	}
	_, err := c.Add(zero, []*Span{
		{Trace: "t", ID: "r", Kind: AgentRun, Agent: "Ada", usage: used(99, 99)},
		{Trace: "t", ID: "m", Parent: "r", Kind: Chat, usage: used(1, 10)},
		{Trace: "t", ID: "l", Parent: "m", Kind: Chat, usage: used(1, 10)},
		{Trace: "t", ID: "n", Parent: "r", Kind: Chat, usage: used(2, 20)},
		{Trace: "t", ID: "c", Parent: "r", Kind: ToolCall, Tool: "search"},
		{Trace: "t", ID: "d", Parent: "r", Kind: ToolCall, Tool: "book", Failed: true},
		{Trace: "t", ID: "e", Parent: "r", Kind: Retrieval, Tool: "docs"},
		{Trace: "u", ID: "r", Kind: AgentRun, Agent: "Bob", usage: used(7, 8)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]protocol.Usage{}
	for _, run := range c.Flush() {
		got[run.Agent] = run.Usage
	}
	want := map[string]protocol.Usage{
		"Ada": {InputTokens: new(3.0), OutputTokens: new(30.0), CostUSD: new(0.3), ToolCalls: new(2.0), Errors: new(1.0)},
		"Bob": {InputTokens: new(7.0), OutputTokens: new(8.0), CostUSD: new(0.7), ToolCalls: new(0.0), Errors: new(0.0)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The calls of a run that has not ended say that its agent is at work; the end of the run
// says how it went, with or without the text of its error.
func TestAgentsWorkUntilTheirRunsEnd(t *testing.T) {
	t.Parallel()
	rules, err := ParseRules([]byte(`agents: [{match: "Bob", name: "Robert"}, {match: "Eve", drop: true}]`))
	if err != nil {
		t.Fatal(err)
	}
	limits := largeLimits()
	limits.Settle, limits.Wait = time.Second, time.Hour
	c := NewCollector(limits, rules)
	add := func(after time.Duration, spans ...*Span) []Run {
		t.Helper()
		if _, err := c.Add(zero.Add(after), spans); err != nil {
			t.Fatal(err)
		}
		return c.Take(zero.Add(after + limits.Settle))
	}
	working := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, c.Working()); diff != "" {
			t.Error(diff)
		}
	}
	working()
	runs := add(0,
		&Span{Trace: "a", ID: "1", Parent: "r", Kind: ToolCall, Tool: "search", Agent: "Ada"},
		&Span{Trace: "b", ID: "1", Parent: "r", Kind: Chat, Agent: "Bob"},
		&Span{Trace: "e", ID: "1", Parent: "r", Kind: ToolCall, Tool: "search", Agent: "Eve"},
		&Span{Trace: "s", ID: "1", Parent: "r", Kind: ToolCall, Tool: "search", Service: "shop"},
		&Span{Trace: "w", ID: "r", Kind: AgentRun, Agent: "Whole"},
	)
	if len(runs) != 1 || runs[0].Agent != "Whole" || runs[0].State != protocol.ActivityDone {
		t.Errorf("the complete runs are %+v", runs)
	}
	working("Ada", "Robert", "shop")
	runs = add(2*time.Second, &Span{Trace: "a", ID: "r", Kind: AgentRun, Agent: "Ada", Failed: true, errorType: "TimeoutError", Failure: "no answer from db.example.com"})
	if len(runs) != 1 || runs[0].State != protocol.ActivityFailed || runs[0].Failure != "TimeoutError" {
		t.Errorf("the run that failed is %+v", runs)
	}
	working("Robert", "shop")
	// A span that comes later says nothing new about the state.
	runs = add(4*time.Second, &Span{Trace: "a", ID: "2", Parent: "r", Kind: ToolCall, Tool: "book"})
	if len(runs) != 1 || runs[0].State != "" {
		t.Errorf("the late span is %+v", runs)
	}
	c.Flush()
	working()
}

// The names of agents that start others, and of their program, follow the rules.
func TestRunsNameTheirParents(t *testing.T) {
	t.Parallel()
	rules, err := ParseRules([]byte(`agents: [{match: "lead", name: "Lead"}, {match: "same-*", name: "Same"}]`))
	if err != nil {
		t.Fatal(err)
	}
	c := NewCollector(largeLimits(), rules)
	_, err = c.Add(zero, []*Span{
		{Trace: "t", ID: "a", Kind: AgentRun, Agent: "lead", Service: "shop"},
		{Trace: "t", ID: "b", Parent: "a", Kind: ToolCall, Tool: "ask"},
		{Trace: "t", ID: "c", Parent: "b", Kind: AgentRun, Agent: "helper", Service: "shop"},
		{Trace: "u", ID: "a", Kind: AgentRun, Agent: "same-1", Service: "unknown_service:python"},
		{Trace: "u", ID: "b", Parent: "a", Kind: AgentRun, Agent: "same-2", Service: "Same"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]string{}
	for _, run := range c.Flush() {
		got[run.Agent] = [2]string{run.Parent, run.Group}
	}
	want := map[string][2]string{"Lead": {"", "shop"}, "helper": {"Lead", "shop"}, "Same": {"", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
