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

// start starts a command of playctl.
func (p *person) start(args ...string) *session {
	p.t.Helper()
	return p.startProgram("playctl", args...)
}

// startProgram starts a program.
func (p *person) startProgram(program string, args ...string) *session {
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

// expect reads the output until it contains a text.
func (s *session) expect(text string) {
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
			s.t.Fatalf("%q was not shown: %v\n%s", text, err, s.seen.String())
		}
	}
}

// press sends keys.
func (s *session) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.tty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// waitExit reads to the end, checks the exit code and returns the whole output, with
// normalized line breaks.
func (s *session) waitExit(code int) string {
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
		s.t.Fatalf("%v ended with %d, want %d:\n%s", s.cmd.Args, got, code, shown)
	}
	return shown
}

// wiped matches the content of a line before it was wiped.
var wiped = regexp.MustCompile(`[^\n]*\r\x1b\[K`)

// withoutSpinner returns the text that stays on the screen: a spinner, which appears if work
// takes longer, wipes its line at its end.
func withoutSpinner(shown string) string { return wiped.ReplaceAllString(shown, "") }

const (
	ctrlC = "\x03"
	ctrlZ = "\x1a"
)

// Ctrl-Z restores the terminal, and fg shows the map again. Without a shell that could
// continue it, the program keeps running.
func TestCtrlZ(t *testing.T) {
	t.Parallel()
	server, _ := hostWithChat(t)
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+server, "NO_COLOR=1", "PS1=$ ", "ENV=")
	const enters, leaves = "\x1b[?1049h", "\x1b[?1049l"
	shell := p.startProgram("sh", "-i")
	shell.expect("$ ")
	shell.press("playctl tail --view map\r")
	for range 2 {
		shell.expect(enters)
		shell.expect("Ada")
		shell.press(ctrlZ)
		shell.expect(leaves)
		shell.expect("$ ")
		shell.press("fg\r")
	}
	shell.expect(enters)
	shell.expect("Ada")
	shell.press(ctrlC)
	shell.expect(leaves)
	shell.expect("$ ")
	shell.press("exit 0\r")
	shell.waitExit(command.ExitDone)

	alone := p.start("tail", "--view", "map")
	alone.expect("Ada")
	alone.press(ctrlZ)
	alone.expect(leaves)
	alone.expect(enters)
	alone.expect("Ada")
	alone.press(ctrlC)
	alone.waitExit(command.ExitInterrupted)
}

// Closing the window ends the host that was started in it, in order: nobody could press
// Ctrl-C any more.
func TestClosedWindowEndsHost(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	served := p.start("serve", "--listen", "127.0.0.1:0", "--ephemeral")
	served.expect("Next, in another terminal:")
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
		t.Error("the host continues without its window") // the end of the test kills it
	}
}

// A host in the background continues without the window in which it was started.
func TestDetachedHostOutlivesWindow(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	shell := p.startProgram("sh", "-i")
	shell.press("playctl serve --detach --listen 127.0.0.1:0 --data-dir world\r")
	shell.expect("Next:")
	if err := shell.tty.Close(); err != nil {
		t.Fatal(err)
	}
	_ = shell.cmd.Wait() // the end of its terminal ends the shell with an error
	if shown := p.start("logs", "--data-dir", "world").waitExit(command.ExitDone); strings.Contains(shown, "shutting down") {
		t.Errorf("the host has ended:\n%s", shown)
	}
	if shown := p.start("stop", "--data-dir", "world").waitExit(command.ExitDone); !strings.Contains(shown, "The host has stopped") {
		t.Errorf("stop shows:\n%s", shown)
	}
}

