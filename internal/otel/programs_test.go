package otel

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The spans of programs, as their frameworks report them: small ones written by hand, and
// those of Claude Code as it sent them.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"adk-names-in-span-names":           {"weather_agent: say", "news_agent: "},
		"agent-framework-calls-in-messages": {"concierge: find_hotel"},
		"agentops":                          {"aoplanner: find_hotel"},
		"ai-sdk-object":                     {"aisdk-object: "},
		"ai-sdk-text":                       {"aisdk-concierge: find_hotel"},
		"beeai-moments-of-a-call":           {"svc-beeai-events: search"},
		"claude-code-subagent":              {"claude-code: Bash Read Agent", "claude-code subagent: Bash"},
		"crewai-openinference":              {"Senior Planner: find_hotel"},
		"koog":                              {"svc-koog-tools: FindHotel"},
		"langfuse":                          {"trip planner: find_hotel"},
		"langgraph-openinference":           {"svc-langgraph-plain: find_hotel"},
		"langgraph-openllmetry":             {"svc-traceloop-langgraph: find_hotel"},
		"langgraph-supervisor":              {"supervisor: handoff to research_expert handoff to math_expert", "research_expert: find_hotel", "math_expert: add"},
		"langsmith":                         {"lsplanner: find_hotel"},
		"openlit":                           {"olplanner: find_hotel"},
		"pydantic-ai-2024":                  {"planner: find_hotel"},
		"pydantic-ai-2025":                  {"planner3b: find_hotel"},
		"smolagents-openinference":          {"svc-smolagents: final_answer"},
		"spring-ai":                         {"svc-spring-ai: find_hotel"},
		"workflow":                          {"wfA: t1", "wfB: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, content := range []bool{false, true} {
				c := NewCollector(largeLimits(), nil)
				if _, err := c.Add(zero, load(t, "programs/"+name+".json", content)); err != nil {
					t.Fatal(err)
				}
				runs := c.Take(zero.Add(largeLimits().Settle))
				if diff := cmp.Diff(want, summaries(runs)); diff != "" {
					t.Errorf("with content %v: %s", content, diff)
				}
				if hidden := c.Hidden(); len(hidden) != 0 {
					t.Errorf("hidden: %v", hidden)
				}
			}
		})
	}
}

