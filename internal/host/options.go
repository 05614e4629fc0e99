package host

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/world"
	"github.com/playctl/playctl/protocol"
)

// Registration says who may create a main node.
type Registration string

// The modes of registration.
const (
	// RegistrationOpen lets everybody in. It is the default.
	RegistrationOpen Registration = protocol.RegistrationOpen
	// RegistrationToken lets in callers that show the registration token.
	RegistrationToken Registration = protocol.RegistrationToken
	// RegistrationClosed lets nobody in.
	RegistrationClosed Registration = protocol.RegistrationClosed
)

// APIKeyPolicy says when an account's API key is checked.
type APIKeyPolicy string

// The policies for API keys.
const (
	// APIKeysRequired refuses callers without the key. It is the default.
	APIKeysRequired APIKeyPolicy = "required"
	// APIKeysOptional checks a key that is sent, for accounts that have one.
	APIKeysOptional APIKeyPolicy = "optional"
	// APIKeysOff checks none.
	APIKeysOff APIKeyPolicy = "off"
)

// Compat names another service, whose existing clients a host serves as well.
type Compat string

// CompatAgentPlay serves clients of the agent-play service: the world's routes
// also answer under its name, and API keys are checked only where one is sent.
const CompatAgentPlay Compat = Compat(protocol.ServiceAgentPlay)

// Options configure a Host. Only World is always needed; Deriver is unless
// NoRepository is set. A zero value takes the default that its comment names.
type Options struct {
	// World is the world to serve. The host does not close it.
	World *world.World
	// Deriver checks new node ids.
	Deriver *creds.Deriver
	// NoRepository turns node and API key checks off, for local play. The world
	// must have been opened with it as well.
	NoRepository bool

	// Processors is how many processors the host has; runtime.GOMAXPROCS by default, which
	// is more where goroutines wait for the disk.
	Processors int

	// Address is where to listen, such as 127.0.0.1:7420; port 0 picks one.
	Address string
	// OpsAddress, if set, moves health, metrics and profiles to a listener of their
	// own.
	OpsAddress string
	// Standby, if set, is listening at these addresses already; Listen takes its listeners
	// over.
	Standby *Standby
	// Profiling adds net/http/pprof to the listener of OpsAddress.
	Profiling bool
	// CertFile and KeyFile, PEM, make the host serve TLS; both or neither.
	CertFile, KeyFile string
	// HSTS asks browsers with every reply over TLS to come back over TLS only.
	HSTS bool
	// PublicURL is the base of links in replies; by default the listener's URL.
	PublicURL string

	// AdminToken is the administrator's bearer token; none if it is zero.
	AdminToken protocol.Secret
	// Registration is RegistrationOpen by default.
	Registration Registration
	// RegistrationToken is the token for the mode RegistrationToken, and for no other mode.
	RegistrationToken protocol.Secret
	// MainNodesInvite lets main nodes create invitations, in addition to the administrator.
	MainNodesInvite bool
	// APIKeys is APIKeysRequired by default. With Compat it is APIKeysOptional by
	// default and must not be APIKeysRequired.
	APIKeys APIKeyPolicy
	// Compat is empty for a host that answers under its own names only.
	Compat Compat
	// AllowOwnerHash lets an owner's hash stand for an agent's even if the
	// listener is not a loopback address.
	AllowOwnerHash bool

	// WatchAccess is WatchLocal by default.
	WatchAccess WatchAccess
	// WorldName is the name of the world on the watch page and in links to it; if it
	// is empty the page uses its default name. It has 80 characters at most, none of
	// them a control character.
	WorldName string
	// WatchNames are further names of this machine, such as box.local: on a
	// loopback listener, everybody who reaches the host by one of them may watch
	// and act.
	WatchNames []string

	// WatchEmbed are the origins whose pages may show the watch page in a frame and read
	// the world with a pass, such as https://example.org; none by default.
	WatchEmbed []string

	// AllowHosts are further names that requests may have in their Host header, such
	// as world.example.com, on a host with NoRepository. Addresses, names without a
	// dot and the name of PublicURL are always accepted.
	AllowHosts []string

	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// CORSOrigins are the other origins whose pages may call, such as
	// https://example.org.
	CORSOrigins []string
	// BodyBudget is how many bytes the bodies of all requests in progress may hold
	// together, 32 MiB by default.
	BodyBudget int
	// ReplyBudget is how many bytes unshared replies in progress may hold together,
	// mainly pages of records; 32 MiB by default.
	ReplyBudget int
	// Connections are the limits of connections and streams that are open at once.
	Connections ConnectionLimits
	// LimitLoopback applies the limits for each address to loopback as well, for
	// tests.
	LimitLoopback bool
	// Limits are the rate limits.
	Limits RateLimits
	// Streams are the limits of event streams.
	Streams StreamOptions

	// Logger receives the host's log; there is none by default.
	Logger *slog.Logger
	// AccessLog logs a line for each request.
	AccessLog bool
	// Metrics collects measurements; the same one should observe the world. The host
	// creates its own by default.
	Metrics *Metrics
}

