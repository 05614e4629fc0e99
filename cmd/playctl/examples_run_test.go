//go:build full && unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/playctl/playctl/internal/command"
	"github.com/playctl/playctl/test/redistest"
)

// Every example works, in a separate world: hosts and ports are those of the test. notRun
// lists the exceptions with the reason.
func TestExamplesRun(t *testing.T) {
	t.Parallel()
	w := makeExampleWorld(t)
	tried := map[string]bool{}
	for _, e := range examples(t) {
		if tried[e.line] || matchesAny(e.line) {
			continue
		}
		tried[e.line] = true
		t.Run(e.where+"/"+e.line, func(t *testing.T) {
			t.Parallel()
			w.try(t, e.line)
		})
	}
}

func matchesAny(line string) bool {
	for _, left := range notRun {
		if left.pattern.MatchString(line) {
			return true
		}
	}
	return false
}

var exampleHost = regexp.MustCompile(`https?://(play\.example\.com|127\.0\.0\.1:7420)`)

var exampleRedis = regexp.MustCompile(`redis://(redis\.example\.com|localhost):\d+`)

// withRedis starts the Redis server that an example names, and returns the variables with
// its address and the place of its password.
func withRedis(t *testing.T, home, line string) []string {
	t.Helper()
	if !exampleRedis.MatchString(line) {
		return nil
	}
	var flags, env []string
	if strings.Contains(line, "--store-credentials") {
		const password = "not-much-of-a-secret"
		if err := os.WriteFile(filepath.Join(home, "redis.secret"), []byte("password="+password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		flags, env = append(flags, "--requirepass", password), append(env, "PLAYCTL_STORE_CREDENTIALS=redis.secret")
	}
	return append(env, "REDIS="+redistest.Start(t, append(redistest.AOF("always"), flags...)...).URL())
}

// try runs one example.
func (w *exampleWorld) try(t *testing.T, line string) {
	t.Helper()
	home, data := t.TempDir(), t.TempDir()
	for from, to := range map[string]string{w.home: home, w.data: data} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	var flags []string
	if strings.Contains(line, "watch revoke") {
		flags = []string{"--watch-access", "token"}
	}
	url := w.serve(t, data, flags...).URL()
	if err := os.Chmod(filepath.Join(home, "admin.token"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(home, "mine.json")
	text, err := os.ReadFile(mine)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, bytes.ReplaceAll(text, []byte(w.url), []byte(url)), 0o600); err != nil { //nolint:gosec // the test's own path
		t.Fatal(err)
	}
	id := w.space
	if strings.Contains(line, "mcp:") {
		id = w.mcp
	}
	env := append(w.env(home, url), withRedis(t, home, line)...)
	env = append(env, "ID="+id, "ROOT=", "LEAVES=0",
		"PROFILE=profile.ps1", "FINGERPRINT="+strings.Repeat("a", 64))
	script := scriptOf(line, url)
	for _, step := range before {
		if step.pattern.MatchString(line) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", step.script)
			cmd.Dir, cmd.Env = home, env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("before the example: %v\n%s", err, out)
			}
		}
	}
	phrase, err := os.ReadFile(filepath.Join(w.home, "main.txt"))
	if err != nil {
		t.Fatal(err)
	}
	code, shown := typeLine(t, home, env, script, line, strings.TrimSpace(string(phrase)))
	want := command.ExitDone
	for _, answer := range typed {
		if answer.pattern.MatchString(line) {
			want = answer.code
			break
		}
	}
	if code != want {
		t.Errorf("%s\nended with %d, want %d:\n%s", script, code, want, shown)
	}
}

// typeLine runs a line at a terminal, presses its keys, and returns how it ended.
func typeLine(t *testing.T, home string, env []string, script, line, phrase string) (code int, shown string) {
	t.Helper()
	// A line that waits for a key which this test does not know is ended, with its child
	// processes.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir, cmd.Env = home, env
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tty.Close() }()
	s := &session{t: t, cmd: cmd, tty: tty}
	for _, answer := range typed {
		if answer.pattern.MatchString(line) {
			// Only an example that uses an invitation has one.
			invitation, _ := os.ReadFile(filepath.Join(home, "invitation.txt"))
			keys := strings.NewReplacer("$PHRASE", phrase, "$INVITATION", strings.TrimSpace(string(invitation))).Replace(answer.keys)
			for seen := range strings.SplitSeq(answer.seen, "|") {
				if seen != "" {
					s.expect(seen)
				}
				s.press(keys)
			}
			break
		}
	}
	_, _ = io.Copy(&s.seen, tty)
	_ = cmd.Wait()
	if code = cmd.ProcessState.ExitCode(); code < 0 {
		code = command.ExitInterrupted // the shell of a pipe is ended by the signal
	}
	return code, s.seen.String()
}
