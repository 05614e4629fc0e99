package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/playctl/playctl/protocol"
	"github.com/playctl/playctl/test/worldtest"
)

func TestConnectionLimitsStayBelowDescriptorLimit(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	for descriptors, want := range map[int]int{0: minConnections, 256: 176, 1024: 944, math.MaxInt32: maxConnections} {
		var l ConnectionLimits
		if l.fill(descriptors, log); l.Connections != want || l.Streams >= l.Connections || l.PerAddress >= l.Streams {
			t.Errorf("%d descriptors: %+v, want %d connections", descriptors, l, want)
		}
	}
	requested := ConnectionLimits{Connections: 5000, PerAddress: 4000, Streams: 10}
	if requested.fill(1024, log); requested != (ConnectionLimits{944, 944, 472, 10, 5, 5}) {
		t.Errorf("the requested limits became %+v", requested)
	}
	if (&ConnectionLimits{Streams: -1}).check() == nil {
		t.Error("a negative limit is accepted")
	}
}

// addressClient is a client at an address of its own.
type addressClient struct {
	*fixture
	client *http.Client
	dialer *net.Dialer
}

func (f *fixture) clientAt(addr string, keepAlive bool) *addressClient {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(addr)}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: !keepAlive}
	f.t.Cleanup(transport.CloseIdleConnections)
	return &addressClient{f, &http.Client{Transport: transport}, dialer}
}

// fetch sends a request and reads its reply to the end.
func (g *addressClient) fetch(path string, who identity) *reply {
	g.t.Helper()
	answer := g.open(path, who)
	text, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err != nil {
		g.t.Fatal(err)
	}
	return &reply{t: g.t, what: path, status: answer.StatusCode, header: answer.Header, body: text}
}

func (g *addressClient) open(path string, who identity) *http.Response {
	g.t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, g.host.URL()+path, http.NoBody)
	if err != nil {
		g.t.Fatal(err)
	}
	as(who)(r)
	answer, err := g.client.Do(r)
	if err != nil {
		g.t.Fatalf("%s: %v", path, err)
	}
	return answer
}

// stream opens a stream that stays until the test ends, and waits until it has started.
func (g *addressClient) stream(who identity) {
	g.t.Helper()
	answer := g.open(g.play("/events"), who)
	g.t.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewReader(answer.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			g.t.Fatalf("a stream has not started: %v", err)
		}
		if strings.HasPrefix(line, "id:") {
			return
		}
	}
}

// silent connects and sends nothing; the function waits until the host has closed the
// connection.
func (g *addressClient) silent() (closed func()) {
	g.t.Helper()
	conn, err := g.dialer.DialContext(context.Background(), "tcp", g.host.Addr().String())
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = conn.Close() })
	return func() {
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			g.t.Error("the connection received a reply")
		}
	}
}

