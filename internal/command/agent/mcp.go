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

// mcpResult is what the MCP commands print.
type mcpResult struct {
	Context string `json:"context,omitempty"`
	ID      string `json:"id"`             // the id of the placement on the map
	Name    string `json:"name,omitempty"` // the name of the MCP server
	URL     string `json:"url,omitempty"`  // the address of the MCP server
}

func newRegisterMCPCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "register-mcp <name> [url]",
		GroupID: command.GroupWorld,
		Short:   "Put an MCP placement on the map",
		Long: `Put an MCP placement of your main node on the map. One of the same name is updated in
place. Everyone who watches the world can read the URL.`,
		Example: command.Example("playctl register-mcp weather https://mcp.example.com/weather"),
		Args:    command.Takes("name", "url?"), ValidArgsFunction: a.Completes(command.MCPServers),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.AsReader(cmd.Context(), "Registering", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				request := protocol.MCPRegisterRequest{Name: args[0]}
				if len(args) > 1 {
					request.URL = args[1]
				}
				reply, err := c.RegisterMCP(ctx, request)
				if err != nil {
					return nil, err
				}
				return &render.Document{
					Data: mcpResult{Context: caller.ContextName(), ID: reply.ID, Name: request.Name, URL: request.URL},
					Views: []render.View{render.Fields{
						{Name: "MCP server", Value: request.Name},
						{Name: "id", Value: reply.ID},
						{Name: "url", Value: request.URL},
					}},
				}, nil
			})
		},
	}
}

func newUnregisterMCPCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "unregister-mcp <name or id>",
		GroupID: command.GroupWorld,
		Short:   "Remove an MCP placement from the map",
		Example: command.Example("playctl unregister-mcp weather"),
		Args:    command.Takes("name or id"), ValidArgsFunction: a.Completes(command.MCPServers),
		RunE: func(cmd *cobra.Command, args []string) error {
			caller, err := a.Caller()
			if err != nil {
				return err
			}
			server, err := command.Request(cmd.Context(), a, caller, caller.Reader(), "Looking for it", func(ctx context.Context, c *client.Client) (*protocol.MCP, error) {
				return placement(ctx, caller, c, args[0])
			})
			if err != nil {
				return err
			}
			if err := a.Confirm(cmd.Context(), fmt.Sprintf("Remove the MCP server %q from the map?", server.Name), command.Removes("mcp", server.ID, server.Name)); err != nil {
				return err
			}
			return a.AsReader(cmd.Context(), "Unregistering", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.UnregisterMCP(ctx, server.ID)
				if err == nil && !reply.OK {
					err = noPlacement(args[0])
				}
				if err != nil {
					return nil, err
				}
				return command.SentenceDocument(mcpResult{Context: caller.ContextName(), ID: server.ID}, "Unregistered %s.", server.Name), nil
			})
		},
	}
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

// placement returns the caller's MCP placement with a name, or with a prefix of an id.
func placement(ctx context.Context, c *command.Caller, host *client.Client, ref string) (found *protocol.MCP, err error) {
	_, snapshot, err := command.Snapshot(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, row := range client.Rows[*protocol.MCP](snapshot) {
		mine := c.Main.IsZero() || row.NodeID == c.Main.NodeID
		if mine && (row.Name == ref || len(ref) >= command.LeastPrefix && strings.HasPrefix(row.ID, strings.ToLower(ref))) {
			if found != nil {
				return nil, fmt.Errorf("several MCP placements are called %q: use an id", ref)
			}
			found = row
		}
	}
	if found == nil {
		return nil, noPlacement(ref)
	}
	return found, nil
}

func noPlacement(ref string) error {
	return command.Missing(command.Hintf(protocol.Errorf(protocol.CodeNotFound, "you have no MCP server %q", ref), "\"playctl snapshot\" lists what is on the map"))
}
