package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// labelResult is what "playctl nodes label" prints.
type labelResult struct {
	Context string `json:"context,omitempty"`
	NodeID  string `json:"nodeId"`          // the node that was labeled
	Label   string `json:"label,omitempty"` // the label; absent where it was taken away
	// AtHost is true where the host keeps labels.
	AtHost bool `json:"atHost"`
}

func newNodesLabelCommand(a *command.App) *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "label <agent> [label]",
		Short: "Change or remove the label of an agent node",
		Long: `Change the label of one of your agent nodes, or of your main node by its id. The host stores it for
your other machines, and so does the context. Others do not see it; they see the agent's name on the
map.`,
		Example: command.Example("playctl nodes label Ada 'Ada of the mill'", "playctl nodes label Ada --remove"),
		Args:    command.Takes("agent", "label?"),

		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			label := ""
			switch {
			case len(args) > 1 && remove:
				return command.Usagef("use either --remove or a new label")
			case len(args) > 1:
				label = args[1]
				if err := creds.CheckLabel(label); err != nil {
					return command.Usagef("%w", err)
				}
			case !remove:
				return command.Hintf(command.Usagef("the label is missing"), "to remove the current one, use --remove")
			}
			return a.AsMain(cmd.Context(), "Labeling the node", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				return labelNode(ctx, a, caller, c, args[0], label)
			})
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the label")
	return cmd
}

// labelNode sets the label of a node at the host and in the context, wherever labels are
// stored.
func labelNode(ctx context.Context, a *command.App, caller *command.Caller, c *client.Client, name, label string) (*render.Document, error) {
	id := caller.Main.NodeID
	if protocol.NormalizeNodeID(name) != id {
		ref, err := a.FindAgent(ctx, caller, name, command.SeekOwn)
		if err != nil {
			return nil, err
		}
		id = ref.ID
	}
	if caller.Context != nil && label != "" {
		if err := showsOther(caller, id, label); err != nil {
			return nil, err
		}
		if other, err := caller.Context.Agent(label); err == nil && other.NodeID != id {
			return nil, command.Hintf(fmt.Errorf("an agent %q %w in context %q", label, command.ErrAgentExists, caller.Context.Name), "use another label")
		}
	}
	atHost, err := labelAtHost(ctx, c, id, label)
	if protocol.HasCode(err, protocol.CodeLabelExists) {
		err = command.Hintf(err, "\"playctl list-agent-nodes\" shows which")
	}
	if err != nil {
		return nil, err
	}
	inContext := false
	err = caller.Change(ctx, func(target *creds.Context) error {
		err := target.LabelAgent(id, label)
		inContext = err == nil
		if errors.Is(err, creds.ErrAgentUnknown) {
			return nil // Its credentials are stored elsewhere, and the host has the label.
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !atHost && !inContext {
		return nil, command.Hintf(errors.New("the host does not store labels, and no context has the node"), "use the node's id")
	}
	return labelDocument(caller, id, label, atHost), nil
}

func labelDocument(caller *command.Caller, id, label string, atHost bool) *render.Document {
	now, where := "is now called "+label, ""
	if label == "" {
		now = "no longer has a label"
	}
	if !atHost {
		where = ", only on this machine: the host does not store labels"
	}
	result := labelResult{Context: kept(caller), NodeID: id, Label: label, AtHost: atHost}
	return command.SentenceDocument(result, "Node %s %s%s.", render.ShortID(id), now, where)
}

// labelAtHost sets the label of a node at the host. It returns false and no error if the
// host stores none: it is of the agent-play service, or without nodes.
func labelAtHost(ctx context.Context, c *client.Client, id, label string) (bool, error) {
	if c.Service() != protocol.ServicePlay {
		return false, nil
	}
	_, err := c.LabelNode(ctx, id, label)
	if protocol.HasCode(err, protocol.CodeRepositoryOff) {
		return false, nil
	}
	return err == nil, err
}

// sharingTime limits how long an import waits for the host to store labels: the import
// itself is complete by then.
const sharingTime = 5 * time.Second

// shareLabels sends the labels of agents that have none at the host. A failure is a
// warning: the context has the labels.
func shareLabels(ctx context.Context, a *command.App, caller *command.Caller, agents []creds.Agent) {
	if len(agents) == 0 || caller.Service != protocol.ServicePlay {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, sharingTime)
	defer cancel()
	err := a.Call(ctx, caller, caller.Main, "Sending the labels to the host", func(ctx context.Context, c *client.Client) error {
		return shareWith(ctx, c.WithRetry(retry.Policy{Attempts: 1}), agents)
	})
	if err != nil {
		a.Warn(fmt.Sprintf("the labels are only on this machine: %v", err), "\"playctl nodes label AGENT LABEL\" sends one to the host")
	}
}

func shareWith(ctx context.Context, c *client.Client, agents []creds.Agent) error {
	reply, err := c.Agents(ctx)
	if protocol.HasCode(err, protocol.CodeRepositoryOff) {
		return nil
	}
	if err != nil {
		return err
	}
	unlabeled := map[string]bool{}
	for i := range reply.Agents {
		unlabeled[reply.Agents[i].AgentID] = reply.Agents[i].Label == ""
	}
	var refused error
	for _, agent := range agents {
		if agent.Label == "" || !unlabeled[agent.NodeID] {
			continue
		}
		has, err := labelAtHost(ctx, c, agent.NodeID, agent.Label)
		switch {
		case protocol.HasCode(err, protocol.CodeLabelExists):
			if refused == nil {
				refused = fmt.Errorf("%q: %w", agent.Label, err)
			}
		case err != nil || !has:
			return err
		}
	}
	return refused
}
