package host

import (
	"errors"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
)

// openRootKey finds the world's root key, and makes one at the first start. A world
// that ends with its host does without a file for it where there can be none.
func openRootKey(a *command.App, s *serveSettings, into *served) (err error) {
	into.root, err = a.Surroundings().FindRootFile(s.rootFile)
	if !errors.Is(err, creds.ErrNoRootFile) {
		return err
	}
	err = keepRootKey(a, into, creds.GenerateRootKey())
	if s.ephemeral || into.temporary != "" {
		withoutRootFile(a, err)
		return nil
	}
	return command.Hintf(err, "make one where you may write, with \"playctl create-root-key --root-file FILE\", and start with --root-file FILE")
}

// keepRootKey gives a host a root key, and keeps it in this user's own file, where
// commands look for it.
func keepRootKey(a *command.App, into *served, key string) error {
	into.root = creds.RootFile{Key: key}
	path, err := a.Surroundings().DefaultRootFile()
	if err == nil {
		err = creds.WriteRootFile(path, key, false)
	}
	if err == nil {
		into.root.Path, into.root.Source, into.rootMade = path, "~/.playctl/root", true
	}
	return err
}

// withoutRootFile warns of a root key that could not be kept. The host can do
// without: a container may have no place for it.
func withoutRootFile(a *command.App, err error) {
	if err != nil {
		a.Warn("the world's root key is in no file here: "+err.Error(), "commands that make nodes need one; the host does not")
	}
}
