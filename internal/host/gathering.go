package host

import (
	"net"
	"sync"
)

// gathering is the beginning of a reply, held back for the bytes that follow. net/http
// writes the headers with the first bytes of the body, and the rest with another system
// call; each of them wakes the client's process.
type gathering struct {
	first [4 << 10]byte
	n     int
	parts [2][]byte
}

var gatherings = sync.Pool{New: func() any { return new(gathering) }}

// Write implements net.Conn.
func (c *gateConn) Write(b []byte) (int, error) {
	g := c.gathers
	switch {
	case c.inTurns != nil:
		return c.inTurns(b)
	case g == nil:
		return c.Conn.Write(b) //nolint:wrapcheck // The server compares it.
	case g.n == 0 && len(b) <= len(g.first):
		g.n = copy(g.first[:], b)
		return len(b), nil
	}
	return c.writeGathered(b)
}

// writeGathered writes the bytes held back and b with one system call, and ends the
// gathering. How much of b was written is not known after an error, which ends the
// connection.
func (c *gateConn) writeGathered(b []byte) (int, error) {
	g := c.gathers
	c.gathers = nil
	g.parts = [2][]byte{g.first[:g.n], b}
	parts := net.Buffers(g.parts[:])
	_, err := parts.WriteTo(c.Conn)
	g.n, g.parts = 0, [2][]byte{}
	gatherings.Put(g)
	if err != nil {
		return 0, err //nolint:wrapcheck // The server compares it.
	}
	return len(b), nil
}

// gatherFrom is the least length of a reply that, with its headers, may not fit the
// buffer of net/http.
const gatherFrom = 3 << 10

// gather holds back the beginning of a reply of a known length until the rest follows,
// or until endGather at the latest. A long reply is written in parts instead. On
// HTTP/1.1 one goroutine at a time writes to a connection; HTTP/2 and TLS have buffers
// of their own.
func (c *call) gather(length int) {
	if conn := connOf(c.r); conn != nil && length >= gatherFrom && !c.long && c.r.TLS == nil && c.r.ProtoMajor == 1 {
		conn.gathers = gatherings.Get().(*gathering) //nolint:forcetypeassert // It holds nothing else.
	}
}

// endGather is called when the reply is written. If a part is held back, it is sent
// together with the bytes that net/http still buffers.
func (c *call) endGather() {
	conn := connOf(c.r)
	if conn == nil || conn.gathers == nil {
		return
	}
	if conn.gathers.n > 0 {
		_ = c.control().Flush() // A client that is gone needs no reply.
	}
	if conn.gathers != nil {
		_, _ = conn.writeGathered(nil)
	}
}
