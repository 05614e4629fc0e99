package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// agentFlags describe an agent as it appears on the map.
type agentFlags struct {
	name         string
	platform     string
	tools        []string
	assistFile   string
	p2a          string
	instructions string
	parent       string
	group        string
	hold         bool
	holdFor      time.Duration
	lease        time.Duration
	// described are the tools of assistFile, after it was read.
	described []protocol.AssistTool
	// parentID is the id of parent, after it was found.
	parentID string
	// given reports whether a flag was on the command line.
	given func(flag string) bool
}

// register adds the flags that describe an agent and its time on the map.
func (f *agentFlags) register(a *command.App, cmd *cobra.Command) {
	flags := cmd.Flags()
	f.given = flags.Changed
	flags.StringVar(&f.name, "name", "", "the `name` on the map (default: the label)")
	flags.StringVar(&f.platform, "type", "playctl", "the agent's `platform`, such as langchain")
	flags.StringSliceVar(&f.tools, "tool", nil, "a `tool` it has; may be repeated; chat_tool is always included")
	flags.StringVar(&f.assistFile, "assist-tools", "", "a JSON `file` with its assist_ tools, as MCP or a model's vendor describes them")
	flags.StringVar(&f.p2a, "p2a", protocol.P2AOff, "let people talk to it: on or off")
	flags.StringVar(&f.instructions, "realtime-instructions", "", "a `file` with its instructions for realtime conversations")
	flags.StringVar(&f.parent, "parent", "", "the `agent` that started it; empty for none")
	flags.StringVar(&f.group, "group", "", "what people sort agents by, such as a project; empty for none")
	flags.DurationVar(&f.holdFor, "for", 0, "keep it alive for this long, then remove it from the map")
	flags.DurationVar(&f.lease, "lease", protocol.DefaultLeaseTTLSeconds*time.Second, fmt.Sprintf("how long the host keeps an agent without a heartbeat, from %ds to %ds", protocol.MinLeaseTTLSeconds, protocol.MaxLeaseTTLSeconds))
	command.Choices(cmd, "p2a", protocol.P2AOn, protocol.P2AOff)
	a.CompleteFlag(cmd, "parent", command.Agents(command.SeekOwn))
	a.CompleteFlag(cmd, "group", groupsOnMap)
}

// groupsOnMap offers the groups of the agents on the map.
func groupsOnMap(ctx context.Context, _ *command.App, _ *command.Caller, host *client.Client, _ command.Word) (found []cobra.Completion, err error) {
	rows, err := command.AgentsOnMap(ctx, host)
	for _, row := range rows {
		if row.Group != "" && !slices.Contains(found, row.Group) {
			found = append(found, row.Group)
		}
	}
	return found, err
}

// check refuses tools without a name, and times that a host would change or interpret
// differently.
func (f *agentFlags) check() error {
	switch {
	case f.given("tool") && (len(f.tools) == 0 || slices.Contains(f.tools, "")):
		return command.Usagef("--tool is empty")
	case utf8.RuneCountInString(f.group) > protocol.MaxGroupChars:
		return command.Usagef("--group has %d characters, at most %d are allowed", utf8.RuneCountInString(f.group), protocol.MaxGroupChars)
	case f.group != "" && protocol.TrimSpace(f.group) == "":
		return command.Usagef("--group is blank")
	case f.given("for") && f.holdFor <= 0:
		return command.Usagef("--for must be more than 0")
	case f.lease < protocol.MinLeaseTTLSeconds*time.Second || f.lease > protocol.MaxLeaseTTLSeconds*time.Second:
		return command.Usagef("--lease must be from %ds to %ds", protocol.MinLeaseTTLSeconds, protocol.MaxLeaseTTLSeconds)
	}
	return nil
}

// find finds the agent of a command, and its parent.
func (f *agentFlags) find(ctx context.Context, a *command.App, name string) (*command.Caller, command.AgentRef, error) {
	caller, err := a.Caller()
	if err == nil {
		err = f.findParent(ctx, a, caller)
	}
	if err != nil {
		return nil, command.AgentRef{}, err
	}
	ref, err := a.FindAgent(ctx, caller, name, command.SeekNew)
	return caller, ref, err
}

// findParent finds the agent of --parent. A whole id may be of an agent that is not known here.
func (f *agentFlags) findParent(ctx context.Context, a *command.App, caller *command.Caller) error {
	f.parentID = protocol.NormalizeAgentID(f.parent)
	if f.parent == "" || protocol.ValidHex64(f.parentID) {
		return nil
	}
	ref, err := a.FindAgent(ctx, caller, f.parent, command.SeekOwn)
	if err != nil {
		return fmt.Errorf("--parent: %w", err)
	}
	f.parentID = ref.ID
	return nil
}

