// Package client implements the wire protocol with a world host: one method for
// each route, and a reader of the event stream that resumes.
//
// A [Client] has a host's address, the caller's credentials, and the last known
// session. It fetches the session when a route first needs it and again when the
// host reports that the session is over.
//
// Reads, and writes with an idempotency key, are retried with back-off and jitter.
// Each call of a writing method creates a random key and sends it with every
// attempt, so that a host that had committed the write before the connection broke
// does not repeat it.
//
// Errors are [*github.com/playctl/playctl/protocol.Error] where the host
// answered, and [*UnreachableError] where it did not. No error and no log line
// holds a secret, even if a host repeats one in its answer.
//
// A host is not trusted: every reply, header, line and frame has a largest size.
package client

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/retry"
	"github.com/playctl/playctl/protocol"
)

// Client calls one host as one caller. Its methods may be called by several
// goroutines.
type Client struct {
	base    *url.URL
	service protocol.Service
	who     identity
	http    *http.Client
	own     *http.Transport // nil if the transport was passed in
	session *session
	retry   retry.Policy
	timeout time.Duration
	agent   string
	log     *slog.Logger
	// unconfirmed is Options.OnUnconfirmed.
	unconfirmed func(hosts int)
	// fingerprint is the fingerprint of the only trusted certificate, if there is one,
	// and shown the connection of the last answer.
	fingerprint string
	shown       *atomic.Pointer[tls.ConnectionState]
}

// identity is the credentials of a caller.
type identity struct {
	node         Credentials
	apiKey       *apiKey
	admin        protocol.Secret
	registration protocol.Secret
}

func (w *identity) secrets() []string {
	return append(w.apiKey.all(), w.node.Hash.Reveal(), w.admin.Reveal(), w.registration.Reveal())
}

// show sets the caller's credentials on a request; the registration token is only for
// calls that register.
func (w *identity) show(h http.Header, registers bool) {
	set := func(name, value string) {
		if value != "" {
			h.Set(name, value)
		}
	}
	set(protocol.HeaderNodeID, w.node.NodeID)
	set(protocol.HeaderNodePassw, w.node.Hash.Reveal())
	set(protocol.HeaderAPIKey, w.apiKey.current().Reveal())
	if registers {
		set(protocol.HeaderRegistrationToken, w.registration.Reveal())
	}
	if !w.admin.IsZero() {
		h.Set("Authorization", "Bearer "+w.admin.Reveal())
	}
}

// New creates a client. It checks the options and does not connect.
func New(opts Options) (*Client, error) {
	base, err := opts.check()
	if err != nil {
		return nil, err
	}
	c := &Client{
		base:    base,
		service: opts.Service,
		who: identity{
			node: opts.Credentials, apiKey: newAPIKey(opts.APIKey, opts.ReloadAPIKey),
			admin: opts.AdminToken, registration: opts.RegistrationToken,
		},
		session: &session{changed: opts.OnSession},
		retry:   opts.Retry,
		timeout: opts.Timeout,
		agent:   opts.UserAgent,
		log:     opts.Logger,

		unconfirmed: opts.OnUnconfirmed,

		fingerprint: opts.Fingerprint,
		shown:       new(atomic.Pointer[tls.ConnectionState]),
	}
	transport := opts.Transport
	if transport == nil {
		c.own = newTransport(opts.Fingerprint, base.Hostname())
		transport = c.own
	}
	c.http = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c, nil
}

// As returns a client of the same host that calls as another node of the same
// account. It shares the session and the connections with c; only c is closed.
func (c *Client) As(node Credentials) *Client {
	other := *c
	other.own = nil
	other.who.node = node
	return &other
}

// WithRetry returns a client that equals c but for its retry policy. Only c is
// closed.
func (c *Client) WithRetry(policy retry.Policy) *Client {
	other := *c
	other.own = nil
	other.retry = policy
	return &other
}

// Close closes the idle connections. It does not end running calls; their contexts
// do. It may be called more than once.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// Node returns the id of the calling node; empty if there is none.
func (c *Client) Node() string { return c.who.node.NodeID }

// Host returns the host's address without a path, for messages.
func (c *Client) Host() string { return c.base.Scheme + "://" + c.base.Host }

// BaseURL returns the host's address as it was given.
func (c *Client) BaseURL() string { return c.base.String() }

// Service returns the service name in the paths.
func (c *Client) Service() protocol.Service { return c.service }

// Exposed reports whether credentials would cross a network in clear text:
// plain HTTP to another machine.
func (c *Client) Exposed() bool {
	return c.base.Scheme == "http" && !creds.IsLoopbackName(c.base.Hostname())
}

// url returns the address of a path below the base.
func (c *Client) url(path string, query url.Values) string {
	u := *c.base
	u.Path += path
	u.RawQuery = query.Encode()
	return u.String()
}

// Contact describes one answer of a host and the connection to it.
type Contact struct {
	// Took is the time until the answer.
	Took time.Duration
	// Clock is how far the host's clock is ahead of now, to the second; nil if the
	// host does not state its time.
	Clock *time.Duration
	// TLS is the state of the connection; nil if it is not encrypted.
	TLS *tls.ConnectionState
}

// Contact checks once whether the host answers.
func (c *Client) Contact(ctx context.Context, now func() time.Time) (*Contact, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.request(ctx, &prepared{call: &call{method: http.MethodGet, path: protocol.PathHealth}}, "")
	if err != nil {
		return nil, err
	}
	began := now()
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(err, maySent(err))
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, errorReply))
	if err != nil {
		return nil, fmt.Errorf("read the host's reply: %w", c.unreachable(err, true))
	}
	// A host may report its health to another listener only.
	if resp.StatusCode/100 != 2 && resp.StatusCode != http.StatusNotFound {
		return nil, c.foreign(c.refusal(resp.StatusCode, resp.Header, body))
	}
	found := &Contact{Took: now().Sub(began), TLS: resp.TLS}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		ahead := date.Sub(began.Truncate(time.Second))
		found.Clock = &ahead
	}
	return found, nil
}
