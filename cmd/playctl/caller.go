package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// The environment variables with the credentials of a run.
const (
	envNodeID            = "PLAYCTL_NODE_ID"
	envPhrase            = "PLAYCTL_PHRASE"
	envPasswHash         = "PLAYCTL_PASSW_HASH"
	envAPIKey            = "PLAYCTL_API_KEY"
	envRegistrationToken = "PLAYCTL_REGISTRATION_TOKEN"
)

// caller is whom a run calls as, and where.
type caller struct {
	store   *creds.Store
	file    *creds.File
	context *creds.Context // nil where none is used
	server  string
	service protocol.Service
	main    client.Credentials
	apiKey  creds.Secret
}

// contextName is the name of the context that is used, "" for none.
func (c *caller) contextName() string {
	if c.context == nil {
		return ""
	}
	return c.context.Name
}

// credentialsStore is the credentials file of the run.
func (a *app) credentialsStore() (*creds.Store, error) {
	if a.settings.credentials != "" {
		return creds.NewStore(a.absolute(a.settings.credentials)), nil
	}
	path, err := a.surroundings().CredentialsPath()
	if err != nil {
		return nil, err
	}
	return creds.NewStore(path), nil
}

// caller finds out whom to call as: the environment's node, else the main node
// of the context. Having neither is no error yet.
func (a *app) caller() (*caller, error) {
	store, err := a.credentialsStore()
	if err != nil {
		return nil, err
	}
	file, err := store.Load()
	if err != nil {
		return nil, err
	}
	who := &caller{store: store, file: file, server: defaultServer, service: protocol.ServicePlay}
	if who.context, err = a.chooseContext(file); err != nil {
		return nil, err
	}
	if who.context != nil {
		who.server, who.service = who.context.ServerURL, protocol.Service(who.context.Service)
		if node := who.context.Main; node != nil {
			who.main = client.Credentials{NodeID: node.NodeID, Hash: node.PasswHash}
			who.apiKey = node.APIKey
		}
	}
	a.called = who
	return who, a.override(who)
}

// chooseContext is the context that was named, else the one for the server that
// was named, else the one in use. Credentials never go to a server that they are
// not for unless both were named.
func (a *app) chooseContext(file *creds.File) (*creds.Context, error) {
	if a.settings.context != "" {
		return file.Select(a.settings.context)
	}
	if a.settings.server == "" {
		chosen, err := file.Select("")
		if errors.Is(err, creds.ErrNoContext) && len(file.Names()) == 0 {
			return nil, nil //nolint:nilnil // no context is no error: hosts without nodes need none
		}
		return chosen, err
	}
	server, err := creds.ParseServerURL(a.settings.server)
	if err != nil {
		return nil, &settingError{a.layers.where("server"), err}
	}
	for _, name := range append([]string{file.Current()}, file.Names()...) {
		if c, err := file.Context(name); err == nil && c.ServerURL == server {
			return c, nil
		}
	}
	return nil, nil //nolint:nilnil // as above
}

// override applies what this run says beside the context.
func (a *app) override(who *caller) error {
	if a.settings.server != "" {
		server, err := creds.ParseServerURL(a.settings.server)
		if err != nil {
			return &settingError{a.layers.where("server"), err}
		}
		who.server = server
	}
	if a.settings.service != "" {
		service, err := creds.ParseService(a.settings.service)
		if err != nil {
			return &settingError{a.layers.where("service"), err}
		}
		who.service = protocol.Service(service)
	}
	key, err := a.environmentSecret(envAPIKey)
	if err != nil {
		return err
	}
	if !key.IsZero() {
		who.apiKey = key
	}
	return a.environmentNode(who)
}

// environmentNode takes the node that the environment names.
func (a *app) environmentNode(who *caller) error {
	id := creds.NormaliseNodeID(a.env(envNodeID))
	if id == "" {
		return nil
	}
	if !creds.IsNodeID(id) {
		return &settingError{envNodeID, errors.New("it is no node id: 64 lower-case hex digits")}
	}
	hash, err := a.environmentHash()
	if err != nil {
		return err
	}
	if who.main.NodeID != id && a.env(envAPIKey) == "" {
		// The context's key is another account's.
		who.apiKey = creds.Secret{}
	}
	who.main = client.Credentials{NodeID: id, Hash: hash}
	return nil
}

