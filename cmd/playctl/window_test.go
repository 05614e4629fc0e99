//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/playctl/playctl/internal/command"
)

// The map's rows fit a terminal of 80 columns as a table.
func TestSnapshotFitsTerminal(t *testing.T) {
	t.Parallel()
	server, home := hostWithChat(t)
	for _, name := range []string{"weather", "a-server-with-a-rather-long-name"} {
		if code := run(t.Context(), inProcess(home, map[string]string{"PLAYCTL_SERVER": server}, "register-mcp", name, "https://"+name+".example.com")); code != command.ExitDone {
			t.Fatalf("register-mcp ended with %d", code)
		}
	}
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+server, "NO_COLOR=1")
	shown := withoutSpinner(p.start("snapshot").waitExit(command.ExitDone))
	if !strings.Contains(shown, "KIND") {
		t.Errorf("the output is not a table:\n%s", shown)
	}
	for line := range strings.Lines(shown) {
		if columns := ansi.StringWidth(strings.TrimSuffix(line, "\n")); columns > int(p.width) {
			t.Errorf("a line has %d columns: %q", columns, line)
		}
	}
}

// Messages are wrapped between words; commands to copy, and paths, are not.
func TestMessagesFitTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	server := serveInProcess(t, p.home)
	p.env = append(p.env, "NO_COLOR=1")
	shown := map[string]string{
		"hint":   p.start("whoami", "--server", server).waitExit(command.ExitUnauthorized),
		"usage":  p.start("add-agent", "Ada", "Bob").waitExit(command.ExitUsage),
		"phrase": p.start("create-main-node", "--server", server).waitExit(command.ExitDone),
		"note":   p.start("create-agent-node", "Ada", "--phrase-file", "ada.txt").waitExit(command.ExitDone),
		"result": p.start("context", "export", "--file", "a-file-with-a-rather-long-name.json").waitExit(command.ExitDone),
		"empty":  p.start("agent", "list", "--server", server).waitExit(command.ExitDone),
	}
	p.start("key", "create", "own", "--use").waitExit(command.ExitDone)
	asked := p.start("key", "revoke", "own")
	asked.expect("[y/N] ")
	shown["question"] = ansi.Strip(withoutSpinner(asked.seen.String()))
	asked.press("n\r")
	asked.waitExit(command.ExitFailed)
	for name, text := range shown {
		for line := range strings.Lines(withoutSpinner(text)) {
			line = strings.TrimRight(line, "\r\n")
			if columns := ansi.StringWidth(line); columns > int(p.width) && !strings.HasPrefix(line, `"playctl `) && !strings.HasPrefix(line, p.home) {
				t.Errorf("%s: a line has %d columns: %q", name, columns, line)
			}
		}
	}
	for name, whole := range map[string]string{
		"hint":     `"playctl login --phrase ` + server + `"`,
		"phrase":   `"playctl context export --encrypt --file FILE"`,
		"question": `"playctl key create NAME --use"`,
	} {
		if !strings.Contains(shown[name], whole) {
			t.Errorf("%s: %s cannot be copied from:\n%s", name, whole, shown[name])
		}
	}
}

// Output fits the window and has color only on request.
func TestWindowAndColor(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	for _, name := range []string{"home", "a-rather-long-name-of-a-context"} {
		p.start("context", "add", name, "--server", "https://"+name+".example.com").waitExit(command.ExitDone)
	}
	for _, width := range []uint16{40, 80, 200} {
		p.width = width
		for line := range strings.Lines(p.start("context", "list").waitExit(command.ExitDone)) {
			if columns := ansi.StringWidth(strings.TrimSuffix(line, "\n")); columns > int(width) {
				t.Errorf("in a window of %d columns a line has %d columns: %q", width, columns, line)
			}
		}
	}
	colored := func(args ...string) bool {
		return strings.Contains(p.start(append([]string{"context", "list"}, args...)...).waitExit(command.ExitDone), "\x1b[")
	}
	if !colored() || colored("--color", "never") {
		t.Error("--color is ignored")
	}
	p.env = []string{"NO_COLOR=1"}
	if colored() || !colored("--color", "always") {
		t.Error("NO_COLOR is ignored")
	}
	p.env = []string{"TERM=dumb"}
	if colored() {
		t.Error("a dumb terminal gets color")
	}
}
