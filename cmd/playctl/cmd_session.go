package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// resetResult is what "playctl session reset" prints.
type resetResult struct {
	Server string `json:"server"`
	SID    string `json:"sid"`
}

func newSessionCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "session", Short: "The world's session, for its administrator", Args: cobra.ArbitraryArgs, RunE: runGroup,
		Example: example("playctl session reset --admin-token-file admin.token"),
	}
	cmd.AddCommand(newSessionResetCommand(a))
	return cmd
}

func newSessionResetCommand(a *app) *cobra.Command {
	var admin adminFlags
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Begin a new session: an empty map",
		Long: `Begin a new session. Agents, MCP placements, spaces with their structures and nodes, chat
and journeys go; main and agent nodes, API keys and counts stay. Programs that hold an agent
register it again by themselves.`,
		Example: example("playctl session reset --admin-token-file admin.token", "playctl session reset --yes"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			who, err := a.caller()
			if err != nil {
				return err
			}
			if _, err := a.adminToken(&admin); err != nil {
				return err
			}
			question := fmt.Sprintf("Reset the session at %s? Everything on the map, chat, journeys and spaces go.", who.server)
			if err := a.confirm(cmd.Context(), yes, question); err != nil {
				return err
			}
			return a.asAdmin(cmd.Context(), &admin, "Resetting", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				reply, err := c.ResetSession(ctx)
				if err != nil {
					return nil, err
				}
				return &render.Document{
					Data:  resetResult{Server: who.server, SID: reply.SID},
					Views: []render.View{render.Line("The session is " + render.Clean(reply.SID) + " now, and its map is empty.")},
				}, nil
			})
		},
	}
	admin.registerToken(cmd)
	registerYes(cmd, &yes)
	return cmd
}

// removedResult is what "playctl remove" prints.
type removedResult struct {
	StableKey string `json:"stableKey"`
}

func newRemoveCommand(a *app) *cobra.Command {
	var admin adminFlags
	cmd := &cobra.Command{
		Use:   "remove --admin <stable key>",
		Short: "Take anything off the map, as the administrator",
		Long: `Take anything off the map, as the administrator. The stable key is the kind and the ids of a
row: agent:<main node>:<agent>, mcp:<id>, human:<id> or structure:<id>. The node of an agent
stays, so that whoever has it can add the agent again.

Your own you take off with "playctl remove-agent", "unregister-mcp" and "remove-space".`,
		Example: example("playctl remove --admin mcp:5b1c0a54-0d3b-4c64-9a2e-7f0d8ad3c1f2"),
		Args:    takes("stable key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !admin.admin {
				return hintf(usagef("this is for the administrator: add --admin"),
					"your own are taken off with \"playctl remove-agent\", \"playctl unregister-mcp\" and \"playctl remove-space\"")
			}
			return a.asAdmin(cmd.Context(), &admin, "Removing", func(ctx context.Context, _ *caller, c *client.Client) (*render.Document, error) {
				reply, err := c.RemoveOccupant(ctx, args[0])
				if err != nil {
					return nil, err
				}
				if !reply.OK {
					return nil, hintf(protocol.Errorf(protocol.CodeNotFound, "there is nothing with the key %q on the map", args[0]),
						"\"playctl snapshot\" shows what is there")
				}
				return &render.Document{
					Data:  removedResult{StableKey: args[0]},
					Views: []render.View{render.Line(render.Clean(args[0]) + " is not on the map any more.")},
				}, nil
			})
		},
	}
	admin.register(cmd)
	return cmd
}
