//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/playctl/playctl/internal/command"
)

// The map's rows fit a terminal of 80 columns as a table.
func TestSnapshotFitsATerminal(t *testing.T) {
	t.Parallel()
	server, home := talkative(t)
	for _, name := range []string{"weather", "a-server-with-a-rather-long-name"} {
		if code := run(t.Context(), inProcess(home, map[string]string{"PLAYCTL_SERVER": server}, "register-mcp", name, "https://"+name+".example.com")); code != command.ExitDone {
			t.Fatalf("register-mcp ended with %d", code)
		}
	}
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+server, "NO_COLOR=1")
	shown := settled(p.types("snapshot").ends(command.ExitDone))
	if !strings.Contains(shown, "KIND") {
		t.Errorf("it is no table:\n%s", shown)
	}
	for line := range strings.Lines(shown) {
		if columns := ansi.StringWidth(strings.TrimSuffix(line, "\n")); columns > int(p.width) {
			t.Errorf("a line has %d columns: %q", columns, line)
		}
	}
}

// Messages are wrapped between words; commands to copy, and paths, are not.
func TestMessagesFitATerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	server := serveInProcess(t, p.home)
	p.env = append(p.env, "NO_COLOR=1")
	shown := map[string]string{
		"hint":   p.types("whoami", "--server", server).ends(command.ExitUnauthorized),
		"usage":  p.types("add-agent", "Ada", "Bob").ends(command.ExitUsage),
		"phrase": p.types("create-main-node", "--server", server).ends(command.ExitDone),
		"note":   p.types("create-agent-node", "Ada", "--phrase-file", "ada.txt").ends(command.ExitDone),
		"result": p.types("context", "export", "--file", "a-file-with-a-rather-long-name.json").ends(command.ExitDone),
		"empty":  p.types("agent", "list", "--server", server).ends(command.ExitDone),
	}
	p.types("key", "create", "own", "--use").ends(command.ExitDone)
	asked := p.types("key", "revoke", "own")
	asked.sees("[y/N] ")
	shown["question"] = ansi.Strip(settled(asked.seen.String()))
	asked.presses("n\r")
	asked.ends(command.ExitFailed)
	for name, text := range shown {
		for line := range strings.Lines(settled(text)) {
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
		p.types("context", "add", name, "--server", "https://"+name+".example.com").ends(command.ExitDone)
	}
	for _, width := range []uint16{40, 80, 200} {
		p.width = width
		for line := range strings.Lines(p.types("context", "list").ends(command.ExitDone)) {
			if columns := ansi.StringWidth(strings.TrimSuffix(line, "\n")); columns > int(width) {
				t.Errorf("in a window of %d columns a line has %d: %q", width, columns, line)
			}
		}
	}
	colored := func(args ...string) bool {
		return strings.Contains(p.types(append([]string{"context", "list"}, args...)...).ends(command.ExitDone), "\x1b[")
	}
	if !colored() || colored("--color", "never") {
		t.Error("--color is not heeded")
	}
	p.env = []string{"NO_COLOR=1"}
	if colored() || !colored("--color", "always") {
		t.Error("NO_COLOR is not heeded")
	}
	p.env = []string{"TERM=dumb"}
	if colored() {
		t.Error("a dumb terminal gets color")
	}
}
