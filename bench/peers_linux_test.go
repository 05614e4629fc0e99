package bench

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/test/hostprocess"
)

// peer is one of the two programs.
type peer struct {
	addr   string
	secure bool
	pid    int
	// The requests sent to it.
	node, snapshot, gzip, events []byte
	lines                        [][]byte
	// restart starts the program again.
	restart func()
}

// pair is a host and the baseline.
type pair struct{ ours, baseline *peer }

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
		b: b, seconds: time.Duration(setting("PLAYCTL_BENCH_SECONDS", 3) * float64(time.Second)),
		rounds: int(setting("PLAYCTL_BENCH_ROUNDS", 3)), rows: regexp.MustCompile(os.Getenv("PLAYCTL_BENCH_ROWS")), baselineName: "baseline",
	}
	stable := fmt.Sprintf("agent:%s:%s", s.main.id, s.agents[0].id)
	nodeBody := []byte(`{"op":"getPlayerChainNode","payload":{"stableKey":"` + stable + `"}}`)
	snapshotPath := "/api/play/snapshot?sid=" + s.sid
	coded := func(p *peer) {
		p.gzip = bytes.Replace(p.snapshot, []byte("\r\n\r\n"), []byte("\r\nAccept-Encoding: gzip\r\n\r\n"), 1)
	}
	t.ours = &peer{
		addr: host.addr(), pid: host.PID(),
		node:     request(s.main, http.MethodPost, "/api/play/sdk/rpc", nodeBody),
		snapshot: request(s.main, http.MethodGet, snapshotPath, nil),
		events:   request(s.main, http.MethodGet, "/api/play/events?sid="+s.sid, nil),
	}
	t.baseline = &peer{
		node:     request(s.main, http.MethodPost, "/rpc", nodeBody),
		snapshot: request(s.main, http.MethodGet, "/snapshot?sid="+s.sid, nil),
		events:   request(s.main, http.MethodGet, "/events?sid="+s.sid, nil),
	}
	coded(t.ours)
	coded(t.baseline)
	for _, a := range s.agents {
		line := s.interaction(a)
		t.ours.lines = append(t.ours.lines, line)
		// The baseline knows one caller; the line has the same length.
		a.id, a.hash = s.main.id, s.main.hash
		t.baseline.lines = append(t.baseline.lines, bytes.Replace(line, []byte("/api/play/sdk/rpc"), []byte("/rpc"), 1))
	}
	t.ours.restart = func() {
		host.Stop()
		host = startForTable(b, dir)
		t.ours.addr, t.ours.pid = host.addr(), host.PID()
	}
	t.prepareBaseline(s)
	t.compareHeaders()
	t.more = func(program string, args ...string) *peer {
		host.Stop()
		more := t.copyOurs(dir, program, args...)
		host = startForTable(b, dir)
		t.ours.addr, t.ours.pid = host.addr(), host.PID()
		return more
	}
	if other := os.Getenv("PLAYCTL_BENCH_BESIDE"); other != "" {
		t.beside = t.more(other)
	}
	return t
}

// copyOurs runs a playctl on a copy of the world, the tested one if none is named.
func (t *table) copyOurs(dir, program string, args ...string) *peer {
	t.b.Helper()
	copied := t.b.TempDir()
	must(t.b, os.CopyFS(copied, os.DirFS(dir)))
	must(t.b, os.Chmod(filepath.Join(copied, "root"), 0o600))
	other := *t.ours
	var host *process
	start := func() {
		host = startProgram(t.b, copied, program, args...)
		other.addr, other.pid = host.addr(), host.PID()
	}
	other.restart = func() {
		host.Stop()
		start()
	}
	start()
	return &other
}

// useTLS makes both programs serve TLS.
func (t *table) useTLS() {
	t.b.Helper()
	dir := t.b.TempDir()
	certFile, keyFile := filepath.Join(dir, baselineCert), filepath.Join(dir, baselineKey)
	makeCertificate(t.b, certFile, keyFile)
	t.beside = nil
	t.ours = t.more("", "--tls-cert", certFile, "--tls-key", keyFile)
	t.ours.secure, t.baseline.secure = true, true
	for _, name := range []string{baselineCert, baselineKey} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		must(t.b, err)
		must(t.b, os.WriteFile(filepath.Join(t.baselineDir, name), text, 0o600)) //nolint:gosec // the benchmark's own folder
	}
	t.baseline.restart()
}

