package otel

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

var zero = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// largeLimits returns limits that no test reaches by accident.
func largeLimits() Limits {
	return Limits{Traces: 100, Spans: 1000, Bytes: 16 << 20, Settle: time.Second, Wait: time.Minute}
}

// spans parses lines of "id parent kind name second": seconds are counted from
// zero, and a parent of - means none. A tool's name is "agent/tool" if the span
// names its agent.
func spans(t *testing.T, text string) []*Span {
	t.Helper()
	kinds := map[string]Kind{"agent": AgentRun, "tool": ToolCall, "chat": Chat, "other": Other}
	var all []*Span
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		var second int
		if _, err := fmt.Sscan(fields[4], &second); err != nil {
			t.Fatal(err)
		}
		s := &Span{Trace: "t1", ID: fields[0], Parent: strings.Trim(fields[1], "-"), Kind: kinds[fields[2]], Service: "svc", Start: zero.Add(time.Duration(second) * time.Second)}
		s.End = s.Start.Add(time.Second)
		switch agent, tool, named := strings.Cut(fields[3], "/"); {
		case s.Kind == AgentRun:
			s.Agent = strings.Trim(fields[3], "-")
		case s.Kind == ToolCall && named:
			s.Agent, s.Tool = agent, tool
		case s.Kind == ToolCall:
			s.Tool = fields[3]
		}
		all = append(all, s)
	}
	return all
}

// summary returns a run in one line: the agent, and its tools in order.
func summary(run *Run) string {
	var tools []string
	for _, step := range run.Journey.Steps {
		if step.Type == protocol.StepStructure {
			tools = append(tools, step.ToolName)
		}
	}
	return run.Agent + ": " + strings.Join(tools, " ")
}

func summaries(runs []Run) []string {
	var all []string
	for i := range runs {
		all = append(all, summary(&runs[i]))
	}
	return all
}

