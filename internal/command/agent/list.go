package agent

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// newAgentCommand returns the group of commands about agents on the map.
func newAgentCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use: "agent", Short: "Run agents that answer, and show those on the map",
		GroupID: command.GroupWorld,
		Example: command.Example("playctl agent run Ada -- ./agent.sh", "playctl agent list"),
	}, newAgentRunCommand(a), newAgentListCommand(a), newAgentShowCommand(a))
}

// listedAgent is an agent on the map as "playctl agent list" prints it.
type listedAgent struct {
	AgentID   string `json:"agentId"`           // its node id
	Name      string `json:"name"`              // its name on the map
	Label     string `json:"label,omitempty"`   // its label in the context, if it is yours
	OwnerID   string `json:"ownerId"`           // the main node that it belongs to
	Yours     bool   `json:"yours"`             // whether it belongs to your account
	Answering string `json:"answering"`         // whether a program answers for it: yes, no or unknown
	AskedAt   string `json:"askedAt,omitempty"` // when it was asked last since the host started; yours only
}

type listedAgents struct {
	Context string        `json:"context,omitempty"`
	Agents  []listedAgent `json:"agents"` // the agents on the map
}

func newAgentListCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:        "list",
		SuggestFor: []string{"agents", "ps", "who"},
		Short:      "List the agents on the map, and whether a program answers for them",
		Long: `List the agents on the map: who owns them, whether a program answers for them, and when yours were
last asked since the host started. It is unknown whether one answers if a program reads the events
of the agent or its owner without stating for which agents it answers.`,
		Example: command.Example("playctl agent list", "playctl agent list --output ndjson"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsReader(cmd.Context(), "Reading the map", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				rows, err := command.AgentsOnMap(ctx, c)
				if err != nil {
					return nil, err
				}
				answering, err := command.Answering(ctx, c)
				if err != nil {
					return nil, err
				}
				return agentList(a, caller, rows, answering), nil
			})
		},
	}
}

func agentList(a *command.App, caller *command.Caller, rows []*protocol.Agent, answering map[string]protocol.AnsweringAgent) *render.Document {
	result := listedAgents{Context: caller.ContextName(), Agents: []listedAgent{}}
	table := render.Table{
		Columns: []render.Column{{Title: "agent"}, {Title: "name", Wraps: true}, {Title: "owner"}, {Title: "answering"}, {Title: "asked"}},
		Empty:   a.LikeThis("There are no agents on the map. \"playctl agent run NAME -- COMMAND\" adds one."),
	}
	for _, row := range rows {
		result.Agents = append(result.Agents, listed(caller, row, answering[row.AgentID]))
	}
	return render.ListOf(result, result.Agents, table, func(agent listedAgent) []string {
		owner, asked := render.ShortID(agent.OwnerID), ""
		if agent.Yours {
			owner = "you"
		}
		if agent.AskedAt != "" {
			asked = a.Printer.Look.AgeOf(agent.AskedAt)
		}
		return []string{render.ShortID(agent.AgentID), agent.Name, owner, agent.Answering, asked}
	})
}

// listed returns what is known of an agent on the map.
func listed(caller *command.Caller, row *protocol.Agent, known protocol.AnsweringAgent) listedAgent {
	return listedAgent{
		AgentID: row.AgentID, Name: row.Name, Label: caller.NameOf(row.AgentID), OwnerID: row.NodeID, Yours: caller.Owns(row),
		Answering: cmp.Or(known.Answering, protocol.AnsweringUnknown), AskedAt: known.AskedAt,
	}
}
