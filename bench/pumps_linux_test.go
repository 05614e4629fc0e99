//go:build full

package bench

import (
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/playctl/playctl/internal/creds"
	"github.com/playctl/playctl/test/port"
)

// TestPumpsLeaveOneProcessor counts the goroutines of a host that write to its
// streams: one more on two processors halves the rate at a thousand subscribers.
func TestPumpsLeaveOneProcessor(t *testing.T) {
	dir, ops := t.TempDir(), port.Keep(t)
	key := creds.GenerateRootKey()
	must(t, creds.WriteRootFile(filepath.Join(dir, "root"), key, false))
	p := startAt(t, dir, "127.0.0.1:0", "--metrics-listen", ops, "--pprof")
	s := &served{tb: t, addr: p.addr(), derive: creds.DeriveNodeID}
	s.populate(key, 0)
	a := subscribe(t, s.addr, request(s.main, http.MethodGet, "/api/play/events?sid="+s.sid, nil), 2*runtime.NumCPU())
	defer a.closeAll()
	res, err := http.Get("http://" + ops + "/debug/pprof/goroutine?debug=2")
	must(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	must(t, err)
	if n, want := strings.Count(string(text), "host.(*pump).run("), max(1, runtime.GOMAXPROCS(0)-1); n != want {
		t.Errorf("%d pumps run on %d processors, want %d", n, runtime.GOMAXPROCS(0), want)
	}
}
