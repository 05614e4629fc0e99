//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"github.com/playctl/playctl/internal/command"
)

// person is a user at a terminal with an empty home folder.
type person struct {
	t     *testing.T
	home  string
	width uint16
	env   []string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	return &person{t: t, home: t.TempDir(), width: 80}
}

// longestSession is the time after which a command is ended that does not show the
// expected text: the test then fails with the actual output.
const longestSession = 10 * time.Minute

// session is one command at a terminal.
type session struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	seen bytes.Buffer
	ate  int // how much of seen was matched already
}

// types starts a command of playctl.
func (p *person) types(args ...string) *session {
	p.t.Helper()
	return p.runs("playctl", args...)
}

// runs starts a program.
func (p *person) runs(program string, args ...string) *session {
	p.t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), longestSession)
	p.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = p.home
	// This is not quickExit: when a program exits, the kernel drops output that the terminal
	// has not forwarded yet, which under load is the last output.
	cmd.Env = append([]string{"HOME=" + p.home, "TERM=xterm", "PLAYCTL_TIMEOUT=" + patience, "PATH=" + os.Getenv("PATH")}, p.env...)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: p.width})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		_ = tty.Close()
		if cmd.ProcessState == nil {
			_ = cmd.Wait() // The test's context has ended it.
		}
	})
	return &session{t: p.t, cmd: cmd, tty: tty}
}

// sees reads the output until it contains a text.
func (s *session) sees(text string) {
	s.t.Helper()
	buffer := make([]byte, 1024)
	for {
		if at := strings.Index(s.seen.String()[s.ate:], text); at >= 0 {
			s.ate += at + len(text)
			return
		}
		n, err := s.tty.Read(buffer)
		s.seen.Write(buffer[:n])
		if err != nil {
			s.t.Fatalf("%q never came: %v\n%s", text, err, s.seen.String())
		}
	}
}

// presses sends keys.
func (s *session) presses(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// ends reads to the end, checks the exit code and returns the whole output, with
// normalized line breaks.
func (s *session) ends(code int) string {
	s.t.Helper()
	// On Linux a read at the end of a terminal returns the error EIO.
	_, _ = io.Copy(&s.seen, s.tty)
	err := s.cmd.Wait()
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		s.t.Fatal(err)
	}
	shown := strings.ReplaceAll(s.seen.String(), "\r\n", "\n")
	if got != code {
		s.t.Fatalf("%v ended with %d, not %d:\n%s", s.cmd.Args, got, code, shown)
	}
	return shown
}

// wiped matches the content of a line before it was wiped.
var wiped = regexp.MustCompile(`[^\n]*\r\x1b\[K`)

// settled returns the text that stays on the screen: a spinner, which appears if work
// takes longer, wipes its line at its end.
func settled(shown string) string { return wiped.ReplaceAllString(shown, "") }

const (
	ctrlC = "\x03"
	ctrlZ = "\x1a"
)

// Ctrl-Z restores the terminal, and fg shows the map again. Without a shell that could
// continue it, the program keeps running.
func TestCtrlZ(t *testing.T) {
	t.Parallel()
	server, _ := talkative(t)
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+server, "NO_COLOR=1", "PS1=$ ", "ENV=")
	const enters, leaves = "\x1b[?1049h", "\x1b[?1049l"
	shell := p.runs("sh", "-i")
	shell.sees("$ ")
	shell.presses("playctl tail --view map\r")
	for range 2 {
		shell.sees(enters)
		shell.sees("Ada")
		shell.presses(ctrlZ)
		shell.sees(leaves)
		shell.sees("$ ")
		shell.presses("fg\r")
	}
	shell.sees(enters)
	shell.sees("Ada")
	shell.presses(ctrlC)
	shell.sees(leaves)
	shell.sees("$ ")
	shell.presses("exit 0\r")
	shell.ends(command.ExitDone)

	alone := p.types("tail", "--view", "map")
	alone.sees("Ada")
	alone.presses(ctrlZ)
	alone.sees(leaves)
	alone.sees(enters)
	alone.sees("Ada")
	alone.presses(ctrlC)
	alone.ends(command.ExitInterrupted)
}

