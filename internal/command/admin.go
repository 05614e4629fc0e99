package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// AdminFlags say how a command becomes the administrator's.
type AdminFlags struct {
	// Admin is true if the command is the administrator's and nobody else's.
	Admin     bool
	tokenFile string
	// token is what was read of the file, which may be a pipe: that can be read once.
	token protocol.Secret
}

// RegisterToken adds the flag with the token's file.
func (f *AdminFlags) RegisterToken(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tokenFile, "admin-token-file", "", "a `file` with the administrator's token, as for \"playctl serve\" (else "+envAdminToken+")")
	Configurable(cmd.Flags(), "admin-token-file")
}

// Register adds --admin as well, for commands that others may use too.
func (f *AdminFlags) Register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Admin, "admin", false, "call as the host's administrator")
	f.RegisterToken(cmd)
}

// AdminToken returns the token of the run: from the file, else from the environment.
func (a *App) AdminToken(flags *AdminFlags) (protocol.Secret, error) {
	if !flags.token.IsZero() {
		return flags.token, nil
	}
	if flags.tokenFile != "" {
		token, err := a.ReadToken(flags.tokenFile)
		flags.token = token
		return token, err
	}
	token, err := a.EnvironmentSecret(envAdminToken)
	if err == nil && token.IsZero() {
		err = Hintf(fmt.Errorf("%w of the administrator", errNotAuthenticated),
			"name the file with the token with --admin-token-file, or set %s; a host has an administrator if it was started with \"playctl serve --admin-token-file FILE\"", envAdminToken)
	}
	return token, err
}

// AsAdmin asks as the administrator, and prints the result.
func (a *App) AsAdmin(ctx context.Context, flags *AdminFlags, label string, ask question) error {
	who, err := a.Caller()
	if err != nil {
		return err
	}
	c, err := a.AdminClient(who, flags)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.answerWith(ctx, who, c, label, ask)
}

// AdminClient makes the client that calls as the administrator.
func (a *App) AdminClient(who *Caller, flags *AdminFlags) (*client.Client, error) {
	token, err := a.AdminToken(flags)
	if err != nil {
		return nil, err
	}
	who.admin = true
	return a.connect(who, client.Credentials{}, token)
}

// AsOwner asks as the main node of the context, or with --admin as the
// administrator.
func (a *App) AsOwner(ctx context.Context, flags *AdminFlags, label string, ask question) error {
	if flags.Admin {
		return a.AsAdmin(ctx, flags, label, ask)
	}
	return a.AsMain(ctx, label, ask)
}
