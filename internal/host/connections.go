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

// gate bounds the connections of a listener. When there are too many it closes a
// connection without a request, to make room for the new one: first those that were
// refused and still send, then those that have not sent a first request, such as
// unfinished handshakes and headers, then those that wait for their next request, the
// oldest first.
type gate struct {
	net.Listener
	options *Options
	// limit and perAddress are the limits of the options, or of the separate listener for
	// health.
	limit, perAddress int
	metrics           *Metrics

	mu     sync.Mutex
	open   map[*gateConn]bool
	quiet  quietConns
	origin map[netip.Addr]*origin
	// asking is how many requests are in progress on the open connections.
	asking int
	// failed is when the log last said that a connection cannot be accepted. Only Accept
	// uses it.
	failed time.Time
}

// origin counts the connections of one address, with the requests in progress on them,
// and those that are refused because the host is full.
type origin struct {
	open, asking, refused int
	quiet                 quietConns
}

// quietConns are connections with no request in progress, those idle for longest
// in front.
type quietConns struct{ leaving, silent, idle list.List }

// oldest returns the connection of an address to close first when there is no room.
func (q *quietConns) oldest() *gateConn {
	for _, l := range []*list.List{&q.leaving, &q.silent, &q.idle} {
		if e := l.Front(); e != nil {
			return e.Value.(*gateConn) //nolint:forcetypeassert // The lists hold nothing else.
		}
	}
	return nil
}

// listed are the positions of a connection in the lists of quiet connections.
type listed struct {
	list *list.List
	at   *list.Element
}

// gateConn is an accepted connection.
type gateConn struct {
	net.Conn
	gate *gate
	// site is the address that it is from. limited is set where addresses have a limit.
	site    netip.Addr
	limited bool
	// gathers is set while the beginning of a reply is held back for the rest of it.
	gathers *gathering
	// inTurns writes while a part of a long reply is written; else it is nil.
	inTurns func(b []byte) (int, error)
	// extraTime is the fraction by which the time until a read deadline is extended.
	extraTime float64
	// refused names the limit that the connection exceeds: its calls except health are refused
	// with it. It is set once, before any read of it.
	refused string
	// overfull is set where the connection exceeds the limit of the listener.
	overfull bool

	// The gate's lock guards these fields.
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

// Accept returns the next connection that there is room for.
func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err := g.accepting(err); err != nil {
			return nil, err
		}
		boundSendQueue(conn)
		if admitted := g.admit(conn); admitted != nil {
			return admitted, nil
		}
		// Closed without a reply, which every client takes for a broken connection.
		_ = conn.Close()
	}
}

