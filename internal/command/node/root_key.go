package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

func registerRootFile(cmd *cobra.Command, rootFile *string) {
	cmd.Flags().StringVar(rootFile, "root-file", "", "the world's root key `file` (default: "+creds.EnvRootFile+", else the key that the host provides)")
}

// rootKey returns the root key from which the node ids of a host are derived: from the
// named file, else from the context, else from the host. If the host does not provide it,
// a file in one of the usual places is used.
func rootKey(ctx context.Context, a *command.App, c *client.Client, remembered, file string) (string, error) {
	here := a.Surroundings()
	if here.NamesRootFile(file) {
		root, err := here.FindRootFile(file)
		return root.Key, err
	}
	if remembered != "" {
		return remembered, nil
	}
	reply, err := askRootKey(ctx, a, c, (*client.Client).Bootstrap)
	if err == nil && reply.RootKey != "" {
		return protocol.NormalizeRootKey(reply.RootKey), nil
	}
	if command.IsUnreachable(err) || errors.Is(err, client.ErrNotHost) || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded) {
		return "", err
	}
	root, missing := here.FindRootFile("")
	switch {
	case missing == nil:
		return root.Key, nil
	case !errors.Is(missing, creds.ErrNoRootFile):
		return "", missing
	case protocol.HasCode(err, protocol.CodeCredentialsMissing, protocol.CodeCredentialsInvalid):
		return "", command.Hintf(err, "ask its operator for an invitation (\"playctl login --invite-file FILE\") or a registration token (--registration-token-file); "+
			"if you have an account there, sign in with any invitation to it (\"playctl login --phrase --invite-file FILE\"), or pass its root key file with --root-file")
	case err == nil:
		err = errors.New("its answer has none")
	}
	return "", command.Hintf(fmt.Errorf("the host does not provide its root key: %w", err),
		"ask the operator of %s for its root key file, and pass it with --root-file", c.Host())
}

// bootstrap is one of the client's ways to ask for the root key.
type bootstrap func(*client.Client, context.Context) (*protocol.BootstrapReply, error)

// askRootKey requests the root key from the host.
func askRootKey(ctx context.Context, a *command.App, c *client.Client, ask bootstrap) (reply *protocol.BootstrapReply, err error) {
	err = a.CallWith(ctx, c, "Asking the host for its root key", func(ctx context.Context, c *client.Client) (err error) {
		reply, err = ask(c, ctx)
		return err
	})
	return reply, err
}

// rootKeyResult is what "playctl create-root-key" prints. The key is no secret between a
// host and its clients, but the file decides which world a host serves.
type rootKeyResult struct {
	File    string `json:"file"` // the file that was written
	RootKey string `json:"rootKey"`
}

func newCreateRootKeyCommand(a *command.App) *cobra.Command {
	var file, secret string
	var force bool
	cmd := &cobra.Command{
		Use:     "create-root-key",
		GroupID: command.GroupNodes,
		Short:   "Create the root key of a world and save it in a file",
		Long: `Create the root key of a world and save it in a root key file. All node ids of a world
derive from its root key: host and clients need the same one.

A key is random, or derived from the bytes of a secret file, so that it can be created
again from the same secret.`,
		Example: command.Example(
			"playctl create-root-key",
			"playctl create-root-key --root-file world.root",
			"playctl create-root-key --secret-file passphrase.txt --root-file world.root"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := rootFilePath(a, file)
			if err != nil {
				return err
			}
			key, err := makeRootKey(cmd.Context(), a, secret)
			if err != nil {
				return err
			}
			if err := creds.WriteRootFile(path, key, force); err != nil {
				return err
			}
			return a.Printer.Print(render.Document{
				Data:  rootKeyResult{File: path, RootKey: key},
				Views: []render.View{render.Fields{{Name: "root key", Value: key}, {Name: "file", Value: path}}},
			})
		},
	}
	cmd.Flags().StringVar(&file, "root-file", "", "the `file` to create (default: "+creds.EnvRootFile+", else ~/.playctl/root)")
	cmd.Flags().StringVar(&secret, "secret-file", "", "derive the key from the bytes of this `file`; - is standard input")
	cmd.Flags().BoolVar(&force, "force", false, "replace an existing file; every node of its world becomes invalid")
	return cmd
}

// rootFilePath returns the path of a new root key file.
func rootFilePath(a *command.App, flag string) (string, error) {
	if named := cmp.Or(flag, a.Env(creds.EnvRootFile)); named != "" {
		return a.Absolute(named), nil
	}
	return a.Surroundings().DefaultRootFile()
}

func makeRootKey(ctx context.Context, a *command.App, secretFile string) (string, error) {
	if secretFile == "" {
		return creds.GenerateRootKey(), nil
	}
	read := creds.ReadRootSecret
	if secretFile == "-" {
		read = func(string) ([]byte, error) { return a.ReadInput("-", command.MaxSecret) }
	}
	secret, err := read(a.Absolute(secretFile))
	if err != nil {
		return "", err
	}
	return command.Interruptible(ctx, a, "Deriving the root key", func() (string, error) { return creds.RootKeyFromSecret(secret) })
}
