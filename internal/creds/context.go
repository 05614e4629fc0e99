package creds

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/playctl/playctl/protocol"
)

// maxServerURL is the protocol's limit for a URL.
const maxServerURL = 2048

// ErrService is returned for a service name that clients do not know.
var ErrService = errors.New(`the service must be "play" or "agent-play"`)

// ErrServerURL is returned for a text that is not the base URL of a host.
var ErrServerURL = errors.New("the server must be an http or https URL like https://play.example.com, without user, query or fragment")

// ErrServerPath is returned for the URL of a page or route of a host instead of the host's own.
var ErrServerPath = errors.New("the server's URL ends with the path of a page or a route, such as /play/watch: leave that out")

// ErrRootKey is returned for a text that is not a root key in the form for deriving
// ids.
var ErrRootKey = fmt.Errorf("a root key is text in lower case of at most %d bytes, without white space at its ends", protocol.MaxRootKeyBytes)

// ErrFingerprint is returned for a text that is not the fingerprint of a certificate.
var ErrFingerprint = errors.New("a fingerprint is the SHA-256 of a certificate: 64 hex digits, as \"openssl x509 -noout -fingerprint -sha256\" prints them")

// ErrPhraseMismatch is returned for a stored phrase whose hash is not the passwHash
// beside it.
var ErrPhraseMismatch = errors.New("the kept phrase does not belong to the passwHash beside it")

// ErrAPIKey is returned for an API key that cannot be sent in a request.
var ErrAPIKey = errors.New("an API key has no control characters")

// Context is a user's credentials for one server: a main node and its agents.
type Context struct {
	// Name is unique in the file.
	Name string
	// ServerURL is the host's base URL as ParseServerURL returns it.
	ServerURL string
	// Service is the service name in the host's paths.
	Service protocol.Service
	// RootKey is the root key from which node ids of the host derive, "" if unknown.
	RootKey string
	// Fingerprint is the fingerprint of the only trusted certificate of the host, in
	// the form of ParseFingerprint; "" to trust the system's roots.
	Fingerprint string
	// CreatedAt is when the context was created, to the millisecond.
	CreatedAt time.Time
	// APIKey is the account's, for a context with agents but no main node.
	APIKey protocol.Secret
	// Main is the main node, nil if there is none yet.
	Main *MainNode

	agents []Agent
	extra  jsontext.Value
}

// MainNode holds the credentials of a main node.
type MainNode struct {
	// NodeID is 64 lower-case hex digits.
	NodeID string
	// PasswHash authenticates the node.
	PasswHash PasswHash
	// APIKey is the account's key, zero if unknown.
	APIKey protocol.Secret
	// KeyName is the account's name for that key, "" if unknown.
	KeyName string
	// Phrase is zero unless the user chose to keep it.
	Phrase protocol.Secret
	// CreatedAt is when the node was created or imported.
	CreatedAt time.Time

	extra jsontext.Value
}

