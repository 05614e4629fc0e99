package aql

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// recordingHost is a host that records the credentials of requests, and refuses all of them.
type recordingHost struct {
	*httptest.Server
	shown []string
}

func newRecordingHost(t *testing.T) *recordingHost {
	t.Helper()
	host := &recordingHost{}
	host.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{protocol.HeaderNodeID, protocol.HeaderNodePassw, protocol.HeaderAPIKey, protocol.HeaderRegistrationToken} {
			if value := r.Header.Get(name); value != "" {
				host.shown = append(host.shown, name)
			}
		}
		http.Error(w, "{}", http.StatusUnauthorized)
	}))
	t.Cleanup(host.Close)
	return host
}

// A program may name the host of its author. If it runs where the environment has a main
// node for another host, as in CI, it must not send those credentials there.
func TestAQLSendsCredentialsToTheirHostOnly(t *testing.T) {
	t.Parallel()
	mine, other := newRecordingHost(t), newRecordingHost(t)
	environment := map[string]string{
		"PLAYCTL_SERVER": mine.URL, command.EnvNodeID: strings.Repeat("a", 64), command.EnvPasswHash: strings.Repeat("b", 64),
		command.EnvAPIKey: "a-key", command.EnvRegistrationToken: "a-token",
	}
	tell := func(statement string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.aql"), []byte(statement), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, messages bytes.Buffer
		code := command.Run(t.Context(), &command.Program{
			Name: "playctl", Args: []string{"aql", "p.aql"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &messages,
			LookupEnv: func(name string) (string, bool) { value, ok := environment[name]; return value, ok },
			Home:      dir, Dir: dir, Now: time.Now, Zone: time.UTC,
		}, func(a *command.App) *cobra.Command {
			root := command.NewRoot(a)
			root.AddCommand(Commands(a)...)
			return root
		})
		if code == command.ExitDone {
			t.Errorf("%s was accepted: %s", statement, &messages)
		}
	}
	tell(`CONNECT "` + other.URL + `"`)
	tell(`CONNECT "` + other.URL + `/"`)
	if len(other.shown) > 0 {
		t.Errorf("another host got %v", other.shown)
	}
	tell("CONNECT")
	tell(`CONNECT "` + mine.URL + `"`)
	if want := 6; len(mine.shown) != want { // The registration token is for registrations only.
		t.Errorf("the run's own host got %v", mine.shown)
	}
}

// The token of the run is not sent to another host either, neither by the search for an
// agent nor by completion.
func TestAQLSearchesAgentsAtConnectedHost(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	mine := newRecordingHost(t)
	h.env["PLAYCTL_SERVER"], h.env[command.EnvRegistrationToken] = mine.URL, "a-token"
	h.session(t, func(s *session) {
		if err := run(t, s, `CONNECT CONTEXT "home"`); err != nil {
			t.Fatal(err)
		}
		if err := run(t, s, `USE AGENT NODE "Bo"`); !errors.Is(err, command.ErrNoAgent) {
			t.Errorf("Bo is another account's: %v", err)
		}
		p := &prompt{session: s, ctx: t.Context()}
		if names := p.names(command.Agents(command.SeekOwn))(); !slices.Equal(names, []string{"Ada"}) {
			t.Errorf("Tab offers %q", names)
		}
	})
	expect(t, "calls", strings.Join(h.requests, "\n"), `
main session
main agents
main getWorldSnapshot
main agents`)
	if len(h.tokens)+len(mine.shown) > 0 {
		t.Errorf("the other host got %q, the default host %q", h.tokens, mine.shown)
	}
}

// lineAfterKeys returns the line from the prompt's editor for some keys, with a history.
func lineAfterKeys(t *testing.T, pressed string, lines ...string) string {
	t.Helper()
	var echoed bytes.Buffer
	input := &keys{history: &history{lines: lines}, ReadWriter: struct {
		io.Reader
		io.Writer
	}{strings.NewReader(pressed), &echoed}}
	input.editor = term.NewTerminal(input, plainPrompt)
	input.editor.History = input.history
	line, err := input.editor.ReadLine()
	if err != nil {
		t.Fatal(err)
	}
	return line
}

// Ctrl-C clears the current line, wherever the cursor is.
func TestCtrlCClearsLine(t *testing.T) {
	t.Parallel()
	if line := lineAfterKeys(t, "SEND \"no\"\x1b[D\x1b[D\x03SHOW 1\r"); line != "SHOW 1" {
		t.Errorf("the line is %q", line)
	}
}

// Ctrl-R finds the newest line that contains the typed text; a second Ctrl-R finds the
// one before it.
func TestCtrlRSearchesHistory(t *testing.T) {
	t.Parallel()
	lines := []string{"SHOW 1", "FETCH OCCUPANTS", `SHOW "Müller"`, "SHOW 22", "SHOW 22", "HELP"}
	for pressed, want := range map[string]string{
		"\x12show\r":                     "SHOW 22",
		"\x12show\x12\r":                 `SHOW "Müller"`,
		"\x12show\x12\x12\x12\x12\r":     "SHOW 1", // there is none before the first
		"\x12fetch\x7f\x7f\x7f\x7fe\r":   "FETCH OCCUPANTS",
		"\x12mü\x7fü\r":                  `SHOW "Müller"`,
		"typed\x12occ\x1b[D\x1b[D\x7f\r": "FETCH OCCUPATS", // a key that moves the cursor ends the search, for editing
		"\x12show\x03FETCH\r":            "FETCH",
		"\x12no such line\r":             "",
	} {
		if got := lineAfterKeys(t, pressed, lines...); got != want {
			t.Errorf("%q gives %q, want %q", pressed, got, want)
		}
	}
}
