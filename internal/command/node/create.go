package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// createdMainResult is what "playctl create-main-node" prints.
type createdMainResult struct {
	Context    string `json:"context"`
	Server     string `json:"server"`
	NodeID     string `json:"nodeId"`  // the id of the account
	Created    bool   `json:"created"` // false if the context has had it before, with --if-missing
	Phrase     string `json:"phrase,omitempty"`
	PhraseFile string `json:"phraseFile,omitempty"`
}

func newCreateMainNodeCommand(a *command.App) *cobra.Command {
	var phrase command.PhraseFlags
	var rootFile, tokenFile string
	var ifMissing bool
	cmd := &cobra.Command{
		Use:        "create-main-node",
		SuggestFor: []string{"signup", "sign-up", "register"},
		GroupID:    command.GroupNodes,
		Short:      "Create an account on a host: a main node and its context",
		Long: `Create an account on a host: a main node, which owns agents and MCP placements. Its
credentials become a context in the credentials file; --context names it.

A main node is a phrase of ten words. Only a hash of it leaves this machine, and only the hash is
kept in the credentials file, unless --keep-phrase is set. The node id derives from the hash and the
world's root key, which the host provides.`,
		Example: command.Example(
			"playctl create-main-node",
			"playctl create-main-node --context work --server https://play.example.com",
			"playctl create-main-node --no-input --phrase-file phrase.txt --output json"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := createMainNode(cmd.Context(), a, nil, &phrase, rootFile, tokenFile)
			if taken, has := errors.AsType[*takenError](err); has && ifMissing && taken.at(a.Settings.Server) {
				return a.Printer.Print(existingMain(taken.context))
			}
			return err
		},
	}
	phrase.Register(cmd.Flags())
	registerRootFile(cmd, &rootFile)
	command.RegisterIfMissing(cmd, &ifMissing)
	cmd.Flags().StringVar(&tokenFile, "registration-token-file", "", "the `file` with the token that the host requires (or set "+command.EnvRegistrationToken+")")
	return cmd
}

func createMainNode(ctx context.Context, a *command.App, caller *command.Caller, flags *command.PhraseFlags, rootFile, tokenFile string) error {
	place, err := newAccount(ctx, a, caller, false)
	if err != nil {
		return err
	}
	target := place.Context
	token, err := a.ReadToken(tokenFile)
	if err == nil && token.IsZero() {
		token, err = a.EnvironmentSecret(command.EnvRegistrationToken)
	}
	if err != nil {
		return err
	}
	c, err := newcomer(a, target, token)
	if err != nil {
		return err
	}
	defer c.Close()
	// The host's key comes first: the world at an address may have been replaced.
	if target.RootKey, err = rootKey(ctx, a, c, "", rootFile); err != nil {
		return err
	}
	place.explain(a)
	return makeAccount(ctx, a, c, target, flags, place.use)
}

