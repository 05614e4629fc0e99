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

// validationResult is what the validate commands print.
type validationResult struct {
	Context string `json:"context,omitempty"`
	NodeID  string `json:"nodeId"`
	OK      bool   `json:"ok"`
	Kind    string `json:"kind,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

func newValidateMainNodeCommand(a *app) *cobra.Command {
	var rootFile string
	cmd := &cobra.Command{
		Use:   "validate-main-node",
		Short: "Check that the host accepts your main node",
		Long: `Check that the host accepts the main node of the context and, with --root-file, that it
is of that root key. It exits with 5 if the host says no.`,
		Example: example("playctl validate-main-node", "playctl validate-main-node --root-file world.root"),
		Args:    takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.asMain(cmd.Context(), "Asking the host", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				return a.validate(ctx, who, c, who.main.NodeID, rootFile)
			})
		},
	}
	registerCheckedRoot(cmd, &rootFile)
	return cmd
}

func newValidateAgentNodeCommand(a *app) *cobra.Command {
	var rootFile string
	cmd := &cobra.Command{
		Use:   "validate-agent-node <agent>",
		Short: "Check that the host accepts an agent node as yours",
		Long: `Check that the host accepts an agent node as one of your main node and, with --root-file,
that it is of that root key. It exits with 5 if the host says no.`,
		Example:           example("playctl validate-agent-node Ada"),
		Args:              takes("agent"),
		ValidArgsFunction: a.completesAgent,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.asMain(cmd.Context(), "Asking the host", func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
				ref, err := who.agent(args[0])
				if err != nil {
					return nil, err
				}
				return a.validate(ctx, who, c, ref.id, rootFile)
			})
		},
	}
	registerCheckedRoot(cmd, &rootFile)
	return cmd
}

func registerCheckedRoot(cmd *cobra.Command, rootFile *string) {
	cmd.Flags().StringVar(rootFile, "root-file", "", "check as well that the node is of the root key in this `file`")
}

func (a *app) validate(ctx context.Context, who *caller, c *client.Client, id, rootFile string) (*render.Document, error) {
	request := protocol.ValidateRequest{NodeID: id}
	if id != who.main.NodeID {
		request.MainNodeID = who.main.NodeID
	}
	if rootFile != "" {
		key, err := creds.ReadRootFile(a.absolute(rootFile))
		if err != nil {
			return nil, err
		}
		request.RootKey = key
	}
	reply, err := c.ValidateNode(ctx, request)
	if err != nil {
		return nil, err
	}
	result := validationResult{Context: who.contextName(), NodeID: id, OK: reply.OK, Kind: reply.NodeKind, Reason: reply.Reason}
	verdict := a.printer.Look.Good("valid")
	if !reply.OK {
		verdict = a.printer.Look.Bad("not valid")
		err = fmt.Errorf("%w: the host says %q of this node", errUnverified, reply.Reason)
	}
	return &render.Document{Data: result, Views: []render.View{render.Line(verdict), render.Fields{
		{Name: "node", Value: id},
		{Name: "kind", Value: reply.NodeKind},
		{Name: "reason", Value: reply.Reason},
	}}}, err
}
