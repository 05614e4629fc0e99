// Package agent has the commands that act for an agent: they keep it on the map, record
// its chat lines and journeys, and answer questions for it.
package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		newAddAgentCommand(a), newRemoveAgentCommand(a),
		newRegisterMCPCommand(a), newUnregisterMCPCommand(a),
		newRecordInteractionCommand(a), newRecordJourneyCommand(a), newRecordActivityCommand(a), newInteractionsCommand(a), newJourneysCommand(a),
		newIntercomCommand(a), newAgentCommand(a), newChatCommand(a), newTopCommand(a), newInitCommand(a),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"add-agent, remove-agent, agent run, intercom serve":  playerResult{},
		"register-mcp, unregister-mcp":                        mcpResult{},
		"record-interaction, record-journey, record-activity": recordedResult{},
		"interactions":  interactionsResult{},
		"intercom send": answerResult{},
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
			caller, ref, err := flags.find(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			return a.As(cmd.Context(), caller, ref.Node, "Putting the agent on the map", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
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
	flags.register(a, cmd)
	cmd.Flags().BoolVar(&flags.hold, "hold", false, "keep it alive until Ctrl-C, then remove it from the map")
	return cmd
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
