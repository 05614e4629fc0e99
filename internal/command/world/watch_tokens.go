package world

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// watchTokensResult is what "playctl watch list" prints.
type watchTokensResult struct {
	Context string                      `json:"context,omitempty"`
	Tokens  []protocol.WatchTokenRecord `json:"tokens"` // the links that you made
}

// revokedTokenResult is what "playctl watch revoke" prints.
type revokedTokenResult struct {
	Context          string `json:"context,omitempty"`
	ID               string `json:"id"` // the link that was revoked
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newWatchListCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the valid tokens of your links to the page",
		Long:    "List the tokens of the links to the page that your main node created and that are still valid.",
		Example: command.Example("playctl watch list"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsMain(cmd.Context(), "Reading the tokens", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.WatchTokens(ctx)
				if err != nil {
					return nil, err
				}
				result := watchTokensResult{Context: caller.ContextName(), Tokens: reply.Tokens}
				table := render.Table{Columns: []render.Column{{Title: "ID"}, {Title: "ENDS"}}, Empty: "You have no valid links."}
				return render.ListOf(result, reply.Tokens, table, func(t protocol.WatchTokenRecord) []string {
					return []string{t.ID, t.ExpiresAt}
				}), nil
			})
		},
	}
}

func newWatchRevokeCommand(a *command.App) *cobra.Command {
	tokens := command.Listed((*client.Client).WatchTokens,
		func(r *protocol.WatchTokensReply) []protocol.WatchTokenRecord { return r.Tokens },
		func(one protocol.WatchTokenRecord) cobra.Completion {
			return cobra.CompletionWithDesc(one.ID, "ends "+one.ExpiresAt)
		})
	cmd := &cobra.Command{
		Use:   "revoke <id>",
		Short: "Revoke one of your links to the page",
		Long: `Revoke the token of a link to the page, by its id from "playctl watch list". Its viewers are
disconnected at once.`,
		Example:           command.Example("playctl watch revoke \"$ID\""),
		Args:              command.Takes("id"),
		ValidArgsFunction: a.Completes(tokens),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := fmt.Sprintf("Revoke the link %q? Its viewers are disconnected.", args[0])
			check := func() error {
				return a.AsMain(cmd.Context(), "Reading the tokens", command.Knows(tokens, args[0], unknownToken(args[0])))
			}
			revoked := command.Change{Action: "remove", Kind: "watch_token", ID: args[0]}
			if err := a.Confirm(cmd.Context(), question, revoked.If(check)); err != nil {
				return err
			}
			return a.AsMain(cmd.Context(), "Revoking the token", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.RevokeWatchToken(ctx, args[0])
				if err == nil && !reply.OK {
					err = unknownToken(args[0])
				}
				if err != nil {
					return nil, err
				}
				return command.SentenceDocument(revokedTokenResult{caller.ContextName(), args[0], a.Unconfirmed()}, "Revoked %s.", args[0]), nil
			})
		},
	}
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

func unknownToken(id string) error {
	return command.Missing(command.Hintf(protocol.Errorf(protocol.CodeNotFound, "you have no token %q", id), "\"playctl watch list\" lists them"))
}
