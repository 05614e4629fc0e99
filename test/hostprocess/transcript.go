package hostprocess

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// servedAt is the address that a host prints once it serves.
var servedAt = regexp.MustCompile(`https?://127\.0\.0\.1:\d+`)

// alarms are texts that a correct host never prints.
var alarms = []string{"WARNING: DATA RACE", "panic: ", "fatal error: "}

// transcript is the output of one process on both of its streams.
type transcript struct {
	// served receives the address once it was printed.
	served chan string

	mu    sync.Mutex
	text  strings.Builder
	known bool
}

func newTranscript() *transcript { return &transcript{served: make(chan string, 1)} }

// Write records output on standard error.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.WriteString(string(p))
	return len(p), nil
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// screen is standard output, where the address appears.
func (t *transcript) screen() io.Writer { return &screen{transcript: t} }

type screen struct {
	transcript *transcript
	line       []byte
}

// Write looks for the address in whole lines.
func (s *screen) Write(p []byte) (int, error) {
	t := s.transcript
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known {
		s.line = append(s.line, p...)
		end := bytes.LastIndexByte(s.line, '\n') + 1
		if url := servedAt.Find(s.line[:end]); url != nil {
			t.known = true
			t.served <- string(url)
		}
		s.line = s.line[end:]
	}
	t.text.WriteString(string(p))
	return len(p), nil
}

// Guard adds secrets that became known after the start.
func (h *Host) Guard(secrets ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.secrets = append(h.secrets, secrets...)
}

// Output returns the output of the host since New, on both of its streams.
func (h *Host) Output() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.earlier.String() + h.said.String()
}

// checkOutput fails the test for secrets and alarms in arguments and output. It does not
// repeat them.
func (h *Host) checkOutput() {
	h.t.Helper()
	said := h.Output()
	args := strings.Join(h.options.Args, " ")
	for i, secret := range h.guarded() {
		if secret != "" && (strings.Contains(said, secret) || strings.Contains(args, secret)) {
			h.t.Errorf("the host printed secret number %d, of %d characters", i, len(secret))
		}
	}
	for _, alarm := range alarms {
		if strings.Contains(said, alarm) {
			h.t.Errorf("the host printed %q:\n%s", alarm, said)
		}
	}
}

func (h *Host) guarded() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.secrets)
}
