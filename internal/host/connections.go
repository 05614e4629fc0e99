package host

import (
	"container/list"
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// gate bounds the connections of a listener. When there are too many it closes
// those that ask nothing, for the new one: first those that were refused and still
// send, then those that never asked anything yet, such as handshakes and headers that
// do not end, then those that wait for their next request, the oldest first.
type gate struct {
	net.Listener
	options *Options
	// limit and perAddress are those of the options, or of health's own listener.
	limit, perAddress int
	metrics           *Metrics

	mu     sync.Mutex
	open   map[*gateConn]bool
	quiet  quietConns
	origin map[netip.Addr]*origin
	// asking is how many requests are under way on the open connections.
	asking int
}

// origin are the connections of one address, with the requests under way on them.
type origin struct {
	open, asking int
	quiet        quietConns
}

// quietConns are connections that ask nothing now, those that have for longest in
// front.
type quietConns struct{ leaving, silent, idle list.List }

// oldest returns the connection that is closed first when there is no room.
func (q *quietConns) oldest() *gateConn {
	for _, l := range []*list.List{&q.leaving, &q.silent, &q.idle} {
		if e := l.Front(); e != nil {
			return e.Value.(*gateConn) //nolint:forcetypeassert // The lists hold nothing else.
		}
	}
	return nil
}

// listed are the places of a connection in the lists of quiet ones.
type listed struct {
	list *list.List
	at   *list.Element
}

// gateConn is an accepted connection.
type gateConn struct {
	net.Conn
	gate *gate
	site netip.Addr
	// gathers is set while the beginning of a reply waits for the rest of it.
	gathers *gathering
	// inTurns writes while a part of a long reply is written; else it is nil.
	inTurns func(b []byte) (int, error)
	// longer is the share of the time until a deadline that reads have in addition.
	longer float64
	// refused is the limit that it exceeds: its calls but health are refused with it. It is set
	// once, before anybody reads it.
	refused string

	// These belong to the gate's lock.
	asking         int
	quiet          []listed
	asked, leaving bool
	since          time.Time
}

func newGate(ln net.Listener, o *Options, limit, perAddress int) *gate {
	return &gate{
		Listener: ln, options: o, limit: limit, perAddress: perAddress, metrics: o.Metrics,
		open: map[*gateConn]bool{}, origin: map[netip.Addr]*origin{},
	}
}

// Accept gives the next connection that there is room for.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // The server compares it.
		}
		boundSendQueue(conn)
		if admitted := g.admit(conn); admitted != nil {
			return admitted, nil
		}
		// Without an answer, which every client takes for a broken connection.
		_ = conn.Close()
	}
}

// admit makes room for a connection and counts it; nil if there is none.
func (g *gate) admit(conn net.Conn) *gateConn {
	c := &gateConn{Conn: conn, gate: g, longer: maxLonger * rand.Float64()} //nolint:gosec // no secret
	if addr := parseAddress(conn.RemoteAddr().String()); !g.options.exempt(addr) {
		c.site = siteOf(addr)
	}
	g.awaitTurn()
	g.mu.Lock()
	defer g.mu.Unlock()
	// Those that were refused and are not gone yet count, so one that goes may not be
	// enough.
	if from := g.origin[c.site]; from != nil {
		for evicted := true; evicted && from.open >= g.perAddress; {
			evicted = g.evict(&from.quiet)
		}
		if from.open >= g.perAddress && !g.refuse(c, "connections_per_address", from.open-g.perAddress) {
			return nil
		}
	}
	for evicted := true; evicted && len(g.open) >= g.limit; {
		evicted = g.evict(&g.quiet)
	}
	if over := len(g.open) - g.limit; over >= 0 && !g.refuse(c, "connections", over) {
		return nil
	}
	g.open[c] = true
	if c.site.IsValid() {
		if g.origin[c.site] == nil {
			g.origin[c.site] = &origin{}
		}
		g.origin[c.site].open++
	}
	g.list(c)
	return c
}

// refuse marks a connection that exceeds a limit, and reports whether there is room for
// the reply that says so, with that many beyond the limit already.
func (g *gate) refuse(c *gateConn, limit string, over int) bool {
	if c.refused = limit; over < refusedAtOnce {
		return true
	}
	g.metrics.refusedFor(limit)
	return false
}

// awaitTurn waits, where the listener is full and the next one to go has only just
// come, until that had its time to ask.
func (g *gate) awaitTurn() {
	if wait := g.timeToAsk(); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		<-timer.C
	}
}

// timeToAsk is how long the next connection to go has yet for its first request; 0 if the
// listener is not full.
func (g *gate) timeToAsk() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	oldest := g.quiet.oldest()
	if len(g.open) < g.limit || oldest == nil || oldest.asked {
		return 0
	}
	return askWithin - time.Since(oldest.since)
}

// evict closes the connection that was quiet for longest; false if none is.
func (g *gate) evict(of *quietConns) bool {
	c := of.oldest()
	if c == nil {
		return false
	}
	g.metrics.connectionClosed(c.asked)
	g.forget(c)
	_ = c.Conn.Close()
	return true
}

// cut closes all connections.
func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.open {
		_ = c.Conn.Close()
	}
}