// RateLimits bound the requests of one address. Loopback is exempt. A negative
// value means no limit.
type RateLimits struct {
	// RequestsPerSecond is 1,000 by default, with bursts of twice as many.
	RequestsPerSecond int
	// CreationsPerMinute is how many nodes may be created in a minute, all of them at
	// once if need be; 60 by default.
	CreationsPerMinute int
}

// StreamOptions are the times of an event stream.
type StreamOptions struct {
	// Comment is how long a stream may be silent before it gets a comment line,
	// 15 s by default.
	Comment time.Duration
	// WriteTimeout is how long one write may take before the subscriber is cut,
	// 10 s by default.
	WriteTimeout time.Duration
	// MinLife and MaxLife bound the random time after which a stream ends, 30
	// and 60 minutes by default.
	MinLife, MaxLife time.Duration
	// DrainJitter is the time over which streams end at shutdown, 3 s by
	// default.
	DrainJitter time.Duration
}

// DefaultBodyBudget is the default of Options.BodyBudget.
const DefaultBodyBudget = 32 << 20

// DefaultReplyBudget is the default of Options.ReplyBudget.
const DefaultReplyBudget = 32 << 20

// The defaults of Options.
const (
	defaultRequestsPerSecond  = 1000
	defaultCreationsPerMinute = 60
	defaultComment            = protocol.MaxStreamSilenceSeconds * time.Second
	defaultWriteTimeout       = 10 * time.Second
	defaultMinLife            = protocol.MinStreamSeconds * time.Second
	defaultMaxLife            = protocol.MaxStreamSeconds * time.Second
	defaultDrainJitter        = 3 * time.Second
)

// Check refuses options that New refuses as well, before there is a world. The error is an
// *OptionError where one option alone is the cause.
func (o *Options) Check() error {
	checked := *o
	return checked.checkValues()
}

// check fills in defaults and refuses options that cannot work.
func (o *Options) check() error {
	if o.World == nil {
		return errors.New("host: Options.World is missing")
	}
	if o.Deriver == nil && !o.NoRepository {
		return errors.New("host: Options.Deriver is missing; only a host without a repository needs none")
	}
	return o.checkSettings()
}

// checkSettings is check without the world and the deriver, which a Standby does not have
// yet.
func (o *Options) checkSettings() error {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	if err := o.checkValues(); err != nil {
		return err
	}
	o.Processors = cmp.Or(o.Processors, runtime.GOMAXPROCS(0))
	o.BodyBudget = cmp.Or(o.BodyBudget, DefaultBodyBudget)
	o.ReplyBudget = cmp.Or(o.ReplyBudget, DefaultReplyBudget)
	o.Limits.fill()
	if err := o.Connections.check(); err != nil {
		return err
	}
	o.Connections.fill(descriptors(), o.Logger)
	return o.Streams.fill()
}

func (o *Options) checkValues() error {
	if (o.CertFile == "") != (o.KeyFile == "") {
		return errors.New("host: TLS needs a certificate file and a key file: set both or neither")
	}
	if o.Profiling && o.OpsAddress == "" {
		return badOption("Profiling", "profiles are only served on a separate listener: set its address")
	}
	return errors.Join(o.checkAccess(), o.checkAddresses(), o.checkWatch())
}

func (o *Options) checkAccess() error {
	o.Registration = cmp.Or(o.Registration, RegistrationOpen)
	if err := o.checkCompat(); err != nil {
		return err
	}
	o.APIKeys = cmp.Or(o.APIKeys, APIKeysRequired)
	switch o.Registration {
	case RegistrationOpen, RegistrationClosed:
		if !o.RegistrationToken.IsZero() {
			return fmt.Errorf("host: a registration token is set but registration is %q: set it to %q", o.Registration, RegistrationToken)
		}
	case RegistrationToken:
		if o.RegistrationToken.IsZero() {
			return fmt.Errorf("host: registration is %q but no registration token is set", RegistrationToken)
		}
	default:
		return badOption("Registration", "registration %q must be open, token or closed", o.Registration)
	}
	switch o.APIKeys {
	case APIKeysRequired, APIKeysOptional, APIKeysOff:
		return nil
	}
	return badOption("APIKeys", "the policy for API keys %q must be required, optional or off", o.APIKeys)
}

func (o *Options) checkCompat() error {
	switch o.Compat {
	case "":
		return nil
	case CompatAgentPlay:
	default:
		return badOption("Compat", "unknown compatibility %q: use %s", o.Compat, CompatAgentPlay)
	}
	if o.APIKeys == APIKeysRequired {
		return badOption("APIKeys", "clients of %s send no API key, so with that compatibility API keys cannot be %q", o.Compat, APIKeysRequired)
	}
	o.APIKeys = cmp.Or(o.APIKeys, APIKeysOptional)
	return nil
}

