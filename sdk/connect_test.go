package sdk_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/sdk"
	"github.com/playctl/playctl/sdk/playworld"
)

// serveAt serves a world at a loopback address.
func serveAt(t *testing.T, options playworld.Options) (host *playworld.PlayWorld, url string) {
	t.Helper()
	host, err := playworld.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(host.Handler())
	t.Cleanup(func() {
		server.Close()
		if err := host.Close(context.Background()); err != nil {
			t.Errorf("close the host: %v", err)
		}
	})
	return host, server.URL
}

// serveAccount serves a world with an account at a loopback address.
func serveAccount(t *testing.T) (a *account, url string) {
	t.Helper()
	a = newAccount(t, 0)
	server := httptest.NewServer(a.host.Handler())
	t.Cleanup(server.Close)
	return a, server.URL
}

// setEnvironment gives the process an empty home folder and only these playctl variables.
func setEnvironment(t *testing.T, variables map[string]string) (file string) {
	t.Helper()
	home := t.TempDir()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "PLAYCTL_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	for name, value := range variables {
		t.Setenv(name, value)
	}
	return filepath.Join(home, ".config", "playctl", "credentials.json")
}

// collectWarnings collects warnings instead of logging them.
func collectWarnings(warnings *[]string) sdk.ConnectOption {
	return sdk.ConnectWith(sdk.Options{
		Logger: slog.New(slog.DiscardHandler), OnWarning: func(text string) { *warnings = append(*warnings, text) },
	})
}

