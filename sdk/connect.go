package sdk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// defaultServer is the address where "playctl serve" listens by default.
const defaultServer = "http://127.0.0.1:7420"

// ErrNoAccount is matched by the error of Connect if there is no account for the host.
var ErrNoAccount = errors.New("there is no account")

// ConnectOption sets a value that [Connect] would otherwise look up.
type ConnectOption func(*connection)

// connection holds the options of Connect and the values that it looked up.
type connection struct {
	options Options
	context string
	file    string
	// agents are the credentials of the context's agents, by label.
	agents map[string]*NodeCredentials
}

// ConnectWith sets options; Connect looks up what they leave empty.
func ConnectWith(options Options) ConnectOption {
	return func(c *connection) { c.options = options }
}

// InContext uses the context with a name, as `--context` does for commands.
func InContext(name string) ConnectOption {
	return func(c *connection) { c.context = name }
}

// FromCredentialsFile looks for contexts in this file.
func FromCredentialsFile(path string) ConnectOption {
	return func(c *connection) { c.file = path }
}

// Connect connects to a world. Values that the options leave empty come from the
// environment (PLAYCTL_SERVER, PLAYCTL_SERVICE, PLAYCTL_NODE_ID with PLAYCTL_PHRASE or
// PLAYCTL_PASSW_HASH, PLAYCTL_API_KEY, PLAYCTL_CONTEXT), then from the context of
// playctl's credentials file that commands would use, with the credentials of its agents.
// If the file has contexts and none is in use, one has to be named. Without an account, at
// a host on this machine with open registration, a temporary one is created for this run.
// In a context with agents but no account, the world has these agents only.
//
// The error matches [ErrNoAccount] if there is no account, [ErrCredentials] if the
// credentials are incomplete, and is the host's refusal or [ErrUnreachable]
// otherwise.
func Connect(ctx context.Context, options ...ConnectOption) (*RemotePlayWorld, error) {
	c := &connection{}
	for i, option := range options {
		if option == nil {
			return nil, fmt.Errorf("sdk.Connect: option %d is nil", i+1)
		}
		option(c)
	}
	if err := c.find(); err != nil {
		return nil, err
	}
	made := false
	if c.options.MainNodeCredentials == nil && len(c.options.AgentCredentials) == 0 {
		var err error
		if made, err = c.makeAccount(ctx); err != nil {
			return nil, err
		}
	}
	c.options.NoAPIKey = true // A host that requires one refuses the call.
	w, err := New(c.options)
	if err != nil {
		return nil, err
	}
	w.named = c.agents
	if made {
		w.warn("a temporary account was created for this run: \"playctl create-main-node\" creates a permanent one", "host", w.client.Host())
	}
	if _, err := w.Connect(ctx); err != nil {
		return nil, errors.Join(err, w.Close(ctx))
	}
	return w, nil
}

// find fills in empty options from the environment and the credentials file.
func (c *connection) find() error {
	o := &c.options
	if o.NodeCredentials != nil && o.MainNodeCredentials == nil {
		o.MainNodeCredentials, o.NodeCredentials = o.NodeCredentials, nil
	}
	o.BaseURL = cmp.Or(o.BaseURL, os.Getenv("PLAYCTL_SERVER"))
	o.Service = cmp.Or(o.Service, protocol.Service(os.Getenv("PLAYCTL_SERVICE")))
	c.context = cmp.Or(c.context, os.Getenv("PLAYCTL_CONTEXT"))
	if err := c.environmentNode(); err != nil {
		return err
	}
	store, kept, err := c.keptContext()
	if err != nil {
		return err
	}
	if kept != nil {
		c.take(store, kept)
	}
	o.BaseURL = cmp.Or(o.BaseURL, defaultServer)
	return nil
}

// environmentNode uses the account and its key from the environment, unless the
// options have an account: a key belongs to its account.
func (c *connection) environmentNode() error {
	o := &c.options
	if o.MainNodeCredentials != nil {
		return nil
	}
	if o.APIKey.IsZero() {
		o.APIKey = protocol.NewSecret(protocol.TrimSpace(os.Getenv("PLAYCTL_API_KEY")))
	}
	id := protocol.NormalizeNodeID(os.Getenv("PLAYCTL_NODE_ID"))
	if id == "" {
		return nil
	}
	node := &NodeCredentials{NodeID: id, PasswHash: protocol.NewSecret(os.Getenv("PLAYCTL_PASSW_HASH"))}
	if node.PasswHash.IsZero() {
		node.Phrase = protocol.NewSecret(os.Getenv("PLAYCTL_PHRASE"))
	}
	if node.PasswHash.IsZero() && node.Phrase.IsZero() {
		return fmt.Errorf("%w: PLAYCTL_NODE_ID also needs PLAYCTL_PHRASE or PLAYCTL_PASSW_HASH", ErrCredentials)
	}
	o.MainNodeCredentials = node
	return nil
}