// makeAccount creates a main node at the host of a context, and saves the context with
// it; with use, commands use it from then on.
func makeAccount(ctx context.Context, a *command.App, c *client.Client, target *creds.Context, flags *command.PhraseFlags, use bool) (err error) {
	if err := canSave(a, "account"); err != nil {
		return err
	}
	phrase, err := a.PhraseFor(ctx, flags)
	if err != nil {
		return err
	}
	node, err := derive(ctx, a, phrase.Hash, target.RootKey)
	if err != nil {
		return errors.Join(err, phrase.Discard())
	}
	a.WarnExposed(c)
	target.Main = &creds.MainNode{NodeID: node.NodeID, PasswHash: node.Hash, KeyName: protocol.DefaultKeyName, Phrase: phrase.Kept(), CreatedAt: a.Now()}
	end, err := begin(ctx, a, &creds.Pending{Context: target, Use: use}, "account", func(file *creds.File) error {
		if there, err := file.Context(target.Name); err == nil && there.Main != nil {
			return hasMain(there)
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, phrase.Discard())
	}
	defer func() { err = errors.Join(err, end()) }()
	if target.Main.APIKey, err = registerMain(ctx, a, c, node); err != nil {
		return notCreated(ctx, a, err, node.NodeID, phrase)
	}
	_, err = keepContext(ctx, a, target, false, use)
	err = notSaved("main node", err)
	document := createdMain(target, phrase)
	if err == nil {
		document.Views = append(document.Views, whichContext(a, target.Name, use)...)
	}
	err = errors.Join(err, a.Printer.Print(document))
	phrase.Exported = true
	a.ShowPhrase(phrase)
	return err
}

// whichContext says which context commands use after the creation of a context, unless
// that is obvious.
func whichContext(a *command.App, made string, use bool) []render.View {
	if use {
		return command.Sentence("Commands now use context %s.", made)
	}
	_, file, err := a.CredentialsFile()
	if err != nil || file.Current() == made || a.Sources.Made("context") && !a.Sources.ByFlag("context") {
		return nil // The next command reports the error in the file.
	}
	return command.Sentence("Commands still use context %s; \"playctl context use %s\" changes that.", file.Current(), made)
}

// canSave fails if the credentials of a node could not be saved, before it is created.
func canSave(a *command.App, node string) error {
	store, err := a.CredentialsStore()
	if err == nil {
		err = store.Writable()
	}
	if err == nil {
		return nil
	}
	return unsavable(node, err)
}

// notSaved returns the error of a new node that could be saved as being created only: the
// next command tries again to save it in its context.
func notSaved(node string, err error) error {
	if err == nil {
		return nil
	}
	return command.Hintf(fmt.Errorf("the %s was created, but its context cannot be saved: %w", node, err),
		"once that is fixed, the next command saves it")
}

// takenError is the error of a context that already has an account.
type takenError struct{ context *creds.Context }

// Error implements error.
func (e *takenError) Error() string {
	return fmt.Sprintf("context %q %v, at %s", e.context.Name, command.ErrContextTaken, e.context.ServerURL)
}

// Unwrap returns ErrContextTaken.
func (e *takenError) Unwrap() error { return command.ErrContextTaken }

// at reports whether the account is at a host; "" stands for any.
func (e *takenError) at(server string) bool {
	parsed, err := creds.ParseServerURL(server)
	return server == "" || err == nil && parsed == e.context.ServerURL
}

// hasMain returns the error of a context that already has an account.
func hasMain(existing *creds.Context) error {
	return command.Hintf(&takenError{existing},
		"\"playctl whoami --context %s\" shows it; use a new name with --context for another account", existing.Name)
}

// trustedAt returns the fingerprint of a host from the context with that name, else from
// any other.
func trustedAt(file *creds.File, name, server string) string {
	for _, name := range append([]string{name, file.Current()}, file.Names()...) {
		if known, err := file.Context(name); err == nil && known.ServerURL == server && known.Fingerprint != "" {
			return known.Fingerprint
		}
	}
	return ""
}

// derive computes the node id of a hash, which takes a moment on purpose.
func derive(ctx context.Context, a *command.App, hash creds.PasswHash, rootKey string) (client.Credentials, error) {
	id, err := command.Interruptible(ctx, a, "Deriving the node id", func() (string, error) { return a.Derive(hash, rootKey) })
	return client.Credentials{NodeID: id, Hash: hash}, err
}

func registerMain(ctx context.Context, a *command.App, c *client.Client, node client.Credentials) (key protocol.Secret, err error) {
	err = a.CallWith(ctx, c, "Registering at "+c.Host(), func(ctx context.Context, c *client.Client) error {
		reply, err := c.CreateMainNode(ctx, node)
		if err == nil {
			key = reply.APIKey.Secret
		}
		return err
	})
	if protocol.HasCode(err, protocol.CodeNodeExists) {
		err = command.Hintf(err, "that phrase is registered already: \"playctl login --phrase %s\" signs in with it", c.BaseURL())
	}
	return key, err
}

// notCreated handles a failed creation. If the host refused, it removes the phrase file and
// what was saved before the request; if the outcome is unknown they stay, because the node
// may exist.
func notCreated(ctx context.Context, a *command.App, err error, nodeID string, phrase *command.NodePhrase) error {
	refused, answered := errors.AsType[*protocol.Error](err)
	missed, unreachable := errors.AsType[*client.UnreachableError](err)
	if answered && refused.Status() < http.StatusInternalServerError || unreachable && !missed.Sent {
		return errors.Join(err, phrase.Discard(), dropPending(ctx, a, nodeID))
	}
	if phrase.File != "" {
		a.Warn("it is not known whether the node was created",
			fmt.Sprintf("the phrase is in %s: try again with --phrase-from", phrase.Flags.To))
	}
	return err
}

// keepContext saves a context with a new node. The host knows the node by now, so an
// interrupt no longer stops it. It reports whether commands use the context from then on.
func keepContext(ctx context.Context, a *command.App, target *creds.Context, replace, use bool) (current bool, err error) {
	store, err := a.CredentialsStore()
	if err != nil {
		return false, err
	}
	err = store.Update(context.WithoutCancel(ctx), func(file *creds.File) error {
		existing, err := file.Context(target.Name)
		if err == nil && existing.Main != nil && !replace {
			return fmt.Errorf("context %q got a main node in the meantime", target.Name)
		}
		if err == nil && existing.Main != nil && existing.Main.NodeID == target.Main.NodeID {
			// It is the same account: its other data stays.
			target.Main.APIKey, target.Main.KeyName = existing.Main.APIKey, existing.Main.KeyName
			for _, agent := range existing.Agents() {
				if err := target.AddAgent(agent); err != nil {
					return err
				}
			}
		}
		file.DropPending(target.Main.NodeID)
		err = putContext(file, target, true, use)
		current = file.Current() == target.Name
		return err
	})
	return current, err
}

func createdMain(target *creds.Context, phrase *command.NodePhrase) render.Document {
	result := createdMainResult{
		Context: target.Name, Server: target.ServerURL, NodeID: target.Main.NodeID, Created: true,
		Phrase: phrase.Shown(), PhraseFile: phrase.File,
	}
	return render.Document{Data: result, Views: []render.View{result.fields()}}
}

// existingMain shows the account that a context has had before.
func existingMain(kept *creds.Context) render.Document {
	result := createdMainResult{Context: kept.Name, Server: kept.ServerURL, NodeID: kept.Main.NodeID}
	return render.Document{Data: result, Views: append(command.Sentence("The context has an account already."), result.fields())}
}

func (r *createdMainResult) fields() render.Fields {
	return render.Fields{
		{Name: "main node", Value: r.NodeID},
		{Name: "server", Value: r.Server},
		{Name: "context", Value: r.Context},
		{Name: "phrase", Value: r.Phrase},
	}
}
