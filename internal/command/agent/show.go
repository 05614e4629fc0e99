package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// shownLines is how many chat lines "playctl agent show" lists.
const shownLines = 5

// shownAgent is what "playctl agent show" prints.
type shownAgent struct {
	Context string `json:"context,omitempty"`
	listedAgent
	Platform     string                 `json:"platform"`     // the type of its registration, such as langchain
	X            float64                `json:"x"`            // its column on the map
	Y            float64                `json:"y"`            // its row on the map
	EnableP2A    string                 `json:"enableP2a"`    // whether people may talk to it: on or off
	Tools        []shownTool            `json:"tools"`        // its tools, in the order of its registration
	Interactions []protocol.Interaction `json:"interactions"` // its last chat lines, the newest last
}

// shownTool is a tool of an agent.
type shownTool struct {
	Name        string          `json:"name"`                  // the name by which it is called
	Description string          `json:"description,omitempty"` // what it does, for a tool that people can call
	Parameters  json.RawMessage `json:"parameters,omitempty"`  // the JSON Schema of its arguments, for a tool that people can call
}

func newAgentShowCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:        "show <agent>",
		SuggestFor: []string{"info", "describe", "inspect", "tools"},
		Short:      "Show an agent on the map: its owner, its tools and its last lines",
		Long: `Show an agent on the map, no matter who owns it: its owner, whether a program answers for it, its tools
with their parameters, and its last chat lines.`,
		Example:           command.Example("playctl agent show Ada", "playctl agent show Ada --jq '.tools[].name'"),
		Args:              command.Takes("agent"),
		ValidArgsFunction: a.CompletesAgent(command.SeekAny),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.AsReader(cmd.Context(), "Reading the map", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				ref, err := a.FindAgent(ctx, caller, args[0], command.SeekAny)
				if err != nil {
					return nil, err
				}
				row, err := command.AgentOnMap(ctx, c, ref.ID)
				if err != nil {
					return nil, err
				}
				if row == nil {
					return nil, notOnMap(ref)
				}
				answering, err := command.Answering(ctx, c, ref.ID)
				if err != nil {
					return nil, err
				}
				lines, err := c.ListInteractions(ctx, protocol.ListRequest{PlayerID: ref.ID, Limit: shownLines})
				if _, lacks := errors.AsType[*client.UnsupportedError](err); lacks {
					lines, err = &protocol.InteractionsReply{}, nil
				}
				if err != nil {
					return nil, err
				}
				shown := shownAgent{
					Context: caller.ContextName(), listedAgent: listed(caller, row, answering[ref.ID]), Platform: row.Platform, X: row.X, Y: row.Y,
					EnableP2A: row.EnableP2A, Tools: toolsOf(row), Interactions: append([]protocol.Interaction{}, lines.Interactions...),
				}
				return shown.document(a.Printer.Look), nil
			})
		},
	}
}

// toolsOf returns the tools of a row.
func toolsOf(row *protocol.Agent) []shownTool {
	tools := []shownTool{}
	for _, name := range row.ToolNames {
		tool := shownTool{Name: name}
		if i := slices.IndexFunc(row.AssistTools, func(t protocol.AssistTool) bool { return t.Name == name }); i >= 0 {
			tool.Description, tool.Parameters = row.AssistTools[i].Description, row.AssistTools[i].Parameters
		}
		tools = append(tools, tool)
	}
	return tools
}

func (s *shownAgent) document(look render.Look) *render.Document {
	owner, talks, asked := s.OwnerID, "", ""
	if s.Yours {
		owner = "you"
	}
	if s.EnableP2A == protocol.P2AOn {
		talks = "on"
	}
	if s.AskedAt != "" {
		asked = look.AgeOf(s.AskedAt)
	}
	tools := render.Table{
		Columns: []render.Column{{Title: "tool"}, {Title: "parameters", Wraps: true}, {Title: "description", Wraps: true}},
		Empty:   "It has no tools.",
	}
	for _, tool := range s.Tools {
		var parameters []string
		for _, one := range formOf(&protocol.AssistTool{Parameters: tool.Parameters}).fields {
			parameters = append(parameters, one.summary("optional"))
		}
		tools.Rows = append(tools.Rows, []string{tool.Name, strings.Join(parameters, ", "), tool.Description})
	}
	lines := render.Table{
		Columns: []render.Column{{Title: "when"}, {Title: "role"}, {Title: "text", Wraps: true}},
		Empty:   "It has no chat lines yet.",
	}
	for _, line := range s.Interactions {
		lines.Rows = append(lines.Rows, []string{look.AgeOf(line.At), line.Role, line.Text})
	}
	return &render.Document{Data: s, Views: []render.View{render.Fields{
		{Name: "agent", Value: s.Name},
		{Name: "label", Value: s.Label},
		{Name: "node", Value: s.AgentID},
		{Name: "state", Value: look.StateText(s.Activity)},
		{Name: "doing", Value: render.DoingText(s.Activity)},
		{Name: "usage", Value: render.UsageText(s.Activity)},
		{Name: "group", Value: s.Group},
		{Name: "parent", Value: s.ParentID},
		{Name: "owner", Value: owner},
		{Name: "platform", Value: s.Platform},
		{Name: "cell", Value: fmt.Sprintf("(%v, %v)", s.X, s.Y)},
		{Name: "answering", Value: s.Answering},
		{Name: "asked", Value: asked},
		{Name: "talk", Value: talks},
	}, render.Line(""), tools, render.Line(""), lines}}
}
