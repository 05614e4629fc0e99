package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"runtime"
	"strings"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/internal/fanout"
	"github.com/playctl/playctl/internal/store"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/protocol"
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
func (a *app) redisCredentials(f *storeFlags, o *redis.Options) error {
	o.Username, o.Password = a.env(envStoreUsername), a.env(envStorePassword)
	o.SentinelUsername, o.SentinelPassword = a.env(envStoreSentinelUsername), a.env(envStoreSentinelPassword)
	if f.credentials == "" {
		return nil
	}
	problem := func(err error) error { return &settingError{"--store-credentials " + f.credentials, err} }
	if runtime.GOOS != "windows" { // Which keeps no such bits.
		if err := checkReaders(a.absolute(f.credentials)); err != nil {
			return problem(err)
		}
	}
	text, err := a.readInput(a.absolute(f.credentials), maxSecret)
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
func (a *app) redisTLS(f *storeFlags, address redis.Address) (*tls.Config, error) {
	switch {
	case (f.cert == "") != (f.key == ""):
		return nil, usagef("--store-cert and --store-key go together")
	case !address.TLS && (f.ca != "" || f.cert != "" || f.serverName != ""):
		return nil, usagef("--store-ca, --store-cert and --store-server-name are for TLS: write %s as rediss:", address)
	case !address.TLS:
		return nil, nil //nolint:nilnil // That is how Options says it.
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: f.serverName}
	if f.ca != "" {
		text, err := a.readInput(a.absolute(f.ca), maxCertificates)
		if err != nil {
			return nil, &settingError{"--store-ca", err}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, &settingError{"--store-ca", fmt.Errorf("%s: there is no certificate in it (PEM)", f.ca)}
		}
	}
	if f.cert != "" {
		pair, err := tls.LoadX509KeyPair(a.absolute(f.cert), a.absolute(f.key))
		if err != nil {
			return nil, &settingError{"--store-cert", fmt.Errorf("read the certificate and its key: %w", err)}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// maxCertificates is far above a bundle of every public authority.
const maxCertificates = 4 << 20

// openRedis opens the world on the Redis, and founds it if there is none. A host
// that has no root key takes the world's: it is no secret, and in every snapshot.
func (a *app) openRedis(ctx context.Context, s *serveSettings, into *served) error {
	address, err := a.redisAddress("store", s.store.address.text)
	if err != nil {
		return err
	}
	o, err := a.redisOptions(&s.store, address)
	if err != nil {
		return err
	}
	o.Publish = published(o.HostID, s.compat)
	into.root, err = a.surroundings().FindRootFile(s.rootFile)
	if err != nil && !errors.Is(err, creds.ErrNoRootFile) {
		return err
	}
	o.RootKey = into.root.Key
	journal, err := openShared(ctx, o)
	if err != nil {
		return redisProblem(err)
	}
	into.journal, into.path = journal, journal.Path()
	if into.root.Key == "" {
		a.withoutRootFile(a.keepRootKey(into, journal.RootKey()))
	}
	return nil
}

// openShared opens a world with the root key of the options, with the world's own
// where they have none, or with a new one where there is no world yet. Of hosts
// that found one at the same time, all take the key of the first.
func openShared(ctx context.Context, o redis.Options) (*redis.Journal, error) {
	given := o.RootKey
	journal, err := redis.Open(ctx, o)
	if given == "" && errors.Is(err, fs.ErrNotExist) {
		o.RootKey = creds.GenerateRootKey()
		journal, err = redis.Open(ctx, o)
		if errors.Is(err, store.ErrRootKey) {
			o.RootKey = ""
			journal, err = redis.Open(ctx, o)
		}
	}
	return journal, err
}

// published says what is published of an entry within its commit: each event that
// everybody may see, on the channel of each service that the host answers as.
func published(hostID, compat string) func(*store.Entry) []redis.Message {
	channels := []string{protocol.ServicePlay.FanoutChannel(hostID)}
	if compat != "" {
		channels = append(channels, protocol.Service(compat).FanoutChannel(hostID))
	}
	return func(e *store.Entry) []redis.Message {
		var messages []redis.Message
		for _, envelope := range fanout.Envelopes(e) {
			for _, channel := range channels {
				messages = append(messages, redis.Message{Channel: channel, Payload: envelope})
			}
		}
		return messages
	}
}

// redisAdvice is what to do about a Redis that cannot be used, by what it said.
var redisAdvice = []struct{ said, advice string }{
	{"NOAUTH", "name a file with its username= and password= with --store-credentials, or set " + envStorePassword},
	{"WRONGPASS", "name a file with its username= and password= with --store-credentials, or set " + envStorePassword},
	{"NOPERM", "\"playctl store acl\" prints the rules that the user of a world's hosts needs"},
	{"TLS", "rediss: is for a Redis that speaks TLS; write redis: for one that does not"},
	{"all sentinels", "are the Sentinels there, and is that the name that they have for the master?"},
	{"unknown command 'time'", "that is a Sentinel: write redis+sentinel://host:26379/master"},
	{"cluster support disabled", "that Redis is in no Cluster: write redis: for it"},
}

// redisProblem says what to do about a Redis that cannot be used; nil stays nil.
func redisProblem(err error) error {
	if !errors.Is(err, store.ErrUnavailable) {
		return err
	}
	text := err.Error()
	for _, known := range redisAdvice {
		if strings.Contains(text, known.said) {
			return hintf(err, "%s", known.advice)
		}
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return hintf(err, "is the Redis running, and can this machine reach it?")
	}
	return hintf(err, "is that a Redis, and is it well? \"redis-cli ping\" asks it")
}
