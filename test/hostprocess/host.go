package hostprocess

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a host may take to serve, and to end when requested.
const patience = time.Minute

// Options say how to run a host.
type Options struct {
	// Program is the playctl to run, "" for the result of Program.
	Program string
	// Args are those of `playctl serve`. Without --listen it listens on a free port of
	// 127.0.0.1, another one at each start.
	Args []string
	// Env are further variables of its environment, NAME=value each.
	Env []string
	// Descriptors is how many files it may have open, 0 for as many as the test.
	Descriptors int
	// Secrets are texts that must not be in its arguments or its output.
	Secrets []string
}

// Host is a `playctl serve` that can be killed and started again. Its methods are
// called by one goroutine at a time, but for URL, Guard and Output.
type Host struct {
	t       testing.TB
	program string
	home    string
	options Options

	cmd *exec.Cmd
	// ended is closed when the process has ended.
	ended chan struct{}

	mu      sync.Mutex
	url     string
	secrets []string
	said    *transcript
	// earlier is the output of earlier processes.
	earlier strings.Builder
}

// New creates a host without starting it. It ends with the test, which fails if a
// secret was printed, or if the host found a race or panicked.
func New(t testing.TB, o Options) *Host {
	t.Helper()
	program := o.Program
	if program == "" {
		program = Binary(t)
	}
	h := &Host{t: t, program: program, home: t.TempDir(), options: o, secrets: o.Secrets, said: newTranscript()}
	t.Cleanup(func() {
		h.Kill()
		h.checkOutput()
	})
	return h
}

// Start is New and Start.
func Start(t testing.TB, o Options) *Host {
	t.Helper()
	h := New(t, o)
	h.Start()
	return h
}

// Start runs the host and waits until it serves; the test fails if it does not.
func (h *Host) Start() {
	h.t.Helper()
	if err := h.TryStart(); err != nil {
		h.t.Fatal(err)
	}
}

// TryStart is Start for a host that may fail to start.
func (h *Host) TryStart() error {
	args := []string{"serve"}
	if !strings.Contains(strings.Join(h.options.Args, " "), "--listen") {
		args = append(args, "--listen", "127.0.0.1:0")
	}
	args = append(args, h.options.Args...)
	program := h.program
	if h.options.Descriptors > 0 {
		program, args = "sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, h.options.Descriptors), h.program}, args...)
	}
	// Kill ends it, in a cleanup: the test's context ends before the cleanups run.
	cmd := exec.CommandContext(context.WithoutCancel(h.t.Context()), program, args...) //nolint:gosec // the test's own arguments
	// How often a host collects garbage does not depend on the setting of the tests.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "GOGC=") })
	cmd.Env = append(cmd.Env, "HOME="+h.home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=")
	cmd.Env = append(cmd.Env, h.options.Env...)
	said := newTranscript()
	cmd.Stdout, cmd.Stderr = said.screen(), said
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting playctl: %w", err)
	}
	h.turnPage(said)
	h.cmd, h.ended = cmd, make(chan struct{})
	go func() {
		defer close(h.ended)
		_ = cmd.Wait() // how it ended shows in what it said
	}()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case url := <-said.served:
		h.mu.Lock()
		h.url = url
		h.mu.Unlock()
		return nil
	case <-h.ended:
		h.cmd = nil
		return fmt.Errorf("playctl did not serve:\n%s", said)
	case <-limit.C:
		h.Kill()
		return errors.New("playctl did not serve in time:\n" + said.String())
	}
}

// turnPage keeps the output of the process before.
func (h *Host) turnPage(said *transcript) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.earlier.WriteString(h.said.String())
	h.said = said
}

// URL returns the address at which the host serves, such as http://127.0.0.1:7420;
// "" while it does not run.
func (h *Host) URL() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.url
}

// PID returns the id of the process; it must run.
func (h *Host) PID() int { return h.cmd.Process.Pid }

// Kill ends the host without warning, like a power cut. It has no effect if the
// host does not run.
func (h *Host) Kill() { h.end(syscall.SIGKILL) }

// Stop requests the host to end, waits for it, and fails the test if that takes
// longer than a minute.
func (h *Host) Stop() {
	h.t.Helper()
	if !h.end(syscall.SIGTERM) {
		h.t.Errorf("the host did not end:\n%s", h.Output())
	}
}

// end reports whether the process ended by itself after the signal.
func (h *Host) end(signal os.Signal) bool {
	if h.cmd == nil {
		return true
	}
	h.mu.Lock()
	h.url = ""
	h.mu.Unlock()
	_ = h.cmd.Process.Signal(signal)
	limit := time.NewTimer(patience)
	defer limit.Stop()
	inTime := true
	select {
	case <-h.ended:
	case <-limit.C:
		inTime = false
		_ = h.cmd.Process.Kill()
		<-h.ended
	}
	h.cmd = nil
	return inTime
}
