package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/protocol"
)

// AdminFlags are the flags with which a command calls as the administrator.
type AdminFlags struct {
	// Admin is true if the command calls as the administrator.
	Admin     bool
	tokenFile string
	// token is the content of the file, which may be a pipe that can be read only once.
	token protocol.Secret
}

// RegisterToken adds the flag for the file with the token.
func (f *AdminFlags) RegisterToken(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tokenFile, "admin-token-file", "", "a `file` with the administrator's token, as for \"playctl serve\" (else "+envAdminToken+")")
	Configurable(cmd.Flags(), "admin-token-file")
}

// Register also adds --admin, for commands that other callers may use too.
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
			"pass the token's file with --admin-token-file, or set %s; a host has an administrator only if it was started with \"playctl serve --admin-token-file FILE\"", envAdminToken)
	}
	return token, err
}

// AsAdmin sends a request as the administrator, and prints the result.
func (a *App) AsAdmin(ctx context.Context, flags *AdminFlags, label string, ask question) error {
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	c, err := a.AdminClient(caller, flags)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.answerWith(ctx, caller, c, label, ask)
}

// AdminClient returns a client that calls as the administrator.
func (a *App) AdminClient(caller *Caller, flags *AdminFlags) (*client.Client, error) {
	token, err := a.AdminToken(flags)
	if err != nil {
		return nil, err
	}
	caller.admin = true
	return a.connect(caller, client.Credentials{}, token)
}

// AsOwner sends a request as the main node of the context, or with --admin as the
// administrator.
func (a *App) AsOwner(ctx context.Context, flags *AdminFlags, label string, ask question) error {
	if flags.Admin {
		return a.AsAdmin(ctx, flags, label, ask)
	}
	return a.AsMain(ctx, label, ask)
}
