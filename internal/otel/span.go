// Package otel derives agents and journeys from OpenTelemetry traces: it reads
// spans by the semantic conventions for generative AI and MCP, and by those of
// OpenInference, OpenLLMetry, the Vercel AI SDK and Claude Code, collects them by
// trace, and returns each run of an agent once it is complete. It does no I/O and
// gets the time from its caller.
package otel

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
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
	// Service is the program that reported the span.
	Service string
	// Start and End are zero if the span has none.
	Start, End time.Time
	Failed     bool
	// Failure is the type of the error; with content its message.
	Failure string
	// Input and Output are those of a run or a model, and Arguments and Result those
	// of a tool; empty without content.
	Input, Output, Arguments, Result string

	recorded bool
	// frame is set for a run without a name that only groups runs of agents.
	frame bool
	// order counts the spans of its trace in the order of arrival.
	order int
}

// longestName bounds the stored names of a span, in bytes. Its texts are stored
// completely: requests are bounded, and so is the size of all traces.
const longestName = 512

// spanOverhead is about the size of a span in memory besides its texts, in bytes.
const spanOverhead = 320

func (s *Span) size() int {
	return spanOverhead + len(s.Trace) + len(s.ID) + len(s.Parent) + len(s.Agent) + len(s.Tool) + len(s.Server) + len(s.Service) +
		len(s.Failure) + len(s.Input) + len(s.Output) + len(s.Arguments) + len(s.Result)
}

// ParseProto reads the body of an OTLP request in protobuf.
func ParseProto(body []byte) (*tracepb.TracesData, error) {
	// A request and a TracesData have the same form on the wire.
	data := &tracepb.TracesData{}
	if err := proto.Unmarshal(body, data); err != nil {
		return nil, fmt.Errorf("read the spans: %w", err)
	}
	return data, nil
}

// ParseJSON reads the body of an OTLP request in JSON. Its ids are hex, which the JSON
// of protobuf would read as base64.
func ParseJSON(body []byte) (*tracepb.TracesData, error) {
	data := &tracepb.TracesData{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(body, data); err != nil {
		return nil, errors.New("read the spans: the body is not an OTLP request in JSON")
	}
	for _, resource := range data.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				span.TraceId, span.SpanId, span.ParentSpanId = hexID(span.GetTraceId()), hexID(span.GetSpanId()), hexID(span.GetParentSpanId())
			}
		}
	}
	return data, nil
}

// hexID returns an id whose hex text was decoded as base64: every hex digit is a
// digit of base64, so nothing is lost.
func hexID(read []byte) []byte {
	id, err := hex.DecodeString(base64.StdEncoding.EncodeToString(read))
	if err != nil {
		return nil
	}
	return id
}

// Read reads the spans of a request. Prompts, arguments and results are omitted
// unless content is set. malformed counts spans without ids of the right length.
func Read(data *tracepb.TracesData, content bool) (spans []*Span, malformed int) {
	for _, resource := range data.GetResourceSpans() {
		service := attributes(resource.GetResource().GetAttributes()).text("service.name")
		for _, scope := range resource.GetScopeSpans() {
			for _, from := range scope.GetSpans() {
				if len(from.GetTraceId()) != 16 || len(from.GetSpanId()) != 8 {
					malformed++
					continue
				}
				spans = append(spans, read(from, service, content))
			}
		}
	}
	return spans, malformed
}

func read(from *tracepb.Span, service string, content bool) *Span {
	s := &Span{
		Trace: hex.EncodeToString(from.GetTraceId()), ID: hex.EncodeToString(from.GetSpanId()), Parent: hex.EncodeToString(from.GetParentSpanId()),
		Service: service, Start: at(from.GetStartTimeUnixNano()), End: at(from.GetEndTimeUnixNano()),
	}
	if s.Parent == "0000000000000000" {
		s.Parent = ""
	}
	known := attributes(from.GetAttributes())
	s.classify(known, from)
	if s.Failed = from.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR || known.text("error.type") != ""; s.Failed {
		s.Failure = known.text("error.type")
	}
	if content && s.Kind != Other {
		s.fill(known, from)
	}
	return s
}

// at returns a time of OTLP; zero if a journey cannot have it.
func at(nanos uint64) time.Time {
	if nanos == 0 || nanos > 1<<62 {
		return time.Time{}
	}
	return time.Unix(0, int64(nanos)).UTC()
}

// attributes are the attributes of a span or a resource.
type attributes []*commonpb.KeyValue

func (a attributes) value(keys ...string) *commonpb.AnyValue {
	for _, key := range keys {
		for _, attribute := range a {
			if attribute.GetKey() == key {
				return attribute.GetValue()
			}
		}
	}
	return nil
}

// text returns the first of the attributes that is a text, as a name.
func (a attributes) text(keys ...string) string {
	for _, key := range keys {
		if name := clean(a.value(key).GetStringValue()); name != "" {
			return name
		}
	}
	return ""
}
