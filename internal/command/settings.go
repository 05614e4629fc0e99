package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"

	"github.com/playctl/playctl/internal/suggest"
)

// Settings are the values of the flags that every command has.
type Settings struct {
	output      string
	jq          string
	template    string
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

// DefaultContext is the name of a context without a chosen name.
const DefaultContext = "default"

// DefaultServer is the default address of "playctl serve".
const DefaultServer = "http://127.0.0.1:7420"

// register adds the flags that every command has.
func (s *Settings) register(flags *pflag.FlagSet) {
	flags.StringVarP(&s.output, "output", "o", "table", "how results are printed: table, json, ndjson or yaml")
	flags.StringVar(&s.jq, "jq", "", "filter the result's JSON with this jq `expression`")
	flags.StringVar(&s.template, "template", "", "format the result's JSON with this Go `template` (text/template)")
	flags.StringVar(&s.color, "color", "auto", "when to use colors: auto, always or never")
	flags.StringVar(&s.config, "config", "", "the config `file` (default: playctl/config.yaml in the config folder)")
	flags.StringVar(&s.credentials, "credentials-file", "", "the credentials `file` (default: playctl/credentials.json in the config folder)")
	flags.StringVarP(&s.Context, "context", "c", "", "the `name` of the context whose credentials and server are used")
	flags.StringVarP(&s.Server, "server", "s", "", "the host's `URL` (default: the context's, else "+DefaultServer+")")
	flags.StringVar(&s.Service, "service", "", "the service `name` in the host's paths (default: the context's, else play)")
	flags.DurationVar(&s.Timeout, "timeout", 30*time.Second, "give up after this time; 0 never does")
	flags.BoolVarP(&s.Quiet, "quiet", "q", false, "no notes on standard error, only warnings and errors")
	flags.BoolVar(&s.noInput, "no-input", false, "never ask anything")
	Configurable(flags, "output", "color", "config", "credentials-file", "context", "server", "service", "timeout", "quiet", "no-input")
}

// configurable marks flags that the environment and the config file can set.
const configurable = "playctl_configurable"

// Configurable marks flags that the environment and the config file can set. The config
// file cannot set its own path.
func Configurable(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		if err := flags.SetAnnotation(name, configurable, nil); err != nil {
			panic("playctl: " + err.Error())
		}
	}
}

// EachSetting calls do for each flag that the config file can set, in the order of
// their names.
func EachSetting(flags *pflag.FlagSet, do func(*pflag.Flag)) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if _, ok := flag.Annotations[configurable]; ok && flag.Name != "config" {
			do(flag)
		}
	})
}

// AllSettings returns the flags of all commands that the environment and the config file
// can set, with their defaults.
func (a *App) AllSettings() *pflag.FlagSet {
	flags := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	new(Settings).register(flags)
	if a.HostFlags != nil {
		a.HostFlags(flags)
	}
	return flags
}

// VariableOf returns the environment variable that sets a flag.
func VariableOf(flag string) string {
	return "PLAYCTL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// BadSetting returns the error of an invalid setting; where names its place.
func BadSetting(where string, err error) error { return BadInput(fmt.Errorf("%s: %w", where, err)) }

// Sources are the places from which the settings of a run come. A flag overrides the
// environment, which overrides the config file, which overrides the default.
type Sources struct {
	// Path is the config file, which may be missing.
	Path        string
	flags       *pflag.FlagSet
	environment map[string]any
	// lines are the line numbers of the settings in the config file, from 1.
	lines map[string]int
}

// ByFlag reports whether the command line has a setting.
func (s *Sources) ByFlag(name string) bool { return s.flags.Changed(name) }

// ByEnvironment reports whether the environment has a setting.
func (s *Sources) ByEnvironment(name string) bool {
	return !s.ByFlag(name) && s.environment[name] != nil
}

// Made reports whether a setting has another source than its default.
func (s *Sources) Made(name string) bool { return s != nil && s.Origin(name) != "default" }

// Origin returns the source of a setting: "flag", "environment PLAYCTL_…", "file" with
// its path and line, or "default".
func (s *Sources) Origin(name string) string {
	switch {
	case s.ByFlag(name):
		return "flag"
	case s.ByEnvironment(name):
		return "environment " + VariableOf(name)
	case s.lines[name] > 0:
		return fmt.Sprintf("file %s:%d", s.Path, s.lines[name])
	}
	return "default"
}

// Where returns the place of a setting for an error: "--flag", the variable, or the
// config file with its line.
func (s *Sources) Where(name string) string {
	if s != nil && !s.ByFlag(name) && s.Made(name) {
		_, where, _ := strings.Cut(s.Origin(name), " ")
		return where
	}
	return "--" + name
}

// readSettings sets every flag that is not on the command line from the environment or
// the config file. The flag's own parser reads each value, so that the error of an
// invalid value has the same text for every source.
func (a *App) readSettings(flags *pflag.FlagSet) (*Sources, error) {
	s := &Sources{flags: flags, environment: map[string]any{}, lines: map[string]int{}}
	flags.VisitAll(func(flag *pflag.Flag) {
		// As for the credentials, an empty variable counts as not set.
		if _, ok := flag.Annotations[configurable]; ok && a.Env(VariableOf(flag.Name)) != "" {
			s.environment[flag.Name] = a.Env(VariableOf(flag.Name))
		}
	})
	file, err := a.readConfig(s)
	if err != nil {
		return nil, err
	}
	values := viper.New()
	// Viper would read the environment of the process. A run has its own environment, so it
	// is merged over the file instead.
	if err := errors.Join(values.MergeConfigMap(file), values.MergeConfigMap(s.environment), values.BindPFlags(flags)); err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	var wrong []error
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Changed || !values.InConfig(flag.Name) {
			return
		}
		if err := flag.Value.Set(values.GetString(flag.Name)); err != nil {
			wrong = append(wrong, BadSetting(s.Where(flag.Name), fmt.Errorf("invalid value for %s: %w", flag.Name, plainly(err))))
		}
	})
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return s, nil
}