// connectAgent connects, and puts an agent on the map to check that the account and
// its key are valid.
func connectAgent(t *testing.T, name string, options ...sdk.ConnectOption) *sdk.Agent {
	t.Helper()
	w, err := sdk.Connect(t.Context(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	a, err := w.Agent(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// owner returns the main node of an agent on the map.
func owner(t *testing.T, host *playworld.PlayWorld, a *sdk.Agent) string {
	t.Helper()
	row := agentsOn(t, host)[a.PlayerID()]
	if row == nil {
		t.Fatalf("%s is not on the map", a.PlayerID())
	}
	return row.NodeID
}

func TestConnectReadsEnvironment(t *testing.T) {
	a, url := serveAccount(t)
	host, node, key := a.host, a.main, a.apiKey
	setEnvironment(t, map[string]string{
		"PLAYCTL_SERVER": url, "PLAYCTL_NODE_ID": node.NodeID, "PLAYCTL_PASSW_HASH": node.PasswHash.Reveal(), "PLAYCTL_API_KEY": key.Reveal(),
	})
	if got := owner(t, host, connectAgent(t, "Ada")); got != node.NodeID {
		t.Errorf("the agent's owner is %s", got)
	}
	t.Setenv("PLAYCTL_PASSW_HASH", "")
	if _, err := sdk.Connect(t.Context()); !errors.Is(err, sdk.ErrCredentials) || !strings.Contains(err.Error(), "PLAYCTL_PHRASE") {
		t.Errorf("without a secret: %v", err)
	}
	var refused *protocol.Error
	t.Setenv("PLAYCTL_PHRASE", "not the phrase")
	if _, err := sdk.Connect(t.Context()); !errors.As(err, &refused) || refused.Code != protocol.CodeCredentialsInvalid {
		t.Errorf("with the wrong phrase: %v", err)
	}
}

func TestConnectUsesContextOfCommands(t *testing.T) {
	a, url := serveAccount(t)
	host, node, key := a.host, a.main, a.apiKey
	file := setEnvironment(t, nil)
	var ada *sdk.NodeCredentials
	keep := func(key protocol.Secret) {
		err := creds.NewStore(file).Update(t.Context(), func(f *creds.File) error {
			if kept, err := f.Context("work"); err == nil {
				kept.Main.APIKey = key
				return nil
			}
			kept, err := creds.NewContext("work", url, protocol.ServicePlay, time.Now())
			if err != nil {
				return err
			}
			hash, err := creds.ParsePasswHash(node.PasswHash.Reveal())
			if err != nil {
				return err
			}
			kept.Main = &creds.MainNode{NodeID: node.NodeID, PasswHash: hash, APIKey: key, CreatedAt: time.Now()}
			if err := f.Add(kept); err != nil {
				return err
			}
			// Its own credentials are not those derived from its name.
			if ada, err = preparedNode(1); err != nil {
				return err
			}
			if hash, err = creds.ParsePasswHash(ada.PasswHash.Reveal()); err != nil {
				return err
			}
			return kept.AddAgent(creds.Agent{NodeID: ada.NodeID, Label: "Ada", PasswHash: hash, CreatedAt: time.Now()})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	keep(key)
	for name, options := range map[string][]sdk.ConnectOption{
		"nothing": nil, "the context": {sdk.InContext("work")}, "the server": {sdk.ConnectWith(sdk.Options{BaseURL: url + "/"})}, "the file": {sdk.FromCredentialsFile(file)},
	} {
		a := connectAgent(t, "Ada", options...)
		if a.PlayerID() != ada.NodeID || owner(t, host, a) != node.NodeID {
			t.Errorf("with %s: the agent is %s", name, a.PlayerID())
		}
		if err := a.Disconnect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	// A program continues with the key that replaced its own.
	w, err := sdk.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close(context.Background()) }()
	other, err := w.CreateAPIKey(t.Context(), "other", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.RevokeAPIKey(t.Context(), protocol.DefaultKeyName); err != nil {
		t.Fatal(err)
	}
	keep(other)
	if _, err := w.Agent(t.Context(), "Bo"); err != nil {
		t.Errorf("after the key was replaced: %v", err)
	}

	if _, err := sdk.Connect(t.Context(), sdk.InContext("home")); !errors.Is(err, creds.ErrContextUnknown) {
		t.Errorf("an unknown context: %v", err)
	}
	// Credentials kept for one server are not sent to another.
	_, closed := serveAt(t, playworld.Options{Registration: protocol.RegistrationClosed})
	t.Setenv("PLAYCTL_SERVER", closed)
	if _, err := sdk.Connect(t.Context()); !errors.Is(err, sdk.ErrNoAccount) || !strings.Contains(err.Error(), "create-main-node") {
		t.Errorf("at another server: %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := sdk.Connect(t.Context()); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
}

// If there are contexts but none is current, no account is created and no host is
// called.
func TestConnectWithoutCurrentContextListsContexts(t *testing.T) {
	file := setEnvironment(t, nil)
	err := creds.NewStore(file).Update(t.Context(), func(f *creds.File) error {
		for _, name := range []string{"home", "work", "old"} {
			kept, err := creds.NewContext(name, "http://127.0.0.1:1", protocol.ServicePlay, time.Now())
			if err != nil {
				return err
			}
			if err := f.Add(kept); err != nil {
				return err
			}
		}
		if err := f.Use("old"); err != nil {
			return err
		}
		return f.Remove("old")
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sdk.Connect(t.Context()); !errors.Is(err, creds.ErrNoContext) ||
		!strings.Contains(err.Error(), "home, work") || !strings.Contains(err.Error(), "sdk.InContext") {
		t.Errorf("without a current context: %v", err)
	}
}

func TestConnectCreatesTemporaryAccount(t *testing.T) {
	host, url := serveAt(t, playworld.Options{})
	setEnvironment(t, map[string]string{"PLAYCTL_SERVER": url})
	var warnings []string
	a := connectAgent(t, "Ada", collectWarnings(&warnings))
	if owner(t, host, a) == "" || !strings.Contains(strings.Join(warnings, "\n"), "a temporary account") {
		t.Errorf("warnings: %q", warnings)
	}
}

func TestConnectNeedsNoAccountWithoutCredentialChecks(t *testing.T) {
	host, url := serveAt(t, playworld.Options{NoRepository: true})
	setEnvironment(t, map[string]string{"PLAYCTL_SERVER": url})
	var warnings []string
	a := connectAgent(t, "Ada", collectWarnings(&warnings))
	if agentsOn(t, host)[a.PlayerID()] == nil || len(warnings) > 0 {
		t.Errorf("warnings: %q", warnings)
	}
}

func TestConnectReportsUnreachableHost(t *testing.T) {
	_, url := serveAt(t, playworld.Options{})
	setEnvironment(t, map[string]string{"PLAYCTL_SERVER": strings.Replace(url, "127.0.0.1", "127.0.0.2", 1)})
	if _, err := sdk.Connect(t.Context()); !errors.Is(err, sdk.ErrUnreachable) {
		t.Errorf("%v", err)
	}
	t.Setenv("PLAYCTL_SERVER", "not an address")
	if _, err := sdk.Connect(t.Context()); !errors.Is(err, creds.ErrServerURL) {
		t.Errorf("%v", err)
	}
}

// A machine may have the credentials of agents, and none of their account.
func TestConnectInContextOfAgents(t *testing.T) {
	a := newAccount(t, 2)
	server := httptest.NewServer(a.host.Handler())
	t.Cleanup(server.Close)
	file := setEnvironment(t, nil)
	err := creds.NewStore(file).Update(t.Context(), func(f *creds.File) error {
		kept, err := creds.NewContext("work", server.URL, protocol.ServicePlay, time.Now())
		if err != nil {
			return err
		}
		kept.APIKey = a.apiKey
		for i, label := range []string{"Ada", "Bob"} {
			hash := creds.PasswHash{Secret: a.agents[i].PasswHash}
			if err := kept.AddAgent(creds.Agent{NodeID: a.agents[i].NodeID, Label: label, PasswHash: hash, CreatedAt: time.Now()}); err != nil {
				return err
			}
		}
		return f.Add(kept)
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sdk.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	for i, name := range []string{"Ada", "Bob"} {
		agent, err := w.Agent(t.Context(), name, sdk.Chat(func(_ context.Context, text string) (string, error) { return name + " heard " + text, nil }))
		if err != nil {
			t.Fatal(err)
		}
		if agent.PlayerID() != a.agents[i].NodeID || owner(t, a.host, agent) != a.main.NodeID {
			t.Errorf("%s is %s", name, agent.PlayerID())
		}
		answer, err := w.Ask(t.Context(), sdk.IntercomQuestion{To: agent.PlayerID(), Text: "you"})
		if err != nil || answer.Message != name+" heard you" {
			t.Errorf("%s answers %+v, %v", name, answer, err)
		}
	}
	if _, err := w.Agent(t.Context(), "Eve"); !errors.Is(err, sdk.ErrCredentials) {
		t.Errorf("an agent without credentials: %v", err)
	}
}
