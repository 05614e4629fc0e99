package node

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

func newContextRenameCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:               "rename <name> <new name>",
		Short:             "Rename a context",
		Example:           command.Example("playctl context rename old older"),
		Args:              command.Takes("name", "new name"),
		ValidArgsFunction: a.CompletesContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			var renamed *creds.Context
			var current bool
			err := changeContexts(cmd.Context(), a, func(file *creds.File) (err error) {
				if err := file.Rename(args[0], args[1]); err != nil {
					return err
				}
				renamed, err = file.Context(args[1])
				current = file.Current() == args[1]
				return err
			})
			if err != nil {
				return err
			}
			return a.PrintSentence(describeContext(renamed, current), "Context %s is now called %s.", args[0], args[1])
		},
	}
}

// editFlags are the changes to a context.
type editFlags struct {
	url         string
	fingerprint string
}

func newContextEditCommand(a *command.App) *cobra.Command {
	var flags editFlags
	cmd := &cobra.Command{
		Use:   "edit <name>",
		Short: "Change the address of a context's host, or the certificate to trust",
		Long: `Change the address of a context's host after it moved, or the fingerprint of the certificate to
trust after it was replaced; --fingerprint none trusts what the system trusts. The credentials stay:
they are for the world of the root key, wherever that is served.`,
		Example: command.Example(
			"playctl context edit old --url https://new.example.com",
			"playctl context edit old --fingerprint none"),
		Args:              command.Takes("name"),
		ValidArgsFunction: a.CompletesContext,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.url == "" && flags.fingerprint == "" {
				return command.Usagef("nothing to change: add --url or --fingerprint")
			}
			return editContext(cmd.Context(), a, args[0], &flags)
		},
	}
	cmd.Flags().StringVar(&flags.url, "url", "", "the host's new `URL`")
	cmd.Flags().StringVar(&flags.fingerprint, "fingerprint", "", "trust the certificate with this SHA-256 (`HEX`), or none")
	return cmd
}

func editContext(ctx context.Context, a *command.App, name string, flags *editFlags) error {
	return printChanged(ctx, a, func(file *creds.File) (*creds.Context, error) {
		edited, err := file.Context(name)
		if err != nil {
			return nil, err
		}
		return edited, flags.apply(edited)
	})
}

func (f *editFlags) apply(target *creds.Context) (err error) {
	if f.url != "" {
		if target.ServerURL, err = creds.ParseServerURL(f.url); err != nil {
			return command.Usagef("--url: %w", err)
		}
	}
	switch f.fingerprint {
	case "":
	case fingerprintNone:
		target.Fingerprint = ""
	default:
		if target.Fingerprint, err = creds.ParseFingerprint(f.fingerprint); err != nil {
			return command.Usagef("--fingerprint: %w", err)
		}
	}
	return nil
}
