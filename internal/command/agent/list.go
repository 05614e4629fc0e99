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

	Activity *protocol.Activity `json:"activity,omitempty"` // what it does now; absent if its program does not say
	ParentID string             `json:"parentId,omitempty"` // the agent that started it
	Group    string             `json:"group,omitempty"`    // what people sort it by, such as a project
}

type listedAgents struct {
	Context string               `json:"context,omitempty"`
	Counts  protocol.AgentCounts `json:"counts"` // how many agents are in each state
	Agents  []listedAgent        `json:"agents"` // the agents on the map, those who wait for a person first
}

func newAgentListCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:        "list",
		SuggestFor: []string{"agents", "ps", "who"},
		Short:      "List the agents on the map, and what they do now",
		Long: `List the agents on the map: what they do now, who owns them, whether a program answers for them, and
when yours were last asked since the host started. Those who wait for a person come first; agents
that another one started come below it. An agent without a state does not say what it does.

It is unknown whether one answers if a program reads the events
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
	counts := render.CountAgents(rows)
	result := listedAgents{Context: caller.ContextName(), Counts: counts, Agents: []listedAgent{}}
	placed := render.Arrange(rows)
	for _, row := range placed {
		result.Agents = append(result.Agents, listed(caller, row.Agent, answering[row.AgentID]))
	}
	if summary := render.CountsText(counts); summary != "" {
		return stateList(a.Printer.Look, &result, placed, summary)
	}
	table := render.Table{
		Columns: []render.Column{{Title: "agent"}, {Title: "name", Wraps: true}, {Title: "owner"}, {Title: "answering"}, {Title: "asked"}},
		Empty:   a.LikeThis("There are no agents on the map. \"playctl agent run NAME -- COMMAND\" adds one."),
	}
	return render.ListOf(result, result.Agents, table, func(agent listedAgent) []string {
		asked := ""
		if agent.AskedAt != "" {
			asked = a.Printer.Look.AgeOf(agent.AskedAt)
		}
		return []string{render.ShortID(agent.AgentID), agent.Name, agent.owner(), agent.Answering, asked}
	})
}

// stateList lists agents of which at least one says what it does.
func stateList(look render.Look, result *listedAgents, placed []render.Placed, summary string) *render.Document {
	table := render.Table{Columns: []render.Column{
		{Title: "name", Wraps: true}, {Title: "state"}, {Title: "doing", Wraps: true}, {Title: "owner"}, {Title: "answering"},
	}}
	at := 0
	doc := render.ListOf(result, result.Agents, table, func(agent listedAgent) []string {
		row := placed[at]
		at++
		return []string{row.Indented(), look.StateText(agent.Activity), render.DoingText(agent.Activity), agent.owner(), agent.Answering}
	})
	doc.Views = append([]render.View{render.Line(summary), render.Line("")}, doc.Views...)
	return doc
}

// owner returns the owner for people.
func (l *listedAgent) owner() string {
	if l.Yours {
		return "you"
	}
	return render.ShortID(l.OwnerID)
}

// listed returns what is known of an agent on the map.
func listed(caller *command.Caller, row *protocol.Agent, known protocol.AnsweringAgent) listedAgent {
	return listedAgent{
		AgentID: row.AgentID, Name: row.Name, Label: caller.NameOf(row.AgentID), OwnerID: row.NodeID, Yours: caller.Owns(row),
		Answering: cmp.Or(known.Answering, protocol.AnsweringUnknown), AskedAt: known.AskedAt,
		Activity: row.Activity, ParentID: row.ParentID, Group: row.Group,
	}
}
