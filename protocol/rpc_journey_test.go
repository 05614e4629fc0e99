package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/playctl/playctl/protocol"
)

const journeyBody = `{"playerId":"` + hexA + `","journey":{
	"steps":[
		{"type":"origin","content":"find it","messageId":"m-1","extra":1},
		{"type":"structure","toolName":"search","toolCallId":"t-1","args":{"q":"x"},"result":[1,null],"content":"dropped",
			"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:05.9Z","error":"no\n such  page","usage":{"inputTokens":7,"costUsd":0.5}},
		{"type":"destination","content":"","messageId":""}],
	"startedAt":"2026-01-02T03:04:05.678Z","completedAt":"2026-01-02T03:04:06.000Z","model":"dropped"}}`

func steps(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = map[string]any{"type": "origin", "content": "", "messageId": ""}
	}
	return list
}

// sizedJourney returns a journey of exactly size bytes of JSON.
func sizedJourney(size int) map[string]any {
	const own = len(`{"completedAt":"2026-01-02T03:04:05Z","startedAt":"2026-01-02T03:04:05Z","steps":[{"content":"","messageId":"","type":"origin"}]}`)
	return map[string]any{
		"startedAt": "2026-01-02T03:04:05Z", "completedAt": "2026-01-02T03:04:05Z",
		"steps": []any{map[string]any{"type": "origin", "content": strings.Repeat("x", size-own), "messageId": ""}},
	}
}

func TestRecordJourney(t *testing.T) {
	r := request{
		name: "recordJourney", parse: anyParser(protocol.ParseRequest[protocol.RecordJourneyRequest]), body: journeyBody,
		fields: append([]field{
			agentField("playerId", false),
			{path: "journey", kind: "object", longest: sizedJourney(128 << 10), tooLong: sizedJourney(128<<10 + 1)},
			timeField("journey.startedAt"), timeField("journey.completedAt"),
			{path: "journey.steps", kind: "array", longest: steps(500), tooLong: steps(501), bad: []any{[]any{}}},
			{path: "journey.steps[1]", kind: "object", element: true},
			{path: "journey.steps[0].type", kind: "string", bad: []any{"Origin", "end"}, good: []any{"destination"}},
			{path: "journey.steps[0].content", kind: "string", blank: true},
			{path: "journey.steps[0].messageId", kind: "string", blank: true},
			{path: "journey.steps[2].content", kind: "string", blank: true},
			textField("journey.steps[1].toolName", false, 128),
			{path: "journey.steps[1].toolCallId", kind: "string", blank: true},
			optionalField(timeField("journey.steps[1].startedAt")), optionalField(timeField("journey.steps[1].completedAt")),
			lineField("journey.steps[1].error"),
		}, usageFields("journey.steps[1].usage")...),
	}
	r.run(t)
}

func TestJourneyStepsKeepTheirFields(t *testing.T) {
	got, err := protocol.ParseRequest[protocol.RecordJourneyRequest](object(t, journeyBody))
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.Journey{
		Steps: []protocol.JourneyStep{
			{Type: "origin", Content: "find it", MessageID: "m-1"},
			{
				Type: "structure", ToolName: "search", ToolCallID: "t-1", Args: json.RawMessage(`{"q":"x"}`), Result: json.RawMessage(`[1,null]`),
				StartedAt: "2026-01-02T03:04:05Z", CompletedAt: "2026-01-02T03:04:05.9Z", Error: "no such page",
				Usage: &protocol.Usage{InputTokens: new(7.0), CostUSD: new(0.5)},
			},
			{Type: "destination"},
		},
		StartedAt: "2026-01-02T03:04:05.678Z", CompletedAt: "2026-01-02T03:04:06.000Z",
	}
	if diff := cmp.Diff(want, got.Journey); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestErrorOfStepIsCut(t *testing.T) {
	got, err := protocol.ParseRequest[protocol.Journey](object(t, `{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:05Z",
		"steps":[{"type":"origin","content":"","messageId":"","error":"`+strings.Repeat("😀", 501)+`"}]}`))
	if err != nil || got.Steps[0].Error != strings.Repeat("😀", 500) {
		t.Errorf("%d bytes, %v", len(got.Steps[0].Error), err)
	}
}

// Arguments and results are defined by the framework: any type is accepted and
// kept.
func TestJourneyArgs(t *testing.T) {
	for _, c := range []struct{ args, result, wire string }{
		{`{}`, ``, `"args":{}`},
		{`"text"`, `,"result":false`, `"args":"text","result":false`},
		{`[1]`, `,"result":null`, `"args":[1]`},
		{`0`, `,"result":""`, `"args":0,"result":""`},
	} {
		j, err := protocol.ParseRequest[protocol.Journey](object(t, `{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:05Z",
			"steps":[{"type":"structure","toolName":"a","toolCallId":"b","args":`+c.args+c.result+`}]}`))
		if err != nil {
			t.Errorf("args %s: %v", c.args, err)
			continue
		}
		wireEqual(t, j.Steps[0], `{"type":"structure","toolName":"a","toolCallId":"b",`+c.wire+`}`)
	}
	for _, args := range []string{``, `,"args":null`} {
		_, err := protocol.ParseRequest[protocol.Journey](object(t, `{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:05Z",
			"steps":[{"type":"structure","toolName":"a","toolCallId":"b"`+args+`}]}`))
		if err == nil || err.Field != "steps[0].args" {
			t.Errorf("args %q: got %v", args, err)
		}
	}
}
