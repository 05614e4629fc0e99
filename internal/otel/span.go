// Package otel derives agents and journeys from OpenTelemetry traces: it reads
// spans by the semantic conventions for generative AI and MCP, and by those of the
// products in its table, collects them by trace, and returns each run of an agent once
// it is complete. It does no I/O and gets the time from its caller.
package otel

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/playctl/playctl/protocol"
)

// Kind is the kind of a span.
type Kind int

// The kinds of spans. Others only connect spans with their parents.
const (
	Other Kind = iota
	// AgentRun is a run of an agent.
	AgentRun
	// ToolCall is a call of a tool.
	ToolCall
	// Chat is a request to a model.
	Chat
	// Retrieval is a search for documents, which is a step of a run.
	Retrieval
	// Chain is a part of a program that may turn out to be a run of an agent.
	Chain
	// Outcome is how the tool call above it ended.
	Outcome
)

// Span is the stored part of a span.
type Span struct {
	// Trace, ID and Parent are lower-case hex; Parent is empty for a root.
	Trace, ID, Parent string
	Kind              Kind
	// Agent, Tool and Server are names, empty if the span has none. Server is an
	// MCP server that was called, or that reported the span itself.
	Agent, Tool, Server string
	// CallID is the model's id of a tool call, and Conversation that of a conversation:
	// without content a digest, because programs also use the names of people.
	CallID, Conversation string
	// Service is the program that reported the span.
	Service string
	// Start and End are zero if the span has none.
	Start, End time.Time
	Failed     bool
	// Failure is the type of the error; with content its message.
	Failure string
	// errorType is the type of the error, which is also without content Failure.
	errorType string
	// usage is what the span says that models used; nil if it says nothing.
	usage *protocol.Usage
	// Input and Output are those of a run or a model, and Arguments and Result those
	// of a tool; empty without content.
	Input, Output, Arguments, Result string

	// said are the tool calls in the messages of a model or a run.
	said []saidCall
	// subagent is the id of the agent inside another agent's tool call that reported the
	// span, and subagentName the name of one that the span may be.
	subagent, subagentName string
	// name is that of the span. candidate says that it names an agent, although nothing
	// says that it is a run, and node that it is a visit of a node of a graph.
	name            string
	candidate, node bool
	// base and phase are set if the span is about one moment of a tool call, such as its
	// start.
	base, phase string
	// handsOver says that Tool is the name of the agent to which the call hands over.
	handsOver bool
	recorded  bool
	// frame is set for a run without a name that only groups runs of agents.
	frame bool
	// order counts the spans of its trace in the order of arrival.
	order int
}

// longestName bounds the stored names of a span, in bytes. Its texts are stored
// completely: requests are bounded, and so is the size of all traces.
const longestName = 512

// spanOverhead is about the size of a span in memory besides its texts, in bytes.
const spanOverhead = 512

func (s *Span) size() int {
	size := 0
	for i := range s.said {
		size += spanOverhead/4 + s.said[i].size()
	}
	return size + spanOverhead + len(s.CallID) + len(s.Conversation) + len(s.name) + len(s.base) + len(s.subagent) + len(s.subagentName) + len(s.Trace) + len(s.ID) + len(s.Parent) + len(s.Agent) + len(s.Tool) + len(s.Server) + len(s.Service) +
		len(s.Failure) + len(s.Input) + len(s.Output) + len(s.Arguments) + len(s.Result)
}

// read returns a span as it is stored; nil without valid ids.
func read(from *wireSpan, service, scope string, content bool) *Span {
	s := &Span{
		Trace: from.TraceID.text(traceIDBytes), ID: from.SpanID.text(spanIDBytes), Parent: from.ParentSpanID.text(spanIDBytes),
		Service: service, Start: at(from.StartTimeUnixNano), End: at(from.EndTimeUnixNano),
	}
	if s.Trace == "" || s.ID == "" {
		return nil
	}
	r := report(from, service, scope)
	s.classify(r)
	if s.Conversation != "" && !content {
		digest := sha256.Sum256([]byte(s.Conversation))
		s.Conversation = hex.EncodeToString(digest[:6])
	}
	s.usage = r.usage()
	s.errorType = r.label("error.type", "exception.type")
	s.Failure = s.errorType
	s.Failed = from.Status.Code == codeError || s.Failure != ""
	if s.Kind != ToolCall {
		s.said = r.saidCalls(content)
	}
	if content && s.Kind != Other || s.candidate && content {
		s.fill(r)
	}
	return s
}

// at returns a time of OTLP; zero if a journey cannot have it.
func at(nanos number) time.Time {
	if nanos <= 0 || nanos > 1<<62 {
		return time.Time{}
	}
	return time.Unix(0, int64(nanos)).UTC()
}

// value returns the first of the attributes that is there, an empty value if none is.
func (a attributes) value(keys ...string) anyValue {
	for _, key := range keys {
		for i := range a {
			if a[i].Key == key {
				return a[i].Value
			}
		}
	}
	return anyValue{}
}

// text returns the attribute as a name; empty if it is no text.
func (a attributes) text(key string) string {
	return nameOf(a.value(key))
}

// nameOf returns a text as a name; empty for another value.
func nameOf(value anyValue) string {
	if value.StringValue == nil {
		return ""
	}
	return clean(*value.StringValue)
}
