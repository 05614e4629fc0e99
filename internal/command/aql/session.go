package aql

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/playctl/playctl/internal/aql"
	"github.com/playctl/playctl/internal/client"
	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// aqlSession is what an AQL program touches beside the world.
type aqlSession struct {
	*command.App
	flags *aqlFlags
	// collects says that results are kept for one document at the end.
	collects bool
	items    []aqlItem
	// who is whom the connection is made as; nil before there is one.
	who *command.Caller
}

func newAQLSession(a *command.App, flags *aqlFlags) *aqlSession {
	return &aqlSession{App: a, flags: flags, collects: true, items: []aqlItem{}}
}

// aqlConnection is a connection that a program made.
type aqlConnection struct {
	who    *command.Caller
	client *client.Client
}

// Every client of a host can be what a program calls with.
var _ aql.Caller = (*client.Client)(nil)

// Connect implements aql.Environment.
func (s *aqlSession) Connect(_ context.Context, target aql.Target) (aql.Connection, error) {
	as, err := aimed(s.App, target)
	if err != nil {
		return nil, err
	}
	who, err := as.Caller()
	if err != nil {
		return nil, err
	}
	c, err := as.Client(who, who.Main)
	if err != nil {
		return nil, err
	}
	s.who = who
	return &aqlConnection{who: who, client: c}, nil
}

// aimed is the run as it would be for another target. A program that names
// another host gets the credentials of a context for that host, never those
// that the environment holds for this run's own.
func aimed(a *command.App, target aql.Target) (*command.App, error) {
	if target == (aql.Target{}) {
		return a, nil
	}
	other := *a
	surroundings := *a.Program
	other.Program = &surroundings
	if target.Context != "" {
		other.Settings.Context, other.Settings.Server = target.Context, ""
	} else {
		server, err := creds.ParseServerURL(target.Server)
		if err != nil {
			return nil, err
		}
		own, err := a.Caller()
		if err == nil && own.Server == server {
			return a, nil
		}
		other.Settings.Context, other.Settings.Server = "", server
	}
	surroundings.LookupEnv = func(name string) (string, bool) {
		switch name {
		case command.EnvNodeID, command.EnvPhrase, command.EnvPasswHash, command.EnvAPIKey, command.EnvRegistrationToken:
			return "", false
		}
		return a.LookupEnv(name)
	}
	return &other, nil
}

// Server implements aql.Connection.
func (c *aqlConnection) Server() string { return c.client.BaseURL() }

// Context implements aql.Connection.
func (c *aqlConnection) Context() string { return c.who.ContextName() }

// Main implements aql.Connection.
func (c *aqlConnection) Main() aql.Caller { return c.client }

// As implements aql.Connection.
func (c *aqlConnection) As(nodeID string, phrase protocol.Secret) (aql.Caller, error) {
	if !protocol.ValidHex64(nodeID) {
		return nil, errors.New("it has no node of its own that a passphrase could be for")
	}
	return c.client.As(client.Credentials{NodeID: nodeID, Hash: creds.HashPhrase(phrase.Reveal())}), nil
}

// Agent implements aql.Connection.
func (c *aqlConnection) Agent(ref string) (aql.Agent, error) {
	found, err := c.who.Agent(ref)
	if err != nil {
		return aql.Agent{}, err
	}
	return aql.Agent{ID: found.ID, Name: found.Name(), Caller: c.client.As(found.Node), Owned: !found.Own}, nil
}

// Close implements aql.Connection.
func (c *aqlConnection) Close() { c.client.Close() }

// Variable implements aql.Environment.
func (s *aqlSession) Variable(name string) protocol.Secret { return protocol.NewSecret(s.Env(name)) }

// File implements aql.Environment. Line breaks at the end are not part of the
// secret.
func (s *aqlSession) File(path string) (protocol.Secret, error) {
	text, err := s.ReadInput(path, command.MaxSecret)
	if err != nil {
		return protocol.Secret{}, err
	}
	return protocol.NewSecret(strings.TrimRight(string(text), "\r\n")), nil
}

// Ask implements aql.Environment.
func (s *aqlSession) Ask(ctx context.Context, question string) (protocol.Secret, error) {
	answer, err := s.App.Ask(ctx, question, true)
	if err != nil {
		return protocol.Secret{}, err
	}
	return protocol.NewSecret(answer), nil
}

// phrasePath is the file for the phrase of a new space; "" where a person sees
// it. A host chose the id, so it is never taken as a path.
func (s *aqlSession) phrasePath(spaceID, path string) (string, error) {
	switch {
	case path != "":
		return s.Absolute(path), nil
	case s.flags.showPhrase || s.PhraseIsSeen():
		return "", nil
	}
	folder := s.StateFolder()
	if folder == "" {
		return "", command.Hintf(errors.New("there is no terminal to show the phrase at, and no home folder to save it in"),
			"add KEYFILE \"path\" to the statement")
	}
	name := spaceID
	if strings.Trim(strings.ToLower(name), "0123456789abcdefghijklmnopqrstuvwxyz-") != "" || name == "" {
		sum := sha256.Sum256([]byte(spaceID))
		name = hex.EncodeToString(sum[:16])
	}
	return filepath.Join(folder, "spaces", name+".phrase"), nil
}

// CanSave implements aql.Environment.
func (s *aqlSession) CanSave(path string) error {
	full, err := s.phrasePath("", path)
	if err != nil || path == "" {
		return err
	}
	if _, err := os.Lstat(full); err == nil {
		return command.Hintf(fmt.Errorf("%s: there is a file already, and a phrase is never written over one", path), "name another file")
	}
	if info, err := os.Stat(filepath.Dir(full)); err != nil || !info.IsDir() {
		return command.Hintf(fmt.Errorf("%s: there is no folder for it", path), "make the folder first")
	}
	return nil
}

// Save implements aql.Environment.
func (s *aqlSession) Save(spaceID, path string, phrase protocol.Secret) (string, error) {
	full, err := s.phrasePath(spaceID, path)
	if err != nil || full == "" {
		return "", err
	}
	if path == "" {
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return "", err
		}
	}
	err = creds.WriteSecretFile(full, []byte(phrase.Reveal()+"\n"), false)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s: there is a file already", full)
	}
	return full, err
}
