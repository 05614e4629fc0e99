package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/render"
	"github.com/playctl/playctl/protocol"
)

// Caller is the identity that a run uses, with the host that it calls.
type Caller struct {
	Store   *creds.Store
	file    *creds.File
	Context *creds.Context // nil if none is used
	Server  string
	Service protocol.Service
	Main    client.Credentials
	APIKey  protocol.Secret
	// KeyFromEnv is set if the API key is from the environment.
	KeyFromEnv bool
	// NodeFromEnv is the variable with the secret of the node from the environment, "" if
	// the environment names no node.
	NodeFromEnv string
	// acting is the agent that the run is about, if its credentials are known.
	acting string
	// admin is set if the run calls with the administrator's token instead of credentials.
	admin bool
}

// ContextName returns the name of the context that is used, "" for none.
func (c *Caller) ContextName() string {
	if c.Context == nil {
		return ""
	}
	return c.Context.Name
}

// CredentialsStore returns the credentials file of the run.
func (a *App) CredentialsStore() (*creds.Store, error) {
	if a.Settings.credentials != "" {
		return creds.NewStore(a.Absolute(a.Settings.credentials)), nil
	}
	path, err := a.Surroundings().CredentialsPath()
	if err != nil {
		return nil, err
	}
	return creds.NewStore(path), nil
}

// CredentialsFile reads the credentials file of the run.
func (a *App) CredentialsFile() (*creds.Store, *creds.File, error) {
	store, err := a.CredentialsStore()
	if err != nil {
		return nil, nil, err
	}
	file, err := store.Load()
	return store, file, err
}

// MainCaller is Caller for commands that need a main node.
func (a *App) MainCaller() (*Caller, error) {
	caller, err := a.Caller()
	if err != nil {
		return nil, err
	}
	if caller.Main.IsZero() {
		return nil, caller.NoMain()
	}
	return caller, nil
}

// Caller returns the identity of a run: the node from the environment, else the main node
// of the context. It is no error if there is neither.
func (a *App) Caller() (*Caller, error) {
	store, file, err := a.CredentialsFile()
	if err != nil {
		return nil, err
	}
	caller := &Caller{Store: store, file: file, Server: DefaultServer, Service: protocol.ServicePlay}
	if caller.Context, err = a.ChooseContext(file); err != nil {
		return nil, err
	}
	if caller.Context != nil {
		caller.Server, caller.Service = caller.Context.ServerURL, caller.Context.Service
		if node := caller.Context.Main; node != nil {
			caller.Main = client.Credentials{NodeID: node.NodeID, Hash: node.PasswHash}
		}
		caller.APIKey = caller.Context.AccountKey()
	}
	a.identity = caller
	return caller, a.override(caller)
}

// ChooseContext returns the context of this run: the named one, else the one for the
// named server, else the current one. Credentials are never sent to a server that they
// are not for, unless the run names both.
func (a *App) ChooseContext(file *creds.File) (*creds.Context, error) {
	if a.Settings.Context != "" {
		chosen, err := file.Context(a.Settings.Context)
		if err != nil && a.Sources.Made("context") {
			return nil, BadInput(err)
		}
		return chosen, err
	}
	if a.Settings.Server == "" {
		chosen, err := file.Select("")
		if errors.Is(err, creds.ErrNoContext) && len(file.Names()) == 0 {
			return nil, nil //nolint:nilnil // no context is not an error: hosts without nodes need none
		}
		return chosen, err
	}
	server, err := creds.ParseServerURL(a.Settings.Server)
	if err != nil {
		return nil, BadSetting(a.Sources.Where("server"), err)
	}
	return file.ForServer(server), nil
}

// override replaces values of the context by those of this run.
func (a *App) override(caller *Caller) error {
	if a.Settings.Server != "" {
		server, err := creds.ParseServerURL(a.Settings.Server)
		if err != nil {
			return BadSetting(a.Sources.Where("server"), err)
		}
		caller.Server = server
	}
	var err error
	if caller.Service, err = a.ServiceOr(caller.Service); err != nil {
		return err
	}
	key, err := a.EnvironmentSecret(EnvAPIKey)
	if err != nil {
		return err
	}
	if !key.IsZero() {
		caller.APIKey, caller.KeyFromEnv = key, true
	}
	return a.environmentNode(caller)
}

// ServiceOr returns the service that the run names, or otherwise if it names none.
func (a *App) ServiceOr(otherwise protocol.Service) (protocol.Service, error) {
	if a.Settings.Service == "" {
		return otherwise, nil
	}
	service, err := creds.ParseService(a.Settings.Service)
	if err != nil {
		return "", BadSetting(a.Sources.Where("service"), err)
	}
	return service, nil
}

