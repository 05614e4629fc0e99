//go:build full

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/pause"
	"github.com/playctl/playctl/internal/store/bolt"
	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
)

// scenario is one fault of a host, while a client writes, and its end.
type scenario struct {
	call, fault string
	// when is the first occurrence that fails; always says whether all after it do.
	when   int
	always bool
	// once says that the client stops after the first refused write.
	once   bool
	signal syscall.Signal
}

func (s *scenario) String() string {
	text := fmt.Sprintf("%s:%s:when=%s:%s", s.call, s.fault, s.occurrences(), s.signal)
	if s.once {
		text += ":once"
	}
	return text
}

func (s *scenario) occurrences() string {
	if s.always {
		return fmt.Sprintf("%d+", s.when)
	}
	return strconv.Itoa(s.when)
}

// arguments are those of strace.
func (s *scenario) arguments(folder string) []string {
	args := []string{"-e", "trace=" + s.call, "-e", "inject=" + s.call + ":" + s.fault + ":when=" + s.occurrences()}
	if s.call == "accept4" {
		return args
	}
	file := filepath.Join(folder, "world.playstore")
	return append(args, "-P", file, "-P", file+".wal")
}

// calls are those that a host makes on the files of its store, and on its listener.
var calls = []string{
	"fdatasync", "pwrite64", "mmap", "ftruncate", "fsync", "pread64", "openat", "fstat", "newfstatat", "unlinkat", "flock", "read", "accept4",
}

// always are the scenarios of every run: each sync, write, mapping and change of the
// length fails once, and all reads, syncs and writes do.
func always() []scenario {
	var all []scenario
	for _, call := range []string{"pread64", "fdatasync", "pwrite64"} {
		all = append(all, scenario{call: call, fault: "error=EIO", when: 1, always: true, signal: syscall.SIGTERM})
	}
	for _, call := range calls[:4] {
		for when := 1; when <= 8; when++ {
			s := scenario{call: call, fault: "error=EIO", when: when, once: when%4 < 2, signal: syscall.SIGTERM}
			all = append(all, s)
			s.once, s.signal = !s.once, syscall.SIGKILL
			all = append(all, s)
		}
	}
	return all
}

// drawn returns the scenario of a seed.
func drawn(seed uint64) scenario {
	r := rand.New(rand.NewPCG(seed, 0))
	s := scenario{
		call: calls[r.IntN(len(calls))], when: 1 + r.IntN(40), always: r.IntN(3) == 0, once: r.IntN(3) == 0,
		signal: []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[r.IntN(2)],
	}
	if s.fault = []string{"error=EIO", "error=ENOSPC", "error=EDQUOT", "error=EROFS", "error=ENOMEM", "error=EINTR", "delay_enter=2500000"}[r.IntN(7)]; r.IntN(2) == 0 {
		s.when = 1 + r.IntN(10)
	}
	if strings.HasPrefix(s.fault, "delay") || s.fault == "error=EINTR" {
		s.always = false // each would take long, or be repeated for ever
	}
	return s
}

// TestFaults runs hosts whose system calls fail, one after the other. PLAYCTL_FAULT_SEEDS
// names other seeds, such as 17 or 1-2000.
func TestFaults(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Fatal("strace is missing, which lets system calls fail: install the package strace")
	}
	p := newTemplate(t)
	first, last := uint64(1), uint64(200-len(always()))
	scenarios := always()
	if text := os.Getenv("PLAYCTL_FAULT_SEEDS"); text != "" {
		from, to, found := strings.Cut(text, "-")
		if !found {
			to = from
		}
		var errFrom, errTo error
		first, errFrom = strconv.ParseUint(from, 10, 64)
		last, errTo = strconv.ParseUint(to, 10, 64)
		if err := errors.Join(errFrom, errTo); err != nil {
			t.Fatalf("PLAYCTL_FAULT_SEEDS: %v", err)
		}
		scenarios = nil
	}
	for i := range scenarios {
		t.Run(scenarios[i].String(), func(t *testing.T) { t.Parallel(); p.play(t, &scenarios[i]) })
	}
	for seed := first; seed <= last; seed++ {
		s := drawn(seed)
		t.Run(fmt.Sprintf("seed %d %s", seed, &s), func(t *testing.T) { t.Parallel(); p.play(t, &s) })
	}
}

