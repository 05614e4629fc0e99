//go:build unix

package main

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/playctl/playctl/internal/command"
)

const wrongRoot = "00000000000000000000000000000000000000000000000000000000000000ff"

var statedRoot = regexp.MustCompile(`"merkleRootHex":"[0-9a-f]{64}"`)

// hostWithWrongRoots returns a host that states wrong roots: in its snapshots, or in its events.
func hostWithWrongRoots(t *testing.T, server, wrongIn string) string {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Header.Del("Accept-Encoding") },
		ModifyResponse: func(r *http.Response) error {
			if strings.HasSuffix(r.Request.URL.Path, wrongIn) {
				r.Header.Del("Content-Length")
				r.ContentLength = -1
				r.Body = &wrongRoots{in: r.Body}
			}
			return nil
		},
	}
	badHost := httptest.NewServer(proxy)
	t.Cleanup(badHost.Close)
	t.Cleanup(badHost.CloseClientConnections)
	return badHost.URL
}

// wrongRoots replaces each root, line by line.
type wrongRoots struct {
	in      io.ReadCloser
	pending []byte
	ready   []byte
	failed  error
}

func (w *wrongRoots) Read(p []byte) (int, error) {
	buffer := make([]byte, 4096)
	for len(w.ready) == 0 && w.failed == nil {
		var n int
		n, w.failed = w.in.Read(buffer)
		w.pending = append(w.pending, buffer[:n]...)
		end := bytes.LastIndexByte(w.pending, '\n') + 1
		if w.failed != nil {
			end = len(w.pending)
		}
		w.ready = statedRoot.ReplaceAll(w.pending[:end], []byte(`"merkleRootHex":"`+wrongRoot+`"`))
		w.pending = append([]byte{}, w.pending[end:]...)
	}
	n := copy(p, w.ready)
	w.ready = w.ready[n:]
	if n > 0 {
		return n, nil
	}
	return 0, w.failed
}

func (w *wrongRoots) Close() error { return w.in.Close() }

// hostWithChat returns a host with two chat lines.
func hostWithChat(t *testing.T) (server, home string) {
	t.Helper()
	home = t.TempDir()
	server = serveInProcess(t, home, "--no-repository")
	for _, args := range [][]string{{"add-agent", "ada", "--name", "Ada"}, {"record-interaction", "ada", "One."}, {"record-interaction", "ada", "Two."}} {
		var errs bytes.Buffer
		p := inProcess(home, map[string]string{"PLAYCTL_SERVER": server}, args...)
		p.Stderr = &errs
		if code := run(t.Context(), p); code != command.ExitDone {
			t.Fatalf("%v ended with %d: %s", args, code, errs.String())
		}
	}
	return server, home
}

// tail detects a host whose roots are not those of its world, in its snapshots or in its
// events, and never shows the world as verified if no snapshot was right.
func TestTailOfHostWithWrongRoots(t *testing.T) {
	t.Parallel()
	server, home := hostWithChat(t)
	for _, wrongIn := range []string{"/sdk/rpc", "/events"} {
		badHost := hostWithWrongRoots(t, server, wrongIn)
		var out, errs bytes.Buffer
		p := inProcess(home, map[string]string{"PLAYCTL_SERVER": badHost}, "tail", "--from-start")
		p.Stdout, p.Stderr = &out, &errs
		if code := run(t.Context(), p); code != command.ExitUnverified || !strings.Contains(errs.String(), "verification failed") {
			t.Errorf("%s: exit code %d: %s", wrongIn, code, errs.String())
		}
		// Without verification the output has the data of the host.
		out.Reset()
		p = inProcess(home, map[string]string{"PLAYCTL_SERVER": badHost}, "tail", "--from-start", "--follow=false", "--no-verify")
		p.Stdout = &out
		if code := run(t.Context(), p); code != command.ExitDone || strings.Count(out.String(), "\n") != 3 {
			t.Errorf("%s: without verifying exit code %d: %s", wrongIn, code, out.String())
		}
	}
}

// A script that waits for an event relies on the exit code, so tail does not end with 0
// before the event is verified, be it the last of the past events or the one that meets
// the condition.
func TestTailVerifiesAwaitedEvent(t *testing.T) {
	t.Parallel()
	server, home := hostWithChat(t)
	for _, wrongIn := range []string{"/sdk/rpc", "/events"} {
		badHost := hostWithWrongRoots(t, server, wrongIn)
		for _, end := range [][]string{{"--until", "text=Two."}, {"--follow=false"}, {"--follow=false", "--until", "text=Two."}} {
			var out, errs bytes.Buffer
			args := append([]string{"tail", "--from-start"}, end...)
			p := inProcess(home, map[string]string{"PLAYCTL_SERVER": badHost}, args...)
			p.Stdout, p.Stderr = &out, &errs
			code := run(t.Context(), p)
			if code != command.ExitUnverified || !strings.Contains(errs.String(), "verification failed") || !strings.Contains(out.String(), "Two.") {
				t.Errorf("%s, %v: exit code %d: %s\n%s", wrongIn, end, code, errs.String(), out.String())
			}
			// Without verification tail ends with 0.
			p = inProcess(home, map[string]string{"PLAYCTL_SERVER": badHost}, append(args, "--no-verify")...)
			if code := run(t.Context(), p); code != command.ExitDone {
				t.Errorf("%s, %v: without verifying exit code %d", wrongIn, end, code)
			}
		}
	}
}

