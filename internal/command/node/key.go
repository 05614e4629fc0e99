package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
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

// keyFlags select the place of a new key.
type keyFlags struct {
	expires time.Duration
	file    string
	show    bool
	use     bool
}

// createdKeyResult is what "playctl key create" prints.
type createdKeyResult struct {
	Context   string `json:"context,omitempty"`
	Name      string `json:"name"`                // the name of the key
	ExpiresAt string `json:"expiresAt,omitempty"` // when it ends; absent for a key that does not expire
	File      string `json:"file,omitempty"`      // the file that has the key, with --api-key-file
	APIKey    string `json:"apiKey,omitempty"`    // the key, with --show-api-key
	Used      bool   `json:"used"`                // whether the context uses it from now on
}

func newKeyCreateCommand(a *command.App) *cobra.Command {
	var flags keyFlags
	cmd := &cobra.Command{
		Use:   "create <name>",
		Short: "Create one more API key; the others stay valid",
		Long: `Create one more API key of the context's main node. The host shows it once: --use saves it in the
context in place of the current one, and --api-key-file writes it to a file for another program.`,
		Example: command.Example(
			"playctl key create ci --expires 720h --api-key-file ci.key",
			"playctl key create winter --use"),
		Args: command.Takes("name"),
		RunE: func(cmd *cobra.Command, args []string) error { return createKey(cmd.Context(), a, args[0], &flags) },
	}
	cmd.Flags().DurationVar(&flags.expires, "expires", 0, fmt.Sprintf("how long it is valid, from %dm to %dh; 0 = no expiry", protocol.MinKeySeconds/60, protocol.MaxKeySeconds/3600))
	cmd.Flags().StringVar(&flags.file, "api-key-file", "", "write the key to this new `file`, readable only by you")
	cmd.Flags().BoolVar(&flags.show, "show-api-key", false, "print the key with the result, even if others may read it")
	cmd.Flags().BoolVar(&flags.use, "use", false, "keep it in the context and use it from now on")
	return cmd
}

func createKey(ctx context.Context, a *command.App, name string, flags *keyFlags) error {
	if flags.file == "" && !flags.show && !flags.use {
		return command.Hintf(command.Usagef("the new key would not be shown or saved"), "add --use, --api-key-file FILE or --show-api-key")
	}
	term, err := seconds(flags.expires, protocol.MinKeySeconds, protocol.MaxKeySeconds)
	if err != nil {
		return err
	}
	return a.AsMain(ctx, "Creating the key", func(ctx context.Context, caller *command.Caller, c *client.Client) (*render.Document, error) {
		if flags.use && !caller.SavesCredentials() {
			return nil, command.Usagef("there is no context of this main node to save the key in: omit --use")
		}
		result := createdKeyResult{Context: kept(caller), Name: name, Used: flags.use}
		if flags.file != "" {
			// The file is created first: a key that cannot be saved is lost.
			result.File = a.Absolute(flags.file)
			if err := creds.WriteSecretFile(result.File, nil, false); err != nil {
				return nil, fmt.Errorf("create the file for the API key: %w", err)
			}
		}
		reply, err := c.CreateKey(ctx, protocol.CreateKeyRequest{Name: name, ExpiresInSeconds: term})
		if err != nil && result.File != "" {
			err = errors.Join(err, os.Remove(result.File))
		}
		if err != nil {
			return nil, err
		}
		result.ExpiresAt = reply.ExpiresAt
		if flags.show {
			result.APIKey = reply.APIKey.Reveal()
		}
		unkept, unwritten := saveKey(ctx, caller, name, reply.APIKey.Secret, result.File, flags.use)
		if unkept != nil {
			result.Used = false
		}
		if unwritten != nil {
			result.File = ""
		}
		return createdKeyDocument(&result), errors.Join(unkept, unwritten)
	})
}

// seconds returns the term of --expires in seconds; with 0 the host decides.
func seconds(term time.Duration, least, most int) (int, error) {
	shortest, longest := time.Duration(least)*time.Second, time.Duration(most)*time.Second
	switch {
	case term != 0 && term < shortest:
		return 0, command.Usagef("--expires is %v, but must be at least %v", term, shortest)
	case term > longest:
		return 0, command.Usagef("--expires is %v, but must be at most %v", term, longest)
	}
	return int(term / time.Second), nil
}

// saveKey saves a new key: in the context with use, and in the file if there is one. The
// context is first, because commands need a valid key.
func saveKey(ctx context.Context, caller *command.Caller, name string, key protocol.Secret, file string, use bool) (unkept, unwritten error) {
	if use {
		unkept = caller.Change(ctx, func(target *creds.Context) error {
			target.Main.APIKey, target.Main.KeyName = key, name
			return nil
		})
	}
	if file != "" {
		if err := creds.WriteSecretFile(file, []byte(key.Reveal()+"\n"), true); err != nil {
			unwritten = fmt.Errorf("save the API key: %w", err)
		}
	}
	return unkept, unwritten
}

func createdKeyDocument(result *createdKeyResult) *render.Document {
	used := ""
	if result.Used {
		used = result.Context
	}
	return &render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "API key", Value: result.Name},
		{Name: "expires", Value: result.ExpiresAt},
		{Name: "kept in context", Value: used},
		{Name: "written to", Value: result.File},
		{Name: "key", Value: result.APIKey},
	}}}
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
	var yes bool
	keys := command.Listed((*client.Client).Keys,
		func(r *protocol.KeysReply) []protocol.KeyRecord { return r.Keys },
		func(one protocol.KeyRecord) cobra.Completion { return one.Name })
	cmd := &cobra.Command{
		Use:               "revoke <name>",
		Short:             "Revoke an API key; programs that use it are refused from then on",
		Example:           command.Example("playctl key revoke ci"),
		Args:              command.Takes("name"),
		ValidArgsFunction: a.Completes(keys),
		RunE: func(cmd *cobra.Command, args []string) error {
			check := func() error {
				return a.AsMain(cmd.Context(), "Reading the keys", command.Knows(keys, args[0], unknownKey(args[0])))
			}
			if err := a.ConfirmIfSeen(cmd.Context(), yes, revokesKey(a, args[0]), check); err != nil {
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
	command.RegisterYes(cmd, &yes)
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
	return command.Hintf(protocol.Errorf(protocol.CodeNotFound, "the account has no API key %q", name), "\"playctl key list\" shows them")
}
