package node

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// validationResult is what the validate commands print.
type validationResult struct {
	Context string `json:"context,omitempty"`
	NodeID  string `json:"nodeId"`
	OK      bool   `json:"ok"`               // whether the host agrees that the node is what it says
	Kind    string `json:"kind,omitempty"`   // main or agent
	Reason  string `json:"reason,omitempty"` // why it is not valid
}

func newValidateMainNodeCommand(a *command.App) *cobra.Command {
	var rootFile string
	cmd := &cobra.Command{
		Use:     "validate-main-node",
		GroupID: command.GroupNodes,
		Short:   "Check that the host accepts your main node",
		Long: `Check that the host accepts the main node of the context and, with --root-file, that it was created
with that root key. It exits with 5 if the host does not.`,
		Example: command.Example("playctl validate-main-node", "playctl validate-main-node --root-file world.root"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsMain(cmd.Context(), "Asking the host", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				return validate(ctx, a, caller, c, caller.Main.NodeID, rootFile)
			})
		},
	}
	registerCheckedRoot(cmd, &rootFile)
	return cmd
}

func newValidateAgentNodeCommand(a *command.App) *cobra.Command {
	var rootFile string
	cmd := &cobra.Command{
		Use:     "validate-agent-node <agent>",
		GroupID: command.GroupNodes,
		Short:   "Check that the host accepts an agent node as yours",
		Long: `Check that the host accepts an agent node as one of your main node and, with --root-file, that it
was created with that root key. It exits with 5 if the host does not. In a context without a main
node, it checks that the host accepts the agent.`,
		Example:           command.Example("playctl validate-agent-node Ada"),
		Args:              command.Takes("agent"),
		ValidArgsFunction: a.CompletesAgent(command.SeekOwn),
		RunE: func(cmd *cobra.Command, args []string) error {
			return validateAgent(cmd.Context(), a, args[0], rootFile)
		},
	}
	registerCheckedRoot(cmd, &rootFile)
	return cmd
}

// validateAgent validates an agent as its account, else as the agent itself.
func validateAgent(ctx context.Context, a *command.App, name, rootFile string) error {
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	if caller.Reader().IsZero() {
		return caller.NoMain()
	}
	ref, err := a.FindAgent(ctx, caller, name, command.SeekOwn)
	if err != nil {
		return err
	}
	node := caller.Reader()
	if caller.Service != protocol.ServicePlay && ref.Own {
		node = ref.Node // on that service a node can validate only itself
	}
	return a.As(ctx, caller, node, "Asking the host", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
		return validate(ctx, a, caller, c, ref.ID, rootFile)
	})
}

func registerCheckedRoot(cmd *cobra.Command, rootFile *string) {
	cmd.Flags().StringVar(rootFile, "root-file", "", "also check that the node was created with the root key in this `file`")
}

func validate(ctx context.Context, a *command.App, caller *command.Caller, c *client.Client, id, rootFile string) (*render.Document, error) {
	request := protocol.ValidateRequest{NodeID: id}
	if id != caller.Main.NodeID {
		request.MainNodeID = caller.Main.NodeID
	}
	if rootFile != "" {
		key, err := creds.ReadRootFile(a.Absolute(rootFile))
		if err != nil {
			return nil, err
		}
		request.RootKey = key
	}
	reply, err := c.ValidateNode(ctx, request)
	if err != nil {
		return nil, err
	}
	result := validationResult{Context: caller.ContextName(), NodeID: id, OK: reply.OK, Kind: reply.NodeKind, Reason: reply.Reason}
	reason := reasonText(reply.Reason)
	verdict := a.Printer.Look.Good("valid")
	if !reply.OK {
		verdict = a.Printer.Look.Bad("not valid")
		err = fmt.Errorf("%w: %s", command.ErrUnverified, reason)
	}
	return &render.Document{Data: result, Views: []render.View{render.Line(verdict), render.Fields{
		{Name: "node", Value: id},
		{Name: "kind", Value: reply.NodeKind},
		{Name: "reason", Value: reason},
	}}}, err
}

// reasonText returns in words why a host refuses a node.
func reasonText(reason string) string {
	if reason == "derivative mismatch" {
		return "created with a different root key (" + reason + ")"
	}
	return reason
}
