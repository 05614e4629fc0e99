package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// These are the longest time that a tool waits, and the default times for an answer and for
// an event: many clients give up after a minute, which loses an event.
const (
	longestWait = 10 * time.Minute
	answerWait  = 2 * time.Minute
	eventWait   = 50 * time.Second
)

// These are the arguments of the tools.
type (
	noArgs     struct{}
	eventsArgs struct {
		AfterSeq *uint64 `json:"afterSeq,omitempty" jsonschema:"the lastSeq of an earlier reply; the oldest event that the host has unless it is given"`
		Limit    int     `json:"limit,omitempty" jsonschema:"how many events at most, up to 1000; 100 unless it is given"`
	}
	waitArgs struct {
		Kinds          []string `json:"kinds,omitempty" jsonschema:"the kinds of events to wait for, such as world:interaction; any unless it is given"`
		Agent          string   `json:"agent,omitempty" jsonschema:"the name or id of the agent that the event is about; any unless it is given"`
		AfterSeq       *uint64  `json:"afterSeq,omitempty" jsonschema:"also takes an event that happened after this seq already"`
		TimeoutSeconds int      `json:"timeoutSeconds,omitempty" jsonschema:"how long to wait, up to 600; 50 unless it is given"`
	}
	askArgs struct {
		Agent          string         `json:"agent" jsonschema:"the agent's name or id"`
		Text           string         `json:"text,omitempty" jsonschema:"what to say to it"`
		Tool           string         `json:"tool,omitempty" jsonschema:"the tool of the agent to call instead, such as assist_book"`
		Args           map[string]any `json:"args,omitempty" jsonschema:"the arguments of the tool"`
		TimeoutSeconds int            `json:"timeoutSeconds,omitempty" jsonschema:"how long to wait for the answer, up to 600; 120 unless it is given"`
	}
	sayArgs struct {
		Text string `json:"text" jsonschema:"what the agent says, for everybody in the world to read"`
	}
	stepArgs struct {
		Tool   string         `json:"tool" jsonschema:"the name of the tool"`
		Args   map[string]any `json:"args,omitempty" jsonschema:"its arguments"`
		Result any            `json:"result,omitempty" jsonschema:"what it gave: a text, or JSON"`
	}
	journeyArgs struct {
		Question string     `json:"question" jsonschema:"what the agent was asked"`
		Steps    []stepArgs `json:"steps,omitempty" jsonschema:"the tools that it called, in order"`
		Answer   string     `json:"answer" jsonschema:"what it answered"`
	}
	usageArgs struct {
		InputTokens  *float64 `json:"inputTokens,omitempty" jsonschema:"the tokens that models read"`
		OutputTokens *float64 `json:"outputTokens,omitempty" jsonschema:"the tokens that models wrote"`
		CostUSD      *float64 `json:"costUsd,omitempty" jsonschema:"the cost in US dollars"`
		ToolCalls    *float64 `json:"toolCalls,omitempty" jsonschema:"the calls of tools"`
		Errors       *float64 `json:"errors,omitempty" jsonschema:"the calls that failed"`
	}
	activityArgs struct {
		State string     `json:"state" jsonschema:"working, waiting (for a person), idle, done (finished what it was asked) or failed"`
		Text  string     `json:"text,omitempty" jsonschema:"one line of at most 200 characters for people, such as Editing commit.go; everybody in the world can read it: no prompts, commands or output"`
		Tool  string     `json:"tool,omitempty" jsonschema:"the name of the tool in use"`
		Usage *usageArgs `json:"usage,omitempty" jsonschema:"what the present run has used so far, in totals"`
	}
	mcpArgs struct {
		Name string `json:"name" jsonschema:"identifies the MCP server within the account"`
		URL  string `json:"url,omitempty" jsonschema:"its address, http or https"`
	}
)

// agentSummary is an agent in the result of list_agents.
type agentSummary struct {
	ID       string                             `json:"id"`
	Name     string                             `json:"name"`
	Platform string                             `json:"platform"`
	Owner    string                             `json:"owner"`
	X        float64                            `json:"x"`
	Y        float64                            `json:"y"`
	Tools    protocol.List[protocol.AssistTool] `json:"tools"`
	// Answering is "yes", "no" or "unknown", empty if the host does not report it.
	Answering string `json:"answering,omitempty"`
}

