package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
)

// rawClient sends prepared requests and reads no more of a reply than it must. A
// client with more work would hide the server's cost behind its own.
type rawClient struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
}

func dial(tb testing.TB, addr string) *rawClient {
	tb.Helper()
	c, err := connect(addr, false)
	must(tb, err)
	return c
}

// connect is like dial, but returns an error, and uses TLS if the server does.
func connect(addr string, secure bool) (*rawClient, error) {
	open := func() (net.Conn, error) { return net.Dial("tcp", addr) }
	if secure {
		open = func() (net.Conn, error) { return dialTLS(addr) }
	}
	conn, err := open()
	if err != nil {
		return nil, err
	}
	return &rawClient{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

func (c *rawClient) close() { _ = c.conn.Close() }

// request returns the bytes of an HTTP/1.1 request.
func request(n identity, method, path string, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: bench\r\n", method, path)
	if n.id != "" {
		fmt.Fprintf(&b, "X-Node-Id: %s\r\nX-Node-Passw: %s\r\n", n.id, n.hash)
	}
	if n.apiKey != "" {
		fmt.Fprintf(&b, "X-Api-Key: %s\r\n", n.apiKey)
	}
	if body != nil {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// do sends a request and reads the reply; the body is valid until the next call.
func (c *rawClient) do(request []byte) (status int, body []byte, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, nil, err
	}
	length := -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		text := string(bytes.TrimSpace(line))
		switch {
		case first:
			if status, err = strconv.Atoi(strings.Fields(text)[1]); err != nil {
				return 0, nil, err
			}
		case text == "":
			if length < 0 {
				return 0, nil, errors.New("the reply has no content-length")
			}
			if cap(c.body) < length {
				c.body = make([]byte, length)
			}
			c.body = c.body[:length]
			_, err = io.ReadFull(c.in, c.body)
			return status, c.body, err
		case len(text) > 16 && strings.EqualFold(text[:15], "content-length:"):
			if length, err = strconv.Atoi(strings.TrimSpace(text[15:])); err != nil {
				return 0, nil, err
			}
		}
	}
}