// maxConfig is far above the size of all settings.
const maxConfig = 1 << 20

// readConfig reads the config file, which may be missing unless a setting names it.
func (a *App) readConfig(s *Sources) (map[string]any, error) {
	named := a.Settings.config
	if named == "" {
		named, _ = s.environment["config"].(string)
	}
	s.Path = a.Absolute(named)
	if folder := a.configFolder(); named == "" && folder != "" {
		s.Path = filepath.Join(folder, "config.yaml")
	}
	if s.Path == "" {
		return nil, nil
	}
	text, err := a.ReadText(s.Path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) && named == "" {
		return nil, nil
	}
	if err != nil {
		return nil, BadInput(fmt.Errorf("config file %w", err))
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, s.yamlProblem(err)
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	return s.parse(document.Content[0], a.AllSettings())
}

// parse reads the settings of a config file: YAML (and so JSON) with one level of keys,
// named like the flags.
func (s *Sources) parse(root *yaml.Node, flags *pflag.FlagSet) (map[string]any, error) {
	if root.Kind != yaml.MappingNode {
		return nil, s.problem(root.Line, "a config file holds lines like \"listen: 127.0.0.1:7420\"")
	}
	var known []string
	EachSetting(flags, func(flag *pflag.Flag) { known = append(known, flag.Name) })
	values := map[string]any{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		if !slices.Contains(known, key.Value) {
			hint := "\"playctl config show\" lists all"
			if near := suggest.Nearest(key.Value, known); near != "" {
				hint = fmt.Sprintf("did you mean %q? %s", near, hint)
			}
			return nil, Hintf(s.problem(key.Line, fmt.Sprintf("there is no setting called %q", key.Value)), "%s", hint)
		}
		if first := s.lines[key.Value]; first > 0 {
			return nil, s.problem(key.Line, fmt.Sprintf("%s is already set, in line %d", key.Value, first))
		}
		text, ok := settingText(root.Content[i+1])
		if !ok {
			return nil, s.problem(root.Content[i+1].Line, key.Value+" needs a simple value or a list of simple values")
		}
		values[key.Value], s.lines[key.Value] = text, key.Line
	}
	return values, nil
}

// settingText returns a value in the form of the command line; a list is joined by
// commas.
func settingText(node *yaml.Node) (text string, ok bool) {
	if node.Kind == yaml.ScalarNode {
		return node.Value, node.Tag != "!!null"
	}
	parts := make([]string, len(node.Content))
	for i, part := range node.Content {
		if part.Kind != yaml.ScalarNode || strings.ContainsAny(part.Value, ",\"\n") {
			return "", false
		}
		parts[i] = part.Value
	}
	return strings.Join(parts, ","), node.Kind == yaml.SequenceNode
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
})

// yamlProblem adds the line to an error of the YAML reader.
func (s *Sources) yamlProblem(err error) error {
	text, line := err.Error(), 0
	if found := yamlLine().FindStringSubmatch(text); found != nil {
		// The text is digits or empty; a number out of range counts as no line.
		line, _ = strconv.Atoi(found[1])
		text = text[len(found[0]):]
	}
	return s.problem(line, "not valid YAML: "+text)
}

func (s *Sources) problem(line int, problem string) error {
	where := "config file " + s.Path
	if line > 0 {
		where += ":" + strconv.Itoa(line)
	}
	return BadSetting(where, errors.New(problem))
}
