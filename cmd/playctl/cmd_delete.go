package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// deletedResult is what the delete commands print.
type deletedResult struct {
	Context       string `json:"context,omitempty"`
	NodeID        string `json:"nodeId"`
	DeletedAgents int    `json:"deletedAgents"`
}

func newDeleteAgentNodeCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete-agent-node <agent>",
		Short: "Delete an agent node, with its place on the map",
		Long: `Delete an agent node: it leaves the map, and its credentials are worth nothing from then
on. It is forgotten in the context as well.`,
		Example:           example("playctl delete-agent-node Ada", "playctl delete-agent-node Ada --yes"),
		Args:              takes("agent"),
		ValidArgsFunction: a.completesAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.deleteAgentNode(cmd.Context(), args[0], yes)
		},
	}
	registerYes(cmd, &yes)
	return cmd
}

func registerYes(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVarP(yes, "yes", "y", false, "do it without asking")
}

func (a *app) deleteAgentNode(ctx context.Context, name string, yes bool) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	if who.main.IsZero() {
		return who.noMain()
	}
	ref, err := who.agent(name)
	if err != nil {
		return err
	}
	if err := a.confirm(ctx, yes, fmt.Sprintf("Delete the agent node %s?", ref.name())); err != nil {
		return err
	}
	err = a.call(ctx, who, who.main, "Deleting", func(ctx context.Context, c *client.Client) error {
		reply, err := c.DeleteAgent(ctx, ref.id)
		if err == nil && !reply.OK && !ref.own {
			return protocol.Errorf(protocol.CodeNotFound, "the host knows no agent node %s", ref.name())
		}
		return err
	})
	if err != nil {
		return err
	}
	err = who.change(ctx, func(target *creds.Context) error {
		if !ref.own {
			return nil
		}
		_, err := target.RemoveAgent(ref.id)
		return err
	})
	if err != nil {
		return err
	}
	return a.printer.Print(render.Document{
		Data:  deletedResult{Context: who.contextName(), NodeID: ref.id, DeletedAgents: 1},
		Views: []render.View{render.Line("Deleted the agent node " + render.Clean(ref.name()) + ".")},
	})
}

func newDeleteMainNodeCommand(a *app) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete-main-node",
		Short: "Delete your main node and everything it owns",
		Long: `Delete the main node of the context, with its agents, its MCP placements and its spaces.
The context is forgotten as well.`,
		Example: example("playctl delete-main-node", "playctl delete-main-node --context old --yes"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.deleteMainNode(cmd.Context(), yes)
		},
	}
	registerYes(cmd, &yes)
	return cmd
}

func (a *app) deleteMainNode(ctx context.Context, yes bool) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	if who.main.IsZero() {
		return who.noMain()
	}
	question := fmt.Sprintf("Delete the main node %s at %s with all its agents?", render.ShortID(who.main.NodeID), who.server)
	if err := a.confirm(ctx, yes, question); err != nil {
		return err
	}
	result := deletedResult{Context: who.contextName(), NodeID: who.main.NodeID}
	err = a.call(ctx, who, who.main, "Deleting", func(ctx context.Context, c *client.Client) error {
		reply, err := c.DeleteNode(ctx, who.main.NodeID)
		if err == nil {
			result.DeletedAgents = reply.DeletedAgentCount
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := who.forget(ctx); err != nil {
		return err
	}
	return a.printer.Print(render.Document{Data: result, Views: []render.View{
		render.Line(fmt.Sprintf("Deleted the main node %s and %s.", render.ShortID(result.NodeID), plural(result.DeletedAgents, "agent", "agents"))),
	}})
}

// forget removes the context if it is that of the main node that called.
func (c *caller) forget(ctx context.Context) error {
	if c.context == nil || c.context.Main == nil || c.context.Main.NodeID != c.main.NodeID {
		return nil
	}
	return c.store.Update(context.WithoutCancel(ctx), func(file *creds.File) error {
		return file.Remove(c.context.Name)
	})
}