// These are the first steps of a person at a terminal.
func TestFirstStepsAtTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	server := serveInProcess(t, p.home)
	p.env = append(p.env, "PLAYCTL_SERVER="+server)

	shown := p.start("create-main-node").waitExit(command.ExitDone)
	phrase := regexp.MustCompile(`(?m)^    (?:\x1b\[[0-9;]*m)?([a-z]+(?: [a-z]+){9})(?:\x1b\[[0-9;]*m)?$`).FindStringSubmatch(shown)
	if phrase == nil {
		t.Fatalf("the phrase was not shown:\n%s", shown)
	}
	if again := p.start("whoami").waitExit(command.ExitDone); strings.Contains(again, phrase[1]) || !strings.Contains(again, "default") {
		t.Errorf("whoami shows:\n%s", again)
	}
	// The phrase restores the node's context. The prompt does not show it.
	asked := p.start("credentials", "import", "--context", "again")
	asked.expect("The phrase of the main node at")
	asked.press(phrase[1] + "\r")
	if shown := asked.waitExit(command.ExitDone); strings.Contains(shown, phrase[1]) || !strings.Contains(shown, "again") {
		t.Errorf("import shows:\n%s", shown)
	}
	named := p.start("create-agent-node")
	named.expect("The agent's name:")
	named.press("Ada\r")
	named.waitExit(command.ExitDone)
	p.start("add-agent", "Ada", "--tool", "search").waitExit(command.ExitDone)
	p.start("record-interaction", "Ada", "Hello, \x1b[31mred\x1b[0m world.").waitExit(command.ExitDone)
	journey := `{"startedAt":"2026-01-02T03:04:05Z","completedAt":"2026-01-02T03:04:06Z","steps":[{"type":"origin","content":"Where?","messageId":"1"}]}`
	if err := os.WriteFile(p.home+"/journey.json", []byte(journey), 0o600); err != nil {
		t.Fatal(err)
	}
	p.start("record-journey", "Ada", "journey.json").waitExit(command.ExitDone)

	snapshot := p.start("snapshot").waitExit(command.ExitDone)
	if !strings.Contains(snapshot, "\x1b[") || !strings.Contains(ansi.Strip(snapshot), "agent  Ada") {
		t.Errorf("a terminal shows:\n%s", snapshot)
	}

	// tail is readable, contains no control characters, and ends with Ctrl-C without an
	// error.
	tail := p.start("tail", "--from-start")
	tail.expect("joins")
	tail.expect("\uFFFD[31mred")
	tail.expect("travels")
	tail.expect("signal")
	tail.press(ctrlC)
	if end := tail.waitExit(command.ExitInterrupted); strings.Contains(end, "error") {
		t.Errorf("Ctrl-C is reported as an error:\n%s", end)
	}
}

// Operations that cannot be undone need a confirmation, which a person can refuse.
func TestConfirmationAtTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.start("context", "add", "home", "--server", "http://127.0.0.1:1").waitExit(command.ExitDone)

	for keys, code := range map[string]int{"\r": command.ExitFailed, "n\r": command.ExitFailed, "maybe\r": command.ExitFailed, ctrlC: command.ExitInterrupted} {
		asked := p.start("context", "remove", "home")
		asked.expect("Delete context home and its credentials? [y/N]")
		asked.press(keys)
		shown := asked.waitExit(code)
		if interrupted := code == command.ExitInterrupted; strings.Contains(shown, "error:") == interrupted {
			t.Errorf("after %q the terminal shows:\n%s", keys, shown)
		}
	}
	// If prompts are forbidden, the error says what to do, at a terminal too.
	if shown := p.start("context", "remove", "home", "--no-input").waitExit(command.ExitUsage); !strings.Contains(shown, "pass --yes") ||
		!strings.Contains(shown, "--no-input does not allow prompts") || strings.Contains(shown, "no terminal") {
		t.Errorf("without questions:\n%s", shown)
	}
	asked := p.start("context", "remove", "home")
	asked.expect("[y/N]")
	asked.press("y\r")
	asked.waitExit(command.ExitDone)
	if shown := p.start("context", "list").waitExit(command.ExitDone); !strings.Contains(shown, "There are no contexts yet") {
		t.Errorf("the removed context is still listed:\n%s", shown)
	}
}

