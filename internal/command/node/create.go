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

// defaultContext is the name of a context that nobody named.
const defaultContext = "default"

// createdMainResult is what "playctl create-main-node" prints.
type createdMainResult struct {
	Context    string `json:"context"`
	Server     string `json:"server"`
	NodeID     string `json:"nodeId"`
	Phrase     string `json:"phrase,omitempty"`
	PhraseFile string `json:"phraseFile,omitempty"`
}

func newCreateMainNodeCommand(a *command.App) *cobra.Command {
	var phrase command.PhraseFlags
	var rootFile, tokenFile string
	cmd := &cobra.Command{
		Use:     "create-main-node",
		GroupID: command.GroupNodes,
		Short:   "Make an account on a host: a main node and its context",
		Long: `Make an account on a host: a main node, which owns agents and MCP servers. Its
credentials become a context in the credentials file; --context names it.

A main node is a phrase of ten words. Only a hash of it leaves this machine, and only
the hash is kept in the credentials file, unless --keep-phrase says otherwise. The node
id derives from the hash and the world's root key, which must be the host's.`,
		Example: command.Example(
			"playctl create-main-node",
			"playctl create-main-node --context work --server https://play.example.com --root-file work.root",
			"playctl create-main-node --no-input --phrase-file phrase.txt --output json"),
		Args: command.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return createMainNode(cmd.Context(), a, &phrase, rootFile, tokenFile)
		},
	}
	phrase.Register(cmd.Flags())
	registerRootFile(cmd, &rootFile)
	cmd.Flags().StringVar(&tokenFile, "registration-token-file", "", "the `file` with the token that the host asks for (or set "+command.EnvRegistrationToken+")")
	return cmd
}

func registerRootFile(cmd *cobra.Command, rootFile *string) {
	cmd.Flags().StringVar(rootFile, "root-file", "", "the world's root key `file` (default: "+creds.EnvRootFile+", else ~/.playctl/root, else ./.root)")
}

func createMainNode(ctx context.Context, a *command.App, flags *command.PhraseFlags, rootFile, tokenFile string) error {
	target, err := newAccount(a)
	if err != nil {
		return err
	}
	token, err := a.ReadToken(tokenFile)
	if err == nil && token.IsZero() {
		token, err = a.EnvironmentSecret(command.EnvRegistrationToken)
	}
	if err != nil {
		return err
	}
	root, err := a.Surroundings().FindRootFile(rootFile)
	if err != nil {
		return err
	}
	phrase, err := a.PhraseFor(ctx, flags)
	if err != nil {
		return err
	}
	node, err := derive(a, phrase, root.Key)
	if err != nil {
		return errors.Join(err, phrase.Discard())
	}
	key, err := registerMain(ctx, a, target, node, token)
	if err != nil {
		return notCreated(a, err, phrase)
	}
	target.Main = &creds.MainNode{NodeID: node.NodeID, PasswHash: node.Hash, APIKey: key, Phrase: phrase.Kept(), CreatedAt: a.Now()}
	err = notKept("main node", keepContext(ctx, a, target))
	err = errors.Join(err, a.Printer.Print(createdMain(target, phrase)))
	a.ShowPhrase(phrase)
	return err
}

// notKept is the error of a node that was made and whose credentials cannot be
// saved. The phrase is told all the same: with it they can be made again.
func notKept(node string, err error) error {
	if err == nil {
		return nil
	}
	return command.Hintf(fmt.Errorf("the %s was made, but its credentials cannot be kept: %w", node, err),
		"keep the phrase: once that is mended, \"playctl credentials import\" makes them of it")
}

// newAccount is the context that a new main node goes into: one without a node
// that is there already, else a new one.
func newAccount(a *command.App) (*creds.Context, error) {
	store, err := a.CredentialsStore()
	if err != nil {
		return nil, err
	}
	file, err := store.Load()
	if err != nil {
		return nil, err
	}
	name := a.Settings.Context
	if name == "" {
		name = defaultContext
	}
	server, service := a.Settings.Server, a.Settings.Service
	existing, err := file.Context(name)
	switch {
	case errors.Is(err, creds.ErrContextUnknown):
	case err != nil:
		return nil, err
	case existing.Main != nil:
		return nil, command.Hintf(command.Usagef("context %q has a main node already", name), "name a new context with --context")
	case server == "":
		return existing, nil
	}
	if server == "" {
		server = command.DefaultServer
	}
	if service == "" {
		service = string(creds.ServicePlay)
	}
	parsed, err := creds.ParseService(service)
	if err != nil {
		return nil, command.BadSetting("--service", err)
	}
	target, err := creds.NewContext(name, server, parsed, a.Now())
	if err != nil {
		return nil, command.Usagef("%w", err)
	}
	return target, nil
}

// derive computes the node id of a phrase, which takes a moment on purpose.
func derive(a *command.App, phrase *command.NodePhrase, rootKey string) (node client.Credentials, err error) {
	node.Hash = phrase.Hash
	err = a.Waiting("Deriving the node id", func() error {
		node.NodeID, err = a.Derive(phrase.Hash, rootKey)
		return err
	})
	return node, err
}

