package host

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// persona is an agent of the demo.
type persona struct {
	name      string
	framework string
	tools     []sdk.Tool
	assists   []assist
	// greeting is the beginning of an answer to an unknown question.
	greeting string
	scenes   []scene
}

// scene is a question to an agent, the tool that the agent uses, and the answer.
type scene struct {
	question string
	tool     string
	args     string // JSON
	result   string
	answer   string
	// asks is what the agent asks a person before it uses the tool, empty for nothing.
	asks string
}

// act shows what the agent does while it records a line of the scene: it asks a person
// before the tool in scenes with such a question.
func (s *scene) act(ctx context.Context, agent *sdk.Agent, line int) error {
	switch {
	case line == 0 && s.asks != "":
		return agent.Waiting(ctx, s.asks, sdk.UsingTool(s.tool), sdk.WithUsage(protocol.Usage{}))
	case line == 0:
		return agent.Working(ctx, "", sdk.UsingTool(s.tool), sdk.WithUsage(protocol.Usage{}))
	}
	return agent.Working(ctx, "Writing the answer")
}

// usage returns what such a scene would use: about a token for every four characters, and
// the prices of a model of middle size.
func (s *scene) usage() protocol.Usage {
	input, output, calls := float64(1200+len(s.question+s.args+s.result)/4), float64(len(s.args+s.answer)/4), 1.0
	cost := math.Round(input*3+output*15) / 1e6
	return protocol.Usage{InputTokens: &input, OutputTokens: &output, CostUSD: &cost, ToolCalls: &calls}
}

// demoPlacements returns the MCP placements of the demo.
func demoPlacements() []sdk.MCP {
	return []sdk.MCP{
		{Name: "weather", URL: "https://mcp.example.com/weather"},
		{Name: "library", URL: "https://mcp.example.com/library"},
	}
}

func chatTool() sdk.Tool {
	return sdk.Tool{Name: protocol.ChatTool, Description: "Answers a message"}
}

// demoCast returns the agents of the demo and their scenes.
func demoCast() []persona {
	return []persona{
		{
			name: "Ada", framework: "langchain",
			tools:    []sdk.Tool{chatTool(), {Name: "search"}, {Name: "cite"}},
			assists:  []assist{findBook()},
			greeting: "I am Ada and I look after the books.",
			scenes: []scene{
				{"Which book explains Merkle trees best?", "search", `{"query":"merkle trees"}`, "4 books", "The third chapter of the blue one. It draws every step.", ""},
				{"Who wrote the notes on the analytical engine?", "cite", `{"topic":"analytical engine"}`, "A. A. L., 1843", "They are signed A. A. L. and dated 1843.", ""},
				{"Is there anything on lighthouses?", "search", `{"query":"lighthouse","shelf":"coast"}`, "2 books, 1 map", "Two books and a map of the coast. The map is the better read.", ""},
				{"Can you find the source of that number?", "cite", `{"claim":"one in eight"}`, "no source", "No. Three pages repeat it and none says where it is from, so I would not use it.", ""},
			},
		},
		{
			name: "Grace", framework: "openai-agents",
			tools:    []sdk.Tool{chatTool(), {Name: "compile"}, {Name: "run_tests"}, {Name: "read_log"}},
			assists:  []assist{explainError()},
			greeting: "I am Grace and I keep the build green.",
			scenes: []scene{
				{"Why is the build red?", "read_log", `{"job":"build","lines":200}`, "undefined: retryAfter", "A rename was not carried through: retryAfter is now retryDelay. One line in client.go.", ""},
				{"Are the tests green on your branch?", "run_tests", `{"race":true}`, "412 passed", "All 412, with the race detector on.", "May I use the large machine?"},
				{"Does it build for the small board too?", "compile", `{"os":"linux","arch":"arm64"}`, "ok, 11.2 MB", "It does, 11 MB in one file.", ""},
				{"What was that crash last night?", "read_log", `{"since":"22:00"}`, "disk full at 03:12", "No crash: the disk was full at 03:12, writes were refused until 03:40, nothing was lost.", ""},
			},
		},
		{
			name: "Tove", framework: "crewai",
			tools:    []sdk.Tool{chatTool(), {Name: "forecast"}, {Name: "route"}},
			assists:  []assist{planTrip()},
			greeting: "I am Tove and I know the ways around here.",
			scenes: []scene{
				{"Will the ferry run tomorrow?", "forecast", `{"place":"harbor","day":"tomorrow"}`, "wind 7 m/s, gusts 12", "Yes. It stops at 18 meters a second and tomorrow has 12 at most.", ""},
				{"What is the nicest way to the mill?", "route", `{"to":"mill","by":"foot"}`, "2.4 km, 35 min", "Along the river: 35 minutes instead of 25, but you pass the old bridge.", ""},
				{"Do I need an umbrella?", "forecast", `{"place":"here","hours":3}`, "rain in 90 min", "Not if you are back within the hour.", ""},
				{"When is the last train home?", "route", `{"by":"train","after":"22:00"}`, "23:41, platform 2", "At 23:41 from platform 2. The one at 23:10 is emptier.", "Which station is yours?"},
			},
		},
	}
}

// journey returns a scene as a journey of the agent, with its times.
func (s *scene) journey(turn int, start, end time.Time) protocol.Journey {
	result, err := json.Marshal(s.result)
	if err != nil {
		panic("playctl: a text has no JSON: " + err.Error())
	}
	return protocol.Journey{
		StartedAt: protocol.FormatTime(start), CompletedAt: protocol.FormatTime(end),
		Steps: []protocol.JourneyStep{
			{Type: protocol.StepOrigin, Content: s.question, MessageID: fmt.Sprintf("question-%d", turn)},
			{Type: protocol.StepStructure, ToolName: s.tool, ToolCallID: fmt.Sprintf("call-%d", turn), Args: json.RawMessage(s.args), Result: result},
			{Type: protocol.StepDestination, Content: s.answer, MessageID: fmt.Sprintf("answer-%d", turn)},
		},
	}
}
