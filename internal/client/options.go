package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// DefaultTimeout is how long one attempt of a call may take.
const DefaultTimeout = 30 * time.Second

// maxHeaderBytes bounds the headers of a reply.
const maxHeaderBytes = 64 << 10

// ErrBaseURL is returned for an address that is not a host's. The address is
// not in the error if it may hold a password.
var ErrBaseURL = errors.New("the server's address must be http:// or https:// with a host name, such as http://127.0.0.1:7420")

// ErrBaseURLUserinfo is returned for an address with a user name or password.
var ErrBaseURLUserinfo = errors.New("the server's address must not hold a user name or password: node credentials are sent in headers")

// Options are the options of a Client. Only BaseURL is required.
type Options struct {
	// BaseURL is the host's address, with a path if it is served below one.
	BaseURL string
	// Service is the word in the paths; protocol.ServicePlay if empty.
	Service protocol.Service
	// Credentials are those of the calling node; the zero value sends none.
	Credentials Credentials
	// APIKey is the key of the caller's account.
	APIKey protocol.Secret
	// ReloadAPIKey, if set, is called when the host refuses the key. If it returns
	// another one, the call is repeated with that key, and later calls use it. It must
	// not call the client.
	ReloadAPIKey func(ctx context.Context) (protocol.Secret, error)
	// AdminToken makes the caller the administrator.
	AdminToken protocol.Secret
	// RegistrationToken is the token for a host with registration by token.
	RegistrationToken protocol.Secret
	// Fingerprint, if set, is the fingerprint of the only trusted certificate: the
	// host's own or its authority's, in the form of creds.ParseFingerprint. It is for
	// hosts with TLS, and not for use with Transport.
	Fingerprint string
	// Timeout bounds one attempt including its reply; DefaultTimeout if 0. It does not
	// apply to a stream of events.
	Timeout time.Duration
	// Retry says how often and when to repeat; the zero value is retry.Default.
	Retry retry.Policy
	// Transport sends the requests; if it is nil, the client creates one that Close
	// closes.
	Transport http.RoundTripper
	// OnSession is called when the host has another session than the one that the
	// client knew, before the call that noticed this continues. It must return soon
	// and must not call the client.
	OnSession func(sid string)
	// OnUnconfirmed is called if a call deleted or replaced a credential that this
	// number of the world's hosts may still accept, as far as the answering host
	// knows. It must return soon and must not call the client.
	OnUnconfirmed func(hosts int)
	// UserAgent names the program; "playctl" if empty.
	UserAgent string
	// Logger logs repeats, at debug level; nil logs nothing.
	Logger *slog.Logger
}

// Credentials are a node's id and the hash of its phrase.
type Credentials struct {
	NodeID string
	Hash   creds.PasswHash
}

// IsZero reports whether there are no credentials.
func (c Credentials) IsZero() bool { return c.NodeID == "" && c.Hash.IsZero() }

func (o *Options) check() (*url.URL, error) {
	base, err := parseBaseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	o.Service = cmp.Or(o.Service, protocol.ServicePlay)
	if name := string(o.Service); url.PathEscape(name) != name {
		return nil, fmt.Errorf("the service name %q cannot be part of a path: use letters, digits and '-'", o.Service)
	}
	if c := o.Credentials; !c.IsZero() && (c.NodeID == "" || c.Hash.IsZero()) {
		return nil, errors.New("node credentials need both the node's id and the hash of its phrase")
	}
	if o.Fingerprint != "" && (base.Scheme != "https" || !protocol.ValidHex64(o.Fingerprint) || o.Transport != nil) {
		return nil, errors.New("a certificate's fingerprint is 64 hex digits, for an address with https:// and the client's own transport")
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Retry == (retry.Policy{}) {
		o.Retry = retry.Default()
	}
	o.UserAgent = cmp.Or(o.UserAgent, "playctl")
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	o.Credentials.NodeID = protocol.NormalizeNodeID(o.Credentials.NodeID)
	return base, o.checkHeaders()
}

// checkHeaders refuses values that net/http cannot send in a header, and would
// report as an unreachable host. The value may be a secret: it is not in the error.
func (o *Options) checkHeaders() error {
	for name, value := range map[string]string{
		protocol.HeaderNodeID:            o.Credentials.NodeID,
		protocol.HeaderAPIKey:            o.APIKey.Reveal(),
		protocol.HeaderRegistrationToken: o.RegistrationToken.Reveal(),
		"authorization":                  o.AdminToken.Reveal(),
	} {
		if !creds.FitsHeader(value) {
			return fmt.Errorf("the value for the header %s has a line break or another control character, which no header may have: check its source", name)
		}
	}
	return nil
}

// parseBaseURL parses a host's address. The error of url.Parse repeats its input,
// which may hold a password, so it is not returned.
func parseBaseURL(text string) (*url.URL, error) {
	u, err := url.Parse(protocol.TrimSpace(text))
	if err != nil || u.Host == "" || u.Hostname() == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, ErrBaseURL
	}
	if u.User != nil {
		return nil, ErrBaseURLUserinfo
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%w: it has a query or a fragment", ErrBaseURL)
	}
	if err := creds.CheckServerPath(u.Path); err != nil {
		return nil, err
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	return u, nil
}

// newTransport returns a transport of the client's own, so that Close can close its
// connections. It opens as many connections to the one host as calls need.
func newTransport(fingerprint, host string) *http.Transport {
	const idle = 90 * time.Second
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        idle,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	if fingerprint != "" {
		transport.TLSClientConfig = trusting(fingerprint, host)
	}
	return transport
}
