package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// playerResult is what the agent commands print.
type playerResult struct {
	Context         string   `json:"context,omitempty"`
	PlayerID        string   `json:"playerId"`
	Label           string   `json:"label,omitempty"`
	Name            string   `json:"name,omitempty"`
	ToolNames       []string `json:"toolNames,omitempty"`
	PreviewURL      string   `json:"previewUrl,omitempty"`
	LeaseTTLSeconds *int     `json:"leaseTtlSeconds,omitempty"`
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
}

func newAddAgentCommand(a *app) *cobra.Command {
	var flags agentFlags
	cmd := &cobra.Command{
		Use:   "add-agent <agent>",
		Short: "Put an agent on the map",
		Long: `Put an agent on the map, or update its row. Without --hold it stays until it is removed.
With --hold this command keeps it alive with heartbeats and takes it off the map at Ctrl-C;
if the command dies, the host removes the agent when its lease lapses.`,
		Example: example(
			"playctl add-agent Ada",
			"playctl add-agent Ada --name \"Ada L.\" --type langchain --tool search --tool assist_route",
			"playctl add-agent Ada --hold",
			"playctl add-agent Ada --for 10m"),
		Args:              takes("agent"),
		ValidArgsFunction: a.completesAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.hold || flags.holdFor > 0 {
				return a.holdAgent(cmd.Context(), args[0], &flags)
			}
			return a.asAgent(cmd.Context(), args[0], "Putting the agent on the map", func(ctx context.Context, who *caller, ref agentRef, c *client.Client) (*render.Document, error) {
				request, err := a.registration(who, ref, &flags)
				if err != nil {
					return nil, err
				}
				reply, err := c.Register(ctx, request)
				if err != nil {
					return nil, err
				}
				return who.playerDocument(ref, reply), nil
			})
		},
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&flags.hold, "hold", false, "keep it alive until Ctrl-C, then take it off the map")
	return cmd
}

// register adds the flags that describe an agent and how it is kept.
func (f *agentFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "the `name` on the map (default: the label)")
	flags.StringVar(&f.platform, "type", "playctl", "the agent's `platform`, such as langchain")
	flags.StringSliceVar(&f.tools, "tool", nil, "a `tool` it has; may be repeated; chat_tool is always there")
	flags.StringVar(&f.assistFile, "assist-tools", "", "a JSON `file` with the descriptions of its assist_ tools")
	flags.StringVar(&f.p2a, "p2a", protocol.P2AOff, "whether people may talk to it: on or off")
	flags.StringVar(&f.instructions, "realtime-instructions", "", "a `file` with its instructions for realtime talk")
	flags.DurationVar(&f.holdFor, "for", 0, "keep it alive for this time, then take it off the map")
	flags.DurationVar(&f.lease, "lease", protocol.DefaultLeaseTTLSeconds*time.Second, "with --hold: how long the host waits for a heartbeat, 5s to 5m")
	completeChoices(cmd, "p2a", protocol.P2AOn, protocol.P2AOff)
}

// registration makes the request that the flags describe.
func (a *app) registration(who *caller, ref agentRef, flags *agentFlags) (*protocol.RegisterRequest, error) {
	request := &protocol.RegisterRequest{
		Name: flags.name, Type: flags.platform, AgentID: ref.id, MainNodeID: who.main.NodeID, EnableP2A: flags.p2a,
		Agent: protocol.AgentSpec{Type: flags.platform, ToolNames: flags.tools},
	}
	if request.Name == "" {
		request.Name = ref.name()
	}
	if !slices.Contains(flags.tools, protocol.ChatTool) {
		request.Agent.ToolNames = append(protocol.List[string]{protocol.ChatTool}, flags.tools...)
	}
	if flags.assistFile != "" {
		tools, err := a.readAssistTools(flags.assistFile)
		if err != nil {
			return nil, err
		}
		for _, tool := range tools {
			if !slices.Contains(request.Agent.ToolNames, tool.Name) {
				request.Agent.ToolNames = append(request.Agent.ToolNames, tool.Name)
			}
		}
		request.Agent.AssistTools = tools
	}
	if flags.instructions != "" {
		text, err := a.readText(flags.instructions, protocol.MaxRealtimeInstructionsBytes)
		if err != nil {
			return nil, err
		}
		request.RealtimeInstructions = string(text)
	}
	return request, nil
}

func (a *app) readAssistTools(file string) ([]protocol.AssistTool, error) {
	text, err := a.readText(file, protocol.MaxAssistToolsBytes)
	if err != nil {
		return nil, err
	}
	var tools []protocol.AssistTool
	if err := json.Unmarshal(text, &tools); err != nil {
		where := inputName(file)
		if line := brokenLine(text); line > 0 {
			where = fmt.Sprintf("%s:%d", where, line)
		}
		return nil, hintf(fmt.Errorf("%s: it is no list of assist tools: %w", where, err),
			`it looks like [{"name": "assist_route", "description": "Shows the way", "parameters": {}}]`)
	}
	return tools, nil
}

func (c *caller) playerDocument(ref agentRef, reply *protocol.RegisterReply) *render.Document {
	agent := reply.RegisteredAgent
	return &render.Document{
		Data: playerResult{
			Context: c.contextName(), PlayerID: reply.PlayerID, Label: ref.label, Name: agent.Name,
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

func newRemoveAgentCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove-agent <agent>",
		Short: "Take an agent off the map; its node stays",
		Long: `Take an agent off the map. Its node stays, so it can be added again; "playctl
delete-agent-node" ends the node as well. One that is not on the map is no error.`,
		Example:           example("playctl remove-agent Ada"),
		Args:              takes("agent"),
		ValidArgsFunction: a.completesAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.asAgent(cmd.Context(), args[0], "Removing", func(ctx context.Context, who *caller, ref agentRef, c *client.Client) (*render.Document, error) {
				if _, err := c.Disconnect(ctx, protocol.DisconnectRequest{PlayerID: ref.id}); err != nil {
					return nil, err
				}
				return &render.Document{
					Data:  playerResult{Context: who.contextName(), PlayerID: ref.id, Label: ref.label},
					Views: []render.View{render.Line(render.Clean(ref.name()) + " is not on the map any more.")},
				}, nil
			})
		},
	}
}