// maxWorldName is how many characters Options.WorldName may have.
const maxWorldName = 80

func (o *Options) checkWatch() error {
	o.WatchAccess = cmp.Or(o.WatchAccess, WatchLocal)
	o.WorldName = strings.TrimSpace(o.WorldName)
	if n := utf8.RuneCountInString(o.WorldName); n > maxWorldName {
		return badOption("WorldName", "the world's name has %d characters, but %d is the maximum", n, maxWorldName)
	}
	if !utf8.ValidString(o.WorldName) || strings.ContainsFunc(o.WorldName, unicode.IsControl) {
		return badOption("WorldName", "the world's name %q must be UTF-8 text without control characters", o.WorldName)
	}
	switch o.WatchAccess {
	case WatchLocal, WatchPublic, WatchToken:
	default:
		return badOption("WatchAccess", "the access to the watch page %q must be local, public or token", o.WatchAccess)
	}
	return errors.Join(checkNames("WatchNames", &o.WatchNames), checkNames("AllowHosts", &o.AllowHosts))
}

// checkNames refuses texts that are not host names, and converts the names to lower case.
func checkNames(option string, names *[]string) error {
	*names = slices.Clone(*names)
	for i, name := range *names {
		if name == "" || strings.ContainsAny(name, "/ @") || hostName(name) != strings.ToLower(name) {
			return badOption(option, "%q is not a name of this machine: write it without scheme and port, such as box.local", name)
		}
		(*names)[i] = strings.ToLower(name)
	}
	return nil
}

func (o *Options) checkAddresses() error {
	for _, listener := range []struct{ option, address string }{{"Address", o.Address}, {"OpsAddress", o.OpsAddress}} {
		if listener.address == "" {
			continue
		}
		if _, _, err := net.SplitHostPort(listener.address); err != nil {
			return badOption(listener.option, "%q is not an address to listen on: write host:port: %w", listener.address, err)
		}
	}
	if o.PublicURL != "" {
		u, err := url.Parse(o.PublicURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			return badOption("PublicURL", "the public URL %q must be http:// or https:// with a host, without query or fragment", o.PublicURL)
		}
		o.PublicURL = strings.TrimRight(o.PublicURL, "/")
	}
	if err := errors.Join(checkOrigins("CORSOrigins", &o.CORSOrigins), checkOrigins("WatchEmbed", &o.WatchEmbed)); err != nil {
		return err
	}
	return checkFrames(o.WatchEmbed)
}

// checkOrigins refuses texts that are not origins, and converts the origins to lower case.
func checkOrigins(option string, origins *[]string) error {
	*origins = slices.Clone(*origins)
	for i, origin := range *origins {
		u, err := url.Parse(strings.TrimRight(origin, "/"))
		if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" || u.RawQuery != "" || u.User != nil {
			return badOption(option, "%q is not an origin: write scheme://host or scheme://host:port", origin)
		}
		// An origin is compared as text; browsers send it in lower case.
		(*origins)[i] = strings.ToLower(u.Scheme + "://" + u.Host)
	}
	return nil
}

// checkFrames refuses origins that cannot show the watch page.
func checkFrames(origins []string) error {
	for _, origin := range origins {
		// They are written into a Content-Security-Policy header, where these characters are
		// separators.
		if scheme, _, _ := strings.Cut(origin, ":"); scheme != "https" && scheme != "http" || strings.ContainsAny(origin, "*,;'") {
			return badOption("WatchEmbed", "%q is not an origin of pages: write https://host or https://host:port", origin)
		}
	}
	return nil
}

func (l *RateLimits) fill() {
	l.RequestsPerSecond = cmp.Or(l.RequestsPerSecond, defaultRequestsPerSecond)
	l.CreationsPerMinute = cmp.Or(l.CreationsPerMinute, defaultCreationsPerMinute)
}

func (o *StreamOptions) fill() error {
	o.Comment = cmp.Or(o.Comment, defaultComment)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, defaultWriteTimeout)
	o.MinLife = cmp.Or(o.MinLife, min(defaultMinLife, cmp.Or(o.MaxLife, defaultMinLife)))
	o.MaxLife = cmp.Or(o.MaxLife, max(defaultMaxLife, o.MinLife))
	o.DrainJitter = cmp.Or(o.DrainJitter, defaultDrainJitter)
	switch {
	case o.Comment < 0, o.WriteTimeout < 0, o.MinLife < 0, o.DrainJitter < 0:
		return errors.New("host: the times of a stream must not be negative")
	case o.MaxLife < o.MinLife:
		return fmt.Errorf("host: a stream cannot live at most %s and at least %s", o.MaxLife, o.MinLife)
	}
	return nil
}
