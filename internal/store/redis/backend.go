package redis

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/protocol"
)

// The flags of a Redis server.
const (
	flagHostID      = "host-id"
	flagCredentials = "store-credentials" //nolint:gosec // G101: a name, no password
	flagCA          = "store-ca"
	flagCert        = "store-cert"
	flagKey         = "store-key"
	flagServerName  = "store-server-name"
)

// The variables for the credentials of a Redis server; the file of credentials
// takes precedence over them.
const (
	envUsername         = "PLAYCTL_STORE_USERNAME"
	envPassword         = "PLAYCTL_STORE_PASSWORD" //nolint:gosec // G101: a name, no password
	envSentinelUsername = "PLAYCTL_STORE_SENTINEL_USERNAME"
	envSentinelPassword = "PLAYCTL_STORE_SENTINEL_PASSWORD" //nolint:gosec // G101: a name, no password
)

const help = `Redis, where several hosts serve a world together:

    --store redis://host:6379/0         a Redis server; the number is its database, 0 by default
    --store rediss://host:6379          the same over TLS
    --store redis+unix:///run/redis.sock
    --store redis+sentinel://one:26379,two:26379,three:26379/master
    --store redis+cluster://one:6379,two:6379,three:6379

rediss+sentinel: and rediss+cluster: speak TLS. --host-id names the world, for one
Redis server can hold several; its keys start with play:{NAME}:. All hosts of a world have the same one.

A password is never taken from the command line, where others on the machine could read
it. It goes into a file for --store-credentials that only its owner can read,

    username=playctl
    password=...

with sentinel-username= and sentinel-password= where Sentinels ask too; or into
PLAYCTL_STORE_PASSWORD and PLAYCTL_STORE_USERNAME; or into the address where that is set
in the environment, PLAYCTL_STORE, or in a config file that others cannot read.`

// Backend describes this kind of store to commands.
func Backend() store.Backend {
	return store.Backend{
		Schemes: []string{"redis", "rediss"},
		Flags: []store.Flag{
			{Name: flagHostID, Default: "default", Usage: "the `name` of the world on the Redis server; all its hosts have the same one"},
			{Name: flagCredentials, Usage: "a `file` that only its owner can read, with username= and password= of the Redis server"},
			{Name: flagCA, Usage: "trust these certificate authorities for the Redis server (`file`, PEM; default: the system's)"},
			{Name: flagCert, Usage: "show this client certificate to the Redis server (`file`, PEM)"},
			{Name: flagKey, Usage: "the `file` of the client certificate's key (PEM)"},
			{Name: flagServerName, Usage: "the `name` that the certificate of the Redis server must have (default: its host's)"},
		},
		Help:         help,
		Variables:    []string{envUsername, envPassword, envSentinelUsername, envSentinelPassword},
		PasswordGoes: "a file for --" + flagCredentials + " or into " + envPassword,
		Locate:       locate,
	}
}

// location is a store.Location: the options with which its world is opened.
type location struct{ options Options }

func locate(address string, given store.Settings) (store.Location, error) {
	at, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	o := Options{Address: at, HostID: given.Flag(flagHostID)}
	if err := CheckHostID(o.HostID); err != nil {
		return nil, &store.FlagError{Name: flagHostID, Err: err}
	}
	if err := readCredentials(given, &o); err != nil {
		return nil, err
	}
	if o.TLS, err = readTLS(given, at); err != nil {
		return nil, err
	}
	return location{o}, nil
}

// CheckHostID refuses names that cannot be part of a key or of a channel name.
func CheckHostID(id string) error {
	if !protocol.ValidID(id) || strings.ContainsAny(id, "{}") {
		return fmt.Errorf("%q is not the name of a world: use 1 to 128 characters without blanks, colons and braces", id)
	}
	return nil
}

// readCredentials reads the credentials for the Redis server: from the file, otherwise
// from the environment, otherwise from the address.
func readCredentials(given store.Settings, o *Options) error {
	o.Username, o.Password = given.Env(envUsername), given.Env(envPassword)
	o.SentinelUsername, o.SentinelPassword = given.Env(envSentinelUsername), given.Env(envSentinelPassword)
	file := given.Flag(flagCredentials)
	if file == "" {
		return nil
	}
	text, err := given.SecretFile(file)
	if err == nil {
		err = parseCredentials(string(text), map[string]*string{
			"username": &o.Username, "password": &o.Password,
			"sentinel-username": &o.SentinelUsername, "sentinel-password": &o.SentinelPassword,
		})
		if err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	if err != nil {
		return &store.FlagError{Name: flagCredentials, Err: err}
	}
	return nil
}

// parseCredentials parses lines of name=value; empty lines and those that start
// with # are ignored. Its errors do not repeat a value.
func parseCredentials(text string, into map[string]*string) error {
	number, found := 0, false
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		target := into[strings.TrimSpace(name)]
		if !ok || target == nil {
			return fmt.Errorf("line %d must be one of username=…, password=…, sentinel-username=… and sentinel-password=…", number)
		}
		*target, found = value, true
	}
	if !found {
		return errors.New("it is empty, but lines such as password=… are expected")
	}
	return nil
}

