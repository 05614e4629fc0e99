package main

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

// settingError is a setting whose value does not do, with where it was made.
type settingError struct {
	where string
	err   error
}

func (e *settingError) Error() string { return e.where + ": " + e.err.Error() }
func (e *settingError) Unwrap() error { return e.err }

// layers is where the settings of a run came from. A flag wins over the
// environment, that over the config file, that over the default.
type layers struct {
	// path is the config file, which need not exist.
	path string
	// origins say for each setting that was made where: "flag", "environment
	// PLAYCTL_…" or the config file with its line.
	origins map[string]string
}

// origin tells where the value of a flag came from.
func (l *layers) origin(flag *pflag.Flag) string {
	if where, ok := l.origins[flag.Name]; ok {
		return where
	}
	return "default"
}

// where tells a person where a setting was made: "--flag", the variable, or the
// config file with its line.
func (l *layers) where(flag string) string {
	if l == nil || l.origins[flag] == "" || l.origins[flag] == "flag" {
		return "--" + flag
	}
	origin := l.origins[flag]
	return strings.TrimPrefix(strings.TrimPrefix(origin, "environment "), "file ")
}

// variableOf is the environment variable that sets a flag.
func variableOf(flag string) string {
	return "PLAYCTL_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// loadLayers gives every flag that the command line left alone its value from
// the environment or the config file.
func (a *app) loadLayers(flags *pflag.FlagSet) (*layers, error) {
	result := &layers{origins: map[string]string{}}
	environment := map[string]any{}
	flags.VisitAll(func(flag *pflag.Flag) {
		// As for the credentials, a variable that is set to nothing is not set.
		if value := a.env(variableOf(flag.Name)); has(flag, inEnvironment) && value != "" {
			environment[flag.Name] = value
			result.origins[flag.Name] = "environment " + variableOf(flag.Name)
		}
	})
	path, named := a.configPath(environment)
	result.path = path
	file, err := a.readConfig(path, named)
	if err != nil {
		return nil, err
	}
	values := viper.New()
	fromFile := map[string]any{}
	for name, entry := range file {
		fromFile[name] = entry.value
		if _, set := environment[name]; !set {
			result.origins[name] = fmt.Sprintf("file %s:%d", path, entry.line)
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
func (l *layers) apply(flags *pflag.FlagSet, values *viper.Viper) error {
	var wrong []error
	flags.VisitAll(func(flag *pflag.Flag) {
		switch {
		case flag.Changed:
			l.origins[flag.Name] = "flag"
		case values.InConfig(flag.Name):
			if err := flag.Value.Set(values.GetString(flag.Name)); err != nil {
				where := l.where(flag.Name)
				wrong = append(wrong, &settingError{where, fmt.Errorf("the value for %s does not do: %w", flag.Name, err)})
			}
		}
	})
	return errors.Join(wrong...)
}

// configPath is the config file and whether somebody named it.
func (a *app) configPath(environment map[string]any) (path string, named bool) {
	if a.settings.config != "" {
		return a.absolute(a.settings.config), true
	}
	if name, ok := environment["config"].(string); ok {
		return a.absolute(name), true
	}
	folder := a.configFolder()
	if folder == "" {
		return "", false
	}
	return filepath.Join(folder, "config.yaml"), false
}

// configFolder is playctl's folder for settings, "" without a home folder.
func (a *app) configFolder() string {
	return a.userFolder("XDG_CONFIG_HOME", "APPDATA", ".config")
}

// stateFolder is playctl's folder for data that a host keeps, "" without a home
// folder.
func (a *app) stateFolder() string {
	return a.userFolder("XDG_STATE_HOME", "LOCALAPPDATA", filepath.Join(".local", "state"))
}

// userFolder follows the XDG base directory specification, by which a relative
// path in the variable is ignored; on Windows its own variable counts as well.
func (a *app) userFolder(variable, windows, below string) string {
	if folder := a.env(variable); filepath.IsAbs(folder) {
		return filepath.Join(folder, "playctl")
	}
	if folder := a.env(windows); runtime.GOOS == "windows" && filepath.IsAbs(folder) {
		return filepath.Join(folder, "playctl")
	}
	if a.Home == "" {
		return ""
	}
	return filepath.Join(a.Home, below, "playctl")
}

// readConfig reads the config file; a file that nobody named need not be there.
func (a *app) readConfig(path string, named bool) (map[string]configEntry, error) {
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
		return nil, &settingError{"config file " + path, fmt.Errorf("it cannot be read: %w", err)}
	}
	entries, err := parseConfig(path, text)
	if err != nil {
		return nil, err
	}
	known := a.configKeys()
	for name, entry := range entries {
		if !slices.Contains(known, name) {
			return nil, unknownKey(path, name, entry.line, known)
		}
	}
	return entries, nil
}