// Closing the window ends the host that was started in it, in order: nobody could press
// Ctrl-C any more.
func TestTheWindowOfAHostIsClosed(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	served := p.types("serve", "--listen", "127.0.0.1:0", "--ephemeral")
	served.sees("Next, in another terminal:")
	if err := served.tty.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- served.cmd.Wait() }()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the host ended with: %v", err)
		}
	case <-limit.C:
		t.Error("the host goes on without its window") // the end of the test kills it
	}
}

// A host in the background continues without the window in which it was started.
func TestTheWindowOfADetachedHostIsClosed(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	shell := p.runs("sh", "-i")
	shell.presses("playctl serve --detach --listen 127.0.0.1:0 --data-dir world\r")
	shell.sees("Next:")
	if err := shell.tty.Close(); err != nil {
		t.Fatal(err)
	}
	_ = shell.cmd.Wait() // the end of its terminal ends the shell with an error
	if shown := p.types("logs", "--data-dir", "world").ends(command.ExitDone); strings.Contains(shown, "shutting down") {
		t.Errorf("the host has ended:\n%s", shown)
	}
	if shown := p.types("stop", "--data-dir", "world").ends(command.ExitDone); !strings.Contains(shown, "The host has ended") {
		t.Errorf("stop shows:\n%s", shown)
	}
}

// These are the first steps of a person at a terminal.
func TestAtATerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	server := serveInProcess(t, p.home)
	p.env = append(p.env, "PLAYCTL_SERVER="+server)

	shown := p.types("create-main-node").ends(command.ExitDone)
	phrase := regexp.MustCompile(`(?m)^    (?:\x1b\[[0-9;]*m)?([a-z]+(?: [a-z]+){9})(?:\x1b\[[0-9;]*m)?$`).FindStringSubmatch(shown)
	if phrase == nil {
		t.Fatalf("the phrase was not shown:\n%s", shown)
	}
	if again := p.types("whoami").ends(command.ExitDone); strings.Contains(again, phrase[1]) || !strings.Contains(again, "default") {
		t.Errorf("whoami shows:\n%s", again)
	}
	// The phrase restores the node's context. The prompt does not show it.
	asked := p.types("credentials", "import", "--context", "again")
	asked.sees("The main node's phrase:")
	asked.presses(phrase[1] + "\r")
	if shown := asked.ends(command.ExitDone); strings.Contains(shown, phrase[1]) || !strings.Contains(shown, "again") {
		t.Errorf("import shows:\n%s", shown)
	}
	named := p.types("create-agent-node")
	named.sees("The agent's name:")
	named.presses("Ada\r")
	named.ends(command.ExitDone)
	p.types("add-agent", "Ada", "--tool", "search").ends(command.ExitDone)
	p.types("record-interaction", "Ada", "Hello, \x1b[31mred\x1b[0m world.").ends(command.ExitDone)
	journey := `{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:06Z","steps":[{"type":"origin","content":"Where?","messageId":"1"}]}`
	if err := os.WriteFile(p.home+"/journey.json", []byte(journey), 0o600); err != nil {
		t.Fatal(err)
	}
	p.types("record-journey", "Ada", "journey.json").ends(command.ExitDone)

	snapshot := p.types("snapshot").ends(command.ExitDone)
	if !strings.Contains(snapshot, "\x1b[") || !strings.Contains(ansi.Strip(snapshot), "agent  Ada") {
		t.Errorf("a terminal shows:\n%s", snapshot)
	}

	// tail is readable, contains no control characters, and ends with Ctrl-C without an
	// error.
	tail := p.types("tail", "--from-start")
	tail.sees("joins")
	tail.sees("\uFFFD[31mred")
	tail.sees("travels")
	tail.sees("signal")
	tail.presses(ctrlC)
	if end := tail.ends(command.ExitInterrupted); strings.Contains(end, "error") {
		t.Errorf("Ctrl-C is reported as an error:\n%s", end)
	}
}

