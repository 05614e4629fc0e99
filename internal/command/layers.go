package command

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"
)

// SettingError is a setting whose value does not do, with where it was made.
type SettingError struct {
	where string
	err   error
}

func (e *SettingError) Error() string { return e.where + ": " + e.err.Error() }

func (e *SettingError) Unwrap() error { return e.err }

// BadSetting makes a SettingError.
func BadSetting(where string, err error) error { return &SettingError{where, err} }

// Layers is where the settings of a run came from. A flag wins over the
// environment, that over the config file, that over the default.
type Layers struct {
	// Path is the config file, which need not exist.
	Path string
	// Origins say for each setting that was made where: "flag", "environment
	// PLAYCTL_…" or the config file with its line.
	Origins map[string]string
}

// Origin tells where the value of a flag came from.
func (l *Layers) Origin(flag *pflag.Flag) string {
	if where, ok := l.Origins[flag.Name]; ok {
		return where
	}
	return "default"
}

// Where tells a person where a setting was made: "--flag", the variable, or the
// config file with its line.
func (l *Layers) Where(flag string) string {
	if l == nil || l.Origins[flag] == "" || l.Origins[flag] == "flag" {
		return "--" + flag
	}
	origin := l.Origins[flag]
	return strings.TrimPrefix(strings.TrimPrefix(origin, "environment "), "file ")
}

// VariableOf is the environment variable that sets a flag.
func VariableOf(flag string) string {
	return "PLAYCTL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// loadLayers gives every flag that the command line left alone its value from
// the environment or the config file.
func (a *App) loadLayers(flags *pflag.FlagSet) (*Layers, error) {
	result := &Layers{Origins: map[string]string{}}
	environment := map[string]any{}
	flags.VisitAll(func(flag *pflag.Flag) {
		// As for the credentials, a variable that is set to nothing is not set.
		if value := a.Env(VariableOf(flag.Name)); Has(flag, inEnvironment) && value != "" {
			environment[flag.Name] = value
			result.Origins[flag.Name] = "environment " + VariableOf(flag.Name)
		}
	})
	path, named := a.configPath(environment)
	result.Path = path
	file, err := a.readConfig(path, named)
	if err != nil {
		return nil, err
	}
	values := viper.New()
	fromFile := map[string]any{}
	for name, entry := range file {
		fromFile[name] = entry.value
		if _, set := environment[name]; !set {
			result.Origins[name] = fmt.Sprintf("file %s:%d", path, entry.line)
		}
	}
	if err := errors.Join(values.MergeConfigMap(fromFile), values.MergeConfigMap(environment), values.BindPFlags(flags)); err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	if err := result.apply(flags, values); err != nil {
		return nil, err
	}
	return result, nil
}

// apply sets the flags, each through its own parser, so that a wrong value is
// refused in the same words wherever it was written.
func (l *Layers) apply(flags *pflag.FlagSet, values *viper.Viper) error {
	var wrong []error
	flags.VisitAll(func(flag *pflag.Flag) {
		switch {
		case flag.Changed:
			l.Origins[flag.Name] = "flag"
		case values.InConfig(flag.Name):
			if err := flag.Value.Set(values.GetString(flag.Name)); err != nil {
				where := l.Where(flag.Name)
				wrong = append(wrong, &SettingError{where, fmt.Errorf("the value for %s does not do: %w", flag.Name, err)})
			}
		}
	})
	return errors.Join(wrong...)
}

// configPath is the config file and whether somebody named it.
func (a *App) configPath(environment map[string]any) (path string, named bool) {
	if a.Settings.config != "" {
		return a.Absolute(a.Settings.config), true
	}
	if name, ok := environment["config"].(string); ok {
		return a.Absolute(name), true
	}
	folder := a.configFolder()
	if folder == "" {
		return "", false
	}
	return filepath.Join(folder, "config.yaml"), false
}

// configFolder is playctl's folder for settings, "" without a home folder.
func (a *App) configFolder() string {
	return a.userFolder("XDG_CONFIG_HOME", "APPDATA", ".config")
}

// StateFolder is playctl's folder for data that a host keeps, "" without a home
// folder.
func (a *App) StateFolder() string {
	return a.userFolder("XDG_STATE_HOME", "LOCALAPPDATA", filepath.Join(".local", "state"))
}

// userFolder follows the XDG base directory specification, by which a relative
// path in the variable is ignored; on Windows its own variable counts as well.
func (a *App) userFolder(variable, windows, below string) string {
	if folder := a.Env(variable); filepath.IsAbs(folder) {
		return filepath.Join(folder, "playctl")
	}
	if folder := a.Env(windows); runtime.GOOS == "windows" && filepath.IsAbs(folder) {
		return filepath.Join(folder, "playctl")
	}
	if a.Home == "" {
		return ""
	}
	return filepath.Join(a.Home, below, "playctl")
}

// readConfig reads the config file; a file that nobody named need not be there.
func (a *App) readConfig(path string, named bool) (map[string]configEntry, error) {
	if path == "" {
		return nil, nil
	}
	text, err := readConfigFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return nil, nil
	}
	if err != nil {
		if cause, ok := errors.AsType[*fs.PathError](err); ok {
			err = cause.Err
		}
		return nil, &SettingError{"config file " + path, fmt.Errorf("it cannot be read: %w", err)}
	}
	entries, err := parseConfig(path, text)
	if err != nil {
		return nil, err
	}
	known := a.SettingNames()
	for name, entry := range entries {
		if !slices.Contains(known, name) {
			return nil, unknownKey(path, name, entry.line, known)
		}
	}
	return entries, nil
}
