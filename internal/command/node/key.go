package node

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

func newKeyCommand(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "key",
		GroupID: command.GroupNodes,
		Short:   "Create, list and revoke API keys; several are valid at the same time",
		Long: `Create, list and revoke API keys of your main node. Several are valid at the same time, so that a
key is replaced without an outage: create a new one, put it where the old one is, revoke the old one.
The first key of an account is called default; "playctl create-api-key" replaces that one.`,
		Example: command.Example("playctl key create ci --expires 720h --api-key-file ci.key", "playctl key list", "playctl key revoke ci"),
	}, newKeyCreateCommand(a), newKeyListCommand(a), newKeyRevokeCommand(a))
}

// keysResult is what "playctl key list" prints.
type keysResult struct {
	Context string                            `json:"context,omitempty"`
	Keys    protocol.List[protocol.KeyRecord] `json:"keys"` // the keys of the account
}

func newKeyListCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the API keys of your main node",
		Long: `List the API keys of your main node, with when they expire and when they were last used. If several
hosts serve the world, uses at another host may appear an hour late. The keys themselves are not
listed: the host shows a key only when it is created.`,
		Example: command.Example("playctl key list", "playctl key list --output json"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsMain(cmd.Context(), "Reading the keys", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.Keys(ctx)
				if err != nil {
					return nil, err
				}
				return listedKeys(a, caller, reply.Keys), nil
			})
		},
	}
}

func listedKeys(a *command.App, caller *command.Caller, keys []protocol.KeyRecord) *render.Document {
	look := a.Printer.Look
	table := render.Table{
		Columns: []render.Column{{Title: "name"}, {Title: "created"}, {Title: "last used"}, {Title: "expires"}},
		Empty:   a.LikeThis("There are no API keys. \"playctl create-api-key\" creates one."),
	}
	result := keysResult{Context: caller.ContextName(), Keys: keys}
	return render.ListOf(result, keys, table, func(k protocol.KeyRecord) []string {
		return []string{k.Name, look.AgeOf(k.CreatedAt), look.AgeOf(k.LastUsedAt), orExpired(a, k.ExpiresAt)}
	})
}

// orExpired returns a cell with the time of expiry, or "expired".
func orExpired(a *command.App, expiresAt string) string {
	if at, err := protocol.ParseTime(expiresAt); err == nil && !a.Now().Before(at) {
		return "expired"
	}
	return expiresAt
}

// revokedKeyResult is what "playctl key revoke" prints.
type revokedKeyResult struct {
	Context          string `json:"context,omitempty"`
	Name             string `json:"name"` // the name of the key that was revoked
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newKeyRevokeCommand(a *command.App) *cobra.Command {
	keys := command.Listed((*client.Client).Keys,
		func(r *protocol.KeysReply) []protocol.KeyRecord { return r.Keys },
		func(one protocol.KeyRecord) cobra.Completion { return one.Name })
	cmd := &cobra.Command{
		Use:               "revoke <name>",
		Short:             "Revoke an API key; programs that use it are refused from then on",
		Example:           command.Example("playctl key revoke ci", "playctl key revoke ci --yes --ignore-missing"),
		Args:              command.Takes("name"),
		ValidArgsFunction: a.Completes(keys),
		RunE: func(cmd *cobra.Command, args []string) error {
			check := func() error {
				return a.AsMain(cmd.Context(), "Reading the keys", command.Knows(keys, args[0], unknownKey(args[0])))
			}
			revoked := command.Change{Action: "remove", Kind: "api_key", Name: args[0]}
			if err := a.Confirm(cmd.Context(), revokesKey(a, args[0]), revoked.If(check)); err != nil {
				return err
			}
			return a.AsMain(cmd.Context(), "Revoking the key", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.RevokeKey(ctx, args[0])
				if err == nil && !reply.OK {
					err = unknownKey(args[0])
				}
				if err != nil {
					return nil, err
				}
				warnRevoked(ctx, a, c)
				return command.SentenceDocument(revokedKeyResult{caller.ContextName(), args[0], a.Unconfirmed()}, "Revoked the API key %s.", args[0]), nil
			})
		},
	}
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

// revokesKey returns the question whether a key may be revoked, and says if the context
// uses it.
func revokesKey(a *command.App, name string) string {
	question := fmt.Sprintf("Revoke the API key %s? Programs that use it are refused at once.", render.Clean(name))
	caller, err := a.Caller()
	if err != nil || !caller.SavesCredentials() || caller.Context.Main.KeyName != name {
		return question // The request to the host reports an error of the caller.
	}
	return fmt.Sprintf("Revoke the API key %s, which context %q itself uses? Its commands are refused at once, until %q.",
		render.Clean(name), caller.Context.Name, caller.NewKey())
}

// warnRevoked warns if the API key of commands is no longer valid.
func warnRevoked(ctx context.Context, a *command.App, c *client.Client) {
	if _, err := c.Session(ctx); protocol.HasCode(err, protocol.CodeAPIKeyInvalid) {
		a.Warn("the host now refuses the API key that your own commands send", a.HintFor(err))
	}
}

// noteNoKey says that a context has no API key.
func noteNoKey(a *command.App, caller *command.Caller) {
	a.Note("No API key of this account is saved here. If the host requires one, %q creates it.", caller.NewKey())
}

func unknownKey(name string) error {
	return command.Missing(command.Hintf(protocol.Errorf(protocol.CodeNotFound, "the account has no API key %q", name), "\"playctl key list\" shows them"))
}