// metric reads one of the metrics.
func (f *fixture) metric(name string) string {
	for line := range strings.Lines(string(f.get("/metrics").body)) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// overloaded fails the test unless a call is refused as overloaded, with the name of
// the limit.
func (r *reply) overloaded(limit string) {
	r.t.Helper()
	var e protocol.ErrorBody
	after, err := strconv.Atoi(r.header.Get("Retry-After"))
	if json.Unmarshal(r.body, &e) != nil || e.Code != protocol.CodeOverloaded || !strings.Contains(e.Error, limit) || r.status != http.StatusServiceUnavailable || err != nil || after < 1 {
		r.t.Errorf("%s: %d %s, want %s by %s", r.what, r.status, r.body, protocol.CodeOverloaded, limit)
	}
}

func TestConnectionsPerAddressAreLimited(t *testing.T) {
	f := newFixture(t, func(s *setup) {
		s.host.LimitLoopback = true
		s.host.Connections = ConnectionLimits{PerAddress: 2, StreamsPerAddress: 2}
	})
	main := f.main()
	f.serveTCP()
	many, other := f.clientAt("127.0.1.1", false), f.clientAt("127.0.1.2", false)
	many.stream(main)
	many.stream(main)
	many.fetch(f.play("/snapshot"), main).overloaded("2 (--max-connections-per-address)")
	many.fetch(f.play("/events"), main).endsAtOnce(t)
	many.fetch(protocol.PathHealth, main).ok()
	other.fetch(f.play("/snapshot"), main).ok()
	other.stream(main)
	if got := f.metric(`playctl_connections_refused_total{limit="connections_per_address"}`); got != "2" {
		t.Errorf("%s requests were refused", got)
	}
}

// Over HTTP/2 one connection has many requests in progress: an address may have no more
// of them than connections.
func TestHTTP2RequestsPerAddressAreLimited(t *testing.T) {
	const most, stalled = 3, 40
	f := newFixture(t, func(s *setup) {
		s.host.LimitLoopback, s.host.Connections = true, ConnectionLimits{PerAddress: most, StreamsPerAddress: most}
	})
	main := f.main()
	f.serveTCP()
	overHTTP2 := func(addr string) *addressClient {
		g := f.clientAt(addr, true)
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		g.client.Transport.(*http.Transport).Protocols = &protocols //nolint:forcetypeassert // addressClient sets it.
		return g
	}
	many, other := overHTTP2("127.0.1.1"), overHTTP2("127.0.1.2")
	for range most {
		many.stream(main)
	}
	many.fetch(f.play("/session"), main).overloaded("3 (--max-connections-per-address)")
	many.fetch(f.play("/events"), main).endsAtOnce(t)
	many.fetch(protocol.PathHealth, main).ok()
	other.fetch(f.play("/session"), main).ok()

	stop, end := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer end()
	for range stalled {
		all.Go(func() {
			body, rest := io.Pipe() // nothing comes
			defer func() { _ = rest.Close() }()
			r, err := http.NewRequestWithContext(stop, http.MethodPost, f.host.URL()+protocol.PathNodes, body)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", protocol.MediaTypeJSON)
			reply, err := other.client.Do(r)
			if err == nil {
				_ = reply.Body.Close()
			}
		})
	}
	refused := func() string { return f.metric(`playctl_connections_refused_total{limit="requests_per_address"}`) }
	worldtest.Eventually(t, "all but three requests are refused", func() bool { return refused() == strconv.Itoa(2+stalled-most) })
	if asking := f.metric(`playctl_connections{state="asking"}`); asking != "2" {
		t.Errorf("%s connections are in state asking", asking)
	}
	end()
	all.Wait()
	worldtest.Eventually(t, "capacity is free again", func() bool {
		answer := other.open(f.play("/session"), main)
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
}

// Connections that came at the same time and send nothing are closed one after the other.
func TestSilentConnectionsCloseAtDifferentTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 50
		g := newGate(nil, &Options{}, many+1, many+1)
		began := time.Now()
		ends := make(chan time.Duration, many)
		for range many {
			here, there := net.Pipe()
			defer func() { _ = there.Close() }()
			c := g.admit(here)
			if err := c.SetReadDeadline(began.Add(readHeaderTimeout)); err != nil {
				t.Fatal(err)
			}
			go func() {
				_, _ = c.Read(make([]byte, 1))
				ends <- time.Since(began)
			}()
		}
		apart := map[time.Duration]bool{}
		for range many {
			end := <-ends
			if most := readHeaderTimeout * 5 / 4; end < readHeaderTimeout || end > most {
				t.Errorf("a connection ends after %v, want between %v and %v", end, readHeaderTimeout, most)
			}
			apart[end.Truncate(10*time.Millisecond)] = true
		}
		if len(apart) < many/2 {
			t.Errorf("%d connections end at only %d different times", many, len(apart))
		}
		here, there := net.Pipe()
		defer func() { _ = there.Close() }()
		c := g.admit(here)
		if err := c.SetReadDeadline(began); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a deadline in the past: %v", err)
		}
	})
}

// connFrom is a connection from an address.
type connFrom struct {
	net.Conn
	addr string
}

func (c connFrom) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(c.addr), Port: 1} }
func (connFrom) Close() error           { return nil }

// However many connections one address opens, and whatever they do, the first one of
// another address has a reply at once.
func TestFullListenerAdmitsOtherAddressAtOnce(t *testing.T) {
	const most = 40
	for name, busy := range map[string]func(n int, c *gateConn){
		"streams":                  func(_ int, c *gateConn) { c.begin() },
		"silence":                  func(int, *gateConn) {},
		"streams and silence":      func(n int, c *gateConn) { map[bool]func(){true: func() { c.begin() }, false: func() {}}[n < most]() },
		"streams and slow bodies":  func(_ int, c *gateConn) { c.begin(); c.leave() },
		"streams and idle clients": func(n int, c *gateConn) { c.begin(); map[bool]func(){true: func() {}, false: c.end}[n%2 == 0]() },
	} {
		for _, exempt := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(nil, &Options{LimitLoopback: !exempt, Metrics: NewMetrics()}, most, most)
				began := time.Now()
				for n := range 3 * most {
					if c := g.admit(connFrom{addr: "127.0.0.1"}); c != nil {
						busy(n, c)
					}
				}
				for n := range 3 {
					if g.admit(connFrom{addr: "127.0.0.2"}) == nil {
						t.Errorf("%s: connection %d of another address was closed", name, n)
					}
				}
				if waited := time.Since(began); waited > 0 || len(g.open) > most+refusedAtOnce {
					t.Errorf("%s: the others waited for %v; %d connections are open", name, waited, len(g.open))
				}
			})
		}
	}
}

