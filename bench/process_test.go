package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/test/hostprocess"
)

func TestMain(m *testing.M) { os.Exit(hostprocess.Main(m)) }

// process is a `playctl serve` of its own.
type process struct{ *hostprocess.Host }

// start runs a host on a data folder and waits for the address that it prints.
func start(tb testing.TB, dir string) *process {
	tb.Helper()
	return startAt(tb, dir, "127.0.0.1:0")
}

// startAt is like start, with the address to listen on and more arguments.
func startAt(tb testing.TB, dir, address string, more ...string) *process {
	tb.Helper()
	return startWith(tb, dir, nil, address, more...)
}

// startWith is like startAt, with environment variables, NAME=value each.
func startWith(tb testing.TB, dir string, env []string, address string, more ...string) *process {
	tb.Helper()
	return &process{hostprocess.Start(tb, hostprocess.Options{Env: env, Args: append([]string{
		"--listen", address, "--log-level", "error", "--rate-history", "0",
		"--data-dir", filepath.Join(dir, "data"), "--root-file", filepath.Join(dir, "root"),
	}, more...)})}
}

// addr returns the address on which it listens.
func (p *process) addr() string { return p.URL()[strings.LastIndexByte(p.URL(), '/')+1:] }

func (p *process) get(b testing.TB, path string) []byte {
	b.Helper()
	return p.read(b, path, "")
}

// scrape reads the metrics without compression, whose buffers would count as the
// host's.
func (p *process) scrape(b testing.TB) []byte {
	b.Helper()
	return p.read(b, "/metrics", "identity")
}

func (p *process) read(b testing.TB, path, encoding string) []byte {
	b.Helper()
	req, err := http.NewRequest(http.MethodGet, p.URL()+path, http.NoBody)
	must(b, err)
	if encoding != "" {
		req.Header.Set("Accept-Encoding", encoding)
	}
	res, err := http.DefaultClient.Do(req)
	must(b, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	must(b, err)
	if res.StatusCode != http.StatusOK {
		b.Fatalf("GET %s: %d: %s", path, res.StatusCode, text)
	}
	return text
}

// memory returns the resident memory of a process in MiB.
func (p *process) memory(b testing.TB) float64 {
	b.Helper()
	size, err := hostprocess.Memory(p.PID())
	must(b, err)
	return float64(size) / (1 << 20)
}

// BenchmarkHelp is the duration of a command that does nothing.
func BenchmarkHelp(b *testing.B) {
	path := hostprocess.Binary(b)
	for b.Loop() {
		must(b, exec.Command(path, "--help").Run())
	}
}

// BenchmarkCommand is how long commands take from their start to their end, in turns with
// a bare program of the same libraries (testdata/bare): the medians. status has a host
// to ask.
//
//	go test ./bench -run '^$' -bench Command -benchtime 200x
func BenchmarkCommand(b *testing.B) {
	bare := filepath.Join(b.TempDir(), "bare")
	build := exec.Command("go", "build", "-trimpath", "-o", bare, "./testdata/bare")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, text)
	}
	dir := b.TempDir()
	must(b, creds.WriteRootFile(filepath.Join(dir, "root"), creds.GenerateRootKey(), false))
	p := start(b, dir)
	defer p.Stop()
	path := hostprocess.Binary(b)
	commands := [][]string{{bare}, {path, "--version"}, {path, "--help"}, {path, "status", "--server", p.URL()}}
	took := make([][]time.Duration, len(commands))
	for b.Loop() {
		for i, c := range commands {
			from := time.Now()
			text, err := exec.Command(c[0], c[1:]...).CombinedOutput()
			took[i] = append(took[i], time.Since(from))
			if err != nil {
				b.Fatalf("%s: %v: %s", c, err, text)
			}
		}
	}
	for i, name := range []string{"bare", "version", "help", "status"} {
		slices.Sort(took[i])
		b.ReportMetric(took[i][len(took[i])/2].Seconds()*1e3, name+"-ms")
	}
}

// BenchmarkStart is the time from starting a host to its first reply: with a new
// store, and with one that has a history.
func BenchmarkStart(b *testing.B) {
	for _, lines := range []int{0, 100_000} {
		b.Run(fmt.Sprintf("events=%d", lines), func(b *testing.B) {
			dir := b.TempDir()
			must(b, creds.WriteRootFile(filepath.Join(dir, "root"), creds.GenerateRootKey(), false))
			history(b, dir, lines)
			// The build is not part of the start.
			hostprocess.Binary(b)
			for b.Loop() {
				p := start(b, dir)
				p.get(b, "/readyz")
				b.StopTimer()
				p.Stop()
				b.StartTimer()
			}
		})
	}
}

// history makes agents send many lines before the benchmark begins.
func history(b *testing.B, dir string, lines int) {
	if lines == 0 {
		return
	}
	p := start(b, dir)
	defer p.Stop()
	key, err := os.ReadFile(filepath.Join(dir, "root"))
	must(b, err)
	s := &served{tb: b, addr: p.addr(), derive: creds.DeriveNodeID}
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
	defer p.Stop()
	p.get(b, "/readyz")
	started := p.memory(b)
	key, err := os.ReadFile(filepath.Join(dir, "root"))
	must(b, err)
	s := &served{tb: b, addr: p.addr(), derive: creds.DeriveNodeID}
	for b.Loop() {
		s.populate(strings.TrimSpace(string(key)), 4)
		b.ReportMetric(p.memory(b), "MiB-derived")
		<-time.After(time.Minute)
		b.ReportMetric(p.memory(b), "MiB-a-minute-later")
	}
	b.ReportMetric(started, "MiB-started")
}
