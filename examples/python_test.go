//go:build full

package examples

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPython runs the agent in Python as its page says, against a real host, and asks
// it. The credentials file of the account is found by itself.
func TestPython(t *testing.T) {
	p := newWorkspace(t)
	p.serve()
	p.run("create-main-node", "--phrase-file", "main.txt")
	lines, end := p.python(nil, nil, "agent-python/agent.py")
	if line := <-lines; !strings.HasPrefix(line, "Monty is on the map as ") {
		t.Fatalf("the agent printed %q", line)
	}
	if got := p.run("intercom", "send", "Monty", "Good morning"); got != "You said: Good morning\n" {
		t.Errorf("the answer of Monty is %q", got)
	}
	if got := p.run("intercom", "send", "Monty", "--tool", "assist_add", "--args", `{"a": 2, "b": 3}`); got != "5\n" {
		t.Errorf("the sum of Monty is %q", got)
	}
	events := p.run("tail", "--from-start", "--follow=false", "--output", "ndjson")
	if n := strings.Count(events, `"event":"world:journey"`); n != 2 {
		t.Errorf("Monty recorded %d journeys, want 2", n)
	}
	if !strings.Contains(events, `"state":"done"`) {
		t.Error("Monty did not show that it was done")
	}
	end(os.Interrupt)
	if events := p.run("tail", "--from-start", "--follow=false", "--output", "ndjson"); !strings.Contains(events, `"reason":"disconnect"`) {
		t.Error("Monty is still on the map")
	}
}

// TestPythonAgentAlone runs the agent on a machine that has the credentials of the agent
// and none of its account, which it then uses instead of a new account.
func TestPythonAgentAlone(t *testing.T) {
	p := newWorkspace(t)
	p.serve()
	p.run("create-main-node", "--phrase-file", "main.txt")
	p.run("create-agent-node", "Monty", "--phrase-file", "monty.txt")
	p.run("key", "create", "laptop", "--api-key-file", "key")
	if err := os.WriteFile(filepath.Join(p.dir, "passphrase"), []byte("the passphrase of the moved agent"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.run("context", "export", "--encrypt", "--agent", "Monty", "--file", "monty.age", "--passphrase-file", "passphrase", "--api-key-file", "key")
	p.run("context", "import", "monty.age", "--passphrase-file", "passphrase", "--credentials-file", "alone.json")
	lines, end := p.python(nil, []string{"PLAYCTL_CREDENTIALS_FILE=alone.json"}, "agent-python/agent.py")
	if line := <-lines; !strings.HasPrefix(line, "Monty is on the map as ") {
		t.Fatalf("the agent printed %q", line)
	}
	if got := p.run("intercom", "send", "Monty", "Good morning"); got != "You said: Good morning\n" {
		t.Errorf("the answer of Monty is %q", got)
	}
	end(os.Interrupt)
}

// TestPythonClient takes what else the client has through a world: the identity of the
// environment, with a phrase whose white space is normalized, and an account of its own.
func TestPythonClient(t *testing.T) {
	p := newWorkspace(t)
	p.serve()
	p.run("create-main-node", "--phrase-file", "main.txt")
	key := p.field("apiKey", "create-api-key", "--yes", "--show-api-key", "--output", "json")
	client, err := filepath.Abs("agent-python")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"same id True",
		"row Pia python ['chat_tool', 'assist_break', 'assist_refuse'] {'description': {'default': '', 'x-order': 1}, 'text': {'default': '', 'type': 'string', 'x-order': 0}}",
		"lines one two", "resumed two",
		"does Reading caf?.txt read {'inputTokens': 3} Approve send {'costUsd': 0.5} False", "now waiting tests someone", "refused 400 body_invalid",
	}
	phrase := strings.ReplaceAll(p.read("main.txt"), " ", " \u00a0 ") + "\ufeff"
	t.Run("environment", func(t *testing.T) {
		stdin, finish, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = stdin.Close() }()
		sent := newWire(p)
		lines, end := p.python(stdin, []string{
			"PLAYCTL_NODE_ID=" + p.field("nodeId", "whoami", "--output", "json"), "PLAYCTL_PHRASE=" + phrase,
			"PLAYCTL_API_KEY=" + key, "PLAYCTL_CREDENTIALS_FILE=none.json", "PLAYCTL_CHECK_ASKED=1", "PLAYCTL_SERVER=" + sent.URL,
		}, "testdata/client.py", client)
		for _, line := range append(want, "ready") {
			if got := <-lines; got != line {
				t.Fatalf("got %q, want %q", got, line)
			}
		}
		if got := p.run("intercom", "send", "Pia", "Hello", "--jq", ".result.heard"); got != "Hello\n" {
			t.Errorf("the answer of Pia is %q", got)
		}
		for tool, reason := range map[string]string{"assist_refuse": "closed on Sundays", "assist_break": "something went wrong"} {
			if got := p.runFailing("intercom", "send", "Pia", "--tool", tool); !strings.Contains(got, reason) || strings.Contains(got, "detail") {
				t.Errorf("%s fails with %q, want %q", tool, got, reason)
			}
		}
		if err := finish.Close(); err != nil {
			t.Fatal(err)
		}
		if line := <-lines; line != "closed" {
			t.Errorf("at the end the program printed %q", line)
		}
		end(nil)
		if !sent.has(key) {
			t.Error("the program did not use its API key")
		}
		if !slices.ContainsFunc(strings.Fields(phrase), func(word string) bool { return !sent.has(word) }) {
			t.Error("the program sent every word of its phrase")
		}
	})
	t.Run("its own account", func(t *testing.T) {
		lines, end := p.python(nil, []string{"PLAYCTL_CREDENTIALS_FILE=none.json"}, "testdata/client.py", client)
		for _, line := range append(want, "closed") {
			if got := <-lines; got != line {
				t.Fatalf("got %q, want %q", got, line)
			}
		}
		end(nil)
	})
}

