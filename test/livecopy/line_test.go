//go:build full

package livecopy

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/playctl/playctl/test/hostprocess"
)

// line is an unreliable network to a host: each connection breaks after a number of
// bytes, and its data arrives in small pieces, and late.
type line struct {
	// cuts are the numbers of bytes that each connection carries, in the order in
	// which they are opened; 0 means no limit, which also applies to those after the
	// last.
	cuts []int
	// piece is the most bytes that arrive at once, 0 for no limit, and lag the delay
	// of each piece.
	piece int
	lag   time.Duration

	mu      sync.Mutex
	carried []int // by each connection so far
}

// transport returns a transport over the line.
func (l *line) transport() *http.Transport {
	return &http.Transport{DialContext: l.dial, MaxIdleConnsPerHost: 4}
}

func (l *line) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := &wire{Conn: conn, line: l, number: len(l.carried), left: -1}
	l.carried = append(l.carried, 0)
	if c.number < len(l.cuts) && l.cuts[c.number] > 0 {
		c.left = l.cuts[c.number]
	}
	return c, nil
}

// bytesOf returns the bytes that each connection carried, in the order in which
// they were opened.
func (l *line) bytesOf() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]int(nil), l.carried...)
}

// wire is one connection of a line.
type wire struct {
	net.Conn
	line     *line
	number   int
	left     int // before it breaks, -1 for never
	hastener hostprocess.Hastener
}

// Read breaks the connection when its bytes are used up: every other one as a clean
// end, which the client cannot distinguish from the host's.
func (w *wire) Read(p []byte) (int, error) {
	if w.left == 0 {
		_ = w.Conn.Close()
		if w.line.cuts[w.number]%2 == 0 {
			return 0, io.EOF
		}
		return 0, syscall.ECONNRESET
	}
	if w.line.piece > 0 && len(p) > w.line.piece {
		p = p[:w.line.piece]
	}
	if w.left > 0 && len(p) > w.left {
		p = p[:w.left]
	}
	if w.line.lag > 0 {
		<-time.After(w.line.lag)
	}
	n, err := w.Conn.Read(p)
	if w.left > 0 {
		w.left -= n
	}
	w.hastener.Rewrite(p[:n])
	w.line.mu.Lock()
	w.line.carried[w.number] += n
	w.line.mu.Unlock()
	return n, err
}
