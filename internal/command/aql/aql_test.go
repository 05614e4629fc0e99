package aql

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/protocol"
)

// seenHost is a host that notes what callers show, and takes nobody.
type seenHost struct {
	*httptest.Server
	shown []string
}

func newSeenHost(t *testing.T) *seenHost {
	t.Helper()
	host := &seenHost{}
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

// The story: a program from somewhere else names a host of its author's. Run
// where the environment holds a main node for another host, as in CI, it must not
// carry those credentials there.
func TestAQLTakesCredentialsNowhereElse(t *testing.T) {
	t.Parallel()
	mine, other := newSeenHost(t), newSeenHost(t)
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
			t.Errorf("%s: it was taken: %s", statement, &messages)
		}
	}
	tell(`CONNECT "` + other.URL + `"`)
	tell(`CONNECT "` + other.URL + `/"`)
	if len(other.shown) > 0 {
		t.Errorf("another host was shown %v", other.shown)
	}
	tell("CONNECT")
	tell(`CONNECT "` + mine.URL + `"`)
	if want := 8; len(mine.shown) != want {
		t.Errorf("the run's own host was shown %v", mine.shown)
	}
}

// Ctrl-C clears the line that is being typed, wherever the cursor stands in it.
func TestCtrlCClearsTheLine(t *testing.T) {
	t.Parallel()
	var echoed bytes.Buffer
	keys := clearing{struct {
		io.Reader
		io.Writer
	}{iotest.OneByteReader(strings.NewReader("SEND \"no\"\x1b[D\x1b[D\x03SHOW 1\r")), &echoed}}
	line, err := term.NewTerminal(keys, "aql> ").ReadLine()
	if err != nil || line != "SHOW 1" {
		t.Errorf("the line is %q, %v", line, err)
	}
}
