package deploy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/playctl/playctl/test/hostprocess"
)

// playctl is the program, built from this source.
var playctl string

func TestMain(m *testing.M) {
	var err error
	if playctl, err = hostprocess.Program(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(hostprocess.Main(m))
}

// banner is what a host prints when it serves, as far as tests look at it.
type banner struct {
	URL      string `json:"url"`
	ReadyURL string `json:"readyUrl"`
	Listen   string `json:"listen"`
	Store    string `json:"store"`
	RootFile string `json:"rootFile"`

	// stop ends the host with SIGTERM and waits for it; it must end with 0.
	stop func()
}

// serve runs a command that hosts a world, in this environment alone, until the test
// ends: then SIGTERM must end the command with exit code 0.
func serve(t *testing.T, env []string, command ...string) banner {
	t.Helper()
	host := exec.CommandContext(context.Background(), command[0], command[1:]...)
	host.Env = append(append([]string{}, env...), "PLAYCTL_LISTEN=127.0.0.1:0", "PLAYCTL_OUTPUT=ndjson")
	host.Dir = t.TempDir()
	var logs strings.Builder
	host.Stderr = &logs
	out, err := host.StdoutPipe()
	must(t, err)
	must(t, host.Start())
	lines := bufio.NewReader(out)
	first, readErr := lines.ReadString('\n')
	stop := sync.OnceFunc(func() {
		// One that ended already has reported why in its output.
		_ = host.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, lines)
		if err := host.Wait(); err != nil {
			t.Errorf("%v ended with an error: %v\n%s", command, err, logs.String())
		}
	})
	t.Cleanup(stop)
	if readErr != nil {
		t.Fatalf("%v did not start: %v", command, readErr)
	}
	b := banner{stop: stop}
	must(t, json.Unmarshal([]byte(first), &b))
	return b
}

// readText returns a file of this folder.
func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}

// replaceText replaces each old text by the new one after it, and fails the test
// if an old text is missing: the test would no longer run what the file states.
func replaceText(t *testing.T, text string, oldNew ...string) string {
	t.Helper()
	for i := 0; i+1 < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			t.Fatalf("there is no %q in:\n%s", oldNew[i], text)
		}
		text = strings.ReplaceAll(text, oldNew[i], oldNew[i+1])
	}
	return text
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
