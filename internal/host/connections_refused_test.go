package host

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

// Requests beyond the limit are refused, and requests far beyond it are not answered,
// because a reply that is not read would take memory as well.
func TestRequestsFarBeyondLimitAreCut(t *testing.T) {
	const most = 2
	g := newGate(nil, &Options{}, most, most)
	open := func() *gateConn {
		here, there := net.Pipe()
		t.Cleanup(func() { _ = there.Close() })
		return g.admit(here)
	}
	one, other := open(), open()
	for n := 1; n <= most+refusedAtOnce+3; n++ {
		refused, cut := one.begin()
		if (refused != "") != (n > most) || cut != (n > most+refusedAtOnce) {
			t.Errorf("request %d: refused by %q, cut %t", n, refused, cut)
		}
	}
	if refused, cut := other.begin(); refused != "" || cut {
		t.Errorf("the only request of another connection: refused by %q, cut %t", refused, cut)
	}
	one.end()
	if err := one.Close(); err != nil || g.asking != 1 {
		t.Errorf("with one request in progress the gate counts %d, %v", g.asking, err)
	}
	one.end()
	if other.end(); g.asking != 0 {
		t.Errorf("with no request in progress the gate counts %d", g.asking)
	}
}

// Connections that were refused, and whose clients still send, make room for others,
// including those of their own address: one address takes no more than its share.
func TestRefusedConnectionsFreeCapacity(t *testing.T) {
	const most, perAddress = 8, 2
	f := newFixture(t, func(s *setup) {
		s.host.LimitLoopback, s.host.Connections = true, ConnectionLimits{Connections: most, PerAddress: perAddress}
	})
	main := f.main()
	f.serveTCP()
	many, other := f.clientAt("127.0.1.1", false), f.clientAt("127.0.1.2", false)
	asking := func() string { return f.metric(`playctl_connections{state="asking"}`) }
	for n := range most + 2*refusedAtOnce {
		conn, err := many.dialer.DialContext(t.Context(), "tcp", f.host.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{", protocol.PathNodes); err != nil {
			t.Fatal(err)
		}
		if n < perAddress {
			worldtest.Eventually(t, "the host waits for the body", func() bool { return asking() == strconv.Itoa(n+1) })
			continue
		}
		reply := make([]byte, len("HTTP/1.1 503"))
		if _, err := io.ReadFull(conn, reply); err != nil || !strings.HasSuffix(string(reply), "503") {
			t.Fatalf("connection %d: %q, %v", n, reply, err)
		}
	}
	other.fetch(protocol.PathHealth, main).ok()
	other.fetch(f.play("/session"), main).ok()
	if got := f.metric(`playctl_connections_refused_total{limit="connections"}`); got != "" {
		t.Errorf("one address filled the host: %s connections were refused", got)
	}
}
