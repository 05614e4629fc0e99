// Package world has the commands that read the current state of a world, and those of its
// administrator.
package world

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/chain"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Commands returns the commands of this package.
func Commands(a *command.App) []*cobra.Command {
	return []*cobra.Command{
		newConnectCommand(a), newStatusCommand(a), newSnapshotCommand(a), newChainCommand(a),
		newWatchCommand(a), newQRCommand(a),
		newSessionCommand(a), newRemoveCommand(a),
	}
}

// Results returns what the commands of this package print, by the commands.
func Results() map[string]any {
	return map[string]any{
		"connect":                  connectResult{},
		"watch, qr":                watchResult{},
		"watch list":               watchTokensResult{},
		"watch revoke":             revokedTokenResult{},
		"chain node":               nodeResult{},
		"chain prove":              proofResult{},
		"chain show, chain verify": chainResult{},
		"chain verify-proof":       proofVerdict{},
		"status":                   statusResult{},
		"session reset":            resetResult{},
		"remove":                   removedResult{},
	}
}

// resetResult is what "playctl session reset" prints.
type resetResult struct {
	Server           string `json:"server"`
	SID              string `json:"sid"`
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newSessionCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "session", Short: "The world's session, for its administrator",
		GroupID: command.GroupHost,
		Example: command.Example("playctl session reset --admin-token-file admin.token"),
	}, newSessionResetCommand(a))
}

func newSessionResetCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Begin a new session: an empty map",
		Long: `Begin a new session. Agents, MCP placements, spaces with their structures and nodes, chat
and journeys are removed; main and agent nodes, API keys and counts stay. Programs that hold an agent
register it again by themselves.`,
		Example: command.Example("playctl session reset --admin-token-file admin.token", "playctl session reset --admin-token-file admin.token --yes"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			caller, err := a.Caller()
			if err != nil {
				return err
			}
			if _, err := a.AdminToken(&admin); err != nil {
				return err
			}
			question := fmt.Sprintf("Reset the session at %s? Everything on the map, chat, journeys and spaces are removed.", caller.Server)
			if err := a.Confirm(cmd.Context(), question, command.Changes(command.Change{Action: "replace", Kind: "session", Name: caller.Server})); err != nil {
				return err
			}
			return a.AsAdmin(cmd.Context(), &admin, "Resetting", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.ResetSession(ctx)
				if err != nil {
					return nil, err
				}
				result := resetResult{Server: caller.Server, SID: reply.SID, UnconfirmedHosts: a.Unconfirmed()}
				return command.SentenceDocument(result, "The session is %s now, and its map is empty.", reply.SID), nil
			})
		},
	}
	admin.RegisterToken(cmd)
	command.RegisterConfirmation(cmd)
	return cmd
}

// removedResult is what "playctl remove" prints.
type removedResult struct {
	StableKey        string `json:"stableKey"` // the key of what was removed from the map
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newRemoveCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	cmd := &cobra.Command{
		Use:     "remove --admin <stable key>",
		GroupID: command.GroupHost,
		Short:   "Remove anything from the map, as the administrator",
		Long: `Remove anything from the map, as the administrator. The stable key is the kind and the ids of a
row: agent:<main node>:<agent>, mcp:<id>, human:<id> or structure:<id>; "playctl chain show"
lists them. The kind with the beginning of the id or the name also works, as in mcp:weather.
The node of an agent stays, so that the agent can be added again.

Use "playctl remove-agent", "unregister-mcp" and "remove-space" for your own.`,
		Example: command.Example("playctl remove --admin \"mcp:$ID\" --admin-token-file admin.token"),
		Args:    command.Takes("stable key"), ValidArgsFunction: a.Completes(command.StableKeys(removable)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !admin.Admin {
				return command.Hintf(command.Usagef("only the administrator can do this: add --admin"),
					"use \"playctl remove-agent\", \"playctl unregister-mcp\" and \"playctl remove-space\" for your own")
			}
			key, err := keyOnMap(cmd.Context(), a, &admin, args[0])
			if err != nil {
				return err
			}
			check := func() error { return hasKey(cmd.Context(), a, &admin, key) }
			removed := command.Change{Action: "remove", Kind: protocol.NodeKindOf(key), ID: key}
			if err := a.Confirm(cmd.Context(), fmt.Sprintf("Remove %q from the map?", key), removed.If(check)); err != nil {
				return err
			}
			return a.AsAdmin(cmd.Context(), &admin, "Removing", func(ctx context.Context, _ *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.RemoveOccupant(ctx, key)
				if err != nil {
					return nil, err
				}
				if !reply.OK {
					return nil, unknownKey(key)
				}
				return command.SentenceDocument(removedResult{StableKey: key, UnconfirmedHosts: a.Unconfirmed()}, "%s is not on the map.", key), nil
			})
		},
	}
	admin.Register(cmd)
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

// hasKey returns an error if the administrator cannot remove a key from the map: it does
// not exist, or is not a row of the map.
func hasKey(ctx context.Context, a *command.App, admin *command.AdminFlags, key string) error {
	return a.AsAdmin(ctx, admin, "Reading the map", func(ctx context.Context, _ *command.Caller, c *client.Client) (*render.Document, error) {
		if !removable(key) {
			return nil, protocol.Errorf(protocol.CodeStableKeyUnknown, "the stable key %q is not an occupant's", key)
		}
		reply, err := c.ChainNode(ctx, key, client.At{})
		if err == nil && reply.Node.Removed {
			err = unknownKey(key)
		}
		return nil, err
	})
}

func unknownKey(key string) error {
	return command.Missing(command.Hintf(protocol.Errorf(protocol.CodeNotFound, "there is nothing with the key %q on the map", key),
		"\"playctl chain show\" lists the keys of the world"))
}

// removable reports whether a stable key is that of a row on the map.
func removable(key string) bool {
	return key != chain.GenesisStableKey && key != chain.HeaderStableKey && protocol.NodeKindOf(key) != protocol.NodeSpace
}

func newSnapshotCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:        "snapshot",
		SuggestFor: []string{"ls", "list", "show", "map"},
		GroupID:    command.GroupWorld,
		Short:      "Show the whole world as it is now",
		Long: `Show the whole world as it is now. With --output json or yaml it is the snapshot exactly as
the host sent it, with every field; ndjson is one row of the map a line.`,
		Example: command.Example("playctl snapshot", "playctl snapshot --output json > world.json"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsReader(cmd.Context(), "Reading the world", func(ctx context.Context, _ *command.Caller, c *client.Client) (*render.Document, error) {
				text, snapshot, err := command.Snapshot(ctx, c)
				if err != nil {
					return nil, err
				}
				return command.SnapshotDocument(text, snapshot), nil
			})
		},
	}
}
