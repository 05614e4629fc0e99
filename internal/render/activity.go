package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/playctl/playctl/protocol"
)

// urgency lists the states of agents in the order in which people look at them: who
// waits for a person comes first. Rows that say nothing, or something unknown, come last.
var urgency = []string{
	protocol.ActivityWaiting, protocol.ActivityFailed, protocol.ActivityWorking, protocol.ActivityDone, protocol.ActivityIdle,
}

// urgencyOf returns the place of a row in the order of urgency, from 0.
func urgencyOf(row *protocol.Agent) int {
	for i, state := range urgency {
		if StateOf(row) == state {
			return i
		}
	}
	return len(urgency)
}

// StateOf returns the state of an agent, "" if its row says nothing.
func StateOf(row *protocol.Agent) string {
	if row.Activity == nil {
		return ""
	}
	return row.Activity.State
}

// toneOf returns the tone of a state. The words say the same.
func toneOf(state string) tone {
	switch state {
	case protocol.ActivityWaiting:
		return warn
	case protocol.ActivityFailed:
		return bad
	case protocol.ActivityWorking:
		return good
	case protocol.ActivityDone:
		return accent
	}
	return faint
}

// CountAgents counts agents by their states.
func CountAgents(rows []*protocol.Agent) (counts protocol.AgentCounts) {
	for _, row := range rows {
		counts.Add(StateOf(row))
	}
	return counts
}

// CountsText returns counts as "3 working · 1 waiting"; "" if there are none.
func CountsText(counts protocol.AgentCounts) string {
	var texts []string
	for _, state := range []struct {
		word  string
		count int
	}{
		{protocol.ActivityWorking, counts.Working}, {protocol.ActivityWaiting, counts.Waiting}, {protocol.ActivityFailed, counts.Failed},
		{protocol.ActivityDone, counts.Done}, {protocol.ActivityIdle, counts.Idle},
	} {
		if state.count > 0 {
			texts = append(texts, strconv.Itoa(state.count)+" "+state.word)
		}
	}
	return strings.Join(texts, " · ")
}

// DoingText returns what an agent does in its own words, with the tool in use unless they
// name it: "Editing commit.go (edit)". It is not cleaned.
func DoingText(activity *protocol.Activity) string {
	if activity == nil {
		return ""
	}
	if activity.Text == "" || strings.Contains(activity.Text, activity.ToolName) {
		return cmp.Or(activity.Text, activity.ToolName)
	}
	return activity.Text + " (" + activity.ToolName + ")"
}

// SinceText returns how long a state has lasted: "12 s", "2 min". It is "" for a time that
// cannot be read.
func (l Look) SinceText(activity *protocol.Activity) string {
	if activity == nil {
		return ""
	}
	since, err := time.Parse(time.RFC3339, activity.Since)
	if err != nil {
		return ""
	}
	lasted := max(l.Now.Sub(since), 0) // the host's clock may be ahead
	if lasted < time.Second {
		return "0 s"
	}
	return Span(lasted)
}

// StateText returns a state and how long it has lasted: "waiting 2 min".
func (l Look) StateText(activity *protocol.Activity) string {
	if activity == nil {
		return ""
	}
	return strings.TrimSpace(activity.State + " " + l.SinceText(activity))
}

// UsageText returns what is known of the use of a run: "12.3k tokens, $0.31, 4 tool calls, 1
// error".
func UsageText(activity *protocol.Activity) string {
	if activity == nil || activity.Usage == nil {
		return ""
	}
	usage, texts := activity.Usage, []string(nil)
	if tokens := TokensText(usage); tokens != "" {
		texts = append(texts, tokens+" tokens")
	}
	if cost := CostText(usage); cost != "" {
		texts = append(texts, cost)
	}
	for _, count := range []struct {
		number *float64
		one    string
	}{{usage.ToolCalls, "tool call"}, {usage.Errors, "error"}} {
		switch {
		case count.number == nil:
		case *count.number == 1:
			texts = append(texts, "1 "+count.one)
		default:
			texts = append(texts, amountText(*count.number)+" "+count.one+"s")
		}
	}
	return strings.Join(texts, ", ")
}

// TokensText returns how many tokens a run has used, "" if it is not known: "950",
// "12.3k", "1.2M".
func TokensText(usage *protocol.Usage) string {
	if usage == nil || usage.InputTokens == nil && usage.OutputTokens == nil {
		return ""
	}
	return amountText(amount(usage.InputTokens) + amount(usage.OutputTokens))
}

// CostText returns what a run has cost, "" if it is not known: "$0.31".
func CostText(usage *protocol.Usage) string {
	switch {
	case usage == nil || usage.CostUSD == nil:
		return ""
	case *usage.CostUSD > 0 && *usage.CostUSD < 0.005:
		return "<$0.01"
	case *usage.CostUSD >= 1000:
		return "$" + amountText(*usage.CostUSD)
	}
	return fmt.Sprintf("$%.2f", *usage.CostUSD)
}

func amount(number *float64) float64 {
	if number == nil {
		return 0
	}
	return *number
}

// amountText returns a number in at most 5 digits, with a letter for thousands and more.
func amountText(number float64) string {
	if number < 999.5 {
		return fmt.Sprintf("%.0f", number)
	}
	for _, letter := range []string{"k", "M", "G", "T"} {
		number /= 1000
		switch {
		case number < 99.95:
			return fmt.Sprintf("%.1f%s", number, letter)
		case number < 999.5:
			return fmt.Sprintf("%.0f%s", number, letter)
		}
	}
	return ">999T"
}

// acted describes a change of what an agent does.
func (n *Names) acted(data []byte) (sentence, error) {
	event, err := read[protocol.ActivityData](data)
	if err != nil {
		return sentence{}, err
	}
	text := n.Of(event.PlayerID)
	if doing := DoingText(&event.Activity); doing != "" {
		text += ": " + doing
	}
	return sentence{verb: event.Activity.State, tone: toneOf(event.Activity.State), text: text}, nil
}
