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

// ConnectionLimits bound the connections and streams that are open at once. A zero
// value takes a default that follows from the number of descriptors that the
// process may have. Loopback and trusted proxies count in the totals only.
type ConnectionLimits struct {
	// Connections bounds the connections in total, by default at most 10,000, and
	// PerAddress those of one address, by default a quarter of them. PerCaller, by
	// default a half, bounds the requests, streams included, that one node or watch
	// cookie has in progress.
	Connections, PerAddress, PerCaller int
	// Streams are three quarters of the connections by default, so that there is room
	// for short calls; StreamsPerAddress and StreamsPerCaller half of them.
	Streams, StreamsPerAddress, StreamsPerCaller int
}

const (
	// maxConnections is the default where there are enough descriptors.
	maxConnections = 10_000
	// minConnections are allowed however few descriptors there are.
	minConnections = 16
	// reservedDescriptors are kept for the store, logs, other services and a Redis server.
	reservedDescriptors = 48
	// refusedAtOnce is how many connections beyond the limit are accepted at once, to
	// reply that there is no room, and for health.
	refusedAtOnce = 16
	// opsConnections is the limit of the separate listener for health and metrics.
	opsConnections = 16
	// firstRequestTime is how long a new connection has for its first request before a
	// listener that is full closes it for one of another address.
	firstRequestTime = 200 * time.Millisecond
	// silentLookedAt is how many of the connections without a first request are considered
	// for that, the oldest first.
	silentLookedAt = 64
)

// fill sets the defaults for a number of descriptors, and keeps the limits below it.
func (l *ConnectionLimits) fill(descriptors int, log *slog.Logger) {
	room := max(descriptors-reservedDescriptors-refusedAtOnce-opsConnections, minConnections)
	if l.Connections > room {
		log.Warn("the connection limit exceeds the process's file descriptors: raise its limit of open files (ulimit -n)",
			"connections", l.Connections, "descriptors", descriptors, "used", room)
	}
	l.Connections = min(cmp.Or(l.Connections, maxConnections), room)
	l.PerAddress = min(cmp.Or(l.PerAddress, l.Connections/4), l.Connections)
	l.PerCaller = min(cmp.Or(l.PerCaller, l.Connections/2), l.Connections)
	l.Streams = min(cmp.Or(l.Streams, l.Connections*3/4), l.Connections)
	l.StreamsPerAddress = min(cmp.Or(l.StreamsPerAddress, l.Streams/2), l.Streams)
	l.StreamsPerCaller = min(cmp.Or(l.StreamsPerCaller, l.Streams/2), l.Streams)
}

// check refuses limits that no caller can keep.
func (l *ConnectionLimits) check() error {
	if min(l.Connections, l.PerAddress, l.PerCaller, l.Streams, l.StreamsPerAddress, l.StreamsPerCaller) < 0 {
		return errors.New("host: a limit of connections or streams must not be negative")
	}
	return nil
}

// exempt reports whether an address is exempt from the limits for each address:
// loopback, unless a test limits it, trusted proxies, and connections over no
// network.
func (o *Options) exempt(addr netip.Addr) bool {
	return !addr.IsValid() || addr.IsLoopback() && !o.LimitLoopback || o.trusts(addr)
}

// tally counts the open items of each key.
type tally[K comparable] struct {
	mu sync.Mutex
	of map[K]int
}

// enter adds one for the key, unless the key has as many as the limit allows. The
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

// callerKey returns the key of the caller whose limits a request counts toward; ""
// for an administrator and for a caller without credentials.
func (c *call) callerKey() string { return keyOf(c.caller) }

func keyOf(caller world.Caller) string {
	if caller.Viewer != "" {
		return caller.Viewer
	}
	return caller.NodeID
}

// checkConnection refuses a request over a connection beyond the limit.
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
		return c.host.overloaded(conn.refused, "the host has reached its connection limit of %d (--max-connections)", conn.gate.limit)
	}
	return c.host.overloaded(conn.refused, "this address has reached its connection limit of %d (--max-connections-per-address)", conn.gate.perAddress)
}

// checkRequests refuses a request where as many are in progress as there may be
// connections.
func (c *call) checkRequests(g *gate) error {
	limit, _ := c.r.Context().Value(refusedKey{}).(string)
	switch limit {
	case requestsLimit:
		return c.host.overloaded(limit, "the host has too many requests in progress: the limit is %d (--max-connections)", g.limit)
	case requestsOfOrigin:
		return c.host.overloaded(limit,
			"this address has too many requests in progress: the limit is %d (--max-connections-per-address)", g.perAddress)
	}
	return nil
}

// enterCall counts a request toward its caller's limit until it is concluded.
func (c *call) enterCall() error {
	if most := c.host.options.Connections.PerCaller; !c.host.calls.enter(c.callerKey(), most) {
		return c.host.overloaded("connections_per_caller", "you have too many requests in progress: the limit is %d (--max-connections-per-caller)", most)
	}
	c.entered = c.callerKey()
	return nil
}

// limitedAddress returns the address whose limits a request counts toward; the
// zero Addr where there are none.
func (c *call) limitedAddress() netip.Addr {
	if c.host.options.exempt(c.peer) {
		return netip.Addr{}
	}
	return siteOf(c.peer)
}