// debianPython returns the Python of Debian's packages, or else the first in the PATH.
func debianPython() string {
	const path = "/usr/bin/python3"
	for _, needed := range []string{"/etc/debian_version", path} {
		if _, err := os.Stat(needed); err != nil {
			return "python3"
		}
	}
	return path
}

// python starts Debian's Python and returns the lines of its output. end sends it a
// signal, if there is one, and waits until it has ended.
func (p *workspace) python(stdin *os.File, more []string, script string, args ...string) (lines <-chan string, end func(os.Signal)) {
	p.t.Helper()
	path, err := filepath.Abs(script)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(p.t.Context()), 2*longest)
	cmd := exec.CommandContext(ctx, debianPython(), append([]string{"-B", "-W", "error", path}, args...)...)
	var problems strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, p.environment(append(more, "PYTHONUNBUFFERED=1")), &problems
	if stdin != nil {
		cmd.Stdin = stdin
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatalf("%v: the examples need Python 3.11 or newer", err)
	}
	said := make(chan string, 64)
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(said)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			said <- scanner.Text()
		}
	}()
	ended := false
	end = func(signal os.Signal) {
		ended = true
		defer cancel()
		if signal != nil {
			_ = cmd.Process.Signal(signal)
		}
		<-read
		if err := cmd.Wait(); err != nil || p.t.Failed() {
			p.t.Errorf("%s: %v\n%s", filepath.Base(script), err, problems.String())
		}
	}
	p.t.Cleanup(func() {
		if !ended {
			end(os.Kill)
		}
	})
	return said, end
}

// runFailing runs playctl, which must fail, and returns its messages.
func (p *workspace) runFailing(args ...string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), longest)
	defer cancel()
	text, err := p.command(ctx, nil, "playctl", args...).CombinedOutput()
	if err == nil {
		p.t.Fatalf("playctl %s did not fail", strings.Join(args, " "))
	}
	return string(text)
}
