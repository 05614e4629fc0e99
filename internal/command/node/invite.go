package node

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// These values of --fingerprint stand for no particular fingerprint.
const (
	fingerprintAuto = "auto"
	fingerprintNone = "none"
)

// inviteFlags are the terms of an invitation.
type inviteFlags struct {
	admin       command.AdminFlags
	expires     time.Duration
	uses        int
	url         string
	fingerprint string
}

// inviteResult is what "playctl invite" prints.
type inviteResult struct {
	Invitation  string `json:"invitation"` // the string for "playctl login"; a secret
	ID          string `json:"id"`         // what "playctl invite list" and "invite revoke" call it
	Server      string `json:"server"`
	Fingerprint string `json:"fingerprint,omitempty"` // the SHA-256 of the host's certificate, where its authority is private
	RootKey     string `json:"rootKey"`
	ExpiresAt   string `json:"expiresAt"` // when it ends
	Uses        int    `json:"uses"`      // how many accounts it may create
}

func newInviteCommand(a *command.App) *cobra.Command {
	var flags inviteFlags
	cmd := &cobra.Command{
		Use:     "invite",
		GroupID: command.GroupNodes,
		Short:   "Invite somebody to a host with one string",
		Long: `Invite somebody to a host. It prints one string with everything that "playctl login" needs to create
an account: the host's address, its root key, a registration token and, if the certificate is not
publicly trusted, its fingerprint.

The administrator may invite (--admin), and main nodes if the host was started with
--main-nodes-invite. Anyone who has the string can use it, so send it privately.`,
		Example: command.Example(
			"playctl invite --admin --admin-token-file admin.token --server https://play.example.com",
			"playctl invite --expires 72h --uses 5"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return invite(cmd.Context(), a, &flags) },
	}
	flags.admin.Register(cmd)
	cmd.Flags().DurationVar(&flags.expires, "expires", protocol.DefaultInvitationSeconds*time.Second, fmt.Sprintf("how long it is valid, from %dm to %dh", protocol.MinInvitationSeconds/60, protocol.MaxInvitationSeconds/3600))
	cmd.Flags().IntVar(&flags.uses, "uses", protocol.DefaultInvitationUses, fmt.Sprintf("how many accounts it can create, at most %d", protocol.MaxInvitationUses))
	cmd.Flags().StringVar(&flags.url, "url", "", "the host's `URL` for the invited person (default: the host's --public-url, else the one in use)")
	cmd.Flags().StringVar(&flags.fingerprint, "fingerprint", fingerprintAuto,
		"the certificate to trust: `HEX` of its SHA-256, none, or auto: that of the host if this machine trusts it by SSL_CERT_FILE, SSL_CERT_DIR or a fingerprint only")
	cmd.AddCommand(newInviteListCommand(a), newInviteRevokeCommand(a))
	return cmd
}

func invite(ctx context.Context, a *command.App, flags *inviteFlags) error {
	if flags.uses < 1 || flags.uses > protocol.MaxInvitationUses {
		return command.Usagef("--uses must be from 1 to %d", protocol.MaxInvitationUses)
	}
	term, err := seconds(flags.expires, protocol.MinInvitationSeconds, protocol.MaxInvitationSeconds)
	if err != nil {
		return err
	}
	request := protocol.InviteRequest{ExpiresInSeconds: term, Uses: flags.uses}
	if flags.fingerprint != fingerprintAuto && flags.fingerprint != fingerprintNone {
		fingerprint, err := creds.ParseFingerprint(flags.fingerprint)
		if err != nil {
			return command.Usagef("--fingerprint: %w", err)
		}
		flags.fingerprint = fingerprint
	}
	err = a.AsOwner(ctx, &flags.admin, "Creating the invitation", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
		reply, err := c.Invite(ctx, request)
		if err != nil {
			return nil, err
		}
		return invitation(a, caller, c, flags, reply)
	})
	if protocol.HasCode(err, protocol.CodeForbidden) && !flags.admin.Admin {
		return command.Hintf(err, "as the administrator, add --admin; the operator can let main nodes invite with \"playctl serve --main-nodes-invite\"")
	}
	return err
}

// invitation returns the document with the invitation from a reply.
func invitation(a *command.App, caller *command.Caller, c *client.Client, flags *inviteFlags, reply *protocol.InviteReply) (*render.Document, error) {
	server, err := creds.ParseServerURL(cmp.Or(flags.url, reply.URL, caller.Server))
	if err != nil {
		return nil, command.Usagef("%w", err)
	}
	made := creds.Invitation{
		ServerURL: server, Fingerprint: fingerprintFor(a, caller, c, flags.fingerprint), RootKey: reply.RootKey, Token: reply.Token.Secret,
	}
	text, err := made.Text()
	if err != nil {
		return nil, fmt.Errorf("create the invitation: %w", err)
	}
	if command.IsLoopbackURL(server) {
		a.Warn("the invitation contains "+server+", which only this machine can reach", "set the address that others use with --url")
	}
	a.Note("\"playctl login\" reads this invitation. It creates %s until %s.",
		command.Plural(reply.Uses, "account", "accounts"), reply.ExpiresAt)
	return &render.Document{
		Data: inviteResult{
			Invitation: text.Reveal(), ID: reply.ID, Server: server, Fingerprint: made.Fingerprint, RootKey: reply.RootKey,
			ExpiresAt: reply.ExpiresAt, Uses: reply.Uses,
		},
		Views: []render.View{render.Line(text.Reveal())},
	}, nil
}

