//go:build full

package faults

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

func TestMain(m *testing.M) { os.Exit(hostprocess.Main(m)) }

// template is the data folder of a stopped host, of which each case has a copy.
type template struct {
	folder, root, sid string
	main, agent       hostprocess.Node
}

func newTemplate(t *testing.T) *template {
	t.Helper()
	p := &template{folder: filepath.Join(t.TempDir(), "data"), root: filepath.Join(t.TempDir(), "root")}
	key := creds.GenerateRootKey()
	if err := creds.WriteRootFile(p.root, key, false); err != nil {
		t.Fatal(err)
	}
	h := hostprocess.Start(t, hostprocess.Options{Args: p.args(p.folder)})
	account := hostprocess.NewAccount(t, h, key, "faults", 1)
	p.main, p.agent = account.Main, account.Agents[0]
	var session struct {
		SID string `json:"sid"`
	}
	p.main.Must(t, h, hostprocess.Request{Method: http.MethodGet, Path: "/api/play/session"}, &session)
	p.sid = session.SID
	p.agent.Must(t, h, hostprocess.Request{Method: http.MethodPost, Path: "/api/play/players?sid=" + p.sid, Body: map[string]any{
		"name": "Agent", "type": "test", "agentId": p.agent.ID,
		"agent": map[string]any{"type": "test", "toolNames": []string{"chat_tool"}},
	}}, nil)
	h.Stop()
	return p
}

// args are those of a host on a data folder.
func (p *template) args(folder string) []string {
	return []string{"--data-dir", folder, "--root-file", p.root, "--log-level", "warn"}
}

// copy returns a copy of the data folder.
func (p *template) copy(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(folder, os.DirFS(p.folder)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// traced is a host under strace, which lets its system calls fail. The process that the
// test ends, and whose exit code it reads, is the host's own.
type traced struct {
	cmd    *exec.Cmd
	folder string
	output *os.File
	// url is empty if the host did not start.
	url   string
	ended chan struct{}
}

// startTraced starts a host on a folder with strace's arguments.
func startTraced(t *testing.T, p *template, folder string, trace []string) *traced {
	t.Helper()
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-D", "-f", "-qq", "-o", filepath.Join(t.TempDir(), "trace")}, trace...)
	args = append(args, hostprocess.Binary(t), "serve", "--listen", "127.0.0.1:0")
	args = append(args, p.args(folder)...)
	h := &traced{folder: folder, output: output, ended: make(chan struct{})}
	h.cmd = exec.CommandContext(context.WithoutCancel(t.Context()), "strace", args...) //nolint:gosec // the test's own arguments
	h.cmd.Stdout, h.cmd.Stderr = output, output
	h.cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "GOMAXPROCS=1")
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(h.ended)
		_ = h.cmd.Wait() // the test reads its state
	}()
	t.Cleanup(func() {
		_ = h.cmd.Process.Kill()
		<-h.ended
		_ = output.Close()
	})
	h.await(t)
	return h
}

// patience is how long a host may take to serve, and to end.
const patience = 30 * time.Second

// await waits until the host serves, or has ended.
func (h *traced) await(t *testing.T) {
	t.Helper()
	end := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, rest, found := strings.Cut(h.text(t), "http://127.0.0.1:"); found {
			port, _, _ := strings.Cut(rest, "/")
			port, _, _ = strings.Cut(port, "\n")
			h.url = "http://127.0.0.1:" + strings.TrimSpace(port)
			return
		}
		select {
		case <-h.ended:
			return
		case <-end:
			t.Fatalf("the host neither serves nor ends:\n%s", h.text(t))
		case <-tick.C:
		}
	}
}

// text is what the host wrote.
func (h *traced) text(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(h.output.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// end ends the host with a signal and returns its exit code, -1 if the signal ended it.
func (h *traced) end(t *testing.T, signal syscall.Signal) int {
	t.Helper()
	_ = h.cmd.Process.Signal(signal)
	select {
	case <-h.ended:
	case <-time.After(patience):
		t.Fatalf("the host does not end:\n%s", h.text(t))
	}
	return h.cmd.ProcessState.ExitCode()
}

// line is a write with its outcome.
type line struct {
	text, key string
	// acked is its seq, 0 if it was not acknowledged.
	acked uint64
}

// send writes a line to the host at an address.
func (p *template) send(t *testing.T, url string, l *line) (code protocol.Code, err error) {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := p.agent.Do(t.Context(), client, url, hostprocess.Request{
		Method: http.MethodPost, Path: "/api/play/sdk/rpc?sid=" + p.sid, Key: l.key,
		Body: map[string]any{"op": "recordInteraction", "payload": map[string]any{
			"playerId": p.agent.ID, "role": "assistant", "text": l.text,
		}},
	})
	if err != nil || !a.OK() {
		if a != nil {
			code = a.Code
		}
		return code, err
	}
	var reply struct {
		Seq uint64 `json:"seq"`
	}
	err = a.Decode(&reply)
	l.acked = reply.Seq
	return "", err
}

func newLine(n, size int) *line {
	text := fmt.Sprintf("line %d %s", n, strings.Repeat("x", size))
	return &line{text: text, key: rand.Text()}
}