// NewContext returns a context without nodes, or ErrContextName, ErrServerURL,
// ErrServerPath or ErrService.
func NewContext(name, serverURL string, service protocol.Service, now time.Time) (*Context, error) {
	base, err := ParseServerURL(serverURL)
	if err != nil {
		return nil, err
	}
	c := &Context{Name: name, ServerURL: base, Service: service, CreatedAt: now}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// MainNodeID returns the id of the main node, "" if there is none.
func (c *Context) MainNodeID() string {
	if c.Main == nil {
		return ""
	}
	return c.Main.NodeID
}

// AccountKey returns the API key of the account, zero if unknown.
func (c *Context) AccountKey() protocol.Secret {
	if c.Main == nil {
		return c.APIKey
	}
	return c.Main.APIKey
}

// ParseServerURL checks the base URL of a host and returns it without trailing
// slashes, or ErrServerURL or ErrServerPath. An address without a scheme gets https, or
// http if it is on this machine, and the address of a watch page is that of its host. The
// error for a URL with a password does not quote it.
func ParseServerURL(text string) (string, error) {
	base, path, err := parseBaseURL(completed(text))
	if err == nil {
		err = CheckServerPath(path)
	}
	if err != nil {
		return "", err
	}
	return base, nil
}

// completed returns the base URL that a person means by an address, as people type it or
// copy it from a browser.
func completed(text string) string {
	text = protocol.TrimSpace(text)
	if !strings.Contains(text, "://") {
		u, err := url.Parse("https://" + text)
		if err != nil || !strings.ContainsAny(u.Host, ".:") && !IsLoopbackName(u.Hostname()) {
			return text
		}
		scheme := "https://"
		if IsLoopbackName(u.Hostname()) {
			scheme = "http://"
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil {
		return text
	}
	parts := strings.Split(strings.TrimRight(u.EscapedPath(), "/"), "/")
	last := len(parts) - 1
	for ; last >= 2 && parts[last] == "watch"; last -= 2 {
		if _, err := ParseService(parts[last-1]); err != nil {
			break
		}
	}
	if last == len(parts)-1 {
		return text
	}
	return u.Scheme + "://" + u.Host + strings.Join(parts[:last+1], "/")
}

// CheckServerPath returns ErrServerPath for the path of a URL that ends with the path of a watch
// page, whose address people copy from a browser, or of a route.
func CheckServerPath(path string) error {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if last := len(parts) - 1; last >= 2 && parts[last] == "events" {
		parts = parts[:last]
	}
	if last := len(parts) - 1; last >= 1 && (parts[last] == "watch" || parts[last-1] == "api") {
		return ErrServerPath
	}
	return nil
}

// parseBaseURL checks the form of a base URL alone, as for one in a file, which must stay readable.
// It returns the URL without trailing slashes, and its path.
func parseBaseURL(text string) (base, path string, err error) {
	trimmed := strings.TrimRight(protocol.TrimSpace(text), "/")
	u, err := url.Parse(trimmed)
	if err != nil || len(trimmed) > maxServerURL {
		return "", "", ErrServerURL
	}
	web := u.Scheme == "http" || u.Scheme == "https"
	bare := u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
	if !web || !bare || u.Hostname() == "" || !isPlainText(trimmed) {
		return "", "", ErrServerURL
	}
	return trimmed, u.Path, nil
}

// ParseFingerprint parses the SHA-256 of a certificate in hex, in any case,
// optionally with colons between the bytes and a name before it, and returns it as
// 64 lower-case hex digits, or ErrFingerprint.
func ParseFingerprint(text string) (string, error) {
	plain := strings.ToLower(protocol.TrimSpace(text))
	if _, value, named := strings.Cut(plain, "="); named {
		plain = value
	}
	plain = strings.ReplaceAll(strings.TrimPrefix(plain, "sha256:"), ":", "")
	if !protocol.ValidHex64(plain) {
		return "", ErrFingerprint
	}
	return plain, nil
}

// checkFingerprint refuses a fingerprint that is not in the form of
// ParseFingerprint, or that is for a host without TLS.
func checkFingerprint(text, serverURL string) error {
	if text == "" {
		return nil
	}
	fingerprint, err := ParseFingerprint(text)
	switch {
	case err != nil:
		return err
	case fingerprint != text:
		return ErrFingerprint
	case !strings.HasPrefix(serverURL, "https://"):
		return errors.New("a fingerprint is for a host that speaks TLS, with https:// in its address")
	}
	return nil
}

// isPlainText reports whether text has no characters that must be escaped in a URL
// or that programs interpret differently.
func isPlainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsAny(text, "#\\") && !strings.ContainsFunc(text, protocol.IsWhiteSpace)
}

// ParseService returns the service with this name, or ErrService.
func ParseService(text string) (protocol.Service, error) {
	switch service := protocol.Service(text); service {
	case protocol.ServicePlay, protocol.ServiceAgentPlay:
		return service, nil
	}
	return "", ErrService
}

// check returns the first thing that is wrong with the context.
func (c *Context) check() error {
	if !contextName().MatchString(c.Name) {
		return fmt.Errorf("%q: %w", Shorten(c.Name), ErrContextName)
	}
	if base, _, err := parseBaseURL(c.ServerURL); err != nil || base != c.ServerURL {
		return fmt.Errorf("context %q: %w", c.Name, ErrServerURL)
	}
	if _, err := ParseService(string(c.Service)); err != nil {
		return fmt.Errorf("context %q: %w", c.Name, err)
	}
	if c.RootKey != protocol.NormalizeRootKey(c.RootKey) || len(c.RootKey) > protocol.MaxRootKeyBytes {
		return fmt.Errorf("context %q: %w", c.Name, ErrRootKey)
	}
	if err := checkFingerprint(c.Fingerprint, c.ServerURL); err != nil {
		return fmt.Errorf("context %q: %w", c.Name, err)
	}
	if !FitsHeader(c.APIKey.Reveal()) {
		return fmt.Errorf("context %q: %w", c.Name, ErrAPIKey)
	}
	if err := c.checkMain(); err != nil {
		return fmt.Errorf("context %q: main node: %w", c.Name, err)
	}
	if err := checkAgents(c.agents); err != nil {
		return fmt.Errorf("context %q: %w", c.Name, err)
	}
	return nil
}

func (c *Context) checkMain() error {
	if c.Main == nil {
		return nil
	}
	if !FitsHeader(c.Main.APIKey.Reveal()) {
		return ErrAPIKey
	}
	return checkNode(c.Main.NodeID, c.Main.PasswHash, c.Main.Phrase)
}

// checkNode returns what is wrong with the credentials of one node.
func checkNode(nodeID string, hash PasswHash, phrase protocol.Secret) error {
	switch {
	case !protocol.ValidHex64(nodeID):
		return ErrNodeID
	case !protocol.ValidHex64(hash.Reveal()):
		return ErrPasswHash
	case !phrase.IsZero() && !HashPhrase(phrase.Reveal()).Equal(hash.Secret):
		return ErrPhraseMismatch
	}
	return nil
}

// IsLoopbackName reports whether a host name or an IP address, without a port,
// refers to this machine only: credentials that are sent there do not cross a
// network. The unspecified address is not loopback: a listener there is reachable
// from elsewhere.
func IsLoopbackName(name string) bool {
	name = strings.ToLower(name) // strings.EqualFold also compares letters such as ſ.
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && addr.IsLoopback()
}
