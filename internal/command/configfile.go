package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/playctl/playctl/internal/suggest"
)

// configEntry is one setting of a config file.
type configEntry struct {
	// value is what the flag of that name is set to; a list is joined by commas.
	value string
	// line is where it is written, from 1.
	line int
}

// parseConfig reads a config file: YAML (and so JSON) with one level of keys,
// named as the flags are. Errors name the path and the line.
func parseConfig(path string, text []byte) (map[string]configEntry, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, yamlProblem(path, err)
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, configProblem(path, root.Line, "a config file holds lines like \"listen: 127.0.0.1:7420\"")
	}
	entries := map[string]configEntry{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, node := root.Content[i], root.Content[i+1]
		if first, twice := entries[key.Value]; twice {
			return nil, configProblem(path, key.Line, fmt.Sprintf("%s is there already, in line %d", key.Value, first.line))
		}
		value, err := settingText(path, key.Value, node)
		if err != nil {
			return nil, err
		}
		entries[key.Value] = configEntry{value: value, line: key.Line}
	}
	return entries, nil
}

// settingText is a value as it would stand on the command line.
func settingText(path, key string, node *yaml.Node) (string, error) {
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag != "!!null":
		return node.Value, nil
	case node.Kind == yaml.SequenceNode:
		parts := make([]string, len(node.Content))
		for i, part := range node.Content {
			if part.Kind != yaml.ScalarNode || strings.ContainsAny(part.Value, ",\"\n") {
				return "", configProblem(path, part.Line, fmt.Sprintf("%s takes a list of simple values", key))
			}
			parts[i] = part.Value
		}
		return strings.Join(parts, ","), nil
	}
	return "", configProblem(path, node.Line, fmt.Sprintf("%s needs a simple value or a list", key))
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlProblem words an error of the YAML reader with its line.
func yamlProblem(path string, err error) error {
	text, line := err.Error(), 0
	if found := yamlLine.FindStringSubmatch(text); found != nil {
		text = text[len(found[0]):]
		if found[1] != "" {
			// It is made of digits; one that does not fit is no line.
			line, _ = strconv.Atoi(found[1])
		}
	}
	return configProblem(path, line, "it is not valid YAML: "+text)
}

func configProblem(path string, line int, problem string) error {
	where := "config file " + path
	if line > 0 {
		where = fmt.Sprintf("%s:%d", where, line)
	}
	return &SettingError{where, errors.New(problem)}
}

// SettingNames are the names that a config file may hold, sorted.
func (a *App) SettingNames() []string {
	var keys []string
	a.AllSettings().VisitAll(func(flag *pflag.Flag) {
		if Has(flag, InConfigFile) {
			keys = append(keys, flag.Name)
		}
	})
	slices.Sort(keys)
	return keys
}

// AllSettings are the flags of every command that can be set elsewhere, with
// their defaults.
func (a *App) AllSettings() *pflag.FlagSet {
	flags := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	new(settings).register(flags)
	if a.HostFlags != nil {
		a.HostFlags(flags)
	}
	return flags
}

func unknownKey(path, name string, line int, known []string) error {
	problem := configProblem(path, line, fmt.Sprintf("there is no setting called %q", name))
	if near := suggest.Nearest(name, known); near != "" {
		return Hintf(problem, "did you mean %q? \"playctl config show\" lists all", near)
	}
	return Hintf(problem, "\"playctl config show\" lists all")
}

// maxConfig is far above all settings that there are.
const maxConfig = 1 << 20

// readConfigFile reads a config file, which may be anything that has a name.
func readConfigFile(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // G304: the user names the path
	if err != nil {
		return nil, fmt.Errorf("open it: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("it is larger than %d bytes", maxConfig)
	}
	return text, err
}