func registerMain(ctx context.Context, a *command.App, target *creds.Context, node client.Credentials, token protocol.Secret) (key protocol.Secret, err error) {
	c, err := client.New(client.Options{
		BaseURL: target.ServerURL, Service: protocol.Service(target.Service),
		RegistrationToken: token, Timeout: a.Settings.Timeout, UserAgent: "playctl/" + a.ThisVersion().Version,
	})
	if err != nil {
		return protocol.Secret{}, err
	}
	defer c.Close()
	ctx, cancel := a.Limited(ctx)
	defer cancel()
	err = a.Waiting("Registering at "+c.Host(), func() error {
		reply, err := c.CreateMainNode(ctx, node)
		if err == nil {
			key = reply.APIKey.Secret
		}
		return err
	})
	return key, err
}

// notCreated ends a creation that failed. Where the host refused, the phrase
// file goes; where the outcome is unknown it stays, for the node may exist.
func notCreated(a *command.App, err error, phrase *command.NodePhrase) error {
	var refused *protocol.Error
	if errors.As(err, &refused) && refused.Status() < http.StatusInternalServerError {
		return errors.Join(err, phrase.Discard())
	}
	var unreachable *client.UnreachableError
	if errors.As(err, &unreachable) && !unreachable.Sent {
		return errors.Join(err, phrase.Discard())
	}
	if phrase.File != "" {
		a.Warn("it is not known whether the node was made",
			fmt.Sprintf("the phrase is in %s: try it again with --phrase-from", phrase.Flags.To))
	}
	return err
}

// keepContext saves a context with a new node. The host knows the node by now,
// so an interrupt no longer stops it.
func keepContext(ctx context.Context, a *command.App, target *creds.Context) error {
	store, err := a.CredentialsStore()
	if err != nil {
		return err
	}
	return store.Update(context.WithoutCancel(ctx), func(file *creds.File) error {
		existing, err := file.Context(target.Name)
		if err == nil && existing.Main != nil {
			return fmt.Errorf("context %q got a main node meanwhile", target.Name)
		}
		return file.Put(target)
	})
}

func createdMain(target *creds.Context, phrase *command.NodePhrase) render.Document {
	result := createdMainResult{
		Context: target.Name, Server: target.ServerURL, NodeID: target.Main.NodeID,
		Phrase: phrase.Shown(), PhraseFile: phrase.File,
	}
	return render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "main node", Value: result.NodeID},
		{Name: "server", Value: result.Server},
		{Name: "context", Value: result.Context},
		{Name: "phrase", Value: result.Phrase},
	}}}
}

// rootKeyResult is what "playctl create-root-key" prints. The key is no secret
// between a host and its clients, but the file decides whose world it is.
type rootKeyResult struct {
	File    string `json:"file"`
	RootKey string `json:"rootKey"`
}

func newCreateRootKeyCommand(a *command.App) *cobra.Command {
	var file, secret string
	var force bool
	cmd := &cobra.Command{
		Use:     "create-root-key",
		GroupID: command.GroupNodes,
		Short:   "Make the root key of a world and save it in a file",
		Long: `Make the root key of a world and save it in a root key file. All node ids of a world
derive from its root key: host and clients need the same one.

A key is random, or derived from the bytes of a secret file, so that it can be made
again from the same secret.`,
		Example: command.Example(
			"playctl create-root-key",
			"playctl create-root-key --root-file world.root",
			"playctl create-root-key --secret-file passphrase.txt --root-file world.root"),
		Args: command.Takes(),
		RunE: func(*cobra.Command, []string) error {
			path, err := rootFilePath(a, file)
			if err != nil {
				return err
			}
			key, err := makeRootKey(a, secret)
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
	cmd.Flags().StringVar(&file, "root-file", "", "the `file` to make (default: "+creds.EnvRootFile+", else ~/.playctl/root)")
	cmd.Flags().StringVar(&secret, "secret-file", "", "derive the key from the bytes of this `file`; - is standard input")
	cmd.Flags().BoolVar(&force, "force", false, "replace a file that is there; every node of its world becomes invalid")
	return cmd
}

// rootFilePath is where a root key file is made.
func rootFilePath(a *command.App, flag string) (string, error) {
	if flag == "" {
		flag = a.Env(creds.EnvRootFile)
	}
	if flag != "" {
		return a.Absolute(flag), nil
	}
	return a.Surroundings().DefaultRootFile()
}

func makeRootKey(a *command.App, secretFile string) (key string, err error) {
	if secretFile == "" {
		return creds.GenerateRootKey(), nil
	}
	secret, err := readRootSecret(a, secretFile)
	if err != nil {
		return "", err
	}
	err = a.Waiting("Deriving the root key", func() error {
		key, err = creds.RootKeyFromSecret(secret)
		return err
	})
	return key, err
}

func readRootSecret(a *command.App, file string) ([]byte, error) {
	if file == "-" {
		return a.ReadInput(file, command.MaxSecret)
	}
	return creds.ReadRootSecret(a.Absolute(file))
}
