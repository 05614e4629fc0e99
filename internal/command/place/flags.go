package place

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/pflag"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/store/backend"
)

// SecretURL is a URL whose password is not shown.
type SecretURL struct{ Text string }

var _ pflag.Value = (*SecretURL)(nil)

// Set implements pflag.Value. It accepts any text: an error would make pflag repeat the
// text. Errors are reported later.
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
	// Without "//" the user and the password are parsed as another part of the URL.
	misread := err == nil && parsed.Host == "" && parsed.User == nil && strings.Contains(u.Text, "@")
	if err != nil || misread {
		return "(not a URL)"
	}
	return parsed.Redacted()
}

// Type implements pflag.Value.
func (u *SecretURL) Type() string { return "string" }

// Flags select the place of a store: in a file of the data folder, or on a server that
// several hosts share.
type Flags struct {
	DataDir string
	Address SecretURL
	// more are the flags of the backends, by name.
	more map[string]*string
}

// Register adds the flags. The environment and the config file can set every one of them
// as well.
func (f *Flags) Register(flags *pflag.FlagSet, a *command.App) {
	RegisterDataDir(flags, a, &f.DataDir, FolderUsage)
	flags.Var(&f.Address, "store", fmt.Sprintf(
		"keep the world on a server at this `address`, for several hosts: %s://, see \"playctl help stores\"", strings.Join(backend.Schemes(), "://, ")))
	f.RegisterBackends(flags)
	command.Configurable(flags, "store")
}

// Variables returns the environment variables that stores read besides their flags.
func Variables() []string {
	var all []string
	for _, b := range backend.All() {
		all = append(all, b.Variables...)
	}
	return all
}

// FolderUsage is the help of --data-dir.
const FolderUsage = "the `folder` of the store"

// RegisterDataDir adds the flag for the folder of a store.
func RegisterDataDir(flags *pflag.FlagSet, a *command.App, dataDir *string, usage string) {
	flags.StringVar(dataDir, "data-dir", a.StateFolder(), usage)
	command.Configurable(flags, "data-dir")
}

// RegisterBackends adds the flags of the backends. Backends share a flag with the same
// name.
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

// OnServer reports whether the store is on a server: if an address is set, unless the
// command line names a folder and another source the address.
func (f *Flags) OnServer(from *command.Sources) bool {
	return f.Address.Text != "" && (!from.ByFlag("data-dir") || from.ByFlag("store"))
}

// settings implements store.Settings for a run.
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
	return s.app.ReadText(s.app.Absolute(name), limit)
}

// SecretFile implements store.Settings.
func (s settings) SecretFile(name string) ([]byte, error) {
	if err := s.app.CheckSecretFile(name); err != nil {
		return nil, err
	}
	return s.File(name, command.MaxSecret)
}
