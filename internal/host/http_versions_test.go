package host

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/playctl/playctl/protocol"
)

// TestStreamOverEveryHTTPVersion reads streams over each version of HTTP, with and
// without TLS: live, resumed, beside one that is not read, and until the host
// shuts down.
func TestStreamOverEveryHTTPVersion(t *testing.T) {
	folder := t.TempDir()
	certFile, keyFile := filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	writeCertificate(t, certFile, keyFile, 1)
	http1, http2, cleartext := (*http.Protocols).SetHTTP1, (*http.Protocols).SetHTTP2, (*http.Protocols).SetUnencryptedHTTP2
	for _, version := range []struct {
		name   string
		secure bool
		use    func(*http.Protocols, bool)
		major  int
	}{
		{"HTTP 1.1", false, http1, 1},
		{"HTTP 1.1 over TLS", true, http1, 1},
		{"HTTP 2 over TLS", true, http2, 2},
		{"HTTP 2 in cleartext", false, cleartext, 2},
	} {
		t.Run(version.name, func(t *testing.T) {
			f := newFixture(t, func(s *setup) {
				if version.secure {
					s.host.CertFile, s.host.KeyFile = certFile, keyFile
				}
			})
			stop := f.serveTCP()
			agent := f.player(f.main())
			var protocols http.Protocols
			version.use(&protocols, true)
			transport := &http.Transport{
				Protocols:       &protocols,
				TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // Its own certificate.
			}
			defer transport.CloseIdleConnections()
			n := &network{fixture: f, base: f.host.URL(), client: &http.Client{Transport: transport}}

			unread := n.open(as(agent), "")
			defer unread.close()
			live := n.subscribe(as(agent), "")
			defer live.close()
			if got := live.reply.ProtoMajor; got != version.major {
				t.Fatalf("the stream uses HTTP/%d", got)
			}
			const lines = 40
			for i := range lines {
				f.say(agent, fmt.Sprint("line ", i))
			}
			read := func(s *subscription, first int) {
				t.Helper()
				for i := first; i < lines; i++ {
					fr := s.event()
					if fr.seq(t) != live.cursor+1+uint64(i) || fr.field(t, "text") != fmt.Sprint("line ", i) {
						t.Fatalf("line %d arrived as %+v", i, fr)
					}
				}
			}
			read(live, 0)
			resumed := n.subscribe(as(agent), "", with(protocol.HeaderLastEventID, itoa(live.cursor+10)))
			defer resumed.close()
			read(resumed, 10)
			if err := stop(); err != nil {
				t.Errorf("Serve: %v", err)
			}
			live.ended()
			resumed.ended()
		})
	}
}

// TestHTTP2Limits reads the settings that a host sends at the start of an HTTP/2
// connection (RFC 9113, section 6.5), and sends it a longer frame.
func TestHTTP2Limits(t *testing.T) {
	f := newFixture(t)
	f.serveTCP()
	conn, err := net.Dial("tcp", f.host.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	frame := func() (kind byte, payload []byte) {
		t.Helper()
		var head [9]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			t.Fatal(err)
		}
		payload = make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(conn, payload); err != nil {
			t.Fatal(err)
		}
		return head[3], payload
	}
	const settings, goAway, frameSizeError = 4, 7, 6
	noSettings := []byte{0, 0, 0, settings, 0, 0, 0, 0, 0}
	if _, err := conn.Write(append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), noSettings...)); err != nil {
		t.Fatal(err)
	}
	kind, payload := frame()
	if kind != settings {
		t.Fatalf("the first frame is of kind %d", kind)
	}
	got := map[uint16]uint32{}
	for ; len(payload) >= 6; payload = payload[6:] {
		got[binary.BigEndian.Uint16(payload)] = binary.BigEndian.Uint32(payload[2:])
	}
	const maxStreams, window, maxFrame = 3, 4, 5
	for setting, want := range map[uint16]uint32{maxStreams: 100, window: 64 << 10, maxFrame: 16 << 10} {
		if got[setting] != want {
			t.Errorf("setting %d is %d, not %d", setting, got[setting], want)
		}
	}
	const tooLong = 16<<10 + 1
	if _, err := conn.Write(append([]byte{0, tooLong >> 8, tooLong & 255, settings, 0, 0, 0, 0, 0}, make([]byte, tooLong)...)); err != nil {
		t.Fatal(err)
	}
	for kind != goAway {
		kind, payload = frame()
	}
	if code := binary.BigEndian.Uint32(payload[4:]); code != frameSizeError {
		t.Errorf("an oversized frame ends the connection with code %d", code)
	}
}
