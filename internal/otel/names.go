package otel

import (
	"regexp"
	"strings"
)

// These are the forms in which the name of a span has that of an agent or a tool.
var (
	agentNames = regexp.MustCompile(`^(?:invoke_agent|agent[_ ]run|run_agent)\s+\[?(.+?)\]?$|^agent(?: run)?:\s*'?(.+?)'?$|^(.+)\.agent$|^(.+?) run$`)
	toolNames  = regexp.MustCompile(`^(?:execute_tool|tools/call|tool_call|call_tool|tool)[ :]+'?(.+?)'?$|^(?:running tool|tool call|function):\s*'?(.+?)'?$|^tool\.(.+)$|^(.+)\.tool$`)
	// Those of callNames are calls of tools inside the run of an agent.
	callNames  = regexp.MustCompile(`^(?:tool_call|call_tool|tool call|running tool|tool):\s*'?(.+?)'?$|^(?:tool_call|call_tool) (.+)$`)
	retrievals = regexp.MustCompile(`^(?:retrieval|retrieve) (.+)$`)
)

// agentIn and toolIn return the name of the agent or the tool in that of a span. If it has
// no known form, that of a tool is the span's, and there is none of an agent.
func agentIn(name string) string {
	if found := part(agentNames, name); !parts[strings.ToLower(found)] {
		return found
	}
	return ""
}

func toolIn(name string) string {
	for _, form := range []*regexp.Regexp{toolNames, retrievals} {
		if found := part(form, name); found != "" {
			return found
		}
	}
	return name
}

func part(form *regexp.Regexp, name string) string {
	if found := form.FindStringSubmatch(name); found != nil {
		return clean(strings.Join(found[1:], "")) // only one matches
	}
	return ""
}

// parts are the names that frameworks give to parts of every agent.
var parts = func() map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq("agent tools tool model llm call_model call_tool call_tools action chatbot assistant model_request " +
		"langgraph agentexecutor agent_executor workflow chain graph main run invoke __start__ __end__ generate retrieve") {
		all[name] = true
	}
	return all
}()

var classNames = regexp.MustCompile(`^Runnable\w*|\w\.\w|\w(?:Executor|Chain|Graph|Workflow|Sequence|Parser|Prompt|PromptTemplate|Lambda)$`)

// generic reports whether a name is that of a part of a program, of a class or a function
// and not one that a person gave.
func generic(name string) bool {
	return name == "" || parts[strings.ToLower(name)] || classNames.MatchString(name)
}

var randomNames = regexp.MustCompile(`(?i)^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{16,64}|\d+)$`)

// random reports whether a name is an id, which another run of the agent may not have.
func random(name string) bool { return randomNames.MatchString(name) }

var phases = regexp.MustCompile(`^(?:tool[.:])?(.+)[.:](start|started|begin|success|succeeded|error|failed|failure|retry|update|finish|finished|end|ended|complete|completed)(?:-\d+)?$`)

// phaseOf splits the name of a span that is about one moment of a call.
func phaseOf(name string) (base, phase string) {
	if found := phases.FindStringSubmatch(name); found != nil {
		return clean(found[1]), found[2]
	}
	return "", ""
}
