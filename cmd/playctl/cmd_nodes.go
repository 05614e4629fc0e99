package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// nodesResult is what "playctl nodes list" prints.
type nodesResult struct {
	Context       string                     `json:"context,omitempty"`
	GenesisNodeID string                     `json:"genesisNodeId"`
	MainNodes     []protocol.MainNodeRecord  `json:"mainNodes"`
	AgentNodes    []protocol.AgentRecord     `json:"agentNodes"`
	SpaceNodes    []protocol.SpaceNodeRecord `json:"spaceNodes"`
}

// nodeItem is one node as "playctl nodes list --output ndjson" prints it.
type nodeItem struct {
	Kind         string `json:"kind"`
	NodeID       string `json:"nodeId"`
	ParentNodeID string `json:"parentNodeId,omitempty"`
	Name         string `json:"name,omitempty"`
	CreatedAt    string `json:"createdAt"`
}

func newNodesCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "nodes", Short: "All nodes of an account or a host", Args: cobra.ArbitraryArgs, RunE: runGroup,
		Example: example("playctl nodes list"),
	}
	cmd.AddCommand(newNodesListCommand(a))
	return cmd
}

func newNodesListCommand(a *app) *cobra.Command {
	var admin adminFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your nodes, or with --admin all nodes of the host",
		Long: `List your main node and its agent nodes, or with --admin every node that the host knows. No
phrase, hash or key is ever shown: the host has none that it could tell.`,
		Example: example("playctl nodes list", "playctl nodes list --admin --admin-token-file admin.token --output ndjson"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asOwner(cmd.Context(), &admin, "Reading the nodes", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				if admin.admin {
					all, err := c.AllNodes(ctx)
					if err != nil {
						return nil, err
					}
					return nodesDocument(a.printer.Look, who, all), nil
				}
				own, err := c.Nodes(ctx)
				if err != nil {
					return nil, err
				}
				return nodesDocument(a.printer.Look, who, &protocol.AllNodesReply{
					GenesisNodeID: own.GenesisNodeID, MainNodes: protocol.List[protocol.MainNodeRecord]{own.MainNode}, AgentNodes: own.AgentNodes,
				}), nil
			})
		},
	}
	admin.register(cmd)
	return cmd
}

func nodesDocument(look render.Look, who *caller, reply *protocol.AllNodesReply) *render.Document {
	owners := map[string]string{}
	var nodes []nodeItem
	for _, n := range reply.MainNodes {
		nodes = append(nodes, nodeItem{protocol.NodeKindMain, n.NodeID, n.ParentNodeID, "", n.CreatedAt})
		for _, agent := range n.AgentNodeIDs {
			owners[agent] = n.NodeID
		}
	}
	for _, n := range reply.AgentNodes {
		nodes = append(nodes, nodeItem{protocol.NodeKindAgent, n.AgentID, owners[n.AgentID], n.Name, n.CreatedAt})
	}
	for _, n := range reply.SpaceNodes {
		nodes = append(nodes, nodeItem{protocol.NodeKindSpace, n.NodeID, n.ParentNodeID, "", n.CreatedAt})
	}
	table := render.Table{
		Columns: []render.Column{{Title: "kind"}, {Title: "node"}, {Title: "parent"}, {Title: "name", Wraps: true}, {Title: "created"}},
		Empty:   "The host knows no nodes.",
	}
	items := []any{}
	for _, n := range nodes {
		items = append(items, n)
		table.Rows = append(table.Rows, []string{n.Kind, render.ShortID(n.NodeID), render.ShortID(n.ParentNodeID), n.Name, look.AgeOf(n.CreatedAt)})
	}
	return &render.Document{
		Data: nodesResult{
			Context: who.contextName(), GenesisNodeID: reply.GenesisNodeID,
			MainNodes: notNil(reply.MainNodes), AgentNodes: notNil(reply.AgentNodes), SpaceNodes: notNil(reply.SpaceNodes),
		},
		Items: items, Views: []render.View{table},
	}
}

// notNil makes an empty list of none, so that programs read [] and not null.
func notNil[E any](list protocol.List[E]) []E {
	if list == nil {
		return []E{}
	}
	return list
}
