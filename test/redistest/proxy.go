package redistest

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// Proxy passes connections on to a server, and loses replies on demand.
type Proxy struct {
	// Addr is the address on which it listens, host:port.
	Addr string

	listener net.Listener
	server   string
	work     sync.WaitGroup

	mu sync.Mutex
	// mute discards the server's replies, and closes the connection.
	mute   bool
	once   bool
	refuse bool
	open   map[net.Conn]struct{}
}

// Before starts a proxy in front of the server; it ends with the test.
func (s *Server) Before(t testing.TB) *Proxy {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: listener.Addr().String(), listener: listener, server: s.Addr, open: map[net.Conn]struct{}{}}
	ctx := context.WithoutCancel(t.Context()) // Closing the listener ends the work.
	p.work.Go(func() { p.accept(ctx) })
	t.Cleanup(func() {
		_ = listener.Close()
		p.Cut()
		p.work.Wait()
	})
	return p
}

// LoseReplies forwards requests of clients, but cuts a connection instead of
// forwarding a reply of the server.
func (p *Proxy) LoseReplies(lose bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute = lose
}

// LoseNext loses only the next reply.
func (p *Proxy) LoseNext() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mute, p.once = true, true
}

// Refuse cuts every connection, and each new one immediately.
func (p *Proxy) Refuse(refuse bool) {
	p.mu.Lock()
	p.refuse = refuse
	p.mu.Unlock()
	if refuse {
		p.Cut()
	}
}

// Cut cuts the open connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.open {
		_ = conn.Close()
	}
}

func (p *Proxy) accept(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.serve(ctx, client) })
	}
}

func (p *Proxy) serve(ctx context.Context, client net.Conn) {
	server, err := new(net.Dialer).DialContext(ctx, "tcp", p.server)
	if err != nil || !p.add(client, server) {
		_ = client.Close()
		if server != nil {
			_ = server.Close()
		}
		return
	}
	p.work.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	_, _ = io.Copy(replies{client, p}, server)
	_ = client.Close()
	_ = server.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, client)
	delete(p.open, server)
}

func (p *Proxy) add(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		p.open[conn] = struct{}{}
	}
	return !p.refuse
}

// replies are the server's replies to a client.
type replies struct {
	net.Conn
	proxy *Proxy
}

// Write fails when replies are lost, which ends the connection.
func (r replies) Write(b []byte) (int, error) {
	r.proxy.mu.Lock()
	mute := r.proxy.mute
	if r.proxy.once {
		r.proxy.mute, r.proxy.once = false, false
	}
	r.proxy.mu.Unlock()
	if mute {
		return 0, io.ErrClosedPipe
	}
	n, err := r.Conn.Write(b)
	if err != nil {
		return n, fmt.Errorf("passing on a reply: %w", err)
	}
	return n, nil
}