func (a *app) environmentHash() (creds.PasswHash, error) {
	if text := a.env(envPasswHash); text != "" {
		hash, err := creds.ParsePasswHash(text)
		if err != nil {
			return creds.PasswHash{}, &settingError{envPasswHash, err}
		}
		return hash, nil
	}
	phrase, err := creds.ParsePhrase(a.env(envPhrase))
	if err != nil {
		return creds.PasswHash{}, &settingError{envNodeID, fmt.Errorf("it needs %s or %s beside it", envPhrase, envPasswHash)}
	}
	return creds.HashPhrase(phrase.Reveal()), nil
}

// client makes the client that calls as node, which may be nobody.
func (a *app) client(who *caller, node client.Credentials) (*client.Client, error) {
	return a.connect(who, node, creds.Secret{})
}

// connect makes a client that calls as node, or as the administrator.
func (a *app) connect(who *caller, node client.Credentials, adminToken creds.Secret) (*client.Client, error) {
	registration, err := a.environmentSecret(envRegistrationToken)
	if err != nil {
		return nil, err
	}
	c, err := client.New(client.Options{
		AdminToken:        adminToken,
		BaseURL:           who.server,
		Service:           who.service,
		Credentials:       node,
		APIKey:            who.apiKey,
		RegistrationToken: registration,
		Timeout:           a.settings.timeout,
		UserAgent:         "playctl/" + thisVersion().Version,
	})
	if err != nil {
		return nil, err
	}
	if c.Exposed() && (!node.IsZero() || !adminToken.IsZero()) {
		a.warn(fmt.Sprintf("%s is not encrypted, so everyone on the way can read your credentials", c.Host()),
			"use https, or a tunnel to the host")
	}
	return c, nil
}

// question asks a host something and makes a result of the answer. One with an
// error as well is printed before the error is reported.
type question func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error)

// asMain asks what needs a main node, and prints the result.
func (a *app) asMain(ctx context.Context, label string, ask question) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	if who.main.IsZero() {
		return who.noMain()
	}
	return a.answer(ctx, who, who.main, label, ask)
}

// asReader asks what any valid node may, and on a host without nodes anybody,
// and prints the result.
func (a *app) asReader(ctx context.Context, label string, ask question) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	return a.answer(ctx, who, who.main, label, ask)
}

// asAgent asks as an agent, and prints the result.
func (a *app) asAgent(ctx context.Context, name, label string, ask func(context.Context, *caller, agentRef, *client.Client) (*render.Document, error)) error {
	who, err := a.caller()
	if err != nil {
		return err
	}
	ref, err := who.agent(name)
	if err != nil {
		return err
	}
	return a.answer(ctx, who, ref.node, label, func(ctx context.Context, who *caller, c *client.Client) (*render.Document, error) {
		return ask(ctx, who, ref, c)
	})
}

// answer asks as a node and prints the result once the spinner is gone.
func (a *app) answer(ctx context.Context, who *caller, node client.Credentials, label string, ask question) error {
	c, err := a.client(who, node)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.answerWith(ctx, who, c, label, ask)
}

// answerWith asks with a client that was made already.
func (a *app) answerWith(ctx context.Context, who *caller, c *client.Client, label string, ask question) error {
	ctx, cancel := a.limited(ctx)
	defer cancel()
	var result *render.Document
	err := a.waiting(label, func() (err error) {
		result, err = ask(ctx, who, c)
		return err
	})
	if result != nil {
		return errors.Join(a.printer.Print(*result), err)
	}
	return err
}

// call runs work within --timeout, behind a spinner.
func (a *app) call(ctx context.Context, who *caller, node client.Credentials, label string, work func(context.Context, *client.Client) error) error {
	return a.answer(ctx, who, node, label, func(ctx context.Context, _ *caller, c *client.Client) (*render.Document, error) {
		return nil, work(ctx, c)
	})
}

// noMain says that there is no main node to call as.
func (c *caller) noMain() error {
	if c.context == nil {
		return hintf(fmt.Errorf("%w for %s", errNotAuthenticated, c.server), "%s", c.missing())
	}
	return hintf(fmt.Errorf("%w: context %q has no main node", errNotAuthenticated, c.context.Name), "%s", c.missing())
}
