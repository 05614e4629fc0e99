package redis

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// discardLogger discards the library's log: failures are in the errors of calls, and
// further lines would break the host's log.
type discardLogger struct{}

// Printf writes nothing.
func (discardLogger) Printf(context.Context, string, ...any) {}

var quiet = sync.OnceFunc(func() { goredis.SetLogger(discardLogger{}) })

// connTracker tracks the connections of one client. The connections of a walk are cut when
// its context ends, so that a call that waits for the server ends too.
type connTracker struct {
	// dialed has a value after there was a new connection.
	dialed chan struct{}

	mu     sync.Mutex
	closed bool
	open   map[*trackedConn]struct{}
}

func newConnTracker() *connTracker {
	return &connTracker{dialed: make(chan struct{}, 1), open: map[*trackedConn]struct{}{}}
}

type trackedConn struct {
	net.Conn
	owner   *connTracker
	greeted bool
}

// errCrowded means that a server accepts no more clients.
var errCrowded = errors.New("it has reached its limit of clients (maxclients)")

// Read returns the error of a server with too many clients, which it sends before
// it closes the connection: the library would mistake it for a server that does not
// support its greeting, and report a broken connection.
func (l *trackedConn) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	if n > 0 && !l.greeted {
		l.greeted = true
		if bytes.HasPrefix(p[:n], []byte("-ERR max number of clients")) {
			return 0, errCrowded
		}
	}
	return n, err //nolint:wrapcheck // The library compares it.
}

// SyscallConn lets the library detect, before it sends a command, that the other
// side has closed the connection.
func (l *trackedConn) SyscallConn() (syscall.RawConn, error) {
	conn, ok := l.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("looking at a connection: %w", err)
	}
	return raw, nil
}

// Close also removes the connection from its owner.
func (l *trackedConn) Close() error {
	l.owner.mu.Lock()
	delete(l.owner.open, l)
	l.owner.mu.Unlock()
	if err := l.Conn.Close(); err != nil {
		return fmt.Errorf("closing a connection: %w", err)
	}
	return nil
}

func (l *connTracker) add(conn net.Conn) net.Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		_ = conn.Close()
	}
	added := &trackedConn{Conn: conn, owner: l}
	l.open[added] = struct{}{}
	signal(l.dialed)
	return added
}

func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

func (l *connTracker) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for open := range l.open {
		// trackedConn.Close takes the lock; the connection's own Close does not.
		_ = open.Conn.Close()
	}
}

// connect returns a client with connections of its own. A commit is never sent
// twice: the client does not retry.
func connect(o Options, reply time.Duration, connections *connTracker) goredis.UniversalClient {
	u := &goredis.UniversalOptions{
		Addrs: o.Address.Hosts, DB: o.Address.DB, MasterName: o.Address.Master,
		IsClusterMode: o.Address.Cluster,
		Username:      o.Username, Password: o.Password,
		SentinelUsername: o.SentinelUsername, SentinelPassword: o.SentinelPassword,
		MaxRetries: -1, DialTimeout: o.dial(), DialerRetries: 1,
		ReadTimeout: reply, WriteTimeout: reply, PoolTimeout: poolWait,
		ContextTimeoutEnabled: true, DisableIdentity: true,
		// The library would send a command to a Cluster again even if its outcome is
		// unknown. After MOVED the next call finds the slot.
		MaxRedirects: -1,
	}
	if o.Address.TLS {
		u.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
		if o.TLS != nil {
			u.TLSConfig = o.TLS.Clone()
		}
		if u.TLSConfig.RootCAs == nil {
			// Reading the system's roots takes longer than a handshake may take on a busy
			// machine; they are read once, here. The handshake reports any error.
			_, _ = x509.SystemCertPool()
		}
	}
	secure := u.TLSConfig
	u.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		if o.Address.Unix {
			network = "unix"
		}
		conn, err := (&net.Dialer{Timeout: o.dial()}).DialContext(ctx, network, address)
		if err != nil {
			return nil, fmt.Errorf("connecting: %w", err)
		}
		kept := connections.add(conn)
		if secure == nil {
			return kept, nil
		}
		return handshake(ctx, o.dial(), kept, secure, address)
	}
	return goredis.NewUniversalClient(u)
}

func handshake(ctx context.Context, limit time.Duration, conn net.Conn, config *tls.Config, address string) (net.Conn, error) {
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	secured := tls.Client(conn, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("TLS handshake with %s: %w", address, err)
	}
	return secured, nil
}
