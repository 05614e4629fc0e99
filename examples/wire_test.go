//go:build full

package examples

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
)

// wire is a proxy in front of a host, which keeps what programs send.
type wire struct {
	*httptest.Server
	mu   sync.Mutex
	sent strings.Builder
}

// newWire starts a proxy in front of the workspace's host.
func newWire(p *workspace) *wire {
	target, err := url.Parse(p.server)
	if err != nil {
		p.t.Fatal(err)
	}
	w := &wire{}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.mu.Lock()
		_, _ = fmt.Fprintf(&w.sent, "%s\n%v\n%s\n", r.URL, r.Header, body)
		w.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		proxy.ServeHTTP(out, r)
	}))
	p.t.Cleanup(w.Close)
	return w
}

// has reports whether a program sent a text in a URL, a header or a body.
func (w *wire) has(text string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(w.sent.String(), text)
}
