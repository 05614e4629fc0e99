//go:build full

package manyhosts

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"

	"github.com/playctl/playctl/test/hostprocess"
)

// way is a subscriber's connection to the hosts: each connection leads to any
// running host, as through a proxy.
type way struct {
	site      *site
	transport *http.Transport

	mu     sync.Mutex
	random *rand.Rand
	open   map[*wire]struct{}
}

func newWay(s *site, seed, number uint64) *way {
	w := &way{site: s, random: rand.New(rand.NewPCG(seed, number)), open: map[*wire]struct{}{}}
	w.transport = &http.Transport{DialContext: w.dial, MaxIdleConnsPerHost: 2}
	return w
}

// dial connects to a host, whatever the address. If the chosen one is not running,
// that fails, as it does when a host has just died.
func (w *way) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	w.mu.Lock()
	url := w.site.hosts[w.random.IntN(hosts)].URL()
	w.mu.Unlock()
	if url == "" {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errNotSent}
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", url[len("http://"):])
	if err != nil {
		return nil, err
	}
	wire := &wire{Conn: conn, way: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[wire] = struct{}{}
	return wire, nil
}

// move breaks the connections, so that the subscriber continues at another host.
func (w *way) move() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for wire := range w.open {
		_ = wire.Conn.Close()
	}
}

// wire is a connection to a host.
type wire struct {
	net.Conn
	way      *way
	hastener hostprocess.Hastener
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.hastener.Rewrite(p[:n])
	return n, err
}

func (w *wire) Close() error {
	w.way.mu.Lock()
	delete(w.way.open, w)
	w.way.mu.Unlock()
	return w.Conn.Close()
}
