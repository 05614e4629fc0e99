//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

// pretender is a server that answers as a host and records what it gets.
type pretender struct {
	*httptest.Server
	rootKey string
	hides   bool // a root key is shown only in exchange for a registration token

	mu  sync.Mutex
	got bytes.Buffer
}

func newPretender(t *testing.T, rootKey string, hides bool) *pretender {
	t.Helper()
	p := &pretender{rootKey: rootKey, hides: hides}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// ServeHTTP implements http.Handler.
func (p *pretender) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	fmt.Fprintf(&p.got, "%s %s %v %s\n", r.Method, r.URL, r.Header, body)
	p.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == protocol.ServicePlay.Bootstrap() && (!p.hides || r.Header.Get(protocol.HeaderRegistrationToken) != ""):
		_, _ = fmt.Fprintf(w, `{"rootKey":%q,"registration":"token"}`, p.rootKey)
	case r.URL.Path == protocol.PathValidateNode:
		_, _ = fmt.Fprint(w, `{"ok":true,"nodeKind":"main"}`)
	default:
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprint(w, `{"error":"credentials are required","code":"credentials_missing"}`)
	}
}

// requests returns what the pretender got.
func (p *pretender) requests() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got.String()
}

// oneLine returns a text without its line breaks.
func oneLine(shown string) string { return strings.Join(strings.Fields(shown), " ") }

const examplePhrase = "vast busy north sick excess river best story cram toward"

const invitedToken = "pt_a-token-that-only-its-host-may-get"

// invitationTo writes an invitation to a file in the home folder.
func (p *person) invitationTo(server, rootKey string) {
	p.t.Helper()
	text, err := creds.Invitation{ServerURL: server, RootKey: rootKey, Token: protocol.NewSecret(invitedToken)}.Text()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.home, "invitation.txt"), []byte(text.Reveal()), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// The token of an invitation goes to no host that has another root key, nor to one that
// hides its root key, unless a person agrees.
func TestLoginSendsTokenOnlyToInviter(t *testing.T) {
	t.Parallel()
	ours, theirs := strings.Repeat("a", 64), strings.Repeat("b", 64)
	p := newPerson(t)
	other := newPretender(t, theirs, false)
	p.invitationTo(other.URL, ours)
	shown := p.start("login", "--invite-file", "invitation.txt").waitExit(command.ExitUnverified)
	if got := other.requests(); strings.Contains(got, invitedToken) || !strings.Contains(got, "X-Invitation-Digest") {
		t.Errorf("a host with another root key got\n%s", got)
	}
	if !strings.Contains(oneLine(shown), "it got no secret") {
		t.Errorf("login shows\n%s", shown)
	}

	hiding := newPretender(t, ours, true)
	p.invitationTo(hiding.URL, ours)
	shown = p.start("login", "--invite-file", "invitation.txt", "--no-input").waitExit(command.ExitUsage)
	if shown = oneLine(shown); !strings.Contains(shown, "the token was not sent") || !strings.Contains(shown, "--fingerprint HEX") {
		t.Errorf("login shows\n%s", shown)
	}
	login := p.start("login", "--invite-file", "invitation.txt")
	login.expect("[y/N]")
	login.press("n\r")
	if shown := oneLine(login.waitExit(command.ExitFailed)); !strings.Contains(shown, "Send the token to "+hiding.URL+"?") {
		t.Errorf("login shows\n%s", shown)
	}
	if got := hiding.requests(); strings.Contains(got, invitedToken) {
		t.Errorf("without consent the host got\n%s", got)
	}
	login = p.start("login", "--invite-file", "invitation.txt")
	login.expect("[y/N]")
	login.press("y\r")
	login.waitExit(command.ExitUnauthorized) // It registers nobody.
	if got := hiding.requests(); !strings.Contains(got, invitedToken) {
		t.Errorf("with consent the host got\n%s", got)
	}
}

// The hash of a phrase, which gives a host the account, goes only to a host that the person
// chose: everybody may know the root key of a world.
func TestSignInNamesHost(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("a", 64)
	p := newPerson(t)
	home := newPretender(t, key, false)
	signIn := p.start("login", "--phrase", home.URL)
	signIn.expect("account at " + home.URL + ":")
	signIn.press(examplePhrase + "\r")
	signIn.waitExit(command.ExitUnauthorized) // It creates no API key.
	if !strings.Contains(home.requests(), "X-Node-Passw") {
		t.Error("the host of the account got no hash")
	}

	if err := os.WriteFile(filepath.Join(p.home, "phrase.txt"), []byte(examplePhrase), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start("credentials", "import", "--server", home.URL, "--phrase-from", "phrase.txt").waitExit(command.ExitDone)
	for _, pretends := range []*pretender{newPretender(t, key, false), newPretender(t, key, true)} {
		p.invitationTo(pretends.URL, key)
		asked := p.start("login", "--phrase", "--invite-file", "invitation.txt")
		asked.expect("[y/N]")
		asked.press("n\r")
		if shown := oneLine(asked.waitExit(command.ExitFailed)); !strings.Contains(shown, "It would get access to your account. Sign in at "+pretends.URL+"?") {
			t.Errorf("login shows\n%s", shown)
		}
		for _, args := range [][]string{
			{"login", "--phrase", "--invite-file", "invitation.txt", "--no-input"},
			{"login", "--phrase", pretends.URL, "--no-input", "--root-file", "root"},
			{"credentials", "import", "--context", "new", "--server", pretends.URL, "--phrase-from", "phrase.txt", "--no-input", "--root-file", "root"},
		} {
			if err := os.WriteFile(filepath.Join(p.home, "root"), []byte(key), 0o600); err != nil {
				t.Fatal(err)
			}
			shown := oneLine(p.start(args...).waitExit(command.ExitUsage))
			if !strings.Contains(shown, "has this world at "+home.URL) || !strings.Contains(shown, "context add NAME --server "+pretends.URL) {
				t.Errorf("%v shows\n%s", args, shown)
			}
		}
		if got := pretends.requests(); strings.Contains(got, "X-Node-Passw") {
			t.Errorf("another host got\n%s", got)
		}
	}

	// A host whose root key nobody can compare.
	nowhere := newPerson(t)
	hiding := newPretender(t, key, true)
	nowhere.invitationTo(hiding.URL, key)
	shown := nowhere.start("login", "--phrase", "--invite-file", "invitation.txt", "--no-input").waitExit(command.ExitUsage)
	if !strings.Contains(oneLine(shown), "does not show its root key") {
		t.Errorf("login shows\n%s", shown)
	}
	nowhere.start("context", "add", "chosen", "--server", hiding.URL).waitExit(command.ExitDone)
	chosen := nowhere.start("login", "--phrase", "--invite-file", "invitation.txt", "--context", "chosen")
	chosen.expect("account at " + hiding.URL)
	chosen.press(ctrlC)
	chosen.waitExit(command.ExitInterrupted)
}