// list puts a connection that asks nothing, or nothing any more, at the end of the lists.
func (g *gate) list(c *gateConn) {
	g.unlist(c)
	c.since = time.Now()
	of := []*quietConns{&g.quiet}
	if from := g.origin[c.site]; from != nil {
		of = append(of, &from.quiet)
	}
	for _, q := range of {
		l := &q.silent
		switch {
		case c.leaving:
			l = &q.leaving
		case c.asked:
			l = &q.idle
		}
		c.quiet = append(c.quiet, listed{l, l.PushBack(c)})
	}
}

func (g *gate) unlist(c *gateConn) {
	for _, q := range c.quiet {
		q.list.Remove(q.at)
	}
	c.quiet = nil
}

// forget counts a connection out; it may be called again.
func (g *gate) forget(c *gateConn) {
	if !g.open[c] {
		return
	}
	g.countAsking(c, -c.asking)
	delete(g.open, c)
	g.unlist(c)
	if from := g.origin[c.site]; from != nil {
		if from.open--; from.open == 0 {
			delete(g.origin, c.site)
		}
	}
}

// countAsking counts requests under way of a connection, unless it was counted out.
func (g *gate) countAsking(c *gateConn, by int) {
	if !g.open[c] {
		return
	}
	g.asking += by
	if from := g.origin[c.site]; from != nil {
		from.asking += by
	}
}

// The limits of requests under way, which are those of connections: over HTTP/2 one
// connection could have as many as a hundred.
const (
	requestsLimit    = "requests"
	requestsOfOrigin = "requests_per_address"
)

// exceeded is the limit that the requests under way exceed, "" for none, and by how much.
func (g *gate) exceeded(c *gateConn) (limit string, by int) {
	if over := g.asking - g.limit; over > 0 {
		limit, by = requestsLimit, over
	}
	if from := g.origin[c.site]; from != nil && from.asking-g.perAddress > by {
		limit, by = requestsOfOrigin, from.asking-g.perAddress
	}
	return limit, by
}

// The states of a connection: it never asked anything, waits for its next request, or
// has one under way.
const (
	stateSilent = "silent"
	stateIdle   = "idle"
	stateAsking = "asking"
)

// states counts the connections by state.
func (g *gate) states() map[string]int {
	g.mu.Lock()
	defer g.mu.Unlock()
	silent, idle := g.quiet.silent.Len(), g.quiet.idle.Len()
	return map[string]int{stateSilent: silent, stateIdle: idle, stateAsking: len(g.open) - silent - idle}
}

// maxLonger is how much of the time until a deadline is added to it at most.
const maxLonger = 0.25

// SetReadDeadline sets when reads fail, a little later for some connections than for others: those
// that came at the same time and send nothing, such as headers that do not end, then do not end, and
// come again, at the same time.
func (c *gateConn) SetReadDeadline(at time.Time) error {
	if left := time.Until(at); left > 0 {
		at = at.Add(time.Duration(float64(left) * c.longer))
	}
	return c.Conn.SetReadDeadline(at) //nolint:wrapcheck // The server compares it.
}

// Close closes the connection and counts it out.
func (c *gateConn) Close() error {
	c.gate.mu.Lock()
	c.gate.forget(c)
	c.gate.mu.Unlock()
	return c.Conn.Close() //nolint:wrapcheck // The server compares it.
}

// begin and end surround a request on the connection, of which HTTP/2 has several. Where
// those under way are too many it names the limit, but not for the only request of a
// connection, as connections have a limit of their own. cut reports whether there is no
// room for a refusal either.
func (c *gateConn) begin() (refused string, cut bool) {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.asking, c.asked = c.asking+1, true
	c.gate.unlist(c)
	c.gate.countAsking(c, 1)
	if c.asking == 1 {
		return "", false
	}
	limit, by := c.gate.exceeded(c)
	return limit, by > refusedAtOnce
}

// leave says that the request on the connection was refused, and that what still comes
// of it is dropped: the connection may go as soon as another one needs its place.
func (c *gateConn) leave() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	if c.leaving = true; c.gate.open[c] {
		c.gate.list(c)
	}
}

func (c *gateConn) end() {
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	c.gate.countAsking(c, -1)
	if c.asking--; c.asking == 0 && c.gate.open[c] {
		c.gate.list(c)
	}
}

// connKey is that of a request's connection in its context, and refusedKey that of the
// limit of requests that it exceeds.
type (
	connKey    struct{}
	refusedKey struct{}
)

// withConn is what a server calls for each connection, under TLS or not.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	if c, ok := conn.(*gateConn); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

func connOf(r *http.Request) *gateConn {
	c, _ := r.Context().Value(connKey{}).(*gateConn)
	return c
}

// counted counts a handler's requests for the gate.
func counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := connOf(r); c != nil {
			refused, cut := c.begin()
			defer c.end()
			switch {
			case cut:
				c.gate.metrics.refusedFor(refused)
				panic(http.ErrAbortHandler) // A reply that is not read would be held as well.
			case refused != "":
				r = r.WithContext(context.WithValue(r.Context(), refusedKey{}, refused))
			}
		}
		handler.ServeHTTP(w, r)
	})
}
