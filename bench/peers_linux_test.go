package bench

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
)

// peer is one of the two programs.
type peer struct {
	addr string
	pid  int
	// What is asked of it.
	node, snapshot, events []byte
	lines                  [][]byte
	// restart starts the program anew.
	restart func()
}

func newTable(b *testing.B) *table {
	b.Helper()
	dir := b.TempDir()
	must(b, creds.WriteRootFile(filepath.Join(dir, "root"), creds.GenerateRootKey(), false))
	host := startForTable(b, dir)
	key, err := os.ReadFile(filepath.Join(dir, "root"))
	must(b, err)
	s := &served{tb: b, addr: host.addr(), derive: creds.DeriveNodeID}
	s.populate(strings.TrimSpace(string(key)), 100)
	t := &table{
		b: b, seconds: time.Duration(setting("PLAYCTL_BENCH_SECONDS", 3)) * time.Second, rounds: setting("PLAYCTL_BENCH_ROUNDS", 3),
		rows: regexp.MustCompile(os.Getenv("PLAYCTL_BENCH_ROWS")),
	}
	stable := fmt.Sprintf("agent:%s:%s", s.main.id, s.agents[0].id)
	nodeBody := []byte(`{"op":"getPlayerChainNode","payload":{"stableKey":"` + stable + `"}}`)
	snapshotPath := "/api/play/snapshot?sid=" + s.sid
	t.ours = &peer{
		addr: host.addr(), pid: host.PID(),
		node:     request(s.main, http.MethodPost, "/api/play/sdk/rpc", nodeBody),
		snapshot: request(s.main, http.MethodGet, snapshotPath, nil),
		events:   request(s.main, http.MethodGet, "/api/play/events?sid="+s.sid, nil),
	}
	t.limit = &peer{
		node:     request(s.main, http.MethodPost, "/rpc", nodeBody),
		snapshot: request(s.main, http.MethodGet, "/snapshot?sid="+s.sid, nil),
		events:   request(s.main, http.MethodGet, "/events?sid="+s.sid, nil),
	}
	for _, a := range s.agents {
		line := s.interaction(a)
		t.ours.lines = append(t.ours.lines, line)
		// The limit knows one caller; the line has the same length.
		a.id, a.hash = s.main.id, s.main.hash
		t.limit.lines = append(t.limit.lines, bytes.Replace(line, []byte("/api/play/sdk/rpc"), []byte("/rpc"), 1))
	}
	t.ours.restart = func() {
		host.Stop()
		host = startForTable(b, dir)
		t.ours.addr, t.ours.pid = host.addr(), host.PID()
	}
	t.prepareLimit(s)
	return t
}

// startForTable lets one node have all streams.
func startForTable(b *testing.B, dir string) *process {
	b.Helper()
	return startAt(b, dir, "127.0.0.1:0", "--max-connections-per-caller", "9000", "--max-streams-per-caller", "7000")
}

// prepareLimit starts the other program with what the host answers.
func (t *table) prepareLimit(s *served) {
	t.b.Helper()
	dir := t.b.TempDir()
	ask := func(text []byte) []byte {
		c := dial(t.b, s.addr)
		defer c.close()
		status, body, err := c.do(text)
		must(t.b, err)
		if status != http.StatusOK {
			t.b.Fatalf("status %d: %s", status, body)
		}
		return bytes.Clone(body)
	}
	sum := sha256.Sum256([]byte(s.main.hash))
	for name, text := range map[string][]byte{
		limitDigest: sum[:], limitNode: ask(t.ours.node), limitSnapshot: ask(t.ours.snapshot), limitLine: ask(t.ours.lines[0]), limitFrame: t.frame(s),
	} {
		must(t.b, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	cmd := t.startLimit(dir)
	t.limit.restart = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		cmd = t.startLimit(dir)
	}
	t.b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for i, line := range t.limit.lines {
		// All of them come from the one caller that it knows.
		agent := s.agents[i]
		t.limit.lines[i] = bytes.Replace(line, []byte("X-Node-Passw: "+agent.hash), []byte("X-Node-Passw: "+s.main.hash), 1)
	}
}

func (t *table) startLimit(dir string) *exec.Cmd {
	t.b.Helper()
	cmd := exec.Command(os.Args[0]) //nolint:gosec // this program itself
	cmd.Env = append(os.Environ(), envLimit+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t.b, err)
	must(t.b, cmd.Start())
	addr, err := bufio.NewReader(out).ReadString('\n')
	must(t.b, err)
	t.limit.addr, t.limit.pid = strings.TrimSpace(addr), cmd.Process.Pid
	return cmd
}

// frame is what a subscriber gets of a line after its id.
func (t *table) frame(s *served) []byte {
	t.b.Helper()
	listener := dial(t.b, s.addr)
	defer listener.close()
	_, err := listener.conn.Write(t.ours.events)
	must(t.b, err)
	c := dial(t.b, s.addr)
	defer c.close()
	var frame bytes.Buffer
	for opened := false; ; {
		line, err := listener.in.ReadSlice('\n')
		must(t.b, err)
		switch {
		case bytes.HasPrefix(line, []byte("id: ")) && !opened:
			opened = true
			_, _, err := c.do(t.ours.lines[0])
			must(t.b, err)
		case bytes.HasPrefix(line, []byte("event: ")):
			frame.WriteByte('\n')
			frame.Write(line)
		case bytes.HasPrefix(line, []byte("data: ")):
			frame.Write(line)
			frame.WriteByte('\n')
			return frame.Bytes()
		}
	}
}