// A new connection has some time for its first request, unless its own address needs the
// place or has many.
func TestFullListenerGivesTimeForFirstRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(nil, &Options{Metrics: NewMetrics()}, 2, 2)
		first, second := g.admit(connFrom{addr: "127.0.0.1"}), g.admit(connFrom{addr: "127.0.0.2"})
		if c := g.admit(connFrom{addr: "127.0.0.3"}); c == nil || !c.overfull || !g.open[first] || !g.open[second] {
			t.Errorf("the third connection is %+v", c)
		}
		if c := g.admit(connFrom{addr: "127.0.0.2"}); c == nil || g.open[second] {
			t.Error("a connection of the same address was not closed")
		}
		<-time.After(firstRequestTime)
		if c := g.admit(connFrom{addr: "127.0.0.4"}); c == nil || c.overfull || g.open[first] {
			t.Errorf("after some time the next connection is %+v", c)
		}
	})
}

// A full host closes connections without a request, first those that never sent
// one, then those that wait for their next request, and serves health to all.
func TestFullHostClosesIdleConnections(t *testing.T) {
	f := newFixture(t, func(s *setup) {
		s.host.Connections = ConnectionLimits{Connections: 4, PerCaller: 4, Streams: 4, StreamsPerCaller: 4}
	})
	main := f.main()
	f.serveTCP()
	kept, short := f.clientAt("127.0.0.1", true), f.clientAt("127.0.0.1", false)
	kept.fetch(f.play("/session"), main).ok()
	gone := []func(){short.silent(), short.silent(), short.silent()}
	short.stream(main)
	gone[0]()
	short.stream(main)
	gone[1]()
	short.stream(main)
	gone[2]()
	short.stream(main) // in place of the connection that was kept
	for state, want := range map[string]string{stateSilent: "3", stateIdle: "1"} {
		if got := f.metric(`playctl_connections_evicted_total{state="` + state + `"}`); got != want {
			t.Errorf("%s %s connections were evicted, want %s", got, state, want)
		}
	}
	if asking := f.metric(`playctl_connections{state="asking"}`); asking != "4" {
		t.Errorf("%s connections are in state asking", asking)
	}
	short.fetch(f.play("/session"), main).overloaded("4 (--max-connections)")
	short.fetch(f.play("/events"), main).endsAtOnce(t)
	short.fetch(protocol.PathHealth, main).ok()
}

// A caller is limited to a share of the streams and of the requests in progress,
// and others are not affected.
func TestConnectionsPerCallerAreLimited(t *testing.T) {
	f := newFixture(t, func(s *setup) {
		s.host.Connections = ConnectionLimits{Connections: 50, PerCaller: 3, Streams: 4, StreamsPerCaller: 2}
	})
	main := f.main()
	other, third := f.agent(main), f.agent(main)
	f.serveTCP()
	g := f.clientAt("127.0.0.1", false)
	g.stream(main)
	g.stream(main)
	g.fetch(f.play("/events"), main).endsAtOnce(t)
	g.fetch(f.play("/session"), main).ok()
	g.stream(other)
	g.stream(other)
	g.fetch(f.play("/events"), third).endsAtOnce(t)
	for limit, want := range map[string]string{"streams_per_caller": "1", "streams": "1"} {
		if got := f.metric(`playctl_connections_refused_total{limit="` + limit + `"}`); got != want {
			t.Errorf("%s refusals by %s", got, limit)
		}
	}

	busy := newFixture(t, func(s *setup) { s.host.Connections = ConnectionLimits{PerCaller: 1} })
	node := busy.main()
	busy.serveTCP()
	one := busy.clientAt("127.0.0.1", false)
	one.stream(node)
	one.fetch(busy.play("/session"), node).overloaded("1 (--max-connections-per-caller)")
}

// An IPv6 site gets no more requests through than four networks, however many it has.
func TestIPv6SiteIsLimited(t *testing.T) {
	l := newLimiter(1, 5, false)
	through := 0
	for i := range 1000 {
		if l.wait(parseAddress("2001:db8:0:"+strconv.FormatInt(int64(i), 16)+"::1")) == 0 {
			through++
		}
	}
	if through != siteShare*5 {
		t.Errorf("%d requests of one site were accepted", through)
	}
	if l.wait(parseAddress("2001:db8:1::1")) != 0 {
		t.Error("another site is limited as well")
	}
}
