package creds

import (
	"fmt"
	"path/filepath"
)

// Names of the environment variables that this package looks at.
const (
	// EnvRootFile names a root key file.
	EnvRootFile = "PLAYCTL_ROOT_FILE"
	// EnvCredentialsFile names the credentials file.
	EnvCredentialsFile = "PLAYCTL_CREDENTIALS_FILE"

	envConfigHome = "XDG_CONFIG_HOME"
)

// Environment is what the package needs to know of the process it runs in. The
// caller fills it, so that a test can run a whole program beside others.
type Environment struct {
	// LookupEnv returns the value of an environment variable and whether it is
	// set, as os.LookupEnv does. nil: nothing is set.
	LookupEnv func(name string) (string, bool)
	// Home is the user's home folder, "" if unknown.
	Home string
	// Dir is the working folder that relative paths start from.
	Dir string
}

// CredentialsPath returns where the user's credentials file is:
// PLAYCTL_CREDENTIALS_FILE, else playctl/credentials.json in XDG_CONFIG_HOME,
// else the same in .config of the home folder. As the XDG base directory
// specification asks, a relative XDG_CONFIG_HOME is ignored.
func (e Environment) CredentialsPath() (string, error) {
	if path := e.lookup(EnvCredentialsFile); path != "" {
		return e.absolute(path), nil
	}
	if config := e.lookup(envConfigHome); filepath.IsAbs(config) {
		return filepath.Join(config, "playctl", "credentials.json"), nil
	}
	if e.Home == "" {
		return "", fmt.Errorf("there is no home folder to keep the credentials file in: name one with %s", EnvCredentialsFile)
	}
	return filepath.Join(e.Home, ".config", "playctl", "credentials.json"), nil
}

// lookup returns a variable's value; one that is set to nothing counts as not
// set.
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