// registration returns the request that the flags describe; anything else stays as in the
// agent's row, which is nil if the agent is not on the map.
func registration(a *command.App, caller *command.Caller, ref command.AgentRef, flags *agentFlags, row *protocol.Agent) (*protocol.RegisterRequest, error) {
	request := &protocol.RegisterRequest{
		Name: cmp.Or(flags.name, ref.Name()), Type: flags.platform, AgentID: ref.ID, MainNodeID: caller.Main.NodeID, EnableP2A: flags.p2a,
		Agent: protocol.AgentSpec{ToolNames: flags.tools}, ParentID: flags.parentID, Group: flags.group,
	}
	if request.ParentID == ref.ID {
		return nil, command.Usagef("--parent is the agent itself")
	}
	if row != nil {
		keep := func(flag string, field *string, now string) {
			if !flags.given(flag) {
				*field = now
			}
		}
		keep("name", &request.Name, row.Name)
		keep("type", &request.Type, row.Platform)
		keep("p2a", &request.EnableP2A, row.EnableP2A)
		keep("parent", &request.ParentID, row.ParentID)
		keep("group", &request.Group, row.Group)
		keep("realtime-instructions", &request.RealtimeInstructions, row.RealtimeInstructions)
		described := func(name string) bool {
			return slices.ContainsFunc(row.AssistTools, func(tool protocol.AssistTool) bool { return tool.Name == name })
		}
		if !flags.given("tool") {
			request.Agent.ToolNames = slices.DeleteFunc(slices.Clone(row.ToolNames), described)
		}
		request.Agent.AssistTools = row.AssistTools
	}
	request.Agent.Type = request.Type
	if !slices.Contains(request.Agent.ToolNames, protocol.ChatTool) {
		request.Agent.ToolNames = append(protocol.List[string]{protocol.ChatTool}, request.Agent.ToolNames...)
	}
	if flags.assistFile != "" {
		tools, err := flags.assistTools(a)
		if err != nil {
			return nil, err
		}
		request.Agent.AssistTools = tools
	}
	for _, tool := range request.Agent.AssistTools {
		if !slices.Contains(request.Agent.ToolNames, tool.Name) {
			request.Agent.ToolNames = append(request.Agent.ToolNames, tool.Name)
		}
	}
	if n := len(request.Agent.ToolNames); n > protocol.MaxToolNames {
		return nil, fmt.Errorf("%s would have %d tools with %s, but an agent may have %d: remove %d", request.Name, n, protocol.ChatTool, protocol.MaxToolNames, n-protocol.MaxToolNames)
	}
	if flags.instructions != "" {
		text, err := a.ReadText(flags.instructions, protocol.MaxRealtimeInstructionsBytes)
		if err != nil {
			return nil, err
		}
		request.RealtimeInstructions = string(text)
	}
	return request, nil
}

// assistTools returns the tools of the file. It reads the file once: it may be standard
// input.
func (f *agentFlags) assistTools(a *command.App) (tools []protocol.AssistTool, err error) {
	if f.described == nil {
		f.described, err = readAssistTools(a, f.assistFile)
	}
	return f.described, err
}

// required returns the arguments that each described tool needs, by the tool's name. The
// rest of its schema is for people's forms and the program.
func (f *agentFlags) required(a *command.App) (map[string][]string, error) {
	needs := map[string][]string{}
	if f.assistFile == "" {
		return needs, nil
	}
	tools, err := f.assistTools(a)
	if err != nil {
		return nil, err
	}
	for _, tool := range tools {
		var schema struct {
			Required []string `json:"required"`
		}
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil {
			return nil, fmt.Errorf("%s: the parameters of %s: %w", command.InputName(f.assistFile), tool.Name, err)
		}
		needs[tool.Name] = schema.Required
	}
	return needs, nil
}

// maxAssistFile is the size of a file with tools: lists of other programs have more than
// what is registered.
const maxAssistFile = 16 * protocol.MaxAssistToolsBytes

func readAssistTools(a *command.App, file string) ([]protocol.AssistTool, error) {
	text, err := a.ReadText(file, maxAssistFile)
	if err != nil {
		return nil, err
	}
	list, err := sdk.ReadTools(text)
	if err != nil {
		return nil, command.Hintf(fmt.Errorf("%s: %w", placeIn(file, text), err),
			`it must be a list like [{"name": "assist_route", "description": "Shows the way", "parameters": {}}], or the list of OpenAI, Anthropic, MCP, LangChain, Gemini or Vercel`)
	}
	tools := []protocol.AssistTool{}
	for i, tool := range list {
		if tool.Name == protocol.ChatTool {
			continue // every agent has it
		}
		if !strings.HasPrefix(tool.Name, protocol.AssistToolPrefix) || tool.Name == protocol.AssistToolPrefix {
			return nil, command.Hintf(fmt.Errorf("%s: tool %d is called %q, but names of tools for people must begin with %s",
				command.InputName(file), i+1, tool.Name, protocol.AssistToolPrefix), "call it %q", protocol.AssistToolPrefix+cmp.Or(strings.TrimPrefix(tool.Name, protocol.AssistToolPrefix), "route"))
		}
		tools = append(tools, protocol.AssistTool{Name: tool.Name, Description: tool.Description, Parameters: tool.Schema})
	}
	return tools, nil
}

// heldAgent returns the SDK's options for the flags that registration uses.
func heldAgent(a *command.App, caller *command.Caller, ref command.AgentRef, flags *agentFlags, row *protocol.Agent) (*sdk.AgentOptions, error) {
	request, err := registration(a, caller, ref, flags, row)
	if err != nil {
		return nil, err
	}
	described := map[string]protocol.AssistTool{}
	for _, tool := range request.Agent.AssistTools {
		described[tool.Name] = tool
	}
	tools := make([]sdk.Tool, len(request.Agent.ToolNames))
	for i, name := range request.Agent.ToolNames {
		tools[i] = sdk.Tool{Name: name, Description: described[name].Description, Schema: described[name].Parameters}
	}
	registration, err := sdk.NewFrameworkRegistration(request.Type, tools...)
	if err != nil {
		return nil, command.Usagef("%w", err)
	}
	return &sdk.AgentOptions{
		Credentials: ref.Credentials(), AgentID: ref.ID, Name: request.Name, Type: request.Type, Tools: registration,
		EnableP2A: request.EnableP2A == protocol.P2AOn, RealtimeInstructions: request.RealtimeInstructions,
		ParentID: request.ParentID, Group: request.Group, LeaseTTL: flags.lease,
	}, nil
}
