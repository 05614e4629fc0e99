package durability

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
)

// binary is the program under test, built once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "playctl-durability-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "playctl")
	out, err := exec.Command("go", "build", "-o", path, "../../cmd/playctl").CombinedOutput()
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

// host is a `playctl serve` of its own on a store that outlives it.
type host struct {
	t       *testing.T
	dir     string
	root    string
	url     string
	process *exec.Cmd
	stderr  bytes.Buffer
	drained sync.WaitGroup
}

var servedAt = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{t: t, dir: filepath.Join(t.TempDir(), "data"), root: filepath.Join(t.TempDir(), "root")}
	if err := creds.WriteRootFile(h.root, creds.GenerateRootKey(), false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if h.process != nil {
			h.kill()
		}
	})
	return h
}

// start runs the host and waits for the address that it prints once it serves.
func (h *host) start() {
	h.t.Helper()
	path, err := binary()
	if err != nil {
		h.t.Fatal(err)
	}
	h.process = exec.Command(path, "serve", "--listen", "127.0.0.1:0", "--data-dir", h.dir, "--root-file", h.root, "--log-level", "error")
	h.process.Env = append(os.Environ(), "HOME="+h.t.TempDir(), "XDG_CONFIG_HOME=", "XDG_STATE_HOME=")
	h.stderr.Reset()
	h.process.Stderr = &h.stderr
	out, err := h.process.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.process.Start(); err != nil {
		h.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	h.url = ""
	for h.url == "" {
		text, err := lines.ReadString('\n')
		h.url = servedAt.FindString(text)
		if err != nil && h.url == "" {
			_ = h.process.Wait()
			h.t.Fatalf("the host did not start: %v\n%s", err, h.stderr.String())
		}
	}
	h.drained.Go(func() { _, _ = io.Copy(io.Discard, lines) })
}

// kill ends the host as a power cut would.
func (h *host) kill() {
	_ = h.process.Process.Kill()
	h.drained.Wait()
	_ = h.process.Wait()
	h.process = nil
}

// check runs `playctl store check` on the store of the dead host.
func (h *host) check() {
	h.t.Helper()
	path, err := binary()
	if err != nil {
		h.t.Fatal(err)
	}
	c := exec.Command(path, "store", "check", "--data-dir", h.dir)
	c.Env = append(os.Environ(), "HOME="+h.t.TempDir())
	if out, err := c.CombinedOutput(); err != nil {
		h.t.Fatalf("store check: %v\n%s", err, out)
	}
}

// node is an identity of the test; its hash is made up and never printed.
type node struct{ id, hash, apiKey string }

func (h *host) derive(rootKey, phrase string) node {
	h.t.Helper()
	hash := creds.HashPhrase(phrase)
	id, err := creds.DeriveNodeID(hash, rootKey)
	if err != nil {
		h.t.Fatal(err)
	}
	return node{id: id, hash: hash.Reveal()}
}

// call sends one request and decodes its reply. A status other than 200 is an
// error with the status.
func (h *host) call(n node, method, path, key string, body, reply any) error {
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, h.url+path, payload)
	if err != nil {
		return err
	}
	req.Header.Set("content-type", "application/json")
	if n.id != "" {
		req.Header.Set("x-node-id", n.id)
		req.Header.Set("x-node-passw", n.hash)
	}
	if n.apiKey != "" {
		req.Header.Set("x-api-key", n.apiKey)
	}
	if key != "" {
		req.Header.Set("idempotency-key", key)
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: status %d: %s", method, path, res.StatusCode, text)
	}
	if reply == nil {
		return nil
	}
	return json.Unmarshal(text, reply)
}

var client = &http.Client{
	Timeout:   20 * time.Second,
	Transport: &http.Transport{MaxIdleConnsPerHost: 64},
}

// event is one frame of the stream.
type event struct {
	seq  uint64
	kind string
	data []byte
}

// events reads the stream after a cursor up to and including a seq.
func (h *host) events(n node, sid string, after, upTo uint64) []event {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.url+"/api/play/events?sid="+sid, http.NoBody)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("x-node-id", n.id)
	req.Header.Set("x-node-passw", n.hash)
	req.Header.Set("last-event-id", fmt.Sprint(after))
	res, err := client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		h.t.Fatalf("the stream answers %d", res.StatusCode)
	}
	var out []event
	var now event
	for lines := bufio.NewReader(res.Body); len(out) == 0 && after < upTo || len(out) > 0 && out[len(out)-1].seq < upTo; {
		text, err := lines.ReadString('\n')
		if err != nil {
			h.t.Fatalf("the stream ended after %d events: %v", len(out), err)
		}
		text = strings.TrimSuffix(text, "\n")
		if name, value, ok := strings.Cut(text, ": "); ok {
			switch name {
			case "id":
				if _, err := fmt.Sscan(value, &now.seq); err != nil {
					h.t.Fatalf("the id %q: %v", value, err)
				}
			case "event":
				now.kind = value
			case "data":
				now.data = []byte(value)
			}
		}
		if text == "" {
			if now.kind != "" {
				out = append(out, now)
			}
			now = event{}
		}
	}
	return out
}
