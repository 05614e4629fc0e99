package place

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/store/backend"
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
	// Without "//" before it, what is meant as user and password is part of something else.
	misread := err == nil && parsed.Host == "" && parsed.User == nil && strings.Contains(u.Text, "@")
	if err != nil || misread {
		return "(not a URL)"
	}
	return parsed.Redacted()
}

// Type implements pflag.Value.
func (u *SecretURL) Type() string { return "string" }

// Flags say where a world is kept: in a file of the data folder, or on a server that
// several hosts share.
type Flags struct {
	DataDir string
	Address SecretURL
	// more are the backends' own, by name.
	more map[string]*string
}

// Register adds the flags. Every one of them can also be set in the environment
// and the config file.
func (f *Flags) Register(flags *pflag.FlagSet, a *command.App) {
	flags.StringVar(&f.DataDir, "data-dir", a.StateFolder(), "the `folder` of the store")
	flags.Var(&f.Address, "store", fmt.Sprintf(
		"keep the world on a server at this `address`, for several hosts: %s:// and the forms of \"playctl help stores\"", strings.Join(backend.Schemes(), "://, ")))
	f.RegisterBackends(flags)
	command.Configurable(flags, "data-dir", "store")
}

// RegisterBackends adds what else is to know of a store. Backends share a flag that has
// the same name.
func (f *Flags) RegisterBackends(flags *pflag.FlagSet) {
	f.more = map[string]*string{}
	for _, b := range backend.All() {
		for _, flag := range b.Flags {
			if flags.Lookup(flag.Name) == nil {
				f.more[flag.Name] = flags.String(flag.Name, flag.Default, flag.Usage)
				command.Configurable(flags, flag.Name)
			}
		}
	}
}

// OnServer reports whether the store is on a server: where an address is set, unless
// the command line names a folder and the address comes from elsewhere.
func (f *Flags) OnServer(from *command.Sources) bool {
	return f.Address.Text != "" && (!from.ByFlag("data-dir") || from.ByFlag("store"))
}

// settings are the store.Settings of a run.
type settings struct {
	app   *command.App
	flags *Flags
}

// Flag implements store.Settings.
func (s settings) Flag(name string) string {
	if value := s.flags.more[name]; value != nil {
		return *value
	}
	return ""
}

// Env implements store.Settings.
func (s settings) Env(name string) string { return s.app.Env(name) }

// File implements store.Settings.
func (s settings) File(name string, limit int64) ([]byte, error) {
	return s.app.ReadInput(s.app.Absolute(name), limit)
}

// SecretFile implements store.Settings.
func (s settings) SecretFile(name string) ([]byte, error) {
	if err := command.CheckReaders(s.app.Absolute(name)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s.File(name, command.MaxSecret)
}
