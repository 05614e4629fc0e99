package durability

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/test/hostprocess"
)

func TestMain(m *testing.M) { os.Exit(hostprocess.Main(m)) }

// host is a `playctl serve` of its own on a store that survives it.
type host struct {
	*hostprocess.Host
	t    *testing.T
	dir  string
	root string
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{t: t, dir: filepath.Join(t.TempDir(), "data"), root: filepath.Join(t.TempDir(), "root")}
	if err := creds.WriteRootFile(h.root, creds.GenerateRootKey(), false); err != nil {
		t.Fatal(err)
	}
	h.Host = hostprocess.New(t, hostprocess.Options{
		Args: []string{"--data-dir", h.dir, "--root-file", h.root, "--log-level", "error"},
	})
	return h
}

// check runs `playctl store check` on the store of the killed host.
func (h *host) check() {
	h.t.Helper()
	c := exec.Command(hostprocess.Binary(h.t), "store", "check", "--data-dir", h.dir)
	c.Env = append(os.Environ(), "HOME="+h.t.TempDir())
	if out, err := c.CombinedOutput(); err != nil {
		h.t.Fatalf("store check: %v\n%s", err, out)
	}
}

// call sends one request and decodes its reply. A status other than 200 is an
// error with the status.
func (h *host) call(n hostprocess.Node, method, path, key string, body, reply any) error {
	a, err := n.Do(h.t.Context(), client, h.URL(), hostprocess.Request{Method: method, Path: path, Key: key, Body: body})
	switch {
	case err != nil:
		return err
	case !a.OK():
		return fmt.Errorf("%s %s: status %d: %s", method, path, a.Status, a.Body)
	case reply == nil:
		return nil
	}
	return a.Decode(reply)
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
func (h *host) events(n hostprocess.Node, sid string, after, upTo uint64) []event {
	h.t.Helper()
	req, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, h.URL()+"/api/play/events?sid="+sid, http.NoBody)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("x-node-id", n.ID)
	req.Header.Set("x-node-passw", n.Hash)
	req.Header.Set("last-event-id", fmt.Sprint(after))
	res, err := client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		h.t.Fatalf("the stream returns %d", res.StatusCode)
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