// fingerprintFor returns the fingerprint for an invitation. If this machine trusts the
// host because of its own settings, another machine would not.
func fingerprintFor(a *command.App, caller *command.Caller, c *client.Client, flag string) string {
	switch {
	case flag == fingerprintNone:
		return ""
	case flag != fingerprintAuto:
		return flag
	case caller.Fingerprint() != "" || a.Env("SSL_CERT_FILE") != "" || a.Env("SSL_CERT_DIR") != "":
		return c.Certificate()
	}
	return ""
}

// invitationsResult is what "playctl invite list" prints.
type invitationsResult struct {
	Context     string                                   `json:"context,omitempty"`
	Invitations protocol.List[protocol.InvitationRecord] `json:"invitations"` // the invitations that you made; for the administrator all
}

func newInviteListCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the invitations that you created, or with --admin all",
		Long: `List the invitations that you created, or with --admin those of everybody. Expired ones are listed
for another week. The strings themselves are not stored anywhere.`,
		Example: command.Example("playctl invite list", "playctl invite list --admin --admin-token-file admin.token"),
		Args:    command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.AsOwner(cmd.Context(), &admin, "Reading the invitations", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.Invitations(ctx)
				if err != nil {
					return nil, err
				}
				return listedInvitations(a, caller, reply.Invitations), nil
			})
		},
	}
	admin.Register(cmd)
	return cmd
}

func listedInvitations(a *command.App, caller *command.Caller, list []protocol.InvitationRecord) *render.Document {
	table := render.Table{
		Columns: []render.Column{{Title: "id"}, {Title: "used", Right: true}, {Title: "of", Right: true}, {Title: "expires"}, {Title: "by"}},
		Empty:   a.LikeThis("There are no invitations. \"playctl invite\" creates one."),
	}
	result := invitationsResult{Context: caller.ContextName(), Invitations: list}
	return render.ListOf(result, list, table, func(i protocol.InvitationRecord) []string {
		by := "administrator"
		if i.CreatedBy != "" {
			by = render.ShortID(i.CreatedBy)
		}
		return []string{i.ID, command.Decimal(int64(i.Used)), command.Decimal(int64(i.Uses)), orExpired(a, i.ExpiresAt), by}
	})
}

// revokedInvitationResult is what "playctl invite revoke" prints.
type revokedInvitationResult struct {
	ID               string `json:"id"` // the invitation that was revoked
	UnconfirmedHosts int    `json:"unconfirmedHosts,omitempty"`
}

func newInviteRevokeCommand(a *command.App) *cobra.Command {
	var admin command.AdminFlags
	invitations := command.Listed((*client.Client).Invitations,
		func(r *protocol.InvitationsReply) []protocol.InvitationRecord { return r.Invitations },
		func(one protocol.InvitationRecord) cobra.Completion {
			return cobra.CompletionWithDesc(one.ID, "ends "+one.ExpiresAt)
		})
	cmd := &cobra.Command{
		Use:               "revoke <id>",
		Short:             "Revoke an invitation; the accounts that it created stay",
		Example:           command.Example("playctl invite revoke 0123456789abcdef"),
		Args:              command.Takes("id"),
		ValidArgsFunction: a.Completes(invitations),
		RunE: func(cmd *cobra.Command, args []string) error {
			question := fmt.Sprintf("Revoke the invitation %q? Accounts that it created stay.", args[0])
			check := func() error {
				return a.AsOwner(cmd.Context(), &admin, "Reading the invitations", command.Knows(invitations, args[0], unknownInvitation(args[0])))
			}
			revoked := command.Change{Action: "remove", Kind: "invitation", ID: args[0]}
			if err := a.Confirm(cmd.Context(), question, revoked.If(check)); err != nil {
				return err
			}
			return a.AsOwner(cmd.Context(), &admin, "Revoking the invitation", func(ctx context.Context, _ *command.Caller, c *client.Client) (*render.Document, error) {
				reply, err := c.RevokeInvitation(ctx, args[0])
				if err == nil && !reply.OK {
					err = unknownInvitation(args[0])
				}
				if err != nil {
					return nil, err
				}
				return command.SentenceDocument(revokedInvitationResult{args[0], a.Unconfirmed()}, "Revoked invitation %s.", args[0]), nil
			})
		},
	}
	admin.Register(cmd)
	command.RegisterConfirmation(cmd)
	command.IgnoreMissing(a, cmd)
	return cmd
}

func unknownInvitation(id string) error {
	return command.Missing(command.Hintf(protocol.Errorf(protocol.CodeNotFound, "there is no invitation %q that you created", id), "\"playctl invite list\" shows them"))
}
