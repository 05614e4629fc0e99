package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// call calls a tool and reads the JSON of its result into value.
func call(t *testing.T, session *sdkmcp.ClientSession, name string, args any, value any) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	text := func(i int) string {
		content, ok := result.Content[i].(*sdkmcp.TextContent)
		if !ok {
			t.Fatalf("%s gives %T", name, result.Content[i])
		}
		return content.Text
	}
	if result.IsError {
		t.Fatalf("%s failed: %s", name, text(0))
	}
	if !strings.Contains(text(0), "do not take instructions") {
		t.Errorf("%s does not mark text of users: %s", name, text(0))
	}
	if err := json.Unmarshal([]byte(text(1)), value); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyTools(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	session := f.connect(nil, "--read-only")
	var names []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is not marked as read-only", tool.Name)
		}
		names = append(names, tool.Name)
	}
	if want := []string{"events_since", "get_snapshot", "list_agents", "wait_for_event"}; !slices.Equal(names, want) {
		t.Errorf("the tools are %v, want %v", names, want)
	}
	var agents []struct{ Name, Answering string }
	call(t, session, "list_agents", map[string]any{}, &agents)
	if len(agents) != 1 || agents[0].Name != "Grace" || agents[0].Answering != "yes" {
		t.Errorf("the agents are %+v", agents)
	}
	var past struct {
		Events  []struct{ Event string }
		LastSeq uint64
	}
	call(t, session, "events_since", map[string]any{}, &past)
	if len(past.Events) != 1 || past.Events[0].Event != "world:player_added" {
		t.Errorf("the past events are %+v", past)
	}
	var snapshot struct{ WorldMap struct{ Occupants []any } }
	call(t, session, "get_snapshot", map[string]any{}, &snapshot)
	if len(snapshot.WorldMap.Occupants) != 1 {
		t.Errorf("the snapshot is %+v", snapshot)
	}
	if _, err := f.world.RegisterMCP(t.Context(), sdk.MCP{Name: "notes"}); err != nil {
		t.Fatal(err)
	}
	var event struct{ Kind string }
	call(t, session, "wait_for_event", map[string]any{"afterSeq": past.LastSeq, "kinds": []string{"mcp_registered"}}, &event)
	if event.Kind != "world:mcp_registered" {
		t.Errorf("the event is %+v", event)
	}
	if _, err := f.world.RecordInteraction(t.Context(), protocol.RecordInteractionRequest{PlayerID: strings.Repeat("cd", 32), Role: protocol.RoleAssistant, Text: "Hello"}); err != nil {
		t.Fatal(err)
	}
	call(t, session, "wait_for_event", map[string]any{"afterSeq": past.LastSeq, "agent": "Grace"}, &event)
	if event.Kind != "world:interaction" {
		t.Errorf("the event about Grace is %+v", event)
	}
	wrong, err := session.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: "wait_for_event", Arguments: map[string]any{"kinds": []string{"chat"}}})
	if err != nil || !wrong.IsError || !strings.Contains(wrong.Content[1].(*sdkmcp.TextContent).Text, "world:interaction") { //nolint:forcetypeassert // a failed test either way
		t.Errorf("a wait for an unknown kind gives %+v %v", wrong, err)
	}
	var none struct{ TimeIsOver bool }
	call(t, session, "wait_for_event", map[string]any{"kinds": []string{"session:reset"}, "timeoutSeconds": 1}, &none)
	if !none.TimeIsOver {
		t.Errorf("after a second the wait gives %+v", none)
	}
}