// These say what calls of the tools change.
func looks() *sdkmcp.ToolAnnotations {
	return &sdkmcp.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(true)}
}

func adds() *sdkmcp.ToolAnnotations {
	return &sdkmcp.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(true)}
}

func (v *view) addTools(server *sdkmcp.Server) {
	add(v, server, &sdkmcp.Tool{Name: "list_agents", Title: "List the agents", Annotations: looks(), Description: "Lists the agents on the map: who they are, what they can do, and whether a program answers for them."},
		func(ctx context.Context, _ *sdkmcp.CallToolRequest, _ noArgs) ([]agentSummary, error) {
			return v.agents(ctx)
		})
	add(v, server, &sdkmcp.Tool{Name: "get_snapshot", Title: "Read the world", Annotations: looks(), Description: "Reads the whole world: the map with all rows, and the spaces."},
		func(ctx context.Context, _ *sdkmcp.CallToolRequest, _ noArgs) (json.RawMessage, error) {
			text, _, err := v.client.WorldSnapshot(ctx)
			return text, err
		})
	add(v, server, &sdkmcp.Tool{Name: "events_since", Title: "Read past events", Annotations: looks(), Description: "Reads what happened after an event: chat lines, journeys, who came and left. Pass lastSeq of the reply to continue."},
		func(ctx context.Context, _ *sdkmcp.CallToolRequest, in eventsArgs) (*protocol.ListEventsReply, error) {
			return v.client.ListEvents(ctx, &protocol.ListEventsRequest{AfterSeq: in.AfterSeq, Limit: in.Limit})
		})
	add(v, server, &sdkmcp.Tool{Name: "wait_for_event", Title: "Wait for an event", Annotations: looks(), Description: "Waits for the next event, of some kinds or about one agent, and returns it."}, v.wait)
	if v.flags.readOnly {
		return
	}
	// What an agent does when it is asked is not known.
	add(v, server, &sdkmcp.Tool{Name: "ask_agent", Title: "Ask an agent", Annotations: &sdkmcp.ToolAnnotations{DestructiveHint: new(true), OpenWorldHint: new(true)},
		Description: "Asks an agent with a text, or calls one of its tools, and waits for its answer."}, v.ask)
	add(v, server, &sdkmcp.Tool{Name: "register_mcp", Title: "Put an MCP server on the map", Annotations: &sdkmcp.ToolAnnotations{DestructiveHint: new(true), IdempotentHint: true, OpenWorldHint: new(true)},
		Description: "Puts an MCP server of your account on the map, or changes its address. It is not started or called."},
		func(ctx context.Context, _ *sdkmcp.CallToolRequest, in mcpArgs) (*protocol.IDReply, error) {
			if v.caller.AgentsOnly() {
				return nil, v.caller.NoMain()
			}
			return v.client.RegisterMCP(ctx, protocol.MCPRegisterRequest{Name: in.Name, URL: in.URL})
		})
	if v.flags.agent == "" {
		return
	}
	add(v, server, &sdkmcp.Tool{Name: "say", Title: "Say something", Annotations: adds(), Description: fmt.Sprintf("Says something in the world as the agent %s.", v.flags.agent)},
		func(ctx context.Context, _ *sdkmcp.CallToolRequest, in sayArgs) (*protocol.RecordInteractionReply, error) {
			return v.world.RecordInteraction(ctx, protocol.RecordInteractionRequest{PlayerID: v.agent.ID, Role: protocol.RoleAssistant, Text: in.Text})
		})
	add(v, server, &sdkmcp.Tool{Name: "record_journey", Title: "Record a journey", Annotations: adds(), Description: fmt.Sprintf("Records what the agent %s did to answer a question, for everybody in the world to see.", v.flags.agent)}, v.record)
	add(v, server, &sdkmcp.Tool{Name: "set_activity", Title: "Say what you do now", Annotations: &sdkmcp.ToolAnnotations{DestructiveHint: new(false), IdempotentHint: true, OpenWorldHint: new(true)},
		Description: fmt.Sprintf("Shows everybody in the world what the agent %s does now. Set working when you begin, waiting when you need a person, and done or failed at the end.", v.flags.agent)}, v.setActivity)
}

// result is the structured result of a tool, for clients that show nothing else.
type result[Out any] struct {
	Note   string `json:"note" jsonschema:"says where the result comes from"`
	Result Out    `json:"result" jsonschema:"what the tool returned"`
}

