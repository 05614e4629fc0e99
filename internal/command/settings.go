package command

import (
	"time"

	"github.com/spf13/pflag"
)

// settings are the values of the flags that every command has.
type settings struct {
	output      string
	color       string
	config      string
	credentials string
	Context     string
	Server      string
	Service     string
	Timeout     time.Duration
	Quiet       bool
	noInput     bool
}

// DefaultServer is where "playctl serve" listens if nobody says otherwise.
const DefaultServer = "http://127.0.0.1:7420"

// register adds the flags that every command has. All of them but --config can
// also be set in the config file.
func (s *settings) register(flags *pflag.FlagSet) {
	flags.StringVarP(&s.output, "output", "o", "table", "how results are printed: table, json, ndjson or yaml")
	flags.StringVar(&s.color, "color", "auto", "when to use colors: auto, always or never")
	flags.StringVar(&s.config, "config", "", "the config `file` (default: playctl/config.yaml in the config folder)")
	flags.StringVar(&s.credentials, "credentials-file", "", "the credentials `file` (default: playctl/credentials.json in the config folder)")
	flags.StringVarP(&s.Context, "context", "c", "", "use the credentials and the server of this context (`name`)")
	flags.StringVarP(&s.Server, "server", "s", "", "the host's `URL` (default: the context's, else "+DefaultServer+")")
	flags.StringVar(&s.Service, "service", "", "the service `name` in the host's paths (default: the context's, else play)")
	flags.DurationVar(&s.Timeout, "timeout", 30*time.Second, "give up after this time; 0 never does")
	flags.BoolVarP(&s.Quiet, "quiet", "q", false, "no notes on standard error, only warnings and errors")
	flags.BoolVar(&s.noInput, "no-input", false, "never ask anything")
	Configurable(flags, "output", "color", "credentials-file", "context", "server", "service", "timeout", "quiet", "no-input")
	fromEnvironment(flags, "config")
}

// Annotations of flags that can be set elsewhere too.
const (
	inEnvironment = "playctl_environment"
	InConfigFile  = "playctl_config_file"
)

// Configurable marks flags that the environment and the config file can set.
func Configurable(flags *pflag.FlagSet, names ...string) {
	fromEnvironment(flags, names...)
	annotate(flags, InConfigFile, names)
}

// fromEnvironment marks flags that the environment can set.
func fromEnvironment(flags *pflag.FlagSet, names ...string) {
	annotate(flags, inEnvironment, names)
}

func annotate(flags *pflag.FlagSet, annotation string, names []string) {
	for _, name := range names {
		flag := flags.Lookup(name)
		if flag == nil {
			panic("playctl: there is no flag --" + name)
		}
		if flag.Annotations == nil {
			flag.Annotations = map[string][]string{}
		}
		flag.Annotations[annotation] = []string{"true"}
	}
}

func Has(flag *pflag.Flag, annotation string) bool {
	_, ok := flag.Annotations[annotation]
	return ok
}