func TestRunsOfTrace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spans string
		rules string
		want  []string
	}{
		"in order of time":                       {"b a tool pay 3\nc a tool book 1\na - agent Ada 0", "", []string{"Ada: book pay"}},
		"in order of arrival at equal times":     {"a - agent Ada 0\nz a tool book 1\nb a tool pay 1", "", []string{"Ada: book pay"}},
		"through spans of other things":          {"a - agent Ada 0\nx a other http 1\nb x tool book 2", "", []string{"Ada: book"}},
		"an agent below another":                 {"a - agent Ada 0\nb a tool ask 1\nc b agent Bob 2\nd c tool dig 3", "", []string{"Ada: ask", "Bob: dig"}},
		"one run at two levels":                  {"a - agent Ada 0\nb a agent Ada 1\nc b tool dig 2", "", []string{"Ada: dig"}},
		"a run without a name":                   {"a - agent - 0\nb a tool dig 1", "", []string{"svc: dig"}},
		"a run without a name around others":     {"a - agent - 0\nx a other step 0\nb x agent Ada 1\nc b tool dig 2\nd a agent Bob 3\ne - tool Ada/dug 4", "", []string{"Ada: dig dug", "Bob: "}},
		"a run without a name that calls itself": {"a - agent - 0\nb a tool ask 1\nc b agent Bob 2\nd c tool dig 3", "", []string{"svc: ask", "Bob: dig"}},
		"a run without calls":                    {"a - agent Ada 0", "", []string{"Ada: "}},
		"calls without a run":                    {"b - tool dig 1\nc - tool dug 2", "", []string{"svc: dig dug"}},
		"calls that name their agent":            {"b - tool Ada/dig 1\nc - tool Bob/dug 2", "", []string{"Ada: dig", "Bob: dug"}},
		"a model without an agent":               {"a - chat - 1", "", nil},
		"a call whose parent was not sampled":    {"a - agent Ada 0\nb gone tool dig 1", "", []string{"Ada: dig"}},
		"two runs, and a call of neither":        {"a - agent Ada 0\nc - agent Bob 1\nb gone tool dig 2", "", []string{"Ada: ", "Bob: ", "svc: dig"}},
		"a cycle of parents":                     {"a b tool dig 1\nb a tool dug 2", "", []string{"svc: dig dug"}},
		"a cycle of runs":                        {"a b agent Ada 1\nb a agent Ada 2", "", []string{"Ada: ", "Ada: "}},
		"its own parent":                         {"a a agent Ada 1", "", []string{"Ada: "}},
		"a request that carries out the call":    {"a - agent Ada 0\nb a tool dig 1\nc b tool dig 2", "", []string{"Ada: dig"}},
		"renamed":                                {"a - agent ada-7 0\nb a tool x/dig 1", `{agents: [{match: "ada-*", name: Ada}], tools: [{match: "d*", name: mine}]}`, []string{"Ada: mine"}},
		"dropped by a rule":                      {"a - agent Ada 0\nb a tool dig 1\nc - agent Bob 2\nd c tool dug 3", `{agents: [{match: Bob, drop: true}], tools: [{match: dig, drop: true}]}`, []string{"Ada: "}},
		"by service":                             {"a - agent Ada 0", `{agents: [{service: "s*", name: Grace}]}`, []string{"Grace: "}},
		"with a slash in the name":               {"a - agent team/Ada 0", `{agents: [{match: "team*", name: Ada}]}`, []string{"Ada: "}},
		"a name that looks like a node id":       {"a - agent " + strings.Repeat("ab", 32) + " 0", "", []string{"agent abababababababab: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, err := ParseRules([]byte(c.rules))
			if err != nil {
				t.Fatal(err)
			}
			collector := NewCollector(largeLimits(), rules)
			for _, s := range spans(t, c.spans) {
				if _, err := collector.Add(zero, []*Span{s}); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, summaries(collector.Take(zero.Add(time.Minute)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLateSpans(t *testing.T) {
	t.Parallel()
	c := NewCollector(largeLimits(), nil)
	all := spans(t, "a - agent Ada 0\nb a tool book 1\nc a tool pay 2\nd a tool ship 3")
	step := func(at int, want []string, add ...*Span) {
		t.Helper()
		now := zero.Add(time.Duration(at) * time.Second)
		if len(add) > 0 {
			if _, err := c.Add(now, add); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, summaries(c.Take(now))); diff != "" {
			t.Errorf("after %d s: %s", at, diff)
		}
	}
	step(0, nil, all[1])
	step(20, nil) // the run continues: its span comes when it ends
	step(20, nil, all[0], all[2])
	step(21, []string{"Ada: book pay"})
	step(22, nil, all[2], all[0]) // sent again
	step(30, nil)
	step(31, nil, all[3])
	step(32, []string{"Ada: ship"})
	step(200, nil)
	if _, err := c.Add(zero.Add(time.Hour), spans(t, "b a tool book 1")); err != nil || len(c.Flush()) != 1 {
		t.Error("the rest at the end is not recorded")
	}
	if c.bytes != 0 || len(c.traces) != 0 {
		t.Errorf("%d bytes of %d traces remain", c.bytes, len(c.traces))
	}
}

// A handoff is a step although the run of the other agent was recorded before, because its
// span arrived first.
func TestLateHandoff(t *testing.T) {
	t.Parallel()
	c := NewCollector(largeLimits(), nil)
	all := spans(t, "a - agent Ada 0\nb a agent Bob 1\nc b tool dig 2")
	for i, want := range [][]string{{"Bob: dig"}, {"Ada: handoff to Bob"}, nil} {
		now := zero.Add(time.Duration(10*i) * time.Second)
		if _, err := c.Add(now, [][]*Span{all[1:], all[:1], all}[i]); err != nil {
			t.Fatal(err)
		}
		runs := c.Take(now.Add(2 * time.Second))
		if diff := cmp.Diff(want, summaries(runs)); diff != "" {
			t.Error(diff)
		}
		if i == 1 && runs[0].Journey.Steps[0].Content != "A run of Ada" {
			t.Errorf("the run is called %q", runs[0].Journey.Steps[0].Content)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	limits := largeLimits()
	limits.Spans, limits.Traces = 3, 2
	c := NewCollector(limits, nil)
	rejected, err := c.Add(zero, spans(t, "a - agent Ada 0\nb a tool t1 1\nc a tool t2 2\nd a tool t3 3"))
	if rejected != 1 || err != nil || c.Lost() != 1 {
		t.Errorf("%d were rejected: %v", rejected, err)
	}
	for i := range 1000 {
		s := &Span{Trace: fmt.Sprint("u", i), ID: "a", Kind: AgentRun, Agent: fmt.Sprint("B", i)}
		if _, err = c.Add(zero.Add(time.Duration(i)*time.Millisecond), []*Span{s}); err != nil {
			break
		}
	}
	if err == nil || len(c.traces) > 2 || len(c.ready) > waitingRuns+1 {
		t.Errorf("%d traces are kept and %d runs wait: %v", len(c.traces), len(c.ready), err)
	}
	runs := c.Take(zero)
	if got := summary(&runs[0]); got != "B0: " && got != "Ada: t1 t2" {
		t.Errorf("the first run is %q", got)
	}
	if _, err := c.Add(zero, nil); err != nil {
		t.Errorf("the collector is still busy: %v", err)
	}
}

// To find the trace that is dropped for a new one takes no work for each kept trace.
func TestManyTracesCostLittle(t *testing.T) {
	limits := largeLimits()
	limits.Traces = 1000
	c := NewCollector(limits, nil)
	const many = 20_000
	var all []*Span
	for i := range many {
		all = append(all, &Span{Trace: fmt.Sprint(i), ID: "a"})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if rejected, err := c.Add(zero, all); err != nil || rejected != 0 {
		t.Errorf("%d were rejected: %v", rejected, err)
	}
	runtime.ReadMemStats(&after)
	if made := (after.TotalAlloc - before.TotalAlloc) / many; made > 2000 {
		t.Errorf("%d bytes were allocated for each trace", made)
	}
	if len(c.traces) != limits.Traces || c.traces[fmt.Sprint(many-1)] == nil {
		t.Errorf("%d traces are kept", len(c.traces))
	}
}

func TestHugeRunsFitProtocol(t *testing.T) {
	t.Parallel()
	hostile := strings.Repeat("\x01<\"", 6000)
	for name, size := range map[string]int{"many": 900, "long": 60} {
		limits := largeLimits()
		c := NewCollector(limits, nil)
		all := []*Span{{Trace: "t", ID: "a", Kind: AgentRun, Agent: "Ada", Input: hostile, Output: hostile}}
		for i := range size {
			s := &Span{Trace: "t", ID: fmt.Sprint("c", i), Parent: "a", Kind: ToolCall, Tool: fmt.Sprintf("tool %d", i)}
			if name == "long" {
				s.Tool, s.Arguments, s.Result = strings.Repeat("é", 300), hostile, `{"a": "`+strings.Repeat("<", 3000)+`"}`
			}
			all = append(all, s)
		}
		if _, err := c.Add(zero, all); err != nil {
			t.Fatal(err)
		}
		runs := c.Flush()
		if len(runs) != 1 {
			t.Fatalf("%s: %d runs", name, len(runs))
		}
		checkJourney(t, &runs[0])
		last := runs[0].Journey.Steps[len(runs[0].Journey.Steps)-1]
		if name == "many" && len(runs[0].Journey.Steps) != protocol.MaxJourneySteps || last.Type != protocol.StepDestination {
			t.Errorf("%s: %d steps, the last is %v", name, len(runs[0].Journey.Steps), last)
		}
	}
}

// checkJourney reports the parts of a run that a host would refuse.
func checkJourney(t *testing.T, run *Run) {
	t.Helper()
	text, err := json.Marshal(run.Journey)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > protocol.MaxJourneyBytes {
		t.Errorf("the journey has %d bytes", len(text))
	}
	object, refused := protocol.ParseObject(text)
	if refused == nil {
		_, refused = protocol.ParseRequest[protocol.Journey](object)
	}
	if refused != nil {
		t.Errorf("the journey is refused: %v", refused)
	}
	if n := len([]rune(run.Agent)); n == 0 || n > longestAgentName {
		t.Errorf("the agent is called %q", run.Agent)
	}
	for _, tool := range run.Tools {
		if n := len([]rune(tool)); n == 0 || n > protocol.MaxToolNameChars {
			t.Errorf("a tool is called %q", tool)
		}
	}
}

func TestContentIsRedacted(t *testing.T) {
	t.Parallel()
	rules, err := ParseRules([]byte(`redact: ["sk-[a-z0-9]+"]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []bool{false, true} {
		c := NewCollector(largeLimits(), rules)
		if _, err := c.Add(zero, load(t, "content.json", content)); err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(c.Flush(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("content-%v.golden.json", content), append(text, '\n'))
		if strings.Contains(string(text), "sk-") || !content && strings.Contains(string(text), "secret question") {
			t.Errorf("the text is not redacted:\n%s", text)
		}
	}
}

// golden compares with a file; with PLAYCTL_UPDATE_GOLDEN it writes the file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if os.Getenv("PLAYCTL_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("testdata/"+name, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}
