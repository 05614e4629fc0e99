package bench

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// version is the HTTP version of a subscriber's stream.
type version int

const (
	http11 version = iota
	http2Cleartext
	http2TLS
)

// eventCounter parses the bytes of a subscriber's connection.
type eventCounter interface {
	parse(b []byte) error
	counted() *counter
}

func (c *counter) counted() *counter { return c }

// connect opens a stream.
func (v version) connect(addr string, ask []byte) (conn net.Conn, in eventCounter, err error) {
	if v == http2TLS {
		conn, err = dialTLS(addr, "h2")
	} else {
		conn, err = net.Dial("tcp", addr)
	}
	if err != nil {
		return nil, nil, err
	}
	in = &counter{}
	if v != http11 {
		in = &frames{conn: conn}
		if ask, err = v.greeting(ask); err != nil {
			return nil, nil, err
		}
	}
	_, err = conn.Write(ask)
	return conn, in, err
}

// dialTLS connects to a server with a self-signed certificate.
func dialTLS(addr string, protocols ...string) (net.Conn, error) {
	return tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: protocols}) //nolint:gosec // as said above
}

// greeting returns the first bytes of an HTTP/2 connection that requests one
// stream.
func (v version) greeting(ask []byte) ([]byte, error) {
	scheme := "http"
	if v == http2TLS {
		scheme = "https"
	}
	head, _, _ := bytes.Cut(ask, []byte("\r\n\r\n"))
	lines := bytes.Split(head, []byte("\r\n"))
	fields := []hpack.HeaderField{
		{Name: ":method", Value: "GET"},
		{Name: ":scheme", Value: scheme},
		{Name: ":authority", Value: "bench"},
		{Name: ":path", Value: string(bytes.Fields(lines[0])[1])},
	}
	for _, line := range lines[1:] {
		if name, value, _ := bytes.Cut(line, []byte(": ")); !bytes.EqualFold(name, []byte("Host")) {
			fields = append(fields, hpack.HeaderField{Name: string(bytes.ToLower(name)), Value: string(value)})
		}
	}
	var block, b bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, f := range fields {
		if err := encoder.WriteField(f); err != nil {
			return nil, err
		}
	}
	const window = 1<<31 - 1
	b.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(&b, nil)
	for _, write := range []func() error{
		func() error {
			return framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
		},
		func() error { return framer.WriteWindowUpdate(0, window-65535) },
		func() error {
			return framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true})
		},
	} {
		if err := write(); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// frames parses an HTTP/2 connection with one stream, and counts its events. Go's
// own client would need more time for a frame than the server.
type frames struct {
	counter
	conn net.Conn
	head [9]byte
	n    int
	// rest is the rest of the current frame, payload the payload so far of one that
	// is not data.
	rest    int
	payload []byte
}

func (f *frames) parse(b []byte) error {
	for len(b) > 0 {
		if f.n < len(f.head) {
			n := copy(f.head[f.n:], b)
			f.n, b = f.n+n, b[n:]
			if f.n < len(f.head) {
				return nil
			}
			f.rest, f.payload = int(f.head[0])<<16|int(f.head[1])<<8|int(f.head[2]), f.payload[:0]
		}
		part := b[:min(len(b), f.rest)]
		b, f.rest = b[len(part):], f.rest-len(part)
		var err error
		if http2.FrameType(f.head[3]) == http2.FrameData {
			err = f.lines(part)
		} else {
			f.payload = append(f.payload, part...)
		}
		if err == nil && f.rest == 0 {
			f.n = 0
			err = f.end(http2.FrameType(f.head[3]), http2.Flags(f.head[4]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// end handles a complete frame.
func (f *frames) end(kind http2.FrameType, flags http2.Flags) error {
	switch kind {
	case http2.FrameSettings, http2.FramePing:
		answer := http2.NewFramer(f.conn, nil)
		switch {
		case flags.Has(http2.FlagPingAck): // of settings as well
			return nil
		case kind == http2.FramePing:
			return answer.WritePing(true, [8]byte(f.payload))
		}
		return answer.WriteSettingsAck()
	case http2.FrameHeaders:
		fields, err := hpack.NewDecoder(4096, nil).DecodeFull(f.payload)
		if err != nil || len(fields) == 0 || fields[0].Value != "200" {
			return fmt.Errorf("the headers %v, %w", fields, err)
		}
	case http2.FrameRSTStream, http2.FrameGoAway:
		return fmt.Errorf("a frame %v: %q", kind, f.payload)
	default:
	}
	return nil
}

// TestVersions reads the same events over each version of HTTP.
func TestVersions(t *testing.T) {
	s := serve(t, 1)
	ask := request(s.main, "GET", "/api/play/events?sid="+s.sid, nil)
	c := dial(t, s.addr)
	defer c.close()
	for _, v := range []version{http11, http2Cleartext} {
		a := subscribeOver(t, v, s.addr, ask, 3)
		for range 5 {
			a.expect(1)
			if status, body, err := c.do(s.interaction(s.agents[0])); err != nil || status != 200 {
				t.Fatalf("status %d, %v: %s", status, err, body)
			}
			a.wait()
		}
		a.closeAll()
	}
}
