//go:build full

package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	frameworksPage = "../docs/integrations.md"
	// mostAdded is how many lines put an agent on the map, at most.
	mostAdded = 5
)

// firstLines returns the lines that the page about frameworks adds to a program in a
// language, after it compared their number with that of its table.
func firstLines(t *testing.T, title, fence string) string {
	t.Helper()
	text, err := os.ReadFile(frameworksPage)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Without a framework\n")
	block := regexp.MustCompile("(?ms)^```" + fence + "\n(.*?)^```$").FindStringSubmatch(section)
	row := regexp.MustCompile(`(?m)^\| \[none\]\(#without-a-framework\), in ` + title + ` \| (\d+)`).FindStringSubmatch(string(text))
	if block == nil || row == nil {
		t.Fatalf("%s has no row or no lines for %s", frameworksPage, title)
	}
	lines := 0
	for line := range strings.Lines(block[1]) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	if stated, err := strconv.Atoi(row[1]); err != nil || lines != stated || lines > mostAdded {
		t.Errorf("the table states %s lines for %s, the page has %d, at most %d are allowed", row[1], title, lines, mostAdded)
	}
	return block[1]
}

// TestFirstLines puts agents on the map by the lines that the page about frameworks adds
// to programs that have none, in Python and in Go.
func TestFirstLines(t *testing.T) {
	for _, c := range []struct{ title, fence, program, file string }{
		{"Python", "python", "import signal\n\ndef answer(text):\n    return \"You said: \" + text\n\n%s\nsignal.pause()\n", "first.py"},
		{"Go", "go", `package main

import "context"
%s

func answer(_ context.Context, text string) (string, error) { return "You said: " + text, nil }

func main() {
	ctx := context.Background()
	%s
	if err != nil {
		panic(err)
	}
	select {}
}
`, "first.go"},
	} {
		t.Run(c.title, func(t *testing.T) {
			p := newWorkspace(t)
			p.serve()
			p.run("create-main-node", "--phrase-file", "main.txt")
			main, key := p.field("nodeId", "whoami", "--output", "json"), p.field("apiKey", "create-api-key", "--yes", "--show-api-key", "--output", "json")
			lines := firstLines(t, c.title, c.fence)
			parts := []any{lines}
			if c.fence == "go" {
				imported, rest, _ := strings.Cut(lines, "\n\n")
				parts = []any{imported, rest}
			}
			source := filepath.Join(p.dir, c.file)
			if err := os.WriteFile(source, fmt.Appendf(nil, c.program, parts...), 0o600); err != nil {
				t.Fatal(err)
			}
			p.startFirst(source)
			p.await(main, key, "Ada")
			if got := p.run("intercom", "send", "Ada", "Good morning"); got != "You said: Good morning\n" {
				t.Errorf("the answer of Ada is %q", got)
			}
		})
	}
}

// startFirst starts the program of a source until the test ends.
func (p *workspace) startFirst(source string) {
	p.t.Helper()
	name, args := "first", []string(nil)
	if filepath.Ext(source) == ".go" {
		if text, err := exec.CommandContext(p.t.Context(), "go", "build", "-o", filepath.Join(p.dir, name), source).CombinedOutput(); err != nil {
			p.t.Fatalf("%v\n%s", err, text)
		}
	} else {
		client, err := filepath.Abs("agent-python/playctl.py")
		if err == nil {
			err = os.Symlink(client, filepath.Join(p.dir, "playctl.py"))
		}
		if err != nil {
			p.t.Fatal(err)
		}
		name, args = debianPython(), []string{"-B", source}
	}
	path, err := exec.LookPath(name)
	if name == "first" {
		path, err = filepath.Join(p.dir, name), nil
	}
	if err != nil {
		p.t.Fatalf("%v: the examples need Python 3.11 or newer", err)
	}
	var problems strings.Builder
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, p.environment(nil), &problems
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if p.t.Failed() {
			p.t.Log(problems.String())
		}
	})
}