// described returns the spans of a text with one span on a line: its id, that of its
// parent or -, its name and its attributes, divided by |. The scope is that of an
// unknown library.
func described(t *testing.T, text string, content bool) []*Span {
	t.Helper()
	var spans []string
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		id, parent, _ := strings.Cut(fields[0], " ")
		var attributes []string
		for _, pair := range fields[2:] {
			key, value, _ := strings.Cut(pair, "=")
			written, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			attributes = append(attributes, fmt.Sprintf(`{"key":%q,"value":{"stringValue":%s}}`, key, written))
		}
		idOf := func(letter string) string {
			if letter == "-" {
				return ""
			}
			return fmt.Sprintf("%016x", letter)
		}
		spans = append(spans, fmt.Sprintf(`{"traceId":"5b8efff798038103d269b633813fc60c","spanId":%q,"parentSpanId":%q,"name":%q,"kind":1,
			"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[%s]}`,
			idOf(id), idOf(parent), fields[1], 1_790_000_000_000_000_000+len(spans), 1_790_000_001_000_000_000+len(spans), strings.Join(attributes, ",")))
	}
	all, rejected := readBoth(t, []byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"svc"}}]},
		"scopeSpans":[{"scope":{"name":"some.library"},"spans":[`+strings.Join(spans, ",")+`]}]}]}`), content)
	if rejected.Total() != 0 {
		t.Fatal(rejected.Why())
	}
	return all
}

// Programs that are in no table, and spans that only look as if they were about agents.
func TestUnknownPrograms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spans string
		want  []string
	}{
		"a kind of its own": {`a - | main | zephyr.span.kind=agent | zephyr.agent.name=Zed
			b a | llm | zephyr.span.kind=llm
			c a | x | zephyr.span.kind=TOOL | zephyr.tool.name=book`, []string{"Zed: book"}},
		"a kind of its own, and names in span names": {`a - | Zed | acme_span_type=AGENT_RUN
			b a | tool: book | acme_span_type=tool_call`, []string{"Zed: book"}},
		"an observation": {`a - | trip planner | acme.observation.type=agent
			b a | book | acme.observation.type=tool`, []string{"trip planner: book"}},
		"an operation of its own": {`a - | x | acme.operation.name=invoke_agent | acme.agent.name=Zed
			b a | y | acme.operation=tool_call | acme.tool.name=book`, []string{"Zed: book"}},
		"the names of tools in those of spans": {`a - | invoke_agent Zed
			b a | toolbox | acme.span.kind=tool
			c a | tool: book | acme.span.kind=tool
			d a | running tool: pay | acme.span.kind=tool
			e a | ship.tool | acme.span.kind=tool`, []string{"Zed: toolbox book pay ship"}},
		"spans that are called like calls": {`a - | invoke_agent Zed
			b a | call_tool book
			c a | tool: pay
			d a | tool belt`, []string{"Zed: book pay"}},
		"the same without an agent": {"b - | call_tool book\nc - | tool: pay", nil},
		"operations of others":      {"a - | GET | db.operation.name=agent\nb - | x | messaging.operation.name=task\nc - | y | ci.run.type=tool", nil},
		"names only": {`a - | invoke_agent Zed
			b a | execute_tool book`, []string{"Zed: book"}},
		"operations in another spelling": {`a - | x | gen_ai.operation.name=InvokeAgent | gen_ai.agent.name=Zed
			b a | y | gen_ai.operation.name=ExecuteTool | gen_ai.tool.name=book
			c a | z | gen_ai.operation.name=call_tool | gen_ai.tool.name=pay`, []string{"Zed: book pay"}},
		"a tool's name only":    {"a - | invoke_agent Zed\nb a | whatever | gen_ai.tool.name=book", []string{"Zed: book"}},
		"a call's id only":      {"a - | invoke_agent Zed\nb a | book | gen_ai.tool.call.id=c1", []string{"Zed: book"}},
		"a weak name of a tool": {"a - | invoke_agent Zed\nb a | step | tool.name=book\nc a | GET / | http.method=GET", []string{"Zed: book"}},
		"an agent's name with a model below": {`a - | handle | gen_ai.agent.name=Zed
			b a | step
			c b | chat m | gen_ai.operation.name=chat`, []string{"Zed: "}},
		"an agent's name with a tool below":       {"a - | handle | gen_ai.agent.name=Zed\nb a | x | gen_ai.tool.name=book", []string{"Zed: book"}},
		"an agent's name with nothing below":      {"a - | handle | gen_ai.agent.name=Zed", nil},
		"an agent that is created":                {"a - | create_agent Zed | gen_ai.operation.name=create_agent | gen_ai.agent.name=Zed", nil},
		"an id for a name":                        {"a - | run | gen_ai.operation.name=invoke_agent | gen_ai.agent.id=7d0c0a5e-0000-4000-8000-000000000001", []string{"svc: "}},
		"an id that a person gave":                {"a - | run | gen_ai.operation.name=invoke_agent | gen_ai.agent.id=booker", []string{"booker: "}},
		"a run without a name inside another one": {"a - | invoke_agent Zed\nb a | run | gen_ai.operation.name=invoke_agent\nc b | execute_tool book", []string{"Zed: book"}},
		"start and end of a call by id": {`a - | invoke_agent Zed
			b a | tool.begin | gen_ai.tool.name=book | gen_ai.tool.call.id=c1
			c a | tool.end | gen_ai.tool.name=book | gen_ai.tool.call.id=c1
			d a | tool.begin | gen_ai.tool.name=book | gen_ai.tool.call.id=c2`, []string{"Zed: book book"}},
		"moments of two calls": {`a - | invoke_agent Zed
			b a | book.start-1 | zephyr.span.kind=tool
			c a | book.success-2 | zephyr.span.kind=tool
			d a | book.finish-3 | zephyr.span.kind=tool
			e a | book.start-4 | zephyr.span.kind=tool
			f a | book.error-5 | zephyr.span.kind=tool`, []string{"Zed: book book"}},
		"tools with such names": {`a - | invoke_agent Zed
			b a | execute_tool clock.start | gen_ai.tool.name=clock.start
			c a | execute_tool clock.start | gen_ai.tool.name=clock.start`, []string{"Zed: clock.start clock.start"}},
		"the span of Google ADK about parallel calls": {`a - | invoke_agent Zed
			b a | execute_tool book | gen_ai.operation.name=execute_tool | gen_ai.tool.name=book
			c a | execute_tool pay | gen_ai.operation.name=execute_tool | gen_ai.tool.name=pay
			d a | execute_tool (merged) | gen_ai.operation.name=execute_tool | gen_ai.tool.name=(merged tools) | gen_ai.tool.call.id=e1`, []string{"Zed: book pay"}},
		"tools of n8n": {`a - | workflow.execute
			b a | node.execute | n8n.node.type=@n8n/n8n-nodes-langchain.agent | n8n.node.name=Zed
			c b | node.execute | n8n.node.type=n8n-nodes-base.gmailTool | n8n.node.name=Send mail
			d b | node.execute | n8n.node.type=@n8n/n8n-nodes-langchain.toolCalculator | n8n.node.name=Sum
			e b | node.execute | n8n.node.type=n8n-nodes-base.httpRequest | n8n.node.name=HTTP`, []string{"Zed: Send mail Sum"}},
		"an MCP server under another name": {`a - | invoke_agent Zed
			b a | execute_tool mcp__seats__book | gen_ai.tool.name=mcp__seats__book
			c b | tools/call book | mcp.method.name=tools/call | gen_ai.tool.name=book | mcp.server.name=seats`, []string{": ", "Zed: mcp__seats__book"}},
		"retrievals": {`a - | invoke_agent Zed
			b a | retrieval library | gen_ai.operation.name=retrieval
			c a | execute_tool find
			d c | retrieval library | gen_ai.operation.name=retrieval`, []string{"Zed: library find"}},
		"calls in messages of models": {`a - | invoke_agent Zed
			b a | chat m | gen_ai.operation.name=chat | gen_ai.output.messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"book","arguments":{}}]}]
			c a | execute_tool pay | gen_ai.tool.name=pay | gen_ai.tool.call.id=c2
			d a | chat m | gen_ai.operation.name=chat | gen_ai.output.messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"c2","name":"pay"}]}]`, []string{"Zed: pay book"}},
		"calls in messages, and spans without ids": {`a - | invoke_agent Zed
			b a | chat m | gen_ai.operation.name=chat | gen_ai.output.messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"book","arguments":{}}]}]
			c a | execute_tool Booking`, []string{"Zed: Booking"}},
		"Logfire's names are only templates": {"a - | Agent run: {name!r} | name=Zed", nil},
		"calls in messages of OpenAI": {`a - | invoke_agent Zed
			b a | chat m | gen_ai.operation.name=chat | gen_ai.completion=[{"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"book","arguments":"{}"}}]}}]`, []string{"Zed: book"}},
		"calls in messages of other vendors": {`a - | invoke_agent Zed
			b a | chat m | gen_ai.operation.name=chat | gen_ai.output.messages=[{"type":"function_call","id":"fc_1","call_id":"c1","name":"book","arguments":"{}"}]
			c a | chat m | gen_ai.operation.name=chat | gen_ai.output.messages=[{"role":"assistant","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"t1","name":"pay","input":{}}]}]
			d a | chat m | gen_ai.operation.name=chat | gen_ai.output.messages={"role":"model","parts":[{"functionCall":{"name":"ship","args":{}}}]}
			e a | chat m | gen_ai.operation.name=chat | gen_ai.output.messages=[{"role":"assistant","content":[{"toolUse":{"toolUseId":"u1","name":"send","input":{}}}]}]
			f a | chat m | gen_ai.operation.name=chat | ai.response.toolCalls=[{"toolCallId":"v1","toolName":"call","input":"{}"}]
			g a | execute_tool book | gen_ai.tool.call.id=c1`, []string{"Zed: book pay ship send call"}},
		"calls in attributes": {`a - | invoke_agent Zed
			b a | chat m | gen_ai.operation.name=chat | gen_ai.completion.0.tool_calls.0.id=c1 | gen_ai.completion.0.tool_calls.0.name=book | gen_ai.completion.0.tool_calls.0.arguments={}`, []string{"Zed: book"}},
		"a model only":               {"a - | chat m | gen_ai.operation.name=chat", nil},
		"a retrieval only":           {"a - | retrieval library | gen_ai.operation.name=retrieval", nil},
		"a chain of models":          {"a - | answer | zephyr.span.kind=chain\nb a | chat m | gen_ai.operation.name=chat", nil},
		"embeddings":                 {"a - | embeddings m | gen_ai.operation.name=embeddings | gen_ai.request.model=m | gen_ai.agent.name=Zed", nil},
		"a web server":               {"a - | GET /agent | http.method=GET | agent.name=nodejs | span.kind=server\nb a | SELECT | db.system=postgresql\nc a | agent run | tool.name=x", nil},
		"a web server with a model":  {"a - | POST /agent | http.method=POST | agent.name=nodejs\nb a | chat m | gen_ai.operation.name=chat", nil},
		"a build":                    {"a - | build | jenkins.pipeline.step.type=tool | ci.agent.name=linux-1\nb a | node | jenkins.pipeline.step.type=agent", nil},
		"a message broker":           {"a - | agent.queue process | messaging.operation.type=process | messaging.system=kafka", nil},
		"a browser":                  {"a - | documentLoad | user_agent.name=Firefox | session.id=s1 | span.type=tool", nil},
		"a name like that of a kind": {"a - | invoke_agents | app.span.color=agent", nil},
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

// What the wrappers of frameworks have around questions, arguments and answers.
func TestContentOfPrograms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spans                   string
		asked, answered         string
		args, result, id, names string
	}{
		"OpenLLMetry": {spans: `a - | Ada.agent | traceloop.span.kind=agent | traceloop.entity.name=Ada | traceloop.entity.input={"args":[],"kwargs":{}} | traceloop.entity.output="It is sunny."
			b a | chat | llm.request.type=chat | gen_ai.prompt.0.role=user | gen_ai.prompt.0.content=How is Oslo?
			c a | weather.tool | traceloop.span.kind=tool | traceloop.entity.name=weather | traceloop.entity.input={"args":[],"kwargs":{"city":"Oslo"}} | traceloop.entity.output="sunny"`,
			asked: "How is Oslo?", answered: "It is sunny.", args: `{"city":"Oslo"}`, result: `"sunny"`},
		"OpenLLMetry with one argument": {spans: `a - | Ada.agent | traceloop.span.kind=agent | traceloop.entity.name=Ada | traceloop.entity.input={"args":["How is Oslo?"],"kwargs":{}}
			c a | weather.tool | traceloop.span.kind=tool | traceloop.entity.name=weather | traceloop.entity.input={"args":[{"city":"Oslo"}],"kwargs":{}}`,
			asked: "How is Oslo?", args: `{"city":"Oslo"}`},
		"LangChain in OpenLLMetry": {spans: `a - | Ada.agent | traceloop.span.kind=agent | traceloop.entity.name=Ada
			c a | weather.tool | traceloop.span.kind=tool | traceloop.entity.name=weather | traceloop.entity.input={"input_str":"{'city': 'Oslo'}","tags":[],"metadata":{},"inputs":{"city":"Oslo"}}`,
			args: `{"city":"Oslo"}`},
		"an unknown product": {spans: `a - | Ada | zephyr.span.kind=agent | zephyr.input=How is Oslo? | zephyr.output=Sunny
			c a | weather | zephyr.span.kind=tool | zephyr.input={"city":"Oslo"} | zephyr.output=sunny`,
			asked: "How is Oslo?", answered: "Sunny", args: `{"city":"Oslo"}`, result: `"sunny"`},
		"the id of a call": {spans: `a - | invoke_agent Ada
			c a | execute_tool weather | gen_ai.tool.call.id=call_ABC`, id: "call_ABC", args: "{}"},
		"messages": {spans: `a - | invoke_agent Ada | gen_ai.output.messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"weather","arguments":{"city":"Oslo"}}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"sunny"}]},{"role":"assistant","parts":[{"type":"text","content":"Sunny"}]}]`,
			answered: "Sunny", args: `{"city":"Oslo"}`, result: `"sunny"`, id: "c1"},
		"Pydantic AI": {spans: `a - | Ada run | gen_ai.agent.name=Ada | final_result=Sunny
			b a | chat m | gen_ai.operation.name=chat
			c a | running tool: weather | gen_ai.tool.name=weather | tool_arguments={"city":"Oslo"} | tool_response=sunny`, args: "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, content := range []bool{true, false} {
				collector := NewCollector(largeLimits(), nil)
				if _, err := collector.Add(zero, described(t, c.spans, content)); err != nil {
					t.Fatal(err)
				}
				runs := collector.Flush()
				if len(runs) != 1 || len(runs[0].Journey.Steps) != 3 {
					t.Fatalf("the runs are %+v", runs)
				}
				step := runs[0].Journey.Steps[1]
				want := c
				if !content {
					want.asked, want.answered, want.args, want.result = "", "", "{}", ""
				}
				if runs[0].Asked != want.asked || runs[0].Answered != want.answered || string(step.Args) != want.args || string(step.Result) != want.result {
					t.Errorf("with content %v: asked %q, answered %q, args %s, result %s", content, runs[0].Asked, runs[0].Answered, step.Args, step.Result)
				}
				if want.id != "" && step.ToolCallID != want.id {
					t.Errorf("the call has the id %q", step.ToolCallID)
				}
			}
		})
	}
}

