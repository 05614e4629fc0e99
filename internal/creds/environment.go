package creds

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Names of the environment variables that this package reads.
const (
	// EnvRootFile names a root key file.
	EnvRootFile = "PLAYCTL_ROOT_FILE"
	// EnvCredentialsFile names the credentials file.
	EnvCredentialsFile = "PLAYCTL_CREDENTIALS_FILE"

	envConfigHome = "XDG_CONFIG_HOME"
)

// Environment describes the environment of the process. The caller fills it, so
// that a test can run whole programs in parallel.
type Environment struct {
	// LookupEnv returns the value of an environment variable and whether it is
	// set, as os.LookupEnv does. nil: nothing is set.
	LookupEnv func(name string) (string, bool)
	// Home is the user's home folder, "" if unknown.
	Home string
	// Dir is the working folder to which paths are relative.
	Dir string
}

// ErrNoHome means that there is no home folder, and nothing else names the file.
var ErrNoHome = errors.New("there is no home folder")

// CredentialsPath returns the path of the user's credentials file:
// PLAYCTL_CREDENTIALS_FILE, else playctl/credentials.json in XDG_CONFIG_HOME, else
// the same in .config of the home folder. As the XDG base directory specification
// requires, a relative XDG_CONFIG_HOME is ignored.
func (e Environment) CredentialsPath() (string, error) {
	if path := e.lookup(EnvCredentialsFile); path != "" {
		return e.absolute(path), nil
	}
	if config := e.lookup(envConfigHome); filepath.IsAbs(config) {
		return filepath.Join(config, "playctl", "credentials.json"), nil
	}
	if e.Home == "" {
		return "", fmt.Errorf("%w for the credentials file: set one with %s", ErrNoHome, EnvCredentialsFile)
	}
	return filepath.Join(e.Home, ".config", "playctl", "credentials.json"), nil
}

// lookup returns a variable's value; an empty one counts as not set.
func (e Environment) lookup(name string) string {
	if e.LookupEnv == nil {
		return ""
	}
	value, _ := e.LookupEnv(name)
	return value
}

func (e Environment) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Dir, path)
}