// environmentNode sets the node that the environment names.
func (a *App) environmentNode(caller *Caller) error {
	id := protocol.NormalizeNodeID(a.Env(EnvNodeID))
	if id == "" {
		return nil
	}
	if !protocol.ValidHex64(id) {
		return BadSetting(EnvNodeID, errors.New("not a node id: use 64 lower-case hex digits"))
	}
	hash, err := a.environmentHash()
	if err != nil {
		return err
	}
	if caller.Main.NodeID != id && a.Env(EnvAPIKey) == "" {
		// The context's key belongs to another account.
		caller.APIKey = protocol.Secret{}
	}
	caller.Main, caller.NodeFromEnv = client.Credentials{NodeID: id, Hash: hash}, EnvPhrase
	if a.Env(EnvPasswHash) != "" {
		caller.NodeFromEnv = EnvPasswHash
	}
	return nil
}

func (a *App) environmentHash() (creds.PasswHash, error) {
	if text := a.Env(EnvPasswHash); text != "" {
		hash, err := creds.ParsePasswHash(text)
		if err != nil {
			return creds.PasswHash{}, BadSetting(EnvPasswHash, err)
		}
		return hash, nil
	}
	phrase, err := creds.ParsePhrase(a.Env(EnvPhrase))
	if err != nil {
		return creds.PasswHash{}, BadSetting(EnvNodeID, fmt.Errorf("it also needs %s or %s", EnvPhrase, EnvPasswHash))
	}
	return creds.HashPhrase(phrase.Reveal()), nil
}

// Client returns a client that calls as node, or without credentials if node is zero.
func (a *App) Client(caller *Caller, node client.Credentials) (*client.Client, error) {
	return a.connect(caller, node, protocol.Secret{})
}

// connect returns a client that calls as node, or as the administrator.
func (a *App) connect(caller *Caller, node client.Credentials, adminToken protocol.Secret) (*client.Client, error) {
	registration, err := a.EnvironmentSecret(EnvRegistrationToken)
	if err != nil {
		return nil, err
	}
	c, err := client.New(client.Options{
		AdminToken:        adminToken,
		BaseURL:           caller.Server,
		Service:           caller.Service,
		Credentials:       node,
		APIKey:            caller.APIKey,
		ReloadAPIKey:      caller.ReloadAPIKey,
		RegistrationToken: registration,
		Fingerprint:       caller.Fingerprint(),
		Timeout:           a.Settings.Timeout,
		UserAgent:         "playctl/" + a.ThisVersion().Version,
		OnUnconfirmed:     func(hosts int) { a.warnUnconfirmed(caller.Server, hosts) },
	})
	if err != nil {
		return nil, err
	}
	if !node.IsZero() || !adminToken.IsZero() {
		a.WarnExposed(c)
	}
	return c, nil
}

// WarnExposed warns, once, if others on the network can read the credentials.
func (a *App) WarnExposed(c *client.Client) {
	if c.Exposed() && !a.exposed {
		a.exposed = true
		a.Warn(fmt.Sprintf("%s is not encrypted, so anyone on the network path can read your credentials", c.Host()),
			"use https, or a tunnel to the host")
	}
}

// question sends a request to a host and returns the document to print. A document that
// is returned with an error is printed before the error.
type question func(ctx context.Context, caller *Caller, c *client.Client) (*render.Document, error)

// AsMain sends a request that needs a main node, and prints the result.
func (a *App) AsMain(ctx context.Context, label string, ask question) error {
	caller, err := a.MainCaller()
	if err != nil {
		return err
	}
	return a.As(ctx, caller, caller.Main, label, ask)
}

// AsReader sends a request that every valid node may send, and every caller on a host
// without nodes, and prints the result.
func (a *App) AsReader(ctx context.Context, label string, ask question) error {
	caller, err := a.Caller()
	if err != nil {
		return err
	}
	return a.As(ctx, caller, caller.Reader(), label, ask)
}

// AsAgent sends a request as an agent of the account, and prints the result.
func (a *App) AsAgent(ctx context.Context, name string, seek Seek, label string, ask func(context.Context, *Caller, AgentRef, *client.Client) (*render.Document, error)) error {
	caller, ref, err := a.CallerAndAgent(ctx, name, seek)
	if err != nil {
		return err
	}
	return a.As(ctx, caller, ref.Node, label, func(ctx context.Context, caller *Caller, c *client.Client) (*render.Document, error) {
		return ask(ctx, caller, ref, c)
	})
}

// As sends a request as a node and prints the result after the spinner is gone.
func (a *App) As(ctx context.Context, caller *Caller, node client.Credentials, label string, ask question) error {
	c, err := a.Client(caller, node)
	if err != nil {
		return err
	}
	defer c.Close()
	return a.answerWith(ctx, caller, c, label, ask)
}

