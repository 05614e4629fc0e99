package hostprocess

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/protocol"
)

func TestMain(m *testing.M) {
	code := Main(m)
	if err := goleak.Find(); code == 0 && err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// recorder is a test that only records its errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Errorf(format string, _ ...any) { r.errors = append(r.errors, format) }
func (r *recorder) Helper()                        {}

func rootFile(t *testing.T) (path, key string) {
	t.Helper()
	path, key = filepath.Join(t.TempDir(), "root"), creds.GenerateRootKey()
	if err := creds.WriteRootFile(path, key, false); err != nil {
		t.Fatal(err)
	}
	return path, key
}

func TestHostServesUntilItEnds(t *testing.T) {
	root, key := rootFile(t)
	h := New(t, Options{Args: []string{"--data-dir", t.TempDir(), "--root-file", root, "--log-level", "error"}})
	if h.URL() != "" {
		t.Errorf("before the start its URL is %s", h.URL())
	}
	h.Start()
	a := NewAccount(t, h, key, "the account", 1)
	var session protocol.SessionReply
	a.Main.Must(t, h, Request{Method: "GET", Path: protocol.ServicePlay.Session()}, &session)
	for name, end := range map[string]func(){"killed": h.Kill, "stopped": h.Stop} {
		pid := h.PID()
		end()
		if _, err := CPU(pid); h.URL() != "" || err == nil {
			t.Fatalf("the %s host still runs", name)
		}
		end()
		h.Start()
		var again protocol.SessionReply
		a.Main.Must(t, h, Request{Method: "GET", Path: protocol.ServicePlay.Session()}, &again)
		if again.SID != session.SID {
			t.Errorf("the %s host has another session", name)
		}
	}
	if size, err := Memory(h.PID()); err != nil || size < 1<<20 {
		t.Errorf("the host has %d bytes, %v", size, err)
	}
	if strings.Count(h.Output(), h.URL()) == 0 || strings.Count(h.Output(), "http://127.0.0.1:") < 3 {
		t.Errorf("the output does not cover all runs:\n%s", h.Output())
	}
}

func TestFailedStartReportsReason(t *testing.T) {
	h := New(t, Options{Args: []string{"--no-such-flag"}})
	if err := h.TryStart(); err == nil || !strings.Contains(err.Error(), "no-such-flag") {
		t.Errorf("the error is %v", err)
	}
	if h.URL() != "" {
		t.Error("a failed host has an address")
	}
}

// A host prints its own address, which stands for a secret here.
func TestSecretInOutputFailsTest(t *testing.T) {
	root, _ := rootFile(t)
	h := New(t, Options{Args: []string{"--ephemeral", "--root-file", root, "--log-level", "error"}})
	h.Start()
	shown := h.URL()
	h.Stop()
	for _, c := range []struct {
		secret string
		fails  bool
	}{{shown, true}, {root, true}, {"--ephemeral", true}, {"", false}, {"a text that no host prints", false}} {
		r := &recorder{TB: t}
		checked := &Host{t: r, said: h.said, options: h.options}
		checked.Guard(c.secret)
		checked.checkOutput()
		if fails := len(r.errors) > 0; fails != c.fails {
			t.Errorf("a guarded text %q fails the test: %v", c.secret, fails)
		}
		for _, e := range r.errors {
			if c.secret != "" && strings.Contains(e, c.secret) {
				t.Errorf("the failure repeats %q", c.secret)
			}
		}
	}
}

func TestAlarmInOutputFailsTest(t *testing.T) {
	for _, text := range alarms {
		r := &recorder{TB: t}
		said := newTranscript()
		_, _ = said.Write([]byte("first\n" + text + "of something\n"))
		(&Host{t: r, said: said}).checkOutput()
		if len(r.errors) != 1 {
			t.Errorf("%q causes %d failures", text, len(r.errors))
		}
	}
}

func TestReconnectDelayIsShortened(t *testing.T) {
	const sent = "x\r\n\nretry: 15\nretry: 2000\ndata: 2000\n\n\nretry: 2000\n"
	const want = "x\r\n\nretry: 15\nretry: 0100\ndata: 2000\n\n\nretry: 0100\n"
	for pieces := 1; pieces < len(sent); pieces++ {
		var h Hastener
		text := []byte(sent)
		for i := 0; i < len(text); i += pieces {
			h.Rewrite(text[i:min(i+pieces, len(text))])
		}
		if string(text) != want {
			t.Errorf("in pieces of %d: %q", pieces, text)
		}
	}
}
