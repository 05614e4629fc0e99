//go:build full

package manyhosts

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/hostprocess"
	"github.com/playctl/playctl/test/redistest"
)

// TestHostStartsBeforeStore starts a host while Redis is down: the process
// runs, is not ready and refuses requests; when Redis is up the host serves, at the
// same address, without a restart.
func TestHostStartsBeforeStore(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t, redistest.AOF("always")...)
	server.Kill()
	h := hostprocess.New(t, hostprocess.Options{Args: []string{"--store", server.URL(), "--no-repository"}})
	started := make(chan error, 1)
	go func() { started <- h.TryStart() }()

	url := "http://" + waitingAt(t, h, started)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}
	ask := func(path string) *hostprocess.Answer {
		t.Helper()
		a, err := hostprocess.Node{}.Do(t.Context(), client, url, hostprocess.Request{Method: http.MethodGet, Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask(protocol.PathHealth); !a.OK() {
		t.Errorf("health: %d %s", a.Status, a.Body)
	}
	if a := ask(protocol.PathReady); a.Status != http.StatusServiceUnavailable {
		t.Errorf("readiness: %d %s", a.Status, a.Body)
	}
	if a := ask(protocol.ServicePlay.Session()); a.Code != protocol.CodeStoreUnavailable {
		t.Errorf("a request: %d %s", a.Status, a.Code)
	}

	server.Restart()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if h.URL() != url {
		t.Errorf("the host serves at %s, but waited at %s", h.URL(), url)
	}
	for _, path := range []string{protocol.PathReady, protocol.ServicePlay.Session()} {
		if a := ask(path); !a.OK() {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
}

// waitingAt waits until a host reports the address at which it waits for its store.
func waitingAt(t *testing.T, h *hostprocess.Host, started <-chan error) string {
	t.Helper()
	waiting := regexp.MustCompile(`meanwhile (127\.0\.0\.1:\d+) answers 503,`)
	limit := time.NewTimer(patience)
	defer limit.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if found := waiting.FindStringSubmatch(h.Output()); found != nil {
			return found[1]
		}
		select {
		case <-tick.C:
		case err := <-started:
			t.Fatalf("the host does not wait for its store: %v\n%s", err, h.Output())
		case <-limit.C:
			t.Fatalf("the host does not log the address at which it waits:\n%s", h.Output())
		}
	}
}
