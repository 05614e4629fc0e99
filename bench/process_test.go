package bench

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
)

// binary is playctl as users get it, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "playctl-bench-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "playctl")
	out, err := exec.Command("go", "build", "-o", path, "../cmd/playctl").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build playctl: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// process is a `playctl serve` of its own.
type process struct {
	*exec.Cmd
	url     string
	drained sync.WaitGroup
}

var servedAt = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// start runs a host on a data folder and waits for the address that it prints.
func start(tb testing.TB, dir string) *process {
	tb.Helper()
	return startAt(tb, dir, "127.0.0.1:0")
}

// startAt is start with the address to listen on.
func startAt(tb testing.TB, dir, address string) *process {
	tb.Helper()
	path, err := binary()
	must(tb, err)
	p := &process{Cmd: exec.Command(path, "serve", "--listen", address, "--log-level", "error",
		"--data-dir", filepath.Join(dir, "data"), "--root-file", filepath.Join(dir, "root"))}
	p.Env = append(os.Environ(), "HOME="+dir)
	out, err := p.StdoutPipe()
	must(tb, err)
	must(tb, p.Start())
	// A benchmark that fails does not reach its own stop; ending twice is fine.
	tb.Cleanup(func() { _ = p.Process.Kill() })
	lines := bufio.NewReader(out)
	for p.url == "" {
		text, err := lines.ReadString('\n')
		p.url = servedAt.FindString(text)
		if p.url == "" {
			must(tb, err)
		}
	}
	p.drained.Go(func() { _, _ = io.Copy(io.Discard, lines) })
	return p
}

func (p *process) stop() { p.end(os.Interrupt) }

// end sends the process a signal and waits until it is gone.
func (p *process) end(signal os.Signal) {
	_ = p.Process.Signal(signal)
	p.drained.Wait()
	_ = p.Wait()
}

func (p *process) get(b *testing.B, path string) []byte {
	b.Helper()
	res, err := http.Get(p.url + path)
	must(b, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	must(b, err)
	if res.StatusCode != http.StatusOK {
		b.Fatalf("GET %s: %d: %s", path, res.StatusCode, text)
	}
	return text
}

// memory is the resident memory of a process in MiB.
func (p *process) memory(b testing.TB) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	must(b, err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmRSS:" {
			kib, err := strconv.ParseFloat(f[1], 64)
			must(b, err)
			return kib / 1024
		}
	}
	b.Fatal("the process has no VmRSS")
	return 0
}

// BenchmarkHelp is how long a command takes that does nothing.
func BenchmarkHelp(b *testing.B) {
	path, err := binary()
	must(b, err)
	for b.Loop() {
		must(b, exec.Command(path, "--help").Run())
	}
}

// BenchmarkStart is the time from starting a host to its first answer: with a
// new store, and with one that has a history.
func BenchmarkStart(b *testing.B) {
	for _, lines := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("events=%d", lines), func(b *testing.B) {
			dir := b.TempDir()
			must(b, creds.WriteRootFile(filepath.Join(dir, "root"), creds.GenerateRootKey(), false))
			history(b, dir, lines)
			// Building is not starting.
			_, err := binary()
			must(b, err)
			for b.Loop() {
				p := start(b, dir)
				p.get(b, "/readyz")
				b.StopTimer()
				p.stop()
				b.StartTimer()
			}
		})
	}
}

// history lets agents say many lines before the benchmark begins.
func history(b *testing.B, dir string, lines int) {
	if lines == 0 {
		return
	}
	p := start(b, dir)
	defer p.stop()
	key, err := os.ReadFile(filepath.Join(dir, "root"))
	must(b, err)
	s := &served{tb: b, addr: strings.TrimPrefix(p.url, "http://"), derive: creds.DeriveNodeID}
	s.populate(strings.TrimSpace(string(key)), 4)
	var writers sync.WaitGroup
	for i := range 64 {
		writers.Go(func() {
			left := lines / 64
			drive(b, s.addr, s.interaction(s.agents[i%4]), func() bool { left--; return left >= 0 })
		})
	}
	writers.Wait()
}

// BenchmarkIdleMemory is the resident memory of a host: when it has started,
// right after it derived a node id, and a minute later.
func BenchmarkIdleMemory(b *testing.B) {
	dir := b.TempDir()
	must(b, creds.WriteRootFile(filepath.Join(dir, "root"), creds.GenerateRootKey(), false))
	p := start(b, dir)
	defer p.stop()
	p.get(b, "/readyz")
	started := p.memory(b)
	key, err := os.ReadFile(filepath.Join(dir, "root"))
	must(b, err)
	s := &served{tb: b, addr: strings.TrimPrefix(p.url, "http://"), derive: creds.DeriveNodeID}
	for b.Loop() {
		s.populate(strings.TrimSpace(string(key)), 4)
		b.ReportMetric(p.memory(b), "MiB-derived")
		<-time.After(time.Minute)
		b.ReportMetric(p.memory(b), "MiB-a-minute-later")
	}
	b.ReportMetric(started, "MiB-started")
}
