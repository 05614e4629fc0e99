package place

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/store/redis"
	"github.com/playctl/playctl/protocol"
)

// SecretURL is a setting whose password is not shown again.
type SecretURL struct{ Text string }

var _ pflag.Value = (*SecretURL)(nil)

// Set implements pflag.Value. What is wrong with the text is said later: pflag
// would repeat it.
func (u *SecretURL) Set(text string) error {
	u.Text = text
	return nil
}

// String implements pflag.Value.
func (u *SecretURL) String() string {
	if u.Text == "" {
		return ""
	}
	parsed, err := url.Parse(u.Text)
	if err != nil {
		return "(not a URL)"
	}
	return parsed.Redacted()
}

// Type implements pflag.Value.
func (u *SecretURL) Type() string { return "string" }

// Flags say where a world is kept: in a file of the data folder, or on a
// Redis that several hosts share.
type Flags struct {
	DataDir string
	Address SecretURL
	hostID  string

	credentials string
	ca          string
	cert, key   string
	serverName  string
}

// Register adds the flags. Every one of them can also be set in the environment
// and the config file.
func (f *Flags) Register(flags *pflag.FlagSet, a *command.App) {
	flags.StringVar(&f.DataDir, "data-dir", a.StateFolder(), "the `folder` of the store")
	flags.Var(&f.Address, "store", "keep the world in Redis at this `address`, for several hosts: redis://, rediss://, redis+unix://, redis+sentinel:// or redis+cluster://")
	f.RegisterRedis(flags)
	command.Configurable(flags, "data-dir", "store")
}

// RegisterRedis adds what else is to know of a Redis.
func (f *Flags) RegisterRedis(flags *pflag.FlagSet) {
	flags.StringVar(&f.hostID, "host-id", "default", "the `name` of the world on the Redis; all its hosts have the same one")
	flags.StringVar(&f.credentials, "store-credentials", "", "a `file` that only its owner can read, with username= and password= of the Redis")
	flags.StringVar(&f.ca, "store-ca", "", "trust these certificate authorities for the Redis (`file`, PEM; default: the system's)")
	flags.StringVar(&f.cert, "store-cert", "", "show this client certificate to the Redis (`file`, PEM)")
	flags.StringVar(&f.key, "store-key", "", "the `file` of the client certificate's key (PEM)")
	flags.StringVar(&f.serverName, "store-server-name", "", "the `name` that the certificate of the Redis must have (default: its host's)")
	command.Configurable(flags, "host-id", "store-credentials", "store-ca", "store-cert", "store-key", "store-server-name")
}

// OnRedis reports whether the store is on a Redis: where an address is set, unless
// the command line names a folder and the address comes from elsewhere.
func (f *Flags) OnRedis(from *command.Sources) bool {
	return f.Address.Text != "" && (!from.ByFlag("data-dir") || from.ByFlag("store"))
}

// RedisAddress reads the address that the flag of that name was given.
func RedisAddress(a *command.App, flag, text string) (redis.Address, error) {
	where := a.Sources.Where(flag)
	address, err := redis.ParseAddress(text)
	if err != nil {
		hint := "a store in a file is named by its folder, with --data-dir; \"playctl help stores\" has the forms of an address"
		if _, err := redis.ParseAddress("redis://" + text); err == nil && strings.Contains(text, ":") && !strings.Contains(text, "@") {
			hint = fmt.Sprintf("did you mean redis://%s?", text)
		}
		return redis.Address{}, command.Hintf(command.BadSetting(where, err), "%s", hint)
	}
	if address.Password == "" {
		return address, nil
	}
	if where == "--"+flag {
		return redis.Address{}, command.Hintf(command.Usagef("%s has a password in it, and everyone on this machine can read the arguments of a program", where),
			"leave it out, and put it into a file for --store-credentials or into "+envStorePassword)
	}
	return address, refusePublicConfig(a, flag)
}

// refusePublicConfig refuses a config file that holds a password and that others
// can read.
func refusePublicConfig(a *command.App, flag string) error {
	if a.Sources.ByEnvironment(flag) {
		return nil
	}
	if err := command.CheckReaders(a.Sources.Path); err != nil {
		return fmt.Errorf("config file %s, which has a password in %s: %w", a.Sources.Path, flag, err)
	}
	return nil
}

// RedisOptions are what the flags say of the Redis at an address.
func RedisOptions(a *command.App, f *Flags, address redis.Address) (redis.Options, error) {
	o := redis.Options{Address: address, HostID: f.hostID}
	if err := CheckHostID(f.hostID); err != nil {
		return o, err
	}
	err := redisCredentials(a, f, &o)
	if err == nil {
		o.TLS, err = redisTLS(a, f, address)
	}
	return o, err
}

// CheckHostID refuses names that cannot be part of a key or of a channel's name.
func CheckHostID(id string) error {
	if !protocol.ValidID(id) || strings.ContainsAny(id, "{}") {
		return command.Usagef("--host-id: %q is no name of a world: use 1 to 128 characters without blanks, colons and braces", id)
	}
	return nil
}
