package otel

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reported is a span while it is classified.
type reported struct {
	*wireSpan

	service, scope string
	// places are those of the attributes by their keys.
	places map[string]int
	// known are the conventions that the span follows.
	known []*convention
	// prefix is that of the attribute of an unknown product that states the kind.
	prefix string
}

func report(from *wireSpan, service, scope string) *reported {
	r := &reported{wireSpan: from, service: service, scope: scope, places: make(map[string]int, len(from.Attributes))}
	for i := range from.Attributes {
		if _, twice := r.places[from.Attributes[i].Key]; !twice {
			r.places[from.Attributes[i].Key] = i
		}
	}
	return r
}

// value returns the first of the attributes that is there, an empty value if none is.
func (r *reported) value(keys ...string) anyValue {
	for _, key := range keys {
		if i, there := r.places[key]; there {
			return r.Attributes[i].Value
		}
	}
	return anyValue{}
}

// label returns the first of the attributes that is a text, as a name.
func (r *reported) label(keys ...string) string {
	for _, key := range keys {
		if text := nameOf(r.value(key)); text != "" {
			return text
		}
	}
	return ""
}

// follow finds the conventions of a span and the kind that they state. explained is false
// if none states a kind.
func (r *reported) follow() (kind Kind, explained bool) {
	for i := range conventions {
		c := &conventions[i]
		if !strings.HasPrefix(r.scope, c.scope) {
			continue
		}
		found, stated, follows := r.by(c)
		if i == 0 || follows || c.kind == "" && c.scope != "" {
			r.known = append(r.known, c)
		}
		// What is more than a part of a program is what the span is about.
		if stated && (!explained || kind == Chain || kind == Other) {
			kind = found
		}
		explained = explained || stated
	}
	return kind, explained
}

// by returns the kind of a span by a convention, whether it is stated, and whether the span
// follows the convention.
func (r *reported) by(c *convention) (kind Kind, stated, follows bool) {
	value, follows := r.stated(c.kind)
	if kind, stated = c.names[r.Name]; stated {
		return kind, true, true
	}
	if kind, stated = c.values[value]; stated {
		return kind, true, follows
	}
	if c.tools != nil && c.tools.MatchString(value) {
		return ToolCall, true, follows
	}
	if c.closed {
		return Other, false, follows
	}
	kind, stated = words[normal(value)]
	return kind, stated, follows
}

// stated returns the value of an attribute that states a kind: MLflow has it as JSON, and
// Braintrust as the type in an object.
func (r *reported) stated(attribute string) (string, bool) {
	if attribute == "" {
		return "", false
	}
	value := r.value(attribute)
	text := plain(value)
	var inside any
	if strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "{") {
		_ = unmarshal([]byte(text), &inside)
	}
	switch inside := inside.(type) {
	case string:
		text = inside
	case map[string]any:
		text, _ = inside["type"].(string)
	}
	return text, text != ""
}

// normal returns a word for a kind without its case and separators.
func normal(word string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. :/", r) {
			return -1
		}
		return r
	}, strings.ToLower(word))
}

// kindOfUnknown matches the attributes in which other products state the kind of a span.
// Those of the second form are common outside of the field.
var kindOfUnknown = regexp.MustCompile(`(?i)^(.+)[._:](?:(?:span|observation)[._]?(?:kind|type)|(run[._]?type|operation(?:[._]name)?))$`)

// guess returns the kind of a span that follows no known convention: from an attribute of
// an unknown product, from the name that the conventions for generative AI define, or
// from attributes that only calls of tools or models have.
func (r *reported) guess() Kind {
	for i := range r.Attributes {
		one := &r.Attributes[i]
		parts := kindOfUnknown.FindStringSubmatch(one.Key)
		if parts == nil || one.Value.StringValue == nil {
			continue
		}
		word := normal(*one.Value.StringValue)
		if kind, ok := words[word]; ok && (parts[2] == "" || isSpecific(word)) {
			r.prefix = parts[1]
			return kind
		}
	}
	operation, name, _ := strings.Cut(r.Name, " ")
	switch {
	case operation == "invoke_agent", operation == "agent_run" && strings.HasPrefix(name, "["):
		return AgentRun
	case operation == "execute_tool", r.tool() != "", r.first((*convention).calls) != "", r.first((*convention).handoffs) != "":
		return ToolCall
	case r.label("gen_ai.request.model", "gen_ai.response.model", "llm.model_name") != "":
		return Chat
	}
	return Other
}

// isSpecific reports whether a word for a kind has no other meaning in common use.
func isSpecific(word string) bool {
	return (strings.Contains(word, "agent") || strings.Contains(word, "tool")) && len(word) > len("agent")
}

