package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/protocol"
)

// storeFlags say where a world is kept: in a file of the data folder, or on a
// Redis that several hosts share.
type storeFlags struct {
	dataDir string
	address secretURL
	hostID  string

	credentials string
	ca          string
	cert, key   string
	serverName  string
}

// register adds the flags. Every one of them can also be set in the environment
// and the config file.
func (f *storeFlags) register(flags *pflag.FlagSet, a *app) {
	flags.StringVar(&f.dataDir, "data-dir", a.stateFolder(), "the `folder` of the store")
	flags.Var(&f.address, "store", "keep the world on the Redis at this `address`, for several hosts: redis://, rediss://, redis+unix://, redis+sentinel:// or redis+cluster://")
	f.registerRedis(flags)
	configurable(flags, "data-dir", "store")
}

// registerRedis adds what else is to know of a Redis.
func (f *storeFlags) registerRedis(flags *pflag.FlagSet) {
	flags.StringVar(&f.hostID, "host-id", "default", "the `name` of the world on the Redis; all its hosts have the same one")
	flags.StringVar(&f.credentials, "store-credentials", "", "a `file` that only its owner can read, with username= and password= of the Redis")
	flags.StringVar(&f.ca, "store-ca", "", "trust these certificate authorities for the Redis (`file`, PEM; default: the system's)")
	flags.StringVar(&f.cert, "store-cert", "", "show this client certificate to the Redis (`file`, PEM)")
	flags.StringVar(&f.key, "store-key", "", "the `file` of the client certificate's key (PEM)")
	flags.StringVar(&f.serverName, "store-server-name", "", "the `name` that the certificate of the Redis must have (default: its host's)")
	configurable(flags, "host-id", "store-credentials", "store-ca", "store-cert", "store-key", "store-server-name")
}

// onRedis tells whether the store is on a Redis: where an address is set, unless
// the command line names a folder and the address comes from elsewhere.
func (f *storeFlags) onRedis(l *layers) bool {
	return f.address.text != "" && (l.origins["data-dir"] != "flag" || l.origins["store"] == "flag")
}

// redisAddress reads the address that the flag of that name was given.
func (a *app) redisAddress(flag, text string) (redis.Address, error) {
	where := a.layers.where(flag)
	address, err := redis.ParseAddress(text)
	if err != nil {
		hint := "a store in a file is named by its folder, with --data-dir; \"playctl help stores\" has the forms of an address"
		if _, err := redis.ParseAddress("redis://" + text); err == nil && strings.Contains(text, ":") && !strings.Contains(text, "@") {
			hint = fmt.Sprintf("did you mean redis://%s?", text)
		}
		return redis.Address{}, hintf(&settingError{where, err}, "%s", hint)
	}
	if address.Password == "" {
		return address, nil
	}
	if where == "--"+flag {
		return redis.Address{}, hintf(usagef("%s has a password in it, and everyone on this machine can read the arguments of a program", where),
			"leave it out, and put it into a file for --store-credentials or into "+envStorePassword)
	}
	return address, a.refusePublicConfig(flag)
}

// refusePublicConfig refuses a config file that holds a password and that others
// can read.
func (a *app) refusePublicConfig(flag string) error {
	if a.layers.origins[flag] == "environment "+variableOf(flag) {
		return nil
	}
	if err := checkReaders(a.layers.path); err != nil {
		return fmt.Errorf("config file %s, which has a password in %s: %w", a.layers.path, flag, err)
	}
	return nil
}

// redisOptions are what the flags say of the Redis at an address.
func (a *app) redisOptions(f *storeFlags, address redis.Address) (redis.Options, error) {
	o := redis.Options{Address: address, HostID: f.hostID}
	if err := checkHostID(f.hostID); err != nil {
		return o, err
	}
	err := a.redisCredentials(f, &o)
	if err == nil {
		o.TLS, err = a.redisTLS(f, address)
	}
	return o, err
}

// checkHostID refuses names that cannot be part of a key or of a channel's name.
func checkHostID(id string) error {
	if !protocol.ValidID(id) || strings.ContainsAny(id, "{}") {
		return usagef("--host-id: %q is no name of a world: use 1 to 128 characters without blanks, colons and braces", id)
	}
	return nil
}

// checkReaders refuses a file with secrets that everybody can read or that others
// than its owner can change. Its group may read it: so a container gets secrets.
func checkReaders(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("it cannot be read: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o026 != 0 {
		return hintf(fmt.Errorf("its mode is %04o, so others on this machine can reach the password in it", mode),
			"run \"chmod 600 %s\", and change the password if somebody may have read it", path)
	}
	return nil
}
