package host

import (
	"cmp"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/playctl/playctl/internal/world"
)

// ConnectionLimits bound what is open at once. A zero value takes a default that
// follows from the descriptors that the process may have. Loopback and trusted
// proxies count in the totals only.
type ConnectionLimits struct {
	// Connections are all of them, at most 10,000 by default, PerAddress a quarter
	// of them. PerCaller, a half, are the requests, streams included, that one node
	// or watch cookie has under way.
	Connections, PerAddress, PerCaller int
	// Streams are three quarters of the connections by default, so that there is room
	// for short calls; StreamsPerAddress and StreamsPerCaller half of them.
	Streams, StreamsPerAddress, StreamsPerCaller int
}

const (
	// mostConnections is the default where there are enough descriptors.
	mostConnections = 10_000
	// leastConnections are allowed however few descriptors there are.
	leastConnections = 16
	// reservedDescriptors are kept for the store, logs, other services and a Redis server.
	reservedDescriptors = 48
	// refusedAtOnce is how many connections beyond the limit are accepted for the reply
	// that there is no room, and for health.
	refusedAtOnce = 16
	// opsConnections is the limit of the separate listener for health and metrics.
	opsConnections = 16
	// askWithin is how long a new connection has for its first request at a listener
	// that is full; others wait meanwhile to be accepted.
	askWithin = 200 * time.Millisecond
)

// fill takes the defaults for a number of descriptors, and keeps below it.
func (l *ConnectionLimits) fill(descriptors int, log *slog.Logger) {
	room := max(descriptors-reservedDescriptors-refusedAtOnce-opsConnections, leastConnections)
	if l.Connections > room {
		log.Warn("the limit of connections is above what the process has descriptors for: raise its limit of open files (ulimit -n)",
			"connections", l.Connections, "descriptors", descriptors, "used", room)
	}
	l.Connections = min(cmp.Or(l.Connections, mostConnections), room)
	l.PerAddress = min(cmp.Or(l.PerAddress, l.Connections/4), l.Connections)
	l.PerCaller = min(cmp.Or(l.PerCaller, l.Connections/2), l.Connections)
	l.Streams = min(cmp.Or(l.Streams, l.Connections*3/4), l.Connections)
	l.StreamsPerAddress = min(cmp.Or(l.StreamsPerAddress, l.Streams/2), l.Streams)
	l.StreamsPerCaller = min(cmp.Or(l.StreamsPerCaller, l.Streams/2), l.Streams)
}

// check refuses limits that nobody can keep to.
func (l *ConnectionLimits) check() error {
	if min(l.Connections, l.PerAddress, l.PerCaller, l.Streams, l.StreamsPerAddress, l.StreamsPerCaller) < 0 {
		return errors.New("host: a limit of connections or streams must not be negative")
	}
	return nil
}

// exempt reports whether limits for each address leave an address out: loopback,
// unless a test wants it limited, trusted proxies, and what came over no network.
func (o *Options) exempt(addr netip.Addr) bool {
	return !addr.IsValid() || addr.IsLoopback() && !o.LimitLoopback || o.trusts(addr)
}

// tally counts what is open for each of its keys.
type tally[K comparable] struct {
	mu sync.Mutex
	of map[K]int
}

// enter counts one in, unless there are as many for the key as the limit says. The
// zero key has no limit of its own.
func (t *tally[K]) enter(key K, limit int) bool {
	var none K
	if key == none {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[key] >= limit {
		return false
	}
	if t.of == nil {
		t.of = map[K]int{}
	}
	t.of[key]++
	return true
}

func (t *tally[K]) leave(key K) {
	var none K
	if key == none {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[key]--; t.of[key] <= 0 {
		delete(t.of, key)
	}
}

// callerKey is whose limits a request counts for; "" for an administrator and for
// a caller without credentials.
func (c *call) callerKey() string { return keyOf(c.caller) }

func keyOf(caller world.Caller) string {
	if caller.Viewer != "" {
		return caller.Viewer
	}
	return caller.NodeID
}

// checkConnection refuses what comes over a connection that there is no room for.
func checkConnection(c *call) error {
	conn := connOf(c.r)
	if conn == nil {
		return nil
	}
	if c.r.ProtoMajor > 1 {
		if err := c.checkRequests(conn.gate); err != nil {
			return err
		}
	}
	if conn.refused == "" {
		return nil
	}
	c.w.Header().Set("Connection", "close")
	if conn.refused == "connections" {
		return c.host.overloaded(conn.refused, "the host has as many connections as it may, %d (--max-connections)", conn.gate.limit)
	}
	return c.host.overloaded(conn.refused, "this address has as many connections as it may, %d (--max-connections-per-address)", conn.gate.perAddress)
}

// checkRequests refuses a request where there are as many under way as there may be
// connections.
func (c *call) checkRequests(g *gate) error {
	limit, _ := c.r.Context().Value(refusedKey{}).(string)
	switch limit {
	case requestsLimit:
		return c.host.overloaded(limit, "the host has as many requests under way as it may have connections, %d (--max-connections)", g.limit)
	case requestsOfOrigin:
		return c.host.overloaded(limit,
			"this address has as many requests under way as it may have connections, %d (--max-connections-per-address)", g.perAddress)
	}
	return nil
}

// enterCall counts a request in for its caller, until it is concluded.
func (c *call) enterCall() error {
	if most := c.host.options.Connections.PerCaller; !c.host.calls.enter(c.callerKey(), most) {
		return c.host.overloaded("connections_per_caller", "you have as many requests under way as one caller may, %d (--max-connections-per-caller)", most)
	}
	c.entered = c.callerKey()
	return nil
}

// limitedAddress is the address whose limits a request counts for; the zero Addr
// where there are none.
func (c *call) limitedAddress() netip.Addr {
	if c.host.options.exempt(c.peer) {
		return netip.Addr{}
	}
	return siteOf(c.peer)
}
