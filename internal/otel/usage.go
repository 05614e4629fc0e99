package otel

import (
	"math"
	"strconv"
	"strings"

	"github.com/playctl/playctl/protocol"
)

// amounts are the attributes in which products have a number, and the names that it has in
// the objects of usageObjects.
type amounts struct{ attributes, names []string }

var (
	inputTokens = amounts{
		[]string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.inputTokens", "ai.usage.promptTokens"},
		[]string{"input", "input_tokens", "prompt_tokens"},
	}
	outputTokens = amounts{
		[]string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion", "ai.usage.outputTokens", "ai.usage.completionTokens"},
		[]string{"output", "output_tokens", "completion_tokens"},
	}
	cost = amounts{
		[]string{"gen_ai.usage.cost", "gen_ai.usage.total_cost", "llm.cost.total", "operation.cost"},
		[]string{"total"},
	}
)

// Langfuse, MLflow and Braintrust have the tokens as an object in JSON, and Langfuse the
// cost.
var (
	tokenObjects = []string{"langfuse.observation.usage_details", "mlflow.chat.tokenUsage", "braintrust.metrics"}
	costObjects  = []string{"langfuse.observation.cost_details"}
)

// claudeInput are the parts of the input of a request in spans of Claude Code.
var claudeInput = []string{"input_tokens", "cache_read_tokens", "cache_creation_tokens"}

// usage returns what a span says that models used; nil if it says nothing.
func (r *reported) usage() *protocol.Usage {
	u := protocol.Usage{
		InputTokens: r.amount(inputTokens, tokenObjects), OutputTokens: r.amount(outputTokens, tokenObjects), CostUSD: r.amount(cost, costObjects),
	}
	if strings.HasPrefix(r.scope, claudeCode) {
		for _, key := range claudeInput {
			u.InputTokens = sum(u.InputTokens, amountOf(r.value(key)))
		}
		u.OutputTokens = sum(u.OutputTokens, amountOf(r.value("output_tokens")))
		u.CostUSD = sum(u.CostUSD, amountOf(r.value("cost_usd")))
	}
	if u == (protocol.Usage{}) {
		return nil
	}
	return &u
}

func (r *reported) amount(of amounts, objects []string) *float64 {
	if n := amountOf(r.value(of.attributes...)); n != nil {
		return n
	}
	var inside map[string]any
	text := plain(r.value(objects...))
	if text == "" || unmarshal([]byte(text), &inside) != nil {
		return nil
	}
	for _, name := range of.names {
		if n, is := inside[name].(float64); is {
			return valid(n)
		}
	}
	return nil
}

// amountOf returns a value as a number from 0; nil if it is none.
func amountOf(value anyValue) *float64 {
	switch {
	case value.IntValue != nil:
		return valid(float64(*value.IntValue))
	case value.DoubleValue != nil:
		return valid(float64(*value.DoubleValue))
	case value.StringValue != nil:
		if n, err := strconv.ParseFloat(*value.StringValue, 64); err == nil {
			return valid(n)
		}
	}
	return nil
}

// valid returns a number if a usage can have it, otherwise nil.
func valid(n float64) *float64 {
	if n >= 0 && !math.IsInf(n, 0) {
		return &n
	}
	return nil
}

// sum adds numbers of which nil is not known. It rounds to billionths, because sums of costs
// such as 0.1 and 0.2 have no exact value.
func sum(a, b *float64) *float64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return valid(math.Round((*a+*b)*1e9) / 1e9)
}

// usage returns what the run used: the total of its requests to models, or what the run
// itself states if they state nothing.
func (g *gathered) usage(t *trace, calls []call) protocol.Usage {
	var total protocol.Usage
	add := func(s *Span) {
		total.InputTokens, total.OutputTokens = sum(total.InputTokens, s.usage.InputTokens), sum(total.OutputTokens, s.usage.OutputTokens)
		total.CostUSD = sum(total.CostUSD, s.usage.CostUSD)
	}
	for _, s := range g.models {
		if s.usage != nil && !t.countedAbove(s) {
			add(s)
		}
	}
	if total == (protocol.Usage{}) && g.run != nil && g.run.usage != nil {
		add(g.run)
	}
	var made, failed float64
	for _, c := range calls {
		if c.Kind == ToolCall {
			made++
			if c.Failed {
				failed++
			}
		}
	}
	total.ToolCalls, total.Errors = &made, &failed
	return total
}

// countedAbove reports whether a request to a model above a span has the same usage: a
// framework and the model's library may both report it.
func (t *trace) countedAbove(s *Span) bool {
	for above := range t.above(s) {
		if above.Kind == AgentRun {
			return false
		}
		if above.Kind == Chat && above.usage != nil {
			return true
		}
	}
	return false
}
