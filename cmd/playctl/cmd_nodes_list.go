package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// agentResult is an agent node as commands print it.
type agentResult struct {
	protocol.AgentRecord
	Label string `json:"label,omitempty"`
}

// agentsResult is what "playctl list-agent-nodes" prints.
type agentsResult struct {
	Context string        `json:"context,omitempty"`
	Agents  []agentResult `json:"agents"`
}

func newListAgentNodesCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "list-agent-nodes",
		Short:   "List the agent nodes of your main node",
		Example: example("playctl list-agent-nodes", "playctl list-agent-nodes --output ndjson"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asMain(cmd.Context(), "Reading the nodes", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				reply, err := c.Agents(ctx)
				if err != nil {
					return nil, err
				}
				return who.agentsDocument(a.printer.Look, reply.Agents), nil
			})
		},
	}
}

func (c *caller) agentsDocument(look render.Look, agents []protocol.AgentRecord) *render.Document {
	result := agentsResult{Context: c.contextName(), Agents: []agentResult{}}
	table := render.Table{
		Columns: []render.Column{{Title: "agent"}, {Title: "label"}, {Title: "name", Wraps: true}, {Title: "tools", Wraps: true}, {Title: "zones", Right: true}, {Title: "yields", Right: true}, {Title: "created"}},
		Empty:   "There are no agent nodes yet. \"playctl create-agent-node\" makes one.",
	}
	items := []any{}
	for _, record := range agents {
		agent := agentResult{AgentRecord: record, Label: c.nameOf(record.AgentID)}
		result.Agents = append(result.Agents, agent)
		items = append(items, agent)
		table.Rows = append(table.Rows, []string{
			render.ShortID(record.AgentID), agent.Label, record.Name, strings.Join(record.ToolNames, ", "),
			zones(record), decimal(record.YieldCount), look.AgeOf(record.CreatedAt),
		})
	}
	return &render.Document{Data: result, Items: items, Views: []render.View{table}}
}

// zones is an agent's count of zones, with the flag that many of them set.
func zones(record protocol.AgentRecord) string {
	if record.Flagged {
		return decimal(record.ZoneCount) + " (flagged)"
	}
	return decimal(record.ZoneCount)
}

// mainResult is what "playctl inspect-node" prints of a main node.
type mainResult struct {
	Context       string                  `json:"context,omitempty"`
	GenesisNodeID string                  `json:"genesisNodeId"`
	MainNode      protocol.MainNodeRecord `json:"mainNode"`
}

// inspectedAgentResult is what "playctl inspect-node" prints of an agent node.
type inspectedAgentResult struct {
	Context string      `json:"context,omitempty"`
	Agent   agentResult `json:"agent"`
}

func newInspectNodeCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect-node [agent]",
		Short: "Show what the host knows of a node",
		Long: `Show what the host knows of an agent node, or of your main node if none is named. An
agent is named by its label, its id, or the beginning of its id.`,
		Example:           example("playctl inspect-node", "playctl inspect-node Ada --output yaml"),
		Args:              takes("agent?"),
		ValidArgsFunction: a.completesAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.asMain(cmd.Context(), "Reading the node", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				reply, err := c.Nodes(ctx)
				if err != nil {
					return nil, err
				}
				if len(args) == 0 || protocol.NormalizeNodeID(args[0]) == who.main.NodeID {
					return who.mainDocument(a.printer.Look, reply), nil
				}
				ref, err := who.agent(args[0])
				if err != nil {
					return nil, err
				}
				return who.agentDocument(a.printer.Look, ref, reply.AgentNodes)
			})
		},
	}
}

func (c *caller) mainDocument(look render.Look, reply *protocol.NodesReply) *render.Document {
	node := reply.MainNode
	return &render.Document{
		Data: mainResult{Context: c.contextName(), GenesisNodeID: reply.GenesisNodeID, MainNode: node},
		Views: []render.View{render.Fields{
			{Name: "main node", Value: node.NodeID},
			{Name: "root", Value: reply.GenesisNodeID},
			{Name: "agents", Value: decimal(int64(len(node.AgentNodeIDs)))},
			{Name: "created", Value: look.AgeOf(node.CreatedAt)},
		}},
	}
}

func (c *caller) agentDocument(look render.Look, ref agentRef, agents []protocol.AgentRecord) (*render.Document, error) {
	for _, record := range agents {
		if record.AgentID != ref.id {
			continue
		}
		return &render.Document{
			Data: inspectedAgentResult{Context: c.contextName(), Agent: agentResult{AgentRecord: record, Label: ref.label}},
			Views: []render.View{render.Fields{
				{Name: "agent node", Value: record.AgentID},
				{Name: "label", Value: ref.label},
				{Name: "name", Value: record.Name},
				{Name: "tools", Value: strings.Join(record.ToolNames, ", ")},
				{Name: "zones", Value: zones(record)},
				{Name: "yields", Value: decimal(record.YieldCount)},
				{Name: "created", Value: look.AgeOf(record.CreatedAt)},
				{Name: "updated", Value: look.AgeOf(record.UpdatedAt)},
			}},
		}, nil
	}
	return nil, hintf(protocol.Errorf(protocol.CodeNotFound, "the host knows no agent node %s of yours", ref.name()),
		"\"playctl list-agent-nodes\" lists them")
}

// completesAgent completes the first argument with the labels of known agents.
func (a *app) completesAgent(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return a.completeAgents(), cobra.ShellCompDirectiveNoFileComp
}