// answerWith sends a request with an existing client.
func (a *App) answerWith(ctx context.Context, caller *Caller, c *client.Client, label string, ask question) error {
	ctx, cancel := a.Limited(ctx)
	defer cancel()
	var result *render.Document
	err := a.Waiting(label, func() (err error) {
		result, err = ask(ctx, caller, c)
		return err
	})
	if result != nil {
		return errors.Join(a.Printer.Print(*result), err)
	}
	return err
}

// Call runs work within --timeout, with a spinner.
func (a *App) Call(ctx context.Context, caller *Caller, node client.Credentials, label string, work func(context.Context, *client.Client) error) error {
	return a.As(ctx, caller, node, label, func(ctx context.Context, _ *Caller, c *client.Client) (*render.Document, error) {
		return nil, work(ctx, c)
	})
}

// Request is Call for work that has a result.
func Request[T any](ctx context.Context, a *App, caller *Caller, node client.Credentials, label string, work func(context.Context, *client.Client) (T, error)) (result T, err error) {
	err = a.Call(ctx, caller, node, label, func(ctx context.Context, c *client.Client) (err error) {
		result, err = work(ctx, c)
		return err
	})
	return result, err
}

// Reach checks that the host answers. It fails as soon as other commands do if it is
// unreachable: the SDK retries longer, for programs that survive a restart of the host.
func (a *App) Reach(ctx context.Context, caller *Caller) error {
	_, err := Request(ctx, a, caller, caller.Reader(), "Connecting", func(ctx context.Context, c *client.Client) (*protocol.SessionReply, error) {
		return c.Session(ctx)
	})
	return err
}

// CallWith is Call with an existing client.
func (a *App) CallWith(ctx context.Context, c *client.Client, label string, work func(context.Context, *client.Client) error) error {
	return a.answerWith(ctx, nil, c, label, func(ctx context.Context, _ *Caller, c *client.Client) (*render.Document, error) {
		return nil, work(ctx, c)
	})
}

// NoMain returns the error for a run without a main node.
func (c *Caller) NoMain() error {
	if c.Context == nil {
		return Hintf(fmt.Errorf("%w for %s", errNotAuthenticated, c.Server), "%s", c.missing())
	}
	if c.AgentsOnly() {
		return Hintf(fmt.Errorf("%w of an account: context %q has only agents", errNotAuthenticated, c.Context.Name),
			"run this on the machine with their account, or sign in to it here with its phrase: %q", c.SignIn())
	}
	return Hintf(fmt.Errorf("%w: context %q has no main node", errNotAuthenticated, c.Context.Name), "%s", c.missing())
}

// CallerWithAccount is Caller for commands that create the account if it is missing, even
// in a context that does not exist yet. At a host without nodes the caller has no
// account, and none in a context that has only agents of one. An account that an earlier
// world had at the address counts as missing, unless its context was named.
func (a *App) CallerWithAccount(ctx context.Context) (*Caller, error) {
	caller, err := a.Caller()
	if err != nil && !errors.Is(err, creds.ErrContextUnknown) {
		return nil, err
	}
	if err == nil && (caller.AgentsOnly() || !caller.Main.IsZero() && !a.ofEarlierWorld(ctx, caller)) {
		return caller, nil
	}
	// Another command may create the account at the same time.
	err = a.MakeMainNode(ctx, caller, a.SavePhrase())
	if err != nil && !errors.Is(err, ErrContextTaken) && !protocol.HasCode(err, protocol.CodeRepositoryOff) {
		return nil, err
	}
	return a.Caller()
}

// OwnAgent finds an agent of the caller's account, or creates one if the account has none
// of that name, and returns the updated caller. If a context keeps the account, it keeps
// the new agent too; for an account from the environment alone, the agent's credentials
// are derived from the account's credentials and the name, so that every run finds the
// same agent.
func (a *App) OwnAgent(ctx context.Context, caller *Caller, name string) (AgentRef, *Caller, error) {
	ref, err := a.FindAgent(ctx, caller, name, SeekOwn)
	if err == nil && !ref.Own && !caller.Main.IsZero() && !caller.SavesCredentials() {
		// An earlier run may have created it, with the derived credentials.
		if own, err := a.NamedAgent(ctx, caller, ref.Name()); err == nil && own.NodeID == ref.ID {
			ref.Node, ref.Own = own, true
		}
	}
	if !errors.Is(err, ErrNoAgent) || caller.AgentsOnly() {
		return ref, caller, err
	}
	if !caller.SavesCredentials() {
		ref, err = a.MakeNamedAgent(ctx, caller, name)
		return ref, caller, err
	}
	if err := a.MakeAgentNode(ctx, name, a.SavePhrase()); err != nil && !errors.Is(err, ErrAgentExists) {
		return AgentRef{}, caller, err
	}
	now, err := a.Caller()
	if err != nil {
		return AgentRef{}, caller, err
	}
	ref, err = a.FindAgent(ctx, now, name, SeekOwn)
	return ref, now, err
}
