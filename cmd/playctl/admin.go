package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
)

// envAdminToken is the administrator's token of a run.
const envAdminToken = "PLAYCTL_ADMIN_TOKEN" //nolint:gosec // G101: the name of a variable

// adminFlags say how a command becomes the administrator's.
type adminFlags struct {
	// admin is true where the command is the administrator's and nobody else's.
	admin     bool
	tokenFile string
}

// registerToken adds the flag with the token's file.
func (f *adminFlags) registerToken(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.tokenFile, "admin-token-file", "", "a `file` with the administrator's token, as for \"playctl serve\" (else "+envAdminToken+")")
	configurable(cmd.Flags(), "admin-token-file")
}

// register adds --admin as well, for commands that others may use too.
func (f *adminFlags) register(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.admin, "admin", false, "call as the host's administrator")
	f.registerToken(cmd)
}

// adminToken is the token of the run: from the file, else from the environment.
func (a *app) adminToken(flags *adminFlags) (creds.Secret, error) {
	if flags.tokenFile != "" {
		return a.readToken(flags.tokenFile)
	}
	token, err := a.environmentSecret(envAdminToken)
	if err == nil && token.IsZero() {
		err = hintf(fmt.Errorf("%w of the administrator", errNotAuthenticated),
			"name the file with the token with --admin-token-file, or set %s", envAdminToken)
	}
	return token, err
}

// asAdmin asks as the administrator, and prints the result.
func (a *app) asAdmin(ctx context.Context, flags *adminFlags, label string, ask question) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	token, err := a.adminToken(flags)
	if err != nil {
		return err
	}
	c, err := a.connect(who, client.Credentials{}, token)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.answerWith(ctx, who, c, label, ask)
}

// asOwner asks as the main node of the context, or with --admin as the
// administrator.
func (a *app) asOwner(ctx context.Context, flags *adminFlags, label string, ask question) error {
	if flags.admin {
		return a.asAdmin(ctx, flags, label, ask)
	}
	return a.asMain(ctx, label, ask)
}