// Operations that cannot be undone need a confirmation, which a person can refuse.
func TestConfirmationAtATerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.types("context", "add", "home", "--server", "http://127.0.0.1:1").ends(command.ExitDone)

	for keys, code := range map[string]int{"\r": command.ExitFailed, "n\r": command.ExitFailed, "maybe\r": command.ExitFailed, ctrlC: command.ExitInterrupted} {
		asked := p.types("context", "remove", "home")
		asked.sees("Delete context home and its credentials? [y/N]")
		asked.presses(keys)
		shown := asked.ends(code)
		if interrupted := code == command.ExitInterrupted; strings.Contains(shown, "error:") == interrupted {
			t.Errorf("%q is answered by:\n%s", keys, shown)
		}
	}
	// If prompts are forbidden, the error says what to do, at a terminal too.
	if shown := p.types("context", "remove", "home", "--no-input").ends(command.ExitUsage); !strings.Contains(shown, "pass --yes") ||
		!strings.Contains(shown, "--no-input does not allow prompts") || strings.Contains(shown, "no terminal") {
		t.Errorf("without questions:\n%s", shown)
	}
	asked := p.types("context", "remove", "home")
	asked.sees("[y/N]")
	asked.presses("y\r")
	asked.ends(command.ExitDone)
	if shown := p.types("context", "list").ends(command.ExitDone); !strings.Contains(shown, "There are no contexts yet") {
		t.Errorf("it is still there:\n%s", shown)
	}
}

// A new key ends the old one on every machine, so a person has to confirm it; a script
// has not.
func TestANewKeyIsConfirmedAtATerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+serveInProcess(t, p.home))
	p.types("create-main-node", "--keep-phrase").ends(command.ExitDone)
	asked := p.types("create-api-key", "--api-key-file", "ci.key")
	asked.sees("The old one stops working at once, on every machine.")
	asked.sees("[y/N]")
	asked.presses("n\r")
	asked.ends(command.ExitFailed)
	p.types("create-api-key", "--api-key-file", "ci.key", "--yes").ends(command.ExitDone)
	asked = p.types("create-api-key", "--api-key-file", "ci.key")
	asked.sees("write it over the one in ci.key")
	asked.presses("y\r")
	asked.ends(command.ExitDone)
	p.runs("sh", "-c", "playctl create-api-key < /dev/null").ends(command.ExitDone)
	p.types("key", "create", "own", "--use").ends(command.ExitDone)
	asked = p.types("key", "revoke", "own")
	asked.sees(`Revoke the API key own, which context "default" itself uses?`)
	asked.presses("n\r")
	asked.ends(command.ExitFailed)
	// There is no question about a key that does not exist.
	if shown := p.types("key", "revoke", "none").ends(command.ExitFailed); strings.Contains(shown, "[y/N]") ||
		!strings.Contains(shown, `the account has no API key "none"`) {
		t.Errorf("revoking a key that is not there shows:\n%s", shown)
	}
	asked = p.types("key", "revoke", "default")
	asked.sees("Revoke the API key default? Programs that use it")
	asked.presses("y\r")
	asked.ends(command.ExitDone)
}

// The prompt follows the window's size during an edit, and completes its own words.
func TestPromptFollowsTheWindow(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	prompt := p.types("aql")
	prompt.sees("aql> ")
	prompt.presses("hel\t")
	prompt.sees("HELP")
	prompt.presses(ctrlC)
	long := "SHOW " + strings.Repeat("word ", 8)
	prompt.presses(long)
	prompt.sees(strings.TrimRight(long, " "))
	if err := pty.Setsize(prompt.tty, &pty.Winsize{Rows: 40, Cols: 30}); err != nil {
		t.Fatal(err)
	}
	prompt.sees("aql> ") // it is redrawn without a key press
	prompt.presses(ctrlC + "EXIT\r")
	prompt.ends(command.ExitDone)
}