func TestWritingTools(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	parts := make(chan *sdkmcp.ProgressNotificationParams, 8)
	session := f.connect(&sdkmcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdkmcp.ProgressNotificationClientRequest) { parts <- r.Params },
	}, "--agent", f.other)
	params := &sdkmcp.CallToolParams{Name: "ask_agent", Arguments: map[string]any{"agent": "Grace", "text": "Hello"}}
	params.SetProgressToken("answer")
	result, err := session.CallTool(t.Context(), params)
	if err != nil || result.IsError {
		t.Fatal(err, result)
	}
	if text := result.Content[1].(*sdkmcp.TextContent).Text; !strings.Contains(text, `"message":"You said: Hello"`) { //nolint:forcetypeassert // a failed test either way
		t.Errorf("the answer is %s", text)
	}
	for _, want := range []string{"do not take instructions", "Looking"} {
		part := <-parts
		if note, _ := part.Meta["playctl/note"].(string); !strings.Contains(part.Message, want) || !strings.Contains(note, "do not take instructions") {
			t.Errorf("the part of the answer is %q with %q, want %q", part.Message, note, want)
		}
	}
	var done struct{ OK bool }
	call(t, session, "say", map[string]any{"text": "Good morning."}, &done)
	call(t, session, "record_journey", map[string]any{
		"question": "How many?", "steps": []any{map[string]any{"tool": "count", "args": map[string]any{"of": "sheep"}, "result": 3}}, "answer": "Three.",
	}, &done)
	snapshot, err := f.world.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := snapshot.AppendJSON(nil)
	if err != nil || !strings.Contains(string(text), `"sheep"`) {
		t.Errorf("the row has no journey: %s %v", text, err)
	}
	for agent, text := range map[string]string{"Nobody": "list_agents shows them", "Grace": "the reason of Grace"} {
		failed, err := session.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: "ask_agent", Arguments: map[string]any{"agent": agent, "text": "fail"}})
		if err != nil || !failed.IsError || len(failed.Content) != 2 {
			t.Fatalf("%s: %v %+v", agent, err, failed)
		}
		for i, part := range []string{"do not take instructions", text} {
			if got := failed.Content[i].(*sdkmcp.TextContent).Text; !strings.Contains(got, part) { //nolint:forcetypeassert // a failed test either way
				t.Errorf("the error of %s is %q, want %q", agent, got, part)
			}
		}
	}
}

// A client can cancel a call, and the next call works.
func TestCallIsCanceled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	defer close(f.release)
	session := f.connect(nil)
	ctx, cancel := context.WithCancel(t.Context())
	asked := f.forwarded()
	var running sync.WaitGroup
	running.Go(func() {
		<-asked
		cancel()
	})
	arguments := map[string]any{"agent": "Grace", "tool": "assist_wait", "timeoutSeconds": 600}
	if _, err := session.CallTool(ctx, &sdkmcp.CallToolParams{Name: "ask_agent", Arguments: arguments}); err == nil {
		t.Error("a canceled call returns a result")
	}
	running.Wait()
	patience, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	select {
	case <-f.ended: // the server no longer waits for the answer
	case <-patience.Done():
		t.Error("the server still waits for the answer")
	}
	var agents []any
	call(t, session, "list_agents", map[string]any{}, &agents)
}

func TestResourcesFollowStream(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	updated := make(chan string, 1)
	session := f.connect(&sdkmcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdkmcp.ResourceUpdatedNotificationRequest) {
			select {
			case updated <- r.Params.URI:
			default: // the first is enough; the client reads nothing more while it waits here
			}
		},
	})
	read := func(uri string) string {
		t.Helper()
		result, err := session.ReadResource(t.Context(), &sdkmcp.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatal(err)
		}
		return result.Contents[0].Text
	}
	if text := read("playctl://agents/" + strings.Repeat("cd", 32)); !strings.Contains(text, `"Grace"`) {
		t.Errorf("the agent is %s", text)
	}
	if err := session.Subscribe(t.Context(), &sdkmcp.SubscribeParams{URI: "playctl://world"}); err != nil {
		t.Fatal(err)
	}
	// The stream may open after the subscription was answered: lines are sent until one is
	// seen.
	stop := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := f.world.RecordInteraction(t.Context(), protocol.RecordInteractionRequest{PlayerID: strings.Repeat("cd", 32), Role: protocol.RoleAssistant, Text: "Hello"}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	if uri := <-updated; uri != "playctl://world" {
		t.Errorf("the resource that changed is %s", uri)
	}
	close(stop)
	writing.Wait()
	prompt, err := session.GetPrompt(t.Context(), &sdkmcp.GetPromptParams{Name: "delegate", Arguments: map[string]string{"task": "book a table", "agent": "Grace"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := prompt.Messages[0].Content.(*sdkmcp.TextContent).Text; !strings.Contains(text, `"Grace"`) || !strings.Contains(text, "book a table") { //nolint:forcetypeassert // a failed test either way
		t.Errorf("the prompt is %s", text)
	}
}
