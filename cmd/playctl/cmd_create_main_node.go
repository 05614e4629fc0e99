package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/playctl/playctl/internal/client"
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

func newCreateMainNodeCommand(a *app) *cobra.Command {
	var phrase phraseFlags
	var rootFile, tokenFile string
	cmd := &cobra.Command{
		Use:   "create-main-node",
		Short: "Make an account on a host: a main node and its context",
		Long: `Make an account on a host: a main node, which owns agents and MCP placements. Its
credentials become a context in the credentials file; --context names it.

A main node is a phrase of ten words. Only a hash of it leaves this machine, and only
the hash is kept in the credentials file, unless --keep-phrase says otherwise. The node
id derives from the hash and the world's root key, which must be the host's.`,
		Example: example(
			"playctl create-main-node",
			"playctl create-main-node --context work --server https://play.example.com --root-file work.root",
			"playctl create-main-node --no-input --phrase-file phrase.txt --output json"),
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.createMainNode(cmd.Context(), &phrase, rootFile, tokenFile)
		},
	}
	phrase.register(cmd.Flags())
	registerRootFile(cmd, &rootFile)
	cmd.Flags().StringVar(&tokenFile, "registration-token-file", "", "the `file` with the token that the host asks for (or set "+envRegistrationToken+")")
	return cmd
}

func registerRootFile(cmd *cobra.Command, rootFile *string) {
	cmd.Flags().StringVar(rootFile, "root-file", "", "the world's root key `file` (default: "+creds.EnvRootFile+", else ~/.playctl/root, else ./.root)")
}

func (a *app) createMainNode(ctx context.Context, flags *phraseFlags, rootFile, tokenFile string) error {
	target, err := a.newAccount()
	if err != nil {
		return err
	}
	token, err := a.readToken(tokenFile)
	if err == nil && token.IsZero() {
		token, err = a.environmentSecret(envRegistrationToken)
	}
	if err != nil {
		return err
	}
	root, err := a.surroundings().FindRootFile(rootFile)
	if err != nil {
		return err
	}
	phrase, err := a.phraseFor(ctx, flags)
	if err != nil {
		return err
	}
	node, err := a.derive(phrase, root.Key)
	if err != nil {
		return errors.Join(err, phrase.refused())
	}
	key, err := a.registerMain(ctx, target, node, token)
	if err != nil {
		return a.notCreated(err, phrase)
	}
	target.Main = &creds.MainNode{NodeID: node.NodeID, PasswHash: node.Hash, APIKey: key, Phrase: phrase.kept(), CreatedAt: a.Now()}
	err = notKept("main node", a.keepContext(ctx, target))
	err = errors.Join(err, a.printer.Print(createdMain(target, phrase)))
	a.tell(phrase)
	return err
}

// notKept is the error of a node that was made and whose credentials cannot be
// saved. The phrase is told all the same: with it they can be made again.
func notKept(node string, err error) error {
	if err == nil {
		return nil
	}
	return hintf(fmt.Errorf("the %s was made, but its credentials cannot be kept: %w", node, err),
		"keep the phrase: once that is mended, \"playctl credentials import\" makes them of it")
}

// newAccount is the context that a new main node goes into: one without a node
// that is there already, else a new one.
func (a *app) newAccount() (*creds.Context, error) {
	store, err := a.credentialsStore()
	if err != nil {
		return nil, err
	}
	file, err := store.Load()
	if err != nil {
		return nil, err
	}
	name := a.settings.context
	if name == "" {
		name = defaultContext
	}
	server, service := a.settings.server, a.settings.service
	existing, err := file.Context(name)
	switch {
	case errors.Is(err, creds.ErrContextUnknown):
	case err != nil:
		return nil, err
	case existing.Main != nil:
		return nil, hintf(usagef("context %q has a main node already", name), "name a new context with --context")
	case server == "":
		return existing, nil
	}
	if server == "" {
		server = defaultServer
	}
	if service == "" {
		service = string(creds.ServicePlay)
	}
	parsed, err := creds.ParseService(service)
	if err != nil {
		return nil, &settingError{"--service", err}
	}
	target, err := creds.NewContext(name, server, parsed, a.Now())
	if err != nil {
		return nil, usagef("%w", err)
	}
	return target, nil
}

// derive computes the node id of a phrase, which takes a moment on purpose.
func (a *app) derive(phrase *newPhrase, rootKey string) (node client.Credentials, err error) {
	node.Hash = phrase.hash
	err = a.waiting("Deriving the node id", func() error {
		node.NodeID, err = creds.DeriveNodeID(phrase.hash, rootKey)
		return err
	})
	return node, err
}

func (a *app) registerMain(ctx context.Context, target *creds.Context, node client.Credentials, token creds.Secret) (key creds.Secret, err error) {
	c, err := client.New(client.Options{
		BaseURL: target.ServerURL, Service: protocol.Service(target.Service),
		RegistrationToken: token, Timeout: a.settings.timeout, UserAgent: "playctl/" + thisVersion().Version,
	})
	if err != nil {
		return creds.Secret{}, err
	}
	defer c.Close()
	ctx, cancel := a.limited(ctx)
	defer cancel()
	err = a.waiting("Registering at "+c.Host(), func() error {
		reply, err := c.CreateMainNode(ctx, node)
		if err == nil {
			key = creds.NewSecret(reply.APIKey.Reveal())
		}
		return err
	})
	return key, err
}

// notCreated ends a creation that failed. Where the host refused, the phrase
// file goes; where the outcome is unknown it stays, for the node may exist.
func (a *app) notCreated(err error, phrase *newPhrase) error {
	var refused *protocol.Error
	if errors.As(err, &refused) && refused.Status() < http.StatusInternalServerError {
		return errors.Join(err, phrase.refused())
	}
	var unreachable *client.UnreachableError
	if errors.As(err, &unreachable) && !unreachable.Sent {
		return errors.Join(err, phrase.refused())
	}
	if phrase.written != "" {
		a.warn("it is not known whether the node was made",
			fmt.Sprintf("the phrase is in %s: try it again with --phrase-from", phrase.flags.to))
	}
	return err
}

// keepContext saves a context with a new node. The host knows the node by now,
// so an interrupt no longer stops it.
func (a *app) keepContext(ctx context.Context, target *creds.Context) error {
	store, err := a.credentialsStore()
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

func createdMain(target *creds.Context, phrase *newPhrase) render.Document {
	result := createdMainResult{
		Context: target.Name, Server: target.ServerURL, NodeID: target.Main.NodeID,
		Phrase: phrase.shown(), PhraseFile: phrase.written,
	}
	return render.Document{Data: result, Views: []render.View{render.Fields{
		{Name: "main node", Value: result.NodeID},
		{Name: "server", Value: result.Server},
		{Name: "context", Value: result.Context},
		{Name: "phrase", Value: result.Phrase},
	}}}
}