// keptContext returns the context that commands would use: the one that was named, else the one
// for the server, else the one in use; nil if there is none. If there are contexts and none is
// in use, the caller has to choose one.
func (c *connection) keptContext() (*creds.Store, *creds.Context, error) {
	path := c.file
	if path == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			home = "" // as for a service without one
		}
		found, err := creds.Environment{LookupEnv: os.LookupEnv, Home: home}.CredentialsPath()
		if err != nil {
			return nil, nil, c.homeless()
		}
		path = found
	}
	store := creds.NewStore(path)
	file, err := store.Load()
	switch {
	case err != nil:
		return nil, nil, err
	case c.context != "":
		kept, err := file.Context(c.context)
		return store, kept, err
	case c.options.BaseURL != "":
		server, err := creds.ParseServerURL(c.options.BaseURL)
		if err != nil {
			return nil, nil, fmt.Errorf("the server %q: %w", c.options.BaseURL, err)
		}
		return store, file.ForServer(server), nil
	case len(file.Names()) == 0:
		return nil, nil, nil
	}
	kept, err := file.Select("")
	if err != nil {
		return nil, nil, fmt.Errorf("%w, or set one with sdk.InContext or PLAYCTL_CONTEXT", err)
	}
	return store, kept, nil
}

// homeless returns the error for a program without a home folder that names a context.
func (c *connection) homeless() error {
	if c.context == "" {
		return nil
	}
	return fmt.Errorf("%w %q: there is no home folder to look for the credentials file in", creds.ErrContextUnknown, c.context)
}

// take fills in empty options from a context. If they have an account already, key
// and agents are taken only if the context is of the same account.
func (c *connection) take(store *creds.Store, kept *creds.Context) {
	o := &c.options
	o.BaseURL = cmp.Or(o.BaseURL, kept.ServerURL)
	o.Service = cmp.Or(o.Service, kept.Service)
	if o.Transport == nil && strings.TrimRight(o.BaseURL, "/") == kept.ServerURL {
		o.CertificateFingerprint = cmp.Or(o.CertificateFingerprint, kept.Fingerprint)
	}
	if kept.Main == nil {
		c.takeAgents(kept)
		return
	}
	if o.MainNodeCredentials == nil {
		o.MainNodeCredentials = &NodeCredentials{NodeID: kept.Main.NodeID, PasswHash: kept.Main.PasswHash.Secret}
	}
	if protocol.NormalizeNodeID(o.MainNodeCredentials.NodeID) != kept.Main.NodeID {
		return
	}
	if o.APIKey.IsZero() {
		o.APIKey = kept.AccountKey()
		if o.ReloadAPIKey == nil {
			o.ReloadAPIKey = func(context.Context) (protocol.Secret, error) { return store.KeyNow(kept) }
		}
	}
	c.nameAgents(kept)
}

// takeAgents uses the agents of a context without an account.
func (c *connection) takeAgents(kept *creds.Context) {
	o := &c.options
	if o.MainNodeCredentials != nil || len(o.AgentCredentials) > 0 || len(kept.Agents()) == 0 {
		return
	}
	if o.APIKey.IsZero() {
		o.APIKey = kept.AccountKey()
	}
	for _, agent := range kept.Agents() {
		o.AgentCredentials = append(o.AgentCredentials, NodeCredentials{NodeID: agent.NodeID, PasswHash: agent.PasswHash.Secret})
	}
	c.nameAgents(kept)
}

// nameAgents makes the agents of a context known by their labels.
func (c *connection) nameAgents(kept *creds.Context) {
	c.agents = map[string]*NodeCredentials{}
	for _, agent := range kept.Agents() {
		if agent.Label != "" {
			c.agents[agent.Label] = &NodeCredentials{NodeID: agent.NodeID, PasswHash: agent.PasswHash.Secret}
		}
	}
}

// makeAccount creates an account at a host on this machine with open registration; it
// creates none at a host that requires no credentials.
func (c *connection) makeAccount(ctx context.Context) (made bool, err error) {
	o := &c.options
	nobody, err := client.New(o.base())
	if err != nil {
		return false, fmt.Errorf("sdk.Connect: %w", err)
	}
	defer nobody.Close()
	if _, err := nobody.Session(ctx); !protocol.HasCode(err, protocol.CodeCredentialsMissing) {
		return false, err
	}
	if nobody.Exposed() || !strings.HasPrefix(nobody.BaseURL(), "http://") {
		return false, c.noAccount()
	}
	host, err := nobody.Bootstrap(ctx)
	if err != nil || host.Registration != protocol.RegistrationOpen {
		return false, c.noAccount()
	}
	if o.MainNodeCredentials, err = NewNodeCredentials(GenerateNodePassphrase(), host.RootKey); err != nil {
		return false, err
	}
	o.APIKey, err = CreateMainNode(ctx, MainNodeOptions{Options: *o})
	return true, err
}

func (c *connection) noAccount() error {
	return fmt.Errorf("%w for %s: create one with \"playctl create-main-node\", which saves credentials that Connect finds, or set PLAYCTL_NODE_ID, PLAYCTL_PHRASE and PLAYCTL_API_KEY",
		ErrNoAccount, c.options.BaseURL)
}