// Claude Code has some arguments in attributes of their own, and the type of a subagent if
// its settings ask for that.
func TestDetailsOfClaudeCode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/programs/claude-code-subagent.json")
	if err != nil {
		t.Fatal(err)
	}
	detailed := strings.NewReplacer(
		`{"key":"tool_name","value":{"stringValue":"Agent"}}`, `{"key":"tool_name","value":{"stringValue":"Agent"}},{"key":"subagent_type","value":{"stringValue":"general-purpose"}}`,
		`{"key":"tool_name","value":{"stringValue":"Bash"}}`, `{"key":"tool_name","value":{"stringValue":"Bash"}},{"key":"full_command","value":{"stringValue":"echo"}}`,
	).Replace(string(text))
	spans, _ := readBoth(t, []byte(detailed), true)
	collector := NewCollector(largeLimits(), nil)
	if _, err := collector.Add(zero, spans); err != nil {
		t.Fatal(err)
	}
	runs := collector.Flush()
	if diff := cmp.Diff([]string{"claude-code: Bash Read Agent", "general-purpose: Bash"}, summaries(runs)); diff != "" {
		t.Fatal(diff)
	}
	for step, want := range map[int]string{1: `{"command":"echo"}`, 2: "{}", 3: `{"subagent_type":"general-purpose"}`} {
		if got := string(runs[0].Journey.Steps[step].Args); got != want {
			t.Errorf("step %d has the arguments %s, want %s", step, got, want)
		}
	}
}