// admit makes room for a connection and counts it; it returns nil if there is no room. It
// does not wait: others would wait with it to be accepted.
func (g *gate) admit(conn net.Conn) *gateConn {
	addr := parseAddress(conn.RemoteAddr().String())
	c := &gateConn{
		Conn: conn, gate: g, extraTime: maxExtraTime * rand.Float64(), //nolint:gosec // no secret
		site: siteOf(addr), limited: !g.options.exempt(addr),
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	from := g.origin[c.site]
	if from == nil {
		from = &origin{}
	}
	// Connections that were refused and not closed yet count as well, so closing one
	// may not be enough.
	if c.limited {
		for evicted := true; evicted && from.open >= g.perAddress; {
			evicted = g.evict(from.quiet.oldest())
		}
		if from.open >= g.perAddress && !g.refuse(c, "connections_per_address", from.open-g.perAddress < refusedAtOnce) {
			return nil
		}
	}
	for evicted := true; evicted && len(g.open) >= g.limit; {
		evicted = g.evict(g.leastNeeded(c, from))
	}
	if over := len(g.open) - g.limit; over >= 0 {
		// Another address finds room for the reply that refuses it.
		if !g.refuse(c, "connections", over < refusedAtOnce && from.refused < refusedAtOnce/2) {
			return nil
		}
		from.refused++
		c.overfull = true
	}
	g.open[c], g.origin[c.site] = true, from
	from.open++
	g.list(c)
	return c
}

// refuse marks a connection that exceeds a limit, and returns whether there is room for
// the reply that says so.
func (g *gate) refuse(c *gateConn, limit string, room bool) bool {
	if c.refused = limit; !room {
		g.metrics.refusedFor(limit)
	}
	return room
}

// leastNeeded returns the connection to close for a new one from an address, nil for none.
// One that has only just come is closed for another of its own address, or where its
// address has more of them than the new one's.
func (g *gate) leastNeeded(c *gateConn, from *origin) *gateConn {
	if e := g.quiet.leaving.Front(); e != nil {
		return e.Value.(*gateConn) //nolint:forcetypeassert // as in oldest
	}
	e := g.quiet.silent.Front()
	for range silentLookedAt {
		if e == nil {
			break
		}
		silent := e.Value.(*gateConn) //nolint:forcetypeassert // as in oldest
		if silent.site == c.site || time.Since(silent.since) >= firstRequestTime ||
			g.origin[silent.site].quiet.silent.Len() > max(from.quiet.silent.Len(), 1) {
			return silent
		}
		e = e.Next()
	}
	if e := g.quiet.idle.Front(); e != nil {
		return e.Value.(*gateConn) //nolint:forcetypeassert // as in oldest
	}
	return nil
}

// evict closes a quiet connection, and reports whether there was one.
func (g *gate) evict(c *gateConn) bool {
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

// list puts a connection that has no request in progress at the end of the lists.
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

// forget removes a connection from the counts; further calls do nothing.
func (g *gate) forget(c *gateConn) {
	if !g.open[c] {
		return
	}
	g.countAsking(c, -c.asking)
	delete(g.open, c)
	g.unlist(c)
	if from := g.origin[c.site]; from != nil {
		if c.overfull {
			from.refused--
		}
		if from.open--; from.open == 0 {
			delete(g.origin, c.site)
		}
	}
}

// countAsking adds to the requests in progress of a connection, unless the gate has
// forgotten it.
func (g *gate) countAsking(c *gateConn, by int) {
	if !g.open[c] {
		return
	}
	g.asking += by
	if from := g.origin[c.site]; from != nil {
		from.asking += by
	}
}

// The limits of requests in progress, which equal those of connections: over HTTP/2
// one connection could have as many as a hundred.
const (
	requestsLimit    = "requests"
	requestsOfOrigin = "requests_per_address"
)

// exceeded returns the limit that the requests in progress exceed, "" for none, and by how
// much.
func (g *gate) exceeded(c *gateConn) (limit string, by int) {
	if over := g.asking - g.limit; over > 0 {
		limit, by = requestsLimit, over
	}
	if from := g.origin[c.site]; from != nil && c.limited && from.asking-g.perAddress > by {
		limit, by = requestsOfOrigin, from.asking-g.perAddress
	}
	return limit, by
}

// The states of a connection: it has sent no request yet, waits for its next request,
// or has one in progress.
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

// maxExtraTime is the greatest extraTime of a connection.
const maxExtraTime = 0.25

// SetReadDeadline sets when reads fail, a little later for some connections than for others:
// connections that came at the same time and do not finish their headers are then not closed, and do
// not return, at the same time.
func (c *gateConn) SetReadDeadline(at time.Time) error {
	if left := time.Until(at); left > 0 {
		at = at.Add(time.Duration(float64(left) * c.extraTime))
	}
	return c.Conn.SetReadDeadline(at) //nolint:wrapcheck // The server compares it.
}

// Close closes the connection and removes it from the counts.
func (c *gateConn) Close() error {
	c.gate.mu.Lock()
	c.gate.forget(c)
	c.gate.mu.Unlock()
	return c.Conn.Close() //nolint:wrapcheck // The server compares it.
}

// begin and end surround a request on the connection, of which HTTP/2 has several. Where
// too many are in progress, begin names the limit, but not for the only request of a
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

// leave marks the connection as one whose request was refused, and whose remaining
// input is dropped: it may be closed as soon as another connection needs its place.
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

// connKey is the key of a request's connection in its context, and refusedKey the key
// of the limit of requests that it exceeds.
type (
	connKey    struct{}
	refusedKey struct{}
)

// withConn is the ConnContext of a server, with TLS or without.
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

// counted counts a handler's requests at the gate.
func counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := connOf(r); c != nil {
			refused, cut := c.begin()
			defer c.end()
			switch {
			case cut:
				c.gate.metrics.refusedFor(refused)
				panic(http.ErrAbortHandler) // A reply that is not read would take memory as well.
			case refused != "":
				r = r.WithContext(context.WithValue(r.Context(), refusedKey{}, refused))
			}
		}
		handler.ServeHTTP(w, r)
	})
}