// maxCertificates is far above the size of a bundle of every public authority.
const maxCertificates = 4 << 20

// readTLS returns the TLS configuration for the Redis server, nil if its address
// does not request TLS.
func readTLS(given store.Settings, at Address) (*tls.Config, error) {
	ca, cert, key, serverName := given.Flag(flagCA), given.Flag(flagCert), given.Flag(flagKey), given.Flag(flagServerName)
	switch {
	case (cert == "") != (key == ""):
		return nil, &store.FlagError{Err: fmt.Errorf("--%s and --%s go together", flagCert, flagKey)}
	case !at.TLS && (ca != "" || cert != "" || serverName != ""):
		return nil, &store.FlagError{Err: fmt.Errorf("--%s, --%s and --%s are for TLS: write %s as rediss: instead", flagCA, flagCert, flagServerName, at)}
	case !at.TLS:
		return nil, nil //nolint:nilnil // That is how Options says it.
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	if ca != "" {
		text, err := given.File(ca, maxCertificates)
		if err != nil {
			return nil, &store.FlagError{Name: flagCA, Err: err}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, &store.FlagError{Name: flagCA, Err: fmt.Errorf("%s: there is no certificate in it (PEM)", ca)}
		}
	}
	if cert != "" {
		pair, err := keyPair(given, cert, key)
		if err != nil {
			return nil, &store.FlagError{Name: flagCert, Err: fmt.Errorf("read the certificate and its key: %w", err)}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func keyPair(given store.Settings, cert, key string) (tls.Certificate, error) {
	certificates, err := given.File(cert, maxCertificates)
	if err != nil {
		return tls.Certificate{}, err
	}
	secret, err := given.File(key, maxCertificates)
	if err != nil {
		return tls.Certificate{}, err
	}
	pair, err := tls.X509KeyPair(certificates, secret)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("%s and %s: %w", cert, key, err)
	}
	return pair, nil
}

// String returns the location for people, without credentials.
func (l location) String() string { return describe(l.options) }

func describe(o Options) string { return fmt.Sprintf("%s (world %q)", o.Address, o.HostID) }

// Shared implements store.Location.
func (l location) Shared() bool { return true }

// wholeWorld bounds a call that may take long and for which no client waits.
const wholeWorld = 30 * time.Second

// Open implements store.Location.
func (l location) Open(ctx context.Context, how store.OpenOptions) (store.Opened, error) {
	o := l.options
	o.RootKey, o.ReadOnly, o.Retention = how.RootKey, how.ReadOnly, how.Retention
	if o.ReadOnly {
		o.Timeout = wholeWorld
	}
	if how.Publish != nil {
		o.Publish = func(e *store.Entry) []store.Message { return how.Publish(o.HostID, e) }
	}
	journal, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return journal, nil
}

// BeginImport implements store.Location.
func (l location) BeginImport(ctx context.Context, rootKey string) (store.Import, error) {
	o := l.options
	o.RootKey, o.Timeout = rootKey, wholeWorld
	into, err := BeginImport(ctx, o)
	if err != nil {
		return nil, err
	}
	return into, nil
}

// Passing implements store.Location.
func (l location) Passing(err error) bool { return Passing(err) }

// whatToDo has advice for a Redis server that cannot be used, by its error.
var whatToDo = []struct{ said, advice string }{
	{"NOAUTH", "put its username= and password= into a file for --store-credentials, or set " + envPassword},
	{"WRONGPASS", "put its username= and password= into a file for --store-credentials, or set " + envPassword},
	{"NOPERM", "\"playctl store acl\" prints the rules that the user of a world's hosts needs"},
	{"TLS", "rediss: is for a Redis server that speaks TLS; write redis: for one that does not"},
	{"all sentinels", "are the Sentinels running, and is that their name for the master?"},
	{"unknown command 'time'", "that is a Sentinel: write redis+sentinel://host:26379/master"},
	{"cluster support disabled", "that Redis server is in no Cluster: write redis: for it"},
}

// Advice implements store.Location.
func (l location) Advice(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "check --host-id, the world's name there, and the database number at the end of the address"
	}
	if !errors.Is(err, store.ErrUnavailable) {
		return ""
	}
	text := err.Error()
	for _, known := range whatToDo {
		if strings.Contains(text, known.said) {
			return known.advice
		}
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return "is the Redis server running, and can this machine reach it?"
	}
	if isA[*store.FaultError](err) {
		return "" // It says itself what to do.
	}
	return "is that a Redis server, and does it answer \"redis-cli ping\"?"
}