// The runs of a conversation have its id in common, which nobody can read without content.
func TestConversations(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		collector := NewCollector(largeLimits(), nil)
		text := "a - | invoke_agent Ada | gen_ai.conversation.id=eve@example.com\nb - | invoke_agent Bob\nc b | chat | gen_ai.operation.name=chat | gen_ai.conversation.id=eve@example.com"
		if _, err := collector.Add(zero, described(t, text, content)); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, run := range collector.Flush() {
			id, _, _ := strings.Cut(run.Journey.Steps[0].MessageID, "/")
			ids = append(ids, id)
		}
		if len(ids) != 2 || ids[0] != ids[1] || (ids[0] == "eve@example.com") != content || ids[0] == "" {
			t.Errorf("with content %v the ids are %q", content, ids)
		}
	}
}

// A program that traces its models only is an agent if that is asked for.
func TestProgramAsAgent(t *testing.T) {
	t.Parallel()
	const text = `a - | chat m | gen_ai.operation.name=chat | gen_ai.input.messages=[{"role":"user","parts":[{"type":"text","content":"How is Oslo?"}]}] | gen_ai.output.messages=[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"weather","arguments":{"city":"Oslo"}}]}]
		b - | chat m | gen_ai.operation.name=chat | gen_ai.output.messages=[{"role":"assistant","parts":[{"type":"text","content":"Sunny"}]}]`
	for _, asAgent := range []bool{false, true} {
		collector := NewCollector(largeLimits(), nil)
		collector.AsAgent = asAgent
		if _, err := collector.Add(zero, described(t, text, true)); err != nil {
			t.Fatal(err)
		}
		runs := collector.Take(zero.Add(time.Minute))
		hidden := collector.Hidden()
		if !asAgent {
			if len(runs) != 0 || len(hidden) != 1 || hidden[0] != (Hidden{Service: "svc", Models: true}) {
				t.Errorf("%v are shown and %v hidden", summaries(runs), hidden)
			}
			continue
		}
		if diff := cmp.Diff([]string{"svc: weather"}, summaries(runs)); diff != "" || len(hidden) != 0 {
			t.Errorf("%s, hidden %v", diff, hidden)
		}
		if runs[0].Asked != "How is Oslo?" || runs[0].Answered != "Sunny" {
			t.Errorf("asked %q, answered %q", runs[0].Asked, runs[0].Answered)
		}
		checkJourney(t, &runs[0])
	}
}

