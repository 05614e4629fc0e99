// Package agent has the commands that act for an agent: they keep it on the map, record
// its chat lines and journeys, and answer questions for it.
package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		newAddAgentCommand(a), newRemoveAgentCommand(a),
		newRegisterMCPCommand(a), newUnregisterMCPCommand(a),
		newRecordInteractionCommand(a), newRecordJourneyCommand(a), newInteractionsCommand(a), newJourneysCommand(a),
		newIntercomCommand(a), newAgentCommand(a), newChatCommand(a), newTopCommand(a), newInitCommand(a),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"add-agent, remove-agent, agent run, intercom serve":           playerResult{},
		"register-mcp, unregister-mcp":                                 mcpResult{},
		"record-interaction, record-journey":                           recordedResult{},
		"interactions":                                                 interactionsResult{},
		"intercom send":                                                answerResult{},
		"intercom serve, agent run; the standard input of the program": programInput{},
		"agent run --lines; the standard input of the program":         lineQuestion{},
		"agent list": listedAgents{},
		"agent show": shownAgent{},
		"journeys":   journeysResult{},
		"init":       initResult{},
	}
}

// playerResult is what the agent commands print.
type playerResult struct {
	Context         string   `json:"context,omitempty"`
	PlayerID        string   `json:"playerId"`
	Label           string   `json:"label,omitempty"`           // the label of the agent in the context
	Name            string   `json:"name,omitempty"`            // its name on the map; absent where it was taken off
	ToolNames       []string `json:"toolNames,omitempty"`       // the tools of its row
	PreviewURL      string   `json:"previewUrl,omitempty"`      // the page on which it is seen
	LeaseTTLSeconds *int     `json:"leaseTtlSeconds,omitempty"` // how long it stays without a heartbeat, in seconds; absent where it stays for good
}

// agentFlags describe an agent as it appears on the map.
type agentFlags struct {
	name         string
	platform     string
	tools        []string
	assistFile   string
	p2a          string
	instructions string
	hold         bool
	holdFor      time.Duration
	lease        time.Duration
	// described are the tools of assistFile, after it was read.
	described []protocol.AssistTool
	// given reports whether a flag was on the command line.
	given func(flag string) bool
}

func newAddAgentCommand(a *command.App) *cobra.Command {
	var flags agentFlags
	cmd := &cobra.Command{
		Use:     "add-agent <agent>",
		GroupID: command.GroupWorld,
		Short:   "Put an agent on the map",
		Long: `Put an agent on the map, or update its row. An update leaves everything without a flag unchanged.
Without --hold the agent stays until it is removed. With --hold this command keeps it alive with
heartbeats and removes it from the map at Ctrl-C; if the command dies, the host removes the agent
when its lease expires.`,
		Example: command.Example(
			"playctl add-agent Ada",
			"playctl add-agent Ada --name \"Ada L.\" --type langchain --tool search --tool assist_route",
			"playctl add-agent Ada --hold",
			"playctl add-agent Ada --for 10m"),
		Args:              command.Takes("agent"),
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			held := flags.hold || flags.given("for")
			if flags.given("lease") && !held {
				return command.Usagef("--lease requires --hold or --for")
			}
			if held {
				return command.UnlessTerminated(cmd.Context(), holdAgent(cmd.Context(), a, args[0], &flags))
			}
			return a.AsAgent(cmd.Context(), args[0], command.SeekNew, "Putting the agent on the map", func(ctx context.Context, caller *command.Caller, ref command.AgentRef, c *client.Client) (*render.Document, error) {
				row, err := command.AgentOnMap(ctx, c, ref.ID)
				if err != nil {
					return nil, err
				}
				request, err := registration(a, caller, ref, &flags, row)
				if err != nil {
					return nil, err
				}
				reply, err := c.Register(ctx, request)
				if err != nil {
					return nil, err
				}
				return playerDocument(caller, ref, reply), nil
			})
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&flags.hold, "hold", false, "keep it alive until Ctrl-C, then remove it from the map")
	return cmd
}

// register adds the flags that describe an agent and its time on the map.
func (f *agentFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.given = flags.Changed
	flags.StringVar(&f.name, "name", "", "the `name` on the map (default: the label)")
	flags.StringVar(&f.platform, "type", "playctl", "the agent's `platform`, such as langchain")
	flags.StringSliceVar(&f.tools, "tool", nil, "a `tool` it has; may be repeated; chat_tool is always included")
	flags.StringVar(&f.assistFile, "assist-tools", "", "a JSON `file` with its assist_ tools, as MCP or a model's vendor describes them")
	flags.StringVar(&f.p2a, "p2a", protocol.P2AOff, "let people talk to it: on or off")
	flags.StringVar(&f.instructions, "realtime-instructions", "", "a `file` with its instructions for realtime conversations")
	flags.DurationVar(&f.holdFor, "for", 0, "keep it alive for this long, then remove it from the map")
	flags.DurationVar(&f.lease, "lease", protocol.DefaultLeaseTTLSeconds*time.Second, fmt.Sprintf("how long the host keeps an agent without a heartbeat, from %ds to %ds", protocol.MinLeaseTTLSeconds, protocol.MaxLeaseTTLSeconds))
	command.Choices(cmd, "p2a", protocol.P2AOn, protocol.P2AOff)
}

