package sdk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// ErrUnreachable is matched by errors of calls that the host did not answer.
var ErrUnreachable = client.ErrUnreachable

// ErrReply is matched by errors about unusable replies, such as those of a server
// that is not a world host.
var ErrReply = client.ErrReply

// ErrClosed is returned by the methods of a world that was closed.
var ErrClosed = errors.New("the world was closed")

// ErrAPIKeyMissing is returned by New for options without an API key.
var ErrAPIKeyMissing = errors.New("sdk.Options.APIKey is empty: use the key that was printed when the main node was created, or create one with 'playctl key create NAME --api-key-file FILE'")

// ErrBaseURLMissing is returned by New for options without an address.
var ErrBaseURLMissing = errors.New("sdk.Options.BaseURL is empty: set the host's address, such as http://127.0.0.1:7420")

// asRefusal finds the host's refusal in an error.
func asRefusal(err error) (*protocol.Error, bool) {
	refused, ok := errors.AsType[*protocol.Error](err)
	return refused, ok && refused != nil
}

// Options configure a RemotePlayWorld. BaseURL is required, and APIKey or NoAPIKey.
type Options struct {
	// BaseURL is the host's address, such as http://127.0.0.1:7420.
	BaseURL string
	// APIKey is the key of the account. A host that checks no keys ignores it.
	APIKey protocol.Secret
	// ReloadAPIKey, if set, is called to read the key again when the host refuses it, as after a
	// rotation. The world continues with the key that it returns, unless that is the refused key,
	// empty or has a control character, or it returns an error: then the refusal is reported. It
	// must not call the world.
	ReloadAPIKey func(ctx context.Context) (protocol.Secret, error)
	// NoAPIKey allows an empty APIKey: for hosts that check no keys, and for
	// programs that only watch.
	NoAPIKey bool
	// MainNodeCredentials are the credentials of the account. They may be nil for a
	// program that has the credentials of its agents only.
	MainNodeCredentials *NodeCredentials
	// NodeCredentials is the older name of MainNodeCredentials; set one of them.
	NodeCredentials *NodeCredentials
	// AgentCredentials are those of agents, for a program without the account: it reads and asks as
	// the first of them, and answers for each with its own. They have no effect if
	// MainNodeCredentials are set.
	AgentCredentials []NodeCredentials
	// Service is the service name in the paths, protocol.ServicePlay if empty.
	Service protocol.Service
	// Timeout bounds one attempt of a call, 30 s if 0. Calls that are safe to repeat
	// are retried for about a minute, or until their contexts end.
	Timeout time.Duration
	// CertificateFingerprint, if set, is the SHA-256, in 64 hex digits, of the one
	// certificate that is trusted: the host's own or its authority's. It cannot be used
	// with Transport.
	CertificateFingerprint string
	// Transport sends the requests; if nil, the world creates its own.
	Transport http.RoundTripper
	// Logger receives warnings, and retries at debug level; slog.Default() if nil.
	Logger *slog.Logger
	// OnWarning is called with the text of each warning, such as that an agent has no
	// credentials of its own, or that a host of the world may still accept deleted or
	// revoked credentials. It must not disconnect an agent or close the world. It may be
	// nil.
	OnWarning func(text string)
}

// client checks the options and returns the client that the world uses, which calls as
// the given node.
func (o *Options) client(node client.Credentials, onSession func(sid string), onUnconfirmed func(hosts int)) (*client.Client, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	options := o.base()
	options.Credentials = node
	options.APIKey = protocol.NewSecret(protocol.TrimSpace(o.APIKey.Reveal()))
	options.ReloadAPIKey = o.ReloadAPIKey
	options.Retry = retry.Patient()
	options.OnSession, options.OnUnconfirmed = onSession, onUnconfirmed
	c, err := client.New(options)
	if err != nil {
		return nil, fmt.Errorf("sdk.Options: %w", err)
	}
	return c, nil
}

// nodes checks the credentials and returns those of the main node and of the agents that
// act without it.
func (o *Options) nodes() (main client.Credentials, agents []client.Credentials, err error) {
	if protocol.TrimSpace(o.BaseURL) == "" {
		return main, nil, ErrBaseURLMissing
	}
	if protocol.TrimSpace(o.APIKey.Reveal()) == "" && !o.NoAPIKey {
		return main, nil, ErrAPIKeyMissing
	}
	if main, err = o.mainNode(); err != nil || !main.IsZero() {
		return main, nil, err
	}
	for i := range o.AgentCredentials {
		agent, err := o.AgentCredentials[i].resolve()
		if err != nil {
			return main, nil, fmt.Errorf("sdk.Options.AgentCredentials: %w", err)
		}
		agents = append(agents, agent)
	}
	return main, agents, nil
}

// base returns the options of a client without credentials.
func (o *Options) base() client.Options {
	return client.Options{
		BaseURL: o.BaseURL, Service: o.Service, Timeout: o.Timeout, Transport: o.Transport,
		Fingerprint: o.CertificateFingerprint, Logger: o.Logger, UserAgent: "playctl-sdk",
	}
}

// mainNode resolves the main node's credentials under either of their names.
func (o *Options) mainNode() (client.Credentials, error) {
	node := o.MainNodeCredentials
	switch {
	case node != nil && o.NodeCredentials != nil:
		return client.Credentials{}, errors.New("sdk.Options: set MainNodeCredentials or NodeCredentials, which is its older name, not both")
	case node == nil:
		node = o.NodeCredentials
	}
	if node == nil {
		return client.Credentials{}, nil
	}
	main, err := node.resolve()
	if err != nil {
		return main, fmt.Errorf("sdk.Options.MainNodeCredentials: %w", err)
	}
	return main, nil
}