// add adds a tool. Its result is JSON from the world and marked as such, and so is its
// error, which may contain an agent's words.
func add[In, Out any](v *view, server *sdkmcp.Server, tool *sdkmcp.Tool, run func(context.Context, *sdkmcp.CallToolRequest, In) (Out, error)) {
	arguments := schemaOf[In]()
	tool.InputSchema, tool.OutputSchema = arguments, schemaOf[result[Out]]()
	server.AddTool(tool, func(ctx context.Context, r *sdkmcp.CallToolRequest) (*sdkmcp.CallToolResult, error) {
		var in In
		var value Out
		err := arguments.read(r.Params.Arguments, &in)
		if err == nil {
			err = v.ready(ctx)
		}
		if err == nil {
			value, err = run(ctx, r, in)
		}
		var text []byte
		if err == nil {
			text, err = json.Marshal(value)
		}
		content := func(text string) []sdkmcp.Content {
			return []sdkmcp.Content{&sdkmcp.TextContent{Text: untrusted}, &sdkmcp.TextContent{Text: text}}
		}
		if err != nil {
			return &sdkmcp.CallToolResult{IsError: true, Content: content(v.explained(ctx, err))}, nil
		}
		return &sdkmcp.CallToolResult{Content: content(string(text)), StructuredContent: result[json.RawMessage]{untrusted, text}}, nil
	})
}

func (v *view) agents(ctx context.Context) ([]agentSummary, error) {
	rows, err := command.AgentsOnMap(ctx, v.client)
	if err != nil {
		return nil, err
	}
	answering, _ := command.Answering(ctx, v.client) // an extension, without which the list is useful too
	list := make([]agentSummary, 0, len(rows))
	for _, row := range rows {
		list = append(list, agentSummary{
			ID: row.AgentID, Name: row.Name, Platform: row.Platform, Owner: row.NodeID, X: row.X, Y: row.Y, Tools: row.AssistTools, Answering: answering[row.AgentID].Answering,
		})
	}
	return list, nil
}

// waited is the result of wait_for_event: an event, or none if the time was over.
type waited struct {
	Kind string          `json:"kind,omitempty"`
	Seq  uint64          `json:"seq,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
	Over bool            `json:"timeIsOver,omitempty"`
}

func (v *view) wait(ctx context.Context, r *sdkmcp.CallToolRequest, in waitArgs) (waited, error) {
	ctx, cancel, err := bounded(ctx, in.TimeoutSeconds, eventWait)
	if err != nil {
		return waited{}, err
	}
	defer cancel()
	options := sdk.EventOptions{}
	for _, text := range in.Kinds {
		kind, err := kindOf(text)
		if err != nil {
			return waited{}, err
		}
		options.Kinds = append(options.Kinds, kind)
	}
	if in.AfterSeq != nil {
		options.After, options.FromSeq = *in.AfterSeq, true
	}
	subject := ""
	if in.Agent != "" {
		subject, err = v.find(ctx, in.Agent)
		switch {
		case errors.Is(err, errNobody):
			subject = protocol.NormalizeAgentID(in.Agent) // the agent may appear later
		case err != nil:
			return waited{}, err
		}
	}
	seen := progressOf(r)
	for event, err := range v.world.Events(ctx, options) {
		if err != nil {
			continue // it reconnects and resumes
		}
		if in.Agent != "" && protocol.Subject(event.Data) != subject {
			seen(ctx, string(event.Kind))
			continue
		}
		return waited{Kind: string(event.Kind), Seq: event.Seq, Data: event.Data}, nil
	}
	if errors.Is(context.Cause(ctx), errTimedOut) {
		return waited{Over: true}, nil
	}
	return waited{}, context.Cause(ctx)
}

// kindOf parses a kind of event, also without the prefix before its colon. It refuses
// unknown kinds, for which a wait would be in vain.
func kindOf(text string) (protocol.EventKind, error) {
	kinds := protocol.EventKinds()
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
		if _, short, _ := strings.Cut(names[i], ":"); text == names[i] || text == short {
			return kind, nil
		}
	}
	return "", fmt.Errorf("%q is not a kind of event: the kinds are %s", text, strings.Join(names, ", "))
}

// errTimedOut ends a wait.
var errTimedOut = errors.New("the wait timed out")

func bounded(ctx context.Context, seconds int, usual time.Duration) (context.Context, context.CancelFunc, error) {
	wait := time.Duration(seconds) * time.Second
	switch {
	case seconds == 0:
		wait = usual
	case seconds < 0 || wait > longestWait:
		return nil, nil, fmt.Errorf("timeoutSeconds is %d: it must be 1 to %d", seconds, int(longestWait.Seconds()))
	}
	bound, cancel := context.WithTimeoutCause(ctx, wait, errTimedOut)
	return bound, cancel, nil
}

// progressOf reports the progress of a call to a client that requested it.
func progressOf(r *sdkmcp.CallToolRequest) func(ctx context.Context, message string) {
	token := r.Params.GetProgressToken()
	steps := 0.0
	return func(ctx context.Context, message string) {
		if token == nil {
			return
		}
		steps++
		// If the client is gone, the context of the call ends.
		_ = r.Session.NotifyProgress(ctx, &sdkmcp.ProgressNotificationParams{Meta: marked(), ProgressToken: token, Progress: steps, Message: message})
	}
}

// answered is the result of ask_agent.
type answered struct {
	Message string          `json:"message,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
}