// check refuses tools without a name, and times that a host would change or interpret
// differently.
func (f *agentFlags) check() error {
	switch {
	case f.given("tool") && (len(f.tools) == 0 || slices.Contains(f.tools, "")):
		return command.Usagef("--tool is empty")
	case f.given("for") && f.holdFor <= 0:
		return command.Usagef("--for must be more than 0")
	case f.lease < protocol.MinLeaseTTLSeconds*time.Second || f.lease > protocol.MaxLeaseTTLSeconds*time.Second:
		return command.Usagef("--lease must be from %ds to %ds", protocol.MinLeaseTTLSeconds, protocol.MaxLeaseTTLSeconds)
	}
	return nil
}

// registration returns the request that the flags describe; anything else stays as in the
// agent's row, which is nil if the agent is not on the map.
func registration(a *command.App, caller *command.Caller, ref command.AgentRef, flags *agentFlags, row *protocol.Agent) (*protocol.RegisterRequest, error) {
	request := &protocol.RegisterRequest{
		Name: cmp.Or(flags.name, ref.Name()), Type: flags.platform, AgentID: ref.ID, MainNodeID: caller.Main.NodeID, EnableP2A: flags.p2a,
		Agent: protocol.AgentSpec{ToolNames: flags.tools},
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

func playerDocument(c *command.Caller, ref command.AgentRef, reply *protocol.RegisterReply) *render.Document {
	agent := reply.RegisteredAgent
	return &render.Document{
		Data: playerResult{
			Context: c.ContextName(), PlayerID: reply.PlayerID, Label: ref.Label, Name: agent.Name,
			ToolNames: agent.ToolNames, PreviewURL: reply.PreviewURL, LeaseTTLSeconds: reply.LeaseTTLSeconds,
		},
		Views: []render.View{render.Fields{
			{Name: "agent", Value: agent.Name},
			{Name: "player", Value: reply.PlayerID},
			{Name: "tools", Value: strings.Join(agent.ToolNames, ", ")},
			{Name: "watch", Value: reply.PreviewURL},
		}},
	}
}

func newRemoveAgentCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "remove-agent <agent>",
		GroupID: command.GroupWorld,
		Short:   "Remove an agent from the map; its node stays",
		Long: `Remove an agent from the map. Its node stays, so it can be added again; "playctl
delete-agent-node" deletes the node as well. It is not an error if the agent is not on the map.`,
		Example:           command.Example("playctl remove-agent Ada"),
		Args:              command.Takes("agent"),
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			caller, ref, err := a.CallerAndAgent(cmd.Context(), args[0], command.SeekOwn)
			if err != nil {
				return err
			}
			if err := a.Confirm(cmd.Context(), fmt.Sprintf("Remove the agent %q from the map?", ref.Name()), removedAgent(cmd.Context(), a, caller, ref)); err != nil {
				return err
			}
			err = a.Call(cmd.Context(), caller, ref.Node, "Removing", func(ctx context.Context, c *client.Client) error {
				_, err := c.Disconnect(ctx, protocol.DisconnectRequest{PlayerID: ref.ID})
				if err != nil && caller.Service != protocol.ServicePlay && !command.IsUnreachable(err) {
					err = command.Hintf(err, "on a host of this service, only the program that put the agent on the map can remove it: stop that program")
				}
				return err
			})
			if err != nil {
				return err
			}
			return a.PrintSentence(playerResult{Context: caller.ContextName(), PlayerID: ref.ID, Label: ref.Label}, "%s is not on the map.", ref.Name())
		},
	}
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

// removedAgent returns what "remove-agent" removes: nothing if the agent is not on the map.
func removedAgent(ctx context.Context, a *command.App, caller *command.Caller, ref command.AgentRef) func() ([]command.Change, error) {
	return func() ([]command.Change, error) {
		row, err := command.Request(ctx, a, caller, ref.Node, "Looking for it", func(ctx context.Context, c *client.Client) (*protocol.Agent, error) {
			return command.AgentOnMap(ctx, c, ref.ID)
		})
		if err != nil || row == nil {
			return nil, err
		}
		return []command.Change{{Action: "remove", Kind: "agent", ID: ref.ID, Name: ref.Name()}}, nil
	}
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
		EnableP2A: request.EnableP2A == protocol.P2AOn, RealtimeInstructions: request.RealtimeInstructions, LeaseTTL: flags.lease,
	}, nil
}
