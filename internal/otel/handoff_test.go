package otel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A hand-over is one step, however many spans report it.
func TestHandoffs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spans string
		want  []string
	}{
		"runs inside a run": {`a - | invoke_agent Planner
			b a | step
			c b | invoke_agent Booker
			d c | execute_tool book
			e a | execute_tool ask
			f e | invoke_agent Clerk`, []string{"Planner: handoff to Booker ask", "Booker: book", "Clerk: "}},
		"a span of its own": {`a - | main | traceloop.span.kind=workflow
			b a | Triage.agent | traceloop.span.kind=agent | gen_ai.agent.name=Triage
			c b | Triage → Refunds.handoff | traceloop.span.kind=handoff | gen_ai.handoff.from_agent=Triage | gen_ai.handoff.to_agent=Refunds
			d a | Refunds.agent | traceloop.span.kind=agent | gen_ai.agent.name=Refunds
			e d | pay.tool | traceloop.span.kind=tool | gen_ai.tool.name=pay`, []string{"Triage: handoff to Refunds", "Refunds: pay"}},
		"a span of its own, and the run": {`a - | invoke_agent Planner
			b a | hand over | gen_ai.handoff.to_agent=Booker
			c a | invoke_agent Booker`, []string{"Planner: handoff to Booker", "Booker: "}},
		"a call of a tool, and the run": {`a - | invoke_agent Planner
			b a | call_llm
			c b | execute_tool transfer_to_agent
			d b | invoke_agent Booker
			e a | execute_tool transfer_to_clerk_desk
			f a | invoke_agent Clerk Desk
			g a | execute_tool transfer_to_money
			h a | invoke_agent Clerk Desk`, []string{"Planner: transfer_to_agent transfer_to_clerk_desk transfer_to_money handoff to Clerk Desk", "Booker: ", "Clerk Desk: ", "Clerk Desk: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collector := NewCollector(largeLimits(), nil)
			if _, err := collector.Add(zero, described(t, c.spans, true)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, summaries(collector.Flush())); diff != "" {
				t.Error(diff)
			}
		})
	}
}