func (c *convention) calls() []string    { return c.call }
func (c *convention) called() []string   { return c.tool }
func (c *convention) weaker() []string   { return c.weak }
func (c *convention) handoffs() []string { return c.handoff }
func (c *convention) agents() []string   { return c.agent }
func (c *convention) talks() []string    { return c.conversation }

// first returns the first text in the attributes of the span's conventions.
func (r *reported) first(of func(*convention) []string) string {
	for _, c := range r.known {
		if text := r.label(of(c)...); text != "" {
			return text
		}
	}
	return ""
}

// tool returns the name that only a call of a tool has.
func (r *reported) tool() string { return r.first((*convention).called) }

// own returns the first of the attributes of an unknown product.
func (r *reported) own(names ...string) string {
	if r.prefix == "" {
		return ""
	}
	for _, name := range names {
		for _, separator := range []string{".", "_", ":"} {
			if text := r.label(r.prefix + separator + name); text != "" {
				return text
			}
		}
	}
	return ""
}

// mergedTools is the tool of a span that Google ADK adds to those of parallel calls.
const mergedTools = "(merged tools)"

// classify determines the kind of a span, and the names in it.
func (s *Span) classify(r *reported) {
	kind, explained := r.follow()
	s.Agent = r.label("gen_ai.agent.name")
	if !explained {
		kind = r.guess()
		s.candidate = (kind == Other || kind == Chat) && s.Agent != ""
	}
	s.Kind, s.name = kind, clean(r.Name)
	s.CallID = cmp.Or(r.first((*convention).calls), r.own("tool.call.id", "tool_call.id", "call.id"))
	s.Conversation = cmp.Or(r.first((*convention).talks), r.own("conversation.id", "session.id", "thread.id"))
	if strings.HasPrefix(r.scope, claudeCode) {
		s.subagent, s.subagentName = r.label("agent_id"), r.label("subagent_type")
	}
	s.graph(r)
	switch {
	case r.tool() == mergedTools:
		s.Kind = Other
	case s.Kind == AgentRun || s.Kind == Chain || s.candidate:
		s.nameAgent(r)
	case s.Kind == ToolCall || s.Kind == Retrieval:
		s.nameTool(r)
	case s.Kind == Other:
		// Below an agent the name of a tool is enough.
		s.Tool = cmp.Or(r.label("tool.name", "tool_name"), part(callNames, s.name))
	}
	if r.label("mcp.method.name") != "" {
		s.classifyMCP(r)
	}
	if s.Server == "" {
		s.Server = r.label("anthropic.mcp.server.name")
	}
}

// nameAgent finds the name of the agent whose run a span is or may be.
func (s *Span) nameAgent(r *reported) {
	if s.Kind == Chain && !r.has(func(c *convention) bool { return c.chains }) {
		s.Agent = ""
		return
	}
	id := r.label("gen_ai.agent.id")
	s.Agent = cmp.Or(s.Agent, r.first((*convention).agents), r.own("agent.name", "agent_name", "name", "entity.name"), agentIn(s.name))
	if s.Agent == "" && (r.prefix != "" || r.has(func(c *convention) bool { return c.named })) && !generic(s.name) {
		s.Agent = s.name
	}
	if s.Agent = cmp.Or(s.Agent, id); random(s.Agent) {
		s.Agent = ""
	}
}

func (r *reported) has(is func(*convention) bool) bool {
	return slices.ContainsFunc(r.known, is)
}

// nameTool finds the name of the tool that a span calls.
func (s *Span) nameTool(r *reported) {
	if to := r.first((*convention).handoffs); to != "" {
		s.Tool, s.handsOver = to, true
		return
	}
	s.base, s.phase = phaseOf(cmp.Or(r.label("target"), s.name))
	named := cmp.Or(r.tool(), r.first((*convention).weaker), r.own("tool.name", "tool_name", "name", "entity.name"))
	if s.Kind == Retrieval {
		named = cmp.Or(named, r.label("gen_ai.data_source.id", "retriever.name"))
	}
	s.Tool = cmp.Or(named, toolIn(s.name), "tool")
	if r.label("target") != "" && named == "" && s.phase != "" {
		s.Tool = s.base
	}
}

// classifyMCP finds the server of a span of MCP. A span from the server itself is
// not a step, because the caller reports it as well.
func (s *Span) classifyMCP(r *reported) {
	s.Server = r.label("mcp.server.name")
	if r.Kind == kindServer {
		s.Kind, s.Tool = Other, ""
		s.Server = cmp.Or(s.Server, s.Service)
		return
	}
	if address := r.label("server.address"); s.Server == "" && address != "" {
		s.Server = address
		if port := r.value("server.port").IntValue; port != nil && *port > 0 {
			s.Server = address + ":" + strconv.FormatInt(int64(*port), 10)
		}
	}
}
