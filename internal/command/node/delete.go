package node

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// deletedResult is what the delete commands print.
type deletedResult struct {
	Context          string `json:"context,omitempty"`
	NodeID           string `json:"nodeId"`        // the node that was deleted
	DeletedAgents    int    `json:"deletedAgents"` // how many agent nodes were deleted
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newDeleteAgentNodeCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "delete-agent-node <agent>",
		GroupID: command.GroupNodes,
		Short:   "Delete an agent node, with its place on the map",
		Long: `Delete an agent node: it leaves the map, and its credentials stop working. It is
deleted from the context as well.`,
		Example:           command.Example("playctl delete-agent-node Ada", "playctl delete-agent-node Ada --yes"),
		Args:              command.Takes("agent"),
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			return deleteAgentNode(cmd.Context(), a, args[0])
		},
	}
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

func deleteAgentNode(ctx context.Context, a *command.App, name string) error {
	caller, err := a.MainCaller()
	if err != nil {
		return err
	}
	ref, err := a.FindAgent(ctx, caller, name, command.SeekOwn)
	if err != nil {
		return err
	}
	if err := a.Confirm(ctx, fmt.Sprintf("Delete the agent node %s?", ref.Name()), command.Removes("agent_node", ref.ID, ref.Name())); err != nil {
		return err
	}
	err = a.Call(ctx, caller, caller.Main, "Deleting", func(ctx context.Context, c *client.Client) error {
		reply, err := c.DeleteAgent(ctx, ref.ID)
		if err != nil || reply.OK {
			return err
		}
		account, err := c.Nodes(ctx)
		switch {
		case err != nil:
			return err
		case slices.Contains(account.MainNode.AgentNodeIDs, ref.ID):
			return command.Hintf(fmt.Errorf("the host did not delete the agent node %s, so its credentials are kept", ref.Name()),
				"hosts of the agent-play service cannot delete agent nodes: ask the operator of %s", caller.Server)
		case !ref.Own:
			return command.Missing(protocol.Errorf(protocol.CodeNotFound, "the host has no agent node %s", ref.Name()))
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = caller.Change(ctx, func(target *creds.Context) error {
		if !ref.Own {
			return nil
		}
		_, err := target.RemoveAgent(ref.ID)
		return err
	})
	if err != nil {
		return err
	}
	result := deletedResult{Context: caller.ContextName(), NodeID: ref.ID, DeletedAgents: 1, UnconfirmedHosts: a.Unconfirmed()}
	return a.PrintSentence(result, "Deleted the agent node %s.", ref.Name())
}

func newDeleteMainNodeCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "delete-main-node",
		GroupID: command.GroupNodes,
		Short:   "Delete your main node and everything it owns",
		Long: `Delete the main node of the context, with its agents, its MCP placements and its spaces.
The context is deleted as well.`,
		Example: command.Example("playctl delete-main-node", "playctl delete-main-node --context old --yes"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return deleteMainNode(cmd.Context(), a)
		},
	}
	command.RegisterConfirmation(cmd)
	return cmd
}

func deleteMainNode(ctx context.Context, a *command.App) error {
	caller, err := a.MainCaller()
	if err != nil {
		return err
	}
	question := fmt.Sprintf("Delete the main node %s at %s with everything it owns?", render.ShortID(caller.Main.NodeID), caller.Server)
	if err := a.Confirm(ctx, question, func() ([]command.Change, error) { return accountChanges(ctx, a, caller) }); err != nil {
		return err
	}
	reply, err := command.Request(ctx, a, caller, caller.Main, "Deleting", func(ctx context.Context, c *client.Client) (*protocol.DeleteNodeReply, error) {
		return c.DeleteNode(ctx, caller.Main.NodeID)
	})
	if err != nil {
		return err
	}
	if err := forget(ctx, caller); err != nil {
		return err
	}
	result := deletedResult{caller.ContextName(), caller.Main.NodeID, reply.DeletedAgentCount, a.Unconfirmed()}
	return a.PrintSentence(result, "Deleted the main node %s and %s.", render.ShortID(result.NodeID), command.Plural(result.DeletedAgents, "agent", "agents"))
}

// accountChanges returns what goes with an account: its nodes, and what it owns on the
// map.
func accountChanges(ctx context.Context, a *command.App, caller *command.Caller) ([]command.Change, error) {
	changes := []command.Change{{Action: "remove", Kind: "main_node", ID: caller.Main.NodeID}}
	if caller.SavesCredentials() {
		changes = append(changes, command.Change{Action: "remove", Kind: "context", Name: caller.Context.Name})
	}
	owned := func(kind, id, name string) {
		changes = append(changes, command.Change{Action: "remove", Kind: kind, ID: id, Name: name})
	}
	err := a.Call(ctx, caller, caller.Main, "Reading the account", func(ctx context.Context, c *client.Client) error {
		nodes, err := c.Nodes(ctx)
		if err != nil {
			return err
		}
		for _, agent := range nodes.AgentNodes {
			owned("agent_node", agent.AgentID, cmp.Or(agent.Label, agent.Name))
		}
		if c.Service() != protocol.ServicePlay {
			return nil // Another service does not say whose the rest is.
		}
		return ownedOnMap(ctx, caller, c, owned)
	})
	return changes, err
}

// ownedOnMap calls owned for each MCP placement and each space of the account.
func ownedOnMap(ctx context.Context, caller *command.Caller, c *client.Client, owned func(kind, id, name string)) error {
	_, snapshot, err := command.Snapshot(ctx, c)
	if err != nil {
		return err
	}
	for _, server := range client.Rows[*protocol.MCP](snapshot) {
		if server.NodeID == caller.Main.NodeID {
			owned("mcp", server.ID, server.Name)
		}
	}
	reply, err := c.ListSpaceNodes(ctx)
	if err != nil {
		return err
	}
	for _, space := range reply.Spaces {
		own, err := command.OwnsSpace(ctx, c, space.ID)
		if err != nil {
			return err
		}
		if own {
			owned("space", space.ID, space.Name)
		}
	}
	return nil
}

// forget removes the context if it holds the main node that called.
func forget(ctx context.Context, c *command.Caller) error {
	if !c.SavesCredentials() {
		return nil
	}
	return c.Store.Update(context.WithoutCancel(ctx), func(file *creds.File) error {
		return file.Remove(c.Context.Name)
	})
}