// play runs a scenario and checks what it left.
func (p *template) play(t *testing.T, s *scenario) {
	folder := p.copy(t)
	h := startTraced(t, p, folder, s.arguments(folder))
	var lines []*line
	if h.url != "" {
		lines = p.write(t, h, s)
	}
	code := h.end(t, s.signal)
	text := h.text(t)
	if strings.Contains(text, "panic:") || strings.Contains(text, "fatal error:") {
		t.Errorf("the host panicked:\n%s", text)
	}
	if code != 0 && code != 1 && (code != -1 || s.signal != syscall.SIGKILL) || strings.Contains(text, "damaged") {
		t.Errorf("the exit code is %d, and the host says:\n%s", code, text)
	}
	outcome := fmt.Sprintf("%d lines, %d refused; exit code %d", len(lines), len(refused(lines)), code)
	p.check(t, folder)
	p.repeat(t, folder, lines)
	p.check(t, folder)
	compare(t, folder, lines)
	t.Logf("%s\n%s", outcome, text)
}

const (
	// writeFor is how long a client writes; the store is synced each second.
	writeFor = 2 * time.Second
	lineSize = 3_000
)

// write writes lines, one after the other, until the time is over, the host ends or,
// with once, a line is refused. strace counts the occurrences in each thread, so that
// another write may succeed, unless all fail from the first one on: then the host is not
// ready.
func (p *template) write(t *testing.T, h *traced, s *scenario) []*line {
	t.Helper()
	var lines []*line
	for end := time.Now().Add(writeFor); time.Now().Before(end); {
		select {
		case <-h.ended:
			return lines
		default:
		}
		l := newLine(len(lines), lineSize)
		lines = append(lines, l)
		code, err := p.send(t, h.url, l)
		if l.acked != 0 {
			continue
		}
		if code != protocol.CodeStoreUnavailable && err == nil {
			t.Errorf("the host refuses a write with %q", code)
		}
		if s.always && s.when == 1 && p.ready(t, h.url) {
			t.Error("the host is ready although all writes fail")
		}
		if s.once {
			return lines
		}
		pause.For(t.Context(), 20*time.Millisecond)
	}
	return lines
}

func refused(lines []*line) []*line {
	return slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return l.acked != 0 })
}

// check runs playctl store check.
func (p *template) check(t *testing.T, folder string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), hostprocess.Binary(t), "store", "check", "--data-dir", folder)
	c.Env = append(os.Environ(), "HOME="+t.TempDir())
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("store check: %v\n%s", err, out)
	}
}

// repeat sends the refused lines again, with their keys, to a host without faults.
func (p *template) repeat(t *testing.T, folder string, lines []*line) {
	t.Helper()
	h := hostprocess.Start(t, hostprocess.Options{Args: p.args(folder)})
	defer h.Stop()
	for _, l := range refused(lines) {
		if code, err := p.send(t, h.URL(), l); err != nil || l.acked == 0 {
			t.Fatalf("the repeat of %.10q: %s, %v", l.text, code, err)
		}
	}
	if !p.ready(t, h.URL()) {
		t.Error("the host without faults is not ready")
	}
}

// ready reports whether the host at an address says that it is ready.
func (p *template) ready(t *testing.T, url string) bool {
	t.Helper()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := p.main.Do(t.Context(), client, url, hostprocess.Request{Method: http.MethodGet, Path: "/readyz"})
	return err == nil && a.OK()
}

// compare compares the store with the acknowledged lines: each is there once, at its seq.
func compare(t *testing.T, folder string, lines []*line) {
	t.Helper()
	j, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(folder, "world.playstore"), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }()
	found := map[string]uint64{}
	for e, err := range j.Read(context.Background(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range e.Events {
			var data struct {
				Text string `json:"text"`
			}
			_ = json.Unmarshal(e.Events[i].Data, &data) // other events have no text
			if !strings.HasPrefix(data.Text, "line ") {
				continue
			}
			if first, twice := found[data.Text]; twice {
				t.Errorf("%.10q is there twice, as %d and %d", data.Text, first, e.FirstSeq()+uint64(i))
			}
			found[data.Text] = e.FirstSeq() + uint64(i)
		}
	}
	for _, l := range lines {
		if found[l.text] != l.acked {
			t.Errorf("%.10q was acknowledged as %d and is stored as %d", l.text, l.acked, found[l.text])
		}
	}
	if len(found) != len(lines) {
		t.Errorf("%d lines are stored; %d were sent", len(found), len(lines))
	}
}