// A new key ends the old one on every machine, so a person has to confirm it, also if only
// one of the standard streams is the terminal.
func TestNewKeyIsConfirmedAtTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.env = append(p.env, "PLAYCTL_SERVER="+serveInProcess(t, p.home))
	p.start("create-main-node", "--keep-phrase").waitExit(command.ExitDone)
	asked := p.start("create-api-key", "--api-key-file", "ci.key")
	asked.expect("The old one stops working at once, on every machine.")
	asked.expect("[y/N]")
	asked.press("n\r")
	asked.waitExit(command.ExitFailed)
	p.start("create-api-key", "--api-key-file", "ci.key", "--yes").waitExit(command.ExitDone)
	if shown := p.start("create-api-key", "--api-key-file", "ci.key").waitExit(command.ExitFailed); !strings.Contains(shown, "ci.key already exists") {
		t.Errorf("replacing a file shows:\n%s", shown)
	}
	for _, line := range []string{
		"playctl create-api-key --api-key-file ci.key --force", "playctl create-api-key < /dev/null", "playctl create-api-key 2> log",
		"playctl create-api-key > out", "true | playctl create-api-key > out",
	} {
		asked = p.startProgram("sh", "-c", line)
		asked.expect("[y/N]")
		asked.press("y\r")
		asked.waitExit(command.ExitDone)
	}
	p.startProgram("sh", "-c", "playctl create-api-key < /dev/null 2> log").waitExit(command.ExitUsage)
	p.start("key", "create", "own", "--use").waitExit(command.ExitDone)
	asked = p.start("key", "revoke", "own")
	asked.expect(`Revoke the API key own, which context "default" itself uses?`)
	asked.press("n\r")
	asked.waitExit(command.ExitFailed)
	// There is no question about a key that does not exist.
	if shown := p.start("key", "revoke", "none").waitExit(command.ExitFailed); strings.Contains(shown, "[y/N]") ||
		!strings.Contains(shown, `the account has no API key "none"`) {
		t.Errorf("revoking an unknown key shows:\n%s", shown)
	}
	asked = p.start("key", "revoke", "default")
	asked.expect("Revoke the API key default? Programs that use it")
	asked.press("y\r")
	asked.waitExit(command.ExitDone)
}

// The prompt follows the window's size during an edit, and completes its own words.
func TestPromptFollowsWindowSize(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	prompt := p.start("aql")
	prompt.expect("aql> ")
	prompt.press("hel\t")
	prompt.expect("HELP")
	prompt.press(ctrlC)
	long := "SHOW " + strings.Repeat("word ", 8)
	prompt.press(long)
	prompt.expect(strings.TrimRight(long, " "))
	if err := pty.Setsize(prompt.tty, &pty.Winsize{Rows: 40, Cols: 30}); err != nil {
		t.Fatal(err)
	}
	prompt.expect("aql> ") // it is redrawn without a key press
	prompt.press(ctrlC + "EXIT\r")
	prompt.waitExit(command.ExitDone)
}

// Long work shows how far it is at a terminal, but not with --quiet.
func TestProgressAtTerminal(t *testing.T) {
	t.Parallel()
	p := newPerson(t)
	p.start("serve", "--detach", "--listen", "127.0.0.1:0").waitExit(command.ExitDone)
	p.start("stop").waitExit(command.ExitDone)
	p.start("store", "backup", "world.backup").waitExit(command.ExitDone)
	const halves = "{ head -c 300 world.backup; read key < /dev/tty; tail -c +301 world.backup; } | playctl store check -"
	checking := p.startProgram("sh", "-c", halves)
	checking.expect("Checking the backup: 0.0 MiB")
	checking.press("\r")
	checking.waitExit(command.ExitDone)
	if shown := p.startProgram("sh", "-c", "playctl store check --quiet < /dev/null").waitExit(command.ExitDone); strings.Contains(shown, "Checking") {
		t.Errorf("a quiet check shows:\n%s", shown)
	}
}
