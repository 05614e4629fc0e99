package command

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/protocol"
)

// completionTime is how long a person who presses Tab is kept waiting for a host.
const completionTime = 2 * time.Second

// CompletesContext completes an argument or a flag with the names of contexts.
func (a *App) CompletesContext(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 || a.prepare(cmd, nil) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := a.CredentialsStore()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	file, err := store.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return file.Names(), cobra.ShellCompDirectiveNoFileComp
}

// CompletesFromWorld completes the first argument with what offers finds in the world.
func (a *App) CompletesFromWorld(offers func(*protocol.Snapshot) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		snapshot, err := a.worldToComplete(cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return slices.DeleteFunc(offers(snapshot), func(offer string) bool { return !strings.HasPrefix(offer, begun) }),
			cobra.ShellCompDirectiveNoFileComp
	}
}

func (a *App) worldToComplete(cmd *cobra.Command) (*protocol.Snapshot, error) {
	if err := a.prepare(cmd, nil); err != nil {
		return nil, err
	}
	who, err := a.Caller()
	if err != nil {
		return nil, err
	}
	c, err := a.Client(who, who.Main)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	text, _, err := c.WorldSnapshot(ctx)
	if err != nil {
		return nil, err
	}
	snapshot := new(protocol.Snapshot)
	return snapshot, protocol.Decode(text, snapshot)
}

// SpaceNames are the names of the spaces of a world, to complete with.
func SpaceNames(snapshot *protocol.Snapshot) []string { return namesIn(snapshot.Spaces, "") }

// MCPNames are the names of the MCP servers of a world, to complete with.
func MCPNames(snapshot *protocol.Snapshot) []string {
	return namesIn(snapshot.WorldMap.Occupants, protocol.KindMCP)
}

// namesIn are the names in rows of a kind, "" for rows without one.
func namesIn(rows []json.RawMessage, kind protocol.OccupantKind) []string {
	var names []string
	for _, text := range rows {
		var row RowOverview
		if protocol.Decode(text, &row) == nil && row.Kind == kind {
			names = append(names, row.Name)
		}
	}
	return names
}