// A program that nothing shows is named once, after its traces are complete, and never if
// one of them shows something.
func TestHiddenPrograms(t *testing.T) {
	t.Parallel()
	type added struct{ trace, service, text string }
	rules, err := ParseRules([]byte("agents: [{match: Secret, drop: true}]"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		add  []added
		want []Hidden
	}{
		"an agent that a rule omits":   {[]added{{"1", "bot", "a - agent Secret 0"}}, nil},
		"nothing about agents":         {[]added{{"1", "web", "a - other x 0"}, {"2", "web", "a - other x 0"}}, []Hidden{{Service: "web"}}},
		"models":                       {[]added{{"1", "bot", "a - chat x 0"}}, []Hidden{{Service: "bot", Models: true}}},
		"two programs":                 {[]added{{"1", "web", "a - other x 0"}, {"2", "bot", "a - chat x 0"}}, []Hidden{{Service: "bot", Models: true}, {Service: "web"}}},
		"one trace shows it":           {[]added{{"1", "bot", "a - other x 0"}, {"2", "bot", "a - agent Ada 0"}}, nil},
		"a web server before an agent": {[]added{{"1", "web", "a - other x 0"}, {"1", "bot", "b a agent Ada 0"}}, nil},
		"a trace that waits":           {[]added{{"1", "bot", "a - chat x 0"}, {"2", "bot", "b a tool dig 0"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collector := NewCollector(largeLimits(), rules)
			for _, one := range c.add {
				all := spans(t, one.text)
				for _, s := range all {
					s.Trace, s.Service = one.trace, one.service
				}
				if _, err := collector.Add(zero, all); err != nil {
					t.Fatal(err)
				}
				collector.Take(zero)
				if early := collector.Hidden(); len(early) != 0 {
					t.Errorf("too early: %v", early)
				}
			}
			collector.Take(zero.Add(2 * time.Second))
			hidden := collector.Hidden()
			slices.SortFunc(hidden, func(a, b Hidden) int { return strings.Compare(a.Service, b.Service) })
			if diff := cmp.Diff(c.want, hidden); diff != "" {
				t.Error(diff)
			}
			collector.Flush()
			if again := collector.Hidden(); len(c.want) > 0 && len(again) != 0 {
				t.Errorf("again: %v", again)
			}
		})
	}
}