// makeCertificate creates a self-signed certificate for 127.0.0.1.
func makeCertificate(b *testing.B, certFile, keyFile string) {
	b.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(b, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(b, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	must(b, err)
	must(b, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(b, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}

// startForTable starts a host on which one node may have all streams.
func startForTable(b *testing.B, dir string) *process {
	b.Helper()
	return startProgram(b, dir, "")
}

func startProgram(b *testing.B, dir, program string, args ...string) *process {
	b.Helper()
	return &process{hostprocess.Start(b, hostprocess.Options{Program: program, Args: append([]string{
		"--listen", "127.0.0.1:0", "--log-level", "error", "--rate-history", "0",
		"--data-dir", filepath.Join(dir, "data"), "--root-file", filepath.Join(dir, "root"),
		"--max-connections", "12000", "--max-connections-per-caller", "11000",
		"--max-streams", "11000", "--max-streams-per-caller", "10500",
	}, args...)})}
}

// prepareBaseline starts the other program with the host's replies.
func (t *table) prepareBaseline(s *served) {
	t.b.Helper()
	dir := t.b.TempDir()
	t.baselineDir = dir
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
		baselineDigest: sum[:], baselineNode: ask(t.ours.node), baselineSnapshot: ask(t.ours.snapshot), baselineGzip: ask(t.ours.gzip),
		baselineLine: ask(t.ours.lines[0]), baselineFrame: t.frame(s),
	} {
		must(t.b, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	cmd := t.startBaseline(dir)
	t.baseline.restart = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		cmd = t.startBaseline(dir)
	}
	t.b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for i, line := range t.baseline.lines {
		// All of them come from the only caller that it knows.
		agent := s.agents[i]
		t.baseline.lines[i] = bytes.Replace(line, []byte("X-Node-Passw: "+agent.hash), []byte("X-Node-Passw: "+s.main.hash), 1)
	}
}

func (t *table) startBaseline(dir string) *exec.Cmd {
	t.b.Helper()
	cmd := exec.Command(os.Args[0]) //nolint:gosec // this program itself
	cmd.Env = append(os.Environ(), envBaseline+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t.b, err)
	must(t.b, cmd.Start())
	addr, err := bufio.NewReader(out).ReadString('\n')
	must(t.b, err)
	t.baseline.addr, t.baseline.pid = strings.TrimSpace(addr), cmd.Process.Pid
	return cmd
}

// compareHeaders fails if the baseline's replies have other headers than the host's.
func (t *table) compareHeaders() {
	t.b.Helper()
	for name, of := range map[string]func(*peer) []byte{
		"a chain node": func(p *peer) []byte { return p.node },
		"a snapshot":   func(p *peer) []byte { return p.snapshot },
		"one in gzip":  func(p *peer) []byte { return p.gzip },
		"a line":       func(p *peer) []byte { return p.lines[0] },
		"a stream":     func(p *peer) []byte { return p.events },
	} {
		ours, baseline := headerNames(t.b, t.ours.addr, of(t.ours)), headerNames(t.b, t.baseline.addr, of(t.baseline))
		if !slices.Equal(ours, baseline) {
			t.b.Errorf("%s has the headers %q, and %q at the baseline", name, ours, baseline)
		}
	}
}

// headerNames sends a request and returns the status and the names of the reply's
// headers, sorted.
func headerNames(b *testing.B, addr string, ask []byte) []string {
	b.Helper()
	c := dial(b, addr)
	defer c.close()
	_, err := c.conn.Write(ask)
	must(b, err)
	var names []string
	for {
		line, err := c.in.ReadString('\n')
		must(b, err)
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "" {
			slices.Sort(names)
			return names
		}
		names = append(names, name)
	}
}

// frame returns the part of a line's event after its id, as sent to a subscriber.
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