func (v *view) ask(ctx context.Context, r *sdkmcp.CallToolRequest, in askArgs) (answered, error) {
	if in.Text == "" == (in.Tool == "") {
		return answered{}, errors.New("give text, or tool with args")
	}
	ctx, cancel, err := bounded(ctx, in.TimeoutSeconds, answerWait)
	if err != nil {
		return answered{}, err
	}
	defer cancel()
	to, err := v.find(ctx, in.Agent)
	if err != nil {
		return answered{}, err
	}
	question := sdk.IntercomQuestion{To: to, Text: in.Text, Tool: in.Tool}
	if v.agent.ID != "" {
		question.From = v.agent.ID
	}
	if in.Args != nil {
		if question.Args, err = json.Marshal(in.Args); err != nil {
			return answered{}, fmt.Errorf("write the arguments: %w", err)
		}
	}
	part := progressOf(r)
	announce := sync.OnceFunc(func() { part(ctx, untrusted) })
	question.OnPartial = func(event *protocol.IntercomEvent) {
		announce()
		part(ctx, event.Message)
	}
	answer, err := v.world.Ask(ctx, question)
	if err != nil {
		return answered{}, err
	}
	return answered{answer.Message, answer.Result}, nil
}

// errNobody is the error of find if no agent matches.
var errNobody = errors.New("no agent on the map")

// find returns the id of the one agent on the map that a name or an id identifies.
func (v *view) find(ctx context.Context, name string) (string, error) {
	rows, err := command.AgentsOnMap(ctx, v.client)
	if err != nil {
		return "", err
	}
	found := ""
	for _, row := range rows {
		switch {
		case row.AgentID == protocol.NormalizeAgentID(name):
			return row.AgentID, nil
		case row.Name == name && found != "":
			return "", fmt.Errorf("several agents have the name %q: use an id", name)
		case row.Name == name:
			found = row.AgentID
		}
	}
	if found == "" {
		return "", fmt.Errorf("%w has the name or the id %q: list_agents shows them", errNobody, name)
	}
	return found, nil
}

func (v *view) record(ctx context.Context, _ *sdkmcp.CallToolRequest, in journeyArgs) (*protocol.RecordJourneyReply, error) {
	now := protocol.FormatTime(v.app.Now())
	steps := []protocol.JourneyStep{{Type: protocol.StepOrigin, Content: in.Question, MessageID: rand.Text()}}
	for _, step := range in.Steps {
		args, err := json.Marshal(step.Args)
		if err != nil || step.Args == nil {
			args = json.RawMessage("{}")
		}
		made := protocol.JourneyStep{Type: protocol.StepStructure, ToolName: step.Tool, ToolCallID: rand.Text(), Args: args}
		if step.Result != nil {
			if made.Result, err = json.Marshal(step.Result); err != nil {
				return nil, fmt.Errorf("write the result of %s: %w", step.Tool, err)
			}
		}
		steps = append(steps, made)
	}
	steps = append(steps, protocol.JourneyStep{Type: protocol.StepDestination, Content: in.Answer, MessageID: rand.Text()})
	return v.world.RecordJourney(ctx, protocol.RecordJourneyRequest{
		PlayerID: v.agent.ID, Journey: protocol.Journey{Steps: slices.Clip(steps), StartedAt: now, CompletedAt: now},
	})
}
