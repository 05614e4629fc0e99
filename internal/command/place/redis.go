package place

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
)

// The variables with what a Redis asks for; --store-credentials wins over them.
const (
	envStoreUsername         = "PLAYCTL_STORE_USERNAME"
	envStorePassword         = "PLAYCTL_STORE_PASSWORD" //nolint:gosec // G101: a name, no password
	envStoreSentinelUsername = "PLAYCTL_STORE_SENTINEL_USERNAME"
	envStoreSentinelPassword = "PLAYCTL_STORE_SENTINEL_PASSWORD" //nolint:gosec // G101: a name, no password
)

// redisCredentials finds out who the host is to the Redis: as the file says, else
// the environment, else the address.
func redisCredentials(a *command.App, f *Flags, o *redis.Options) error {
	o.Username, o.Password = a.Env(envStoreUsername), a.Env(envStorePassword)
	o.SentinelUsername, o.SentinelPassword = a.Env(envStoreSentinelUsername), a.Env(envStoreSentinelPassword)
	if f.credentials == "" {
		return nil
	}
	problem := func(err error) error { return command.BadSetting("--store-credentials "+f.credentials, err) }
	if runtime.GOOS != "windows" { // Which keeps no such bits.
		if err := command.CheckReaders(a.Absolute(f.credentials)); err != nil {
			return problem(err)
		}
	}
	text, err := a.ReadInput(a.Absolute(f.credentials), command.MaxSecret)
	if err != nil {
		return problem(err)
	}
	into := map[string]*string{
		"username": &o.Username, "password": &o.Password,
		"sentinel-username": &o.SentinelUsername, "sentinel-password": &o.SentinelPassword,
	}
	if err := parseCredentials(string(text), into); err != nil {
		return problem(err)
	}
	return nil
}

// parseCredentials reads lines of name=value; empty ones and those that start
// with # say nothing. Its errors do not repeat a value.
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
			return fmt.Errorf("line %d is none of username=…, password=…, sentinel-username=… and sentinel-password=…", number)
		}
		*target, found = value, true
	}
	if !found {
		return errors.New("it is empty, but lines such as password=… are expected")
	}
	return nil
}

// redisTLS is how to speak TLS with the Redis, nil where its address asks for none.
func redisTLS(a *command.App, f *Flags, address redis.Address) (*tls.Config, error) {
	switch {
	case (f.cert == "") != (f.key == ""):
		return nil, command.Usagef("--store-cert and --store-key go together")
	case !address.TLS && (f.ca != "" || f.cert != "" || f.serverName != ""):
		return nil, command.Usagef("--store-ca, --store-cert and --store-server-name are for TLS: write %s as rediss:", address)
	case !address.TLS:
		return nil, nil //nolint:nilnil // That is how Options says it.
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: f.serverName}
	if f.ca != "" {
		text, err := a.ReadInput(a.Absolute(f.ca), maxCertificates)
		if err != nil {
			return nil, command.BadSetting("--store-ca", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, command.BadSetting("--store-ca", fmt.Errorf("%s: there is no certificate in it (PEM)", f.ca))
		}
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(a.Absolute(f.cert), a.Absolute(f.key))
		if err != nil {
			return nil, command.BadSetting("--store-cert", fmt.Errorf("read the certificate and its key: %w", err))
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// maxCertificates is far above a bundle of every public authority.
const maxCertificates = 4 << 20

// redisAdvice is what to do about a Redis that cannot be used, by what it said.
var redisAdvice = []struct{ said, advice string }{
	{"NOAUTH", "name a file with its username= and password= with --store-credentials, or set " + envStorePassword},
	{"WRONGPASS", "name a file with its username= and password= with --store-credentials, or set " + envStorePassword},
	{"NOPERM", "\"playctl store acl\" prints the rules that the user of a world's hosts needs"},
	{"TLS", "rediss: is for a Redis server that speaks TLS; write redis: for one that does not"},
	{"all sentinels", "are the Sentinels there, and is that the name that they have for the master?"},
	{"unknown command 'time'", "that is a Sentinel: write redis+sentinel://host:26379/master"},
	{"cluster support disabled", "that Redis is in no Cluster: write redis: for it"},
}

// RedisProblem says what to do about a Redis that cannot be used; nil stays nil.
func RedisProblem(err error) error {
	if !errors.Is(err, store.ErrUnavailable) {
		return err
	}
	text := err.Error()
	for _, known := range redisAdvice {
		if strings.Contains(text, known.said) {
			return command.Hintf(err, "%s", known.advice)
		}
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return command.Hintf(err, "is the Redis running, and can this machine reach it?")
	}
	return command.Hintf(err, "is that a Redis server, and does it work? \"redis-cli ping\" asks it")
}