func TestTerminalNeverShowsWrongRootAsVerified(t *testing.T) {
	t.Parallel()
	server, _ := hostWithChat(t)
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+hostWithWrongRoots(t, server, "/sdk/rpc"), "NO_COLOR=1")
	for _, view := range []string{"lines", "map"} {
		shown := p.start("tail", "--view", view).waitExit(command.ExitUnverified)
		if view == "map" {
			shown = lastScreen(shown)
		}
		if !strings.Contains(shown, "not verified: mismatched") {
			t.Errorf("--view %s does not report the mismatch:\n%q", view, shown)
		}
		if strings.Contains(strings.ReplaceAll(shown, "not verified", ""), "  verified") {
			t.Errorf("--view %s shows the world as verified:\n%q", view, shown)
		}
	}
}

// moved matches a move of the cursor: a line and a column, both from 1.
var moved = regexp.MustCompile(`\x1b\[(\d+);(\d+)H`)

// lastScreen returns the last screen of the map. The map draws only changes, so that the
// output of a text which replaces another omits the letters that both have.
func lastScreen(shown string) string {
	screen := map[int][]rune{}
	positions := moved.FindAllStringSubmatchIndex(shown, -1)
	for i, at := range positions {
		end := len(shown)
		if i+1 < len(positions) {
			end = positions[i+1][0]
		}
		row, _ := strconv.Atoi(shown[at[2]:at[3]])
		column, _ := strconv.Atoi(shown[at[4]:at[5]])
		for j, r := range []rune(ansi.Strip(shown[at[1]:end])) {
			for len(screen[row]) < column+j {
				screen[row] = append(screen[row], ' ')
			}
			screen[row][column+j-1] = r
		}
	}
	var lines []string
	for _, row := range slices.Sorted(maps.Keys(screen)) {
		lines = append(lines, string(screen[row]))
	}
	return strings.Join(lines, "\n")
}

// The map is drawn on a separate screen, again when the window changes, and Ctrl-C
// restores the terminal.
func TestMapAtTerminal(t *testing.T) {
	t.Parallel()
	server, _ := hostWithChat(t)
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+server, "NO_COLOR=1")
	tail := p.start("tail", "--view", "map")
	tail.expect("\x1b[?1049h\x1b[?25l")
	tail.expect("Ada")
	if err := pty.Setsize(tail.tty, &pty.Winsize{Rows: 12, Cols: 50}); err != nil {
		t.Fatal(err)
	}
	tail.expect("\x1b[2J")
	tail.expect("\x1b[12;1H")
	tail.press(ctrlC)
	if shown := tail.waitExit(command.ExitInterrupted); !strings.HasSuffix(shown, "\x1b[?7h\x1b[?25h\x1b[?1049l") || strings.Contains(shown, "error") {
		t.Errorf("the map leaves:\n%q", shown)
	}
	// Typed keys are not shown, and q ends the map.
	typed := p.start("tail", "--view", "map")
	typed.expect("Ada")
	typed.press("xyzzy")
	if err := pty.Setsize(typed.tty, &pty.Winsize{Rows: 12, Cols: 50}); err != nil {
		t.Fatal(err)
	}
	typed.expect("\x1b[12;1H")
	typed.press("q")
	if shown := typed.waitExit(command.ExitDone); strings.Contains(shown, "xyzzy") || strings.Contains(shown, "^") {
		t.Errorf("the map shows typed text:\n%q", shown)
	}
	// A terminal without capabilities has no map.
	p.env = append(p.env, "TERM=dumb")
	p.start("tail", "--view", "map").waitExit(command.ExitUsage)
}

// The recording of a host with wrong roots fails, keeps its file, and fails again in the
// replay.
func TestRecordingOfHostWithWrongRoots(t *testing.T) {
	t.Parallel()
	server, home := hostWithChat(t)
	badHost := hostWithWrongRoots(t, server, "/sdk/rpc")
	file := filepath.Join(home, "lie.ndjson")
	p := inProcess(home, map[string]string{"PLAYCTL_SERVER": badHost}, "tail", "--from-start", "--record", file)
	if code := run(t.Context(), p); code != command.ExitUnverified {
		t.Errorf("the recording ended with %d", code)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), inProcess(home, nil, "replay", file)); code != command.ExitUnverified {
		t.Errorf("the replay ended with %d", code)
	}
}

// On a terminal, --jq and --template print texts of other users without control
// characters. A pipe gets the original text.
func TestFiltersOfHostileTextAtTerminal(t *testing.T) {
	t.Parallel()
	const said = "T\x1b]52;c;eA==\a\u009b2J\u202eb"
	server, home := hostWithChat(t)
	if code := run(t.Context(), inProcess(home, map[string]string{"PLAYCTL_SERVER": server}, "record-interaction", "ada", said)); code != command.ExitDone {
		t.Fatalf("record-interaction ended with %d", code)
	}
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+server)
	for _, filter := range [][]string{{"--jq", ".interactions[].text"}, {"--template", "{{range .interactions}}{{.text}}\n{{end}}"}} {
		// On a busy machine the spinner would be shown.
		args := append([]string{"interactions", "--quiet"}, filter...)
		shown := p.start(args...).waitExit(command.ExitDone)
		if strings.ContainsAny(shown, "\x1b\a\u009b\u202e") || !strings.Contains(shown, "T\uFFFD]52;c;eA==\uFFFD\uFFFD2J\uFFFDb\n") {
			t.Errorf("%v shows %q", filter, shown)
		}
		var out bytes.Buffer
		piped := inProcess(home, map[string]string{"PLAYCTL_SERVER": server}, args...)
		piped.Stdout = &out
		if code := run(t.Context(), piped); code != command.ExitDone || !strings.Contains(out.String(), said+"\n") {
			t.Errorf("%v ended with %d and %q in a pipe", filter, code, out.String())
		}
	}
}
